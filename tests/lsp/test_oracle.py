"""After any edits, in every encoding, a server says what one says that reads the text for the first time."""

import random

import pytest
from harness import LANGUAGE
from oracle import ENCODINGS, Follower, follow, pairs
from thorough import seeds

from rubric_core.text import Encoding, Position, TextRange
from rubric_lsp.documents.content_changes import ContentChange
from rubric_lsp.documents.semantic_tokens import coloring

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
#: Without anchors, what is known of one version is carried over to the next.
PLAIN = """\
# rubric: dialect=agentv-3
name: x
tests:
  - id: refund
    criteria: Explains it 😀
    input: Can I?
    bogus: 1
  - id: tides
    depends_on: [refund, nobody]
    criteria: x
    input: see file://a.md
  - id: tides
    criteria: é
    input: |
      hi
    assertions:
      - {type: contains, valu: x}
execution: {target: bot}
"""
OLD = "evalcases:\r\n- id: é\r\n  expected_outcome: x\r\n  input: hi\r\n  grader: llm_judge\r\n- id: b\r\n  outcome: y\r\n"


@pytest.fixture(scope="module")
def both() -> dict[Encoding, tuple[Follower, Follower]]:
    return pairs(LANGUAGE)


PROMPTFOO = """\
# rubric: dialect=promptfoo
x-checks: {brief: &brief {type: javascript, value: output.length < 9, metric: short}}
prompts: ["Say {{word}}", {raw: "x {{name}}", label: short}]
providers:
- {id: "openai:chat:gpt-5", label: big}
derivedMetrics: [{name: a, value: short / 2}]
tests:
- description: é
  vars: {word: hi, unused: 1}
  providers: [big]
  assert: [*brief, {type: contains, value: "{{name}}"}]
- vars: {name: [a, b]}
  assert:
  - $ref: '#/x-checks/brief'
"""


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize(
    "text", [SMALL, PLAIN, OLD, PROMPTFOO, ""], ids=["small", "plain", "old", "promptfoo", "nothing"]
)
def test_random_edits(both: dict[Encoding, tuple[Follower, Follower]], text: str, encoding: Encoding) -> None:
    rng = random.Random(f"{encoding} {len(text)}")
    for _ in seeds(4, few=1):
        follow(text, rng, 25, encoding, both[encoding])


def test_only_the_edited_case_is_written_anew(both: dict[Encoding, tuple[Follower, Follower]]) -> None:
    """After an edit, each answer compares one block, wherever it is then, and none of the others."""
    server = both["utf-16"][0].server
    uri, case = "file:///oracle/many.eval.yaml", "  - id: c{}\n    criteria: x\n    inptu: hi\n"
    text = "tests:\n" + "".join(case.format(n) for n in range(20))
    snapshot = server.documents.open(uri, "yaml", 0, text)

    def looked_at() -> list[int]:
        both["utf-16"][0].told(snapshot)
        coloring(snapshot)
        kept = snapshot.kept
        answers = kept.answers.values()
        return [kept.colors.looked_at, *(a.looked_at for a in answers), *(a.compared for a in answers)]

    before = looked_at()
    for number, line in enumerate((34, 50), 1):
        where = TextRange(Position(line, 0), Position(line, 0))
        changed = server.documents.change(uri, number, [ContentChange(where, "    # a note\n")])
        assert changed is not None
        snapshot = changed
        after = looked_at()
        assert [a - b for a, b in zip(after, before, strict=True)] == [1] * len(after)
        before = after
