"""After any edits, in every encoding, a server says what one says that reads the text for the first time."""

import random

import pytest
from harness import LANGUAGE
from oracle import ENCODINGS, Follower, follow, pairs

from rubric_core.text import Encoding

SMALL = """\
# rubric: dialect=agentv-3
assertions:
  - {type: latency, threshold: 8000}
tests:
  # the first one
  - &base
    id: refund
    criteria: Explains it 😀
    input: Can I?
    assertions:
      - Mentions {{ days }}
      - {type: contains, value: x, weight: -1}
  - <<: *base
    id: refund
  - id: tides
    input: |
      Explain\u2028 the tides
    grader: x
    rubrics: [{id: a, outcom: b, score_ranges: {0: bad, 5: good}}]
"""
OLD = "evalcases:\r\n- id: é\r\n  expected_outcome: x\r\n  input: hi\r\n  grader: llm_judge\r\n- id: b\r\n  outcome: y\r\n"


@pytest.fixture(scope="module")
def both() -> dict[Encoding, tuple[Follower, Follower]]:
    return pairs(LANGUAGE)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("text", [SMALL, OLD, ""], ids=["small", "old", "nothing"])
def test_random_edits(both: dict[Encoding, tuple[Follower, Follower]], text: str, encoding: Encoding) -> None:
    rng = random.Random(f"{encoding} {len(text)}")
    for _ in range(4):
        follow(text, rng, 25, encoding, both[encoding])
