"""Every request at places of real suites and of texts that end anywhere: no error, and nothing wrong in the log."""

import random

import pytest
from client import BARE, VSCODE, Connect
from everywhere import ask_everything, assert_quiet, prefixes
from test_oracle import OLD, SMALL
from test_promptfoo_navigation import CONFIG as PROMPTFOO

#: A single criterion in the place of a list.
NEWEST = """\
prompts: ["{{ q }}"]
tests:
  - vars: {q: hi}
    assert:
      - {type: llm-rubric, value: {outcome: x, score_ranges: {0: bad, 5: good}}}
      - {type: assert-set, assert: [{type: llm-rubric, value: Is polite}]}
---
tests:
  - id: in a second document
"""


def test_everything_everywhere_in_a_configuration_of_promptfoo(connect: Connect) -> None:
    rng = random.Random(7)
    text = f"# rubric: dialect=promptfoo\n{PROMPTFOO}"
    client = connect()
    client.initialize(VSCODE)
    ask_everything(client, text, range(0, len(text), 37))
    for part in prefixes([text], rng, 6):
        ask_everything(client, part, rng.sample(range(len(part) + 1), min(6, len(part) + 1)))
    assert_quiet(client)


@pytest.mark.parametrize("capabilities", [VSCODE, BARE], ids=["vscode", "bare"])
def test_everything_everywhere(connect: Connect, capabilities: object) -> None:
    import oracle  # noqa: F401  # makes the corpus importable
    from corpus import suites

    rng = random.Random(5)
    real = [s.text for s in suites() if len(s.text) < 5_000]
    texts = [SMALL, OLD, NEWEST, *rng.sample(real, min(4, len(real)))]
    client = connect()
    client.initialize(capabilities)  # type: ignore[arg-type]
    for text in [*texts, *prefixes(texts, rng, 6)]:
        ask_everything(client, text, rng.sample(range(len(text) + 1), min(5, len(text) + 1)))
    assert_quiet(client)
