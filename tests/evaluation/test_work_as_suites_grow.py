"""What a run does for a case does not know how many cases there are, nor how much is written around them.

Counted, without a clock: the functions that are called, and the characters of long texts that are handed to them.
"""

import json
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType

import pytest
from suites import Folder
from thorough import sample

from rubric_core.cli import main

#: Characters of a text that is not the case's own.
LONG = 10_000
SHORT_PROSE, LONG_PROSE = 300, 3_000
#: The modules that run what a check has read; of checks, `tests/bench` has other tests.
RUNS = tuple(
    str(Path("rubric_core", *each))
    for each in (
        ("evaluation",),
        *(("families", "promptfoo", room) for room in ("cases", "engine", "evaluators", "targets")),
    )
)
#: What only looks a text up, and does not read it.
APART = frozenset({"of_text"})
#: Calls and characters that go up and down with how results are stored together.
NOISE = 3_000
PROSE = "# Say {{ word }} to ${{ HOME }}, env.\n"


@dataclass
class Work:
    """What was done."""

    calls: int = 0
    characters: int = 0

    def profile(self, frame: FrameType, event: str, _: object) -> None:
        """Count a call: see `sys.setprofile`."""
        self.calls += event in ("call", "c_call")
        code = frame.f_code
        is_begun = frame.f_lineno != code.co_firstlineno  # a generator that goes on
        if (
            event == "call"
            and not is_begun
            and code.co_name not in APART
            and any(each in code.co_filename for each in RUNS)
        ):
            texts = (value for value in frame.f_locals.values() if type(value) is str)
            self.characters += sum(len(each) for each in texts if len(each) >= LONG)


def inline(case: str, head: str = "", *, key: str = "tests") -> Callable[[Folder, int, str], str]:
    """A suite with a list of cases, in which @ is the number of a case."""

    def write(folder: Folder, cases: int, prose: str) -> str:
        listed = "".join(case.replace("@", str(n)) for n in range(cases))
        return folder.write("suite.eval.yaml", f"{head}{prose}{key}:\n{listed}").name

    return write


def promptfoo(case: str, head: str = "", *, key: str = "tests") -> Callable[[Folder, int, str], str]:
    """A configuration of promptfoo with a list of tests."""

    def write(folder: Folder, cases: int, prose: str) -> str:
        listed = "".join(case.replace("@", str(n)) for n in range(cases))
        text = f"{head or PROMPT}providers: [echo]\n{prose}{key}:\n{listed}"
        return folder.write("promptfooconfig.yaml", text).name

    return write


def table(folder: Folder, cases: int, prose: str) -> str:
    folder.write("t.csv", "word,__expected\n" + "".join(f"w{n},contains:w{n}\n" for n in range(cases)))
    return folder.write("promptfooconfig.yaml", f"{PROMPT}providers: [echo]\n{prose}tests: file://t.csv\n").name


def lines(folder: Folder, cases: int, prose: str) -> str:
    made = ({"id": f"c{n}", "criteria": "c", "input": "hi", "assertions": [{"type": "contains", "value": "h"}]} for n in range(cases))  # fmt: skip
    folder.write("cases.jsonl", "".join(f"{json.dumps(each)}\n" for each in made))
    return folder.write("suite.eval.yaml", f"{prose}tests: cases.jsonl\n").name


def conversation(folder: Folder, cases: int, prose: str, window: str = "    window_size: 2\n") -> str:
    case = "      - {input: hi @, expected_output: hi, assertions: [{type: contains, value: h}]}\n"
    turns = "".join(case.replace("@", str(n)) for n in range(cases))
    text = (
        f"{prose}tests:\n  - id: c\n    criteria: c\n    input: hi\n    mode: conversation\n{window}    turns:\n{turns}"
    )
    return folder.write("suite.eval.yaml", text).name


PROMPT = "prompts: ['Say {{word}}']\n"
CODE = "{name: a, type: code_judge, script: 'true'}"
SUITES = {
    "agentv-0.1": inline(
        "  - {id: c@, outcome: o, messages: [{role: user, content: hi}]}\n",
        "# rubric: dialect=agentv-0.1\n", key="testcases",
    ),
    "agentv-0.5": inline(
        "  - {id: c@, outcome: o, input_messages: [{role: user, content: hi}], evaluator: llm_judge}\n",
        "# rubric: dialect=agentv-0.5\n", key="evalcases",
    ),
    "agentv-1": inline(
        "  - {id: c@, expected_outcome: o, input_messages: [{role: user, content: hi}]}\n",
        "# rubric: dialect=agentv-1\n", key="evalcases",
    ),
    "agentv-2.7": inline("  - {id: c@, criteria: c, input: hi @, assert: [{type: contains, value: h}]}\n", "# rubric: dialect=agentv-2.7\n"),
    "agentv-3": inline(
        "  - {id: c@, criteria: c, input: hi @, assertions: [{type: contains, value: h}]}\n", "# rubric: dialect=agentv-3\n"
    ),
    "agentv-5": inline(
        "  - id: c@\n    vars: {word: w@}\n    criteria: c\n    input: 'hi {{ word }}'\n    assertions: [{type: contains, value: h}]\n",
        "description: 'Greets in {{ tongue }}, at ${{ HOME }}'\nmetadata: {a: [b]}\n",
    ),
    "lines of JSON": lines,
    "a conversation": conversation,
    "a conversation without a window": partial(conversation, window=""),
    "promptfoo": promptfoo("  - {vars: {word: w@}, assert: [{type: contains, value: w@}]}\n"),
    "promptfoo, templates": promptfoo("  - {vars: {word: w@}, assert: [{type: contains, value: '{{ word }}'}]}\n"),
    "promptfoo, findings": promptfoo("  - {vars: {word: w@}, assert: [{type: contians, value: w@}]}\n"),
    "promptfoo, a table": table,
    "promptfoo, scenarios": promptfoo(
        "      - {vars: {word: w@}}\n", key="scenarios:\n  - tests: [{assert: [{type: contains, value: w}]}]\n    config"
    ),
    "promptfoo, rows": promptfoo(
        "        - w@\n", key="tests:\n  - assert: [{type: contains, value: w}]\n    vars:\n      word"
    ),
    "promptfoo, turns": promptfoo(
        "  - {vars: {word: w@}, metadata: {conversationId: c}}\n", "prompts: ['{{ _conversation.length }} {{word}}']\n"
    ),
}  # fmt: skip
#: Those without a judge, or with findings.
UNSCORED = ("agentv-0.1", "agentv-0.5", "agentv-1", "promptfoo, findings")


def work_of(folder: Folder, write: Callable[[Folder, int, str], str], cases: int, prose: int) -> Work:
    """What a run of a suite does, which is not stored beside another run."""
    name = write(folder, cases, PROSE * prose)
    done = Work()
    threading.setprofile(done.profile)
    sys.setprofile(done.profile)
    try:
        main(["run", str(folder.path / name), "--no-store"])
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]  # as `sys.setprofile` takes it
    return done


@pytest.mark.parametrize("suite", sample(list(SUITES), 6))
def test_a_case_takes_as_much_in_a_long_suite(suite: str, folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    folder.mock("hi")
    write = SUITES[suite]
    work_of(folder, write, 2, 1)  # what is loaded at first use
    few, more, many = (work_of(folder, write, cases, SHORT_PROSE) for cases in (8, 16, 32))
    assert "unscored" not in capsys.readouterr().out or suite in UNSCORED
    longer, longest = (work_of(folder, write, cases, LONG_PROSE) for cases in (8, 16))
    calls, characters = more.calls - few.calls, max(0, more.characters - few.characters)
    assert many.calls - more.calls <= 2.1 * calls + NOISE
    assert longest.calls - longer.calls <= 1.1 * calls + NOISE
    # A suite as a whole is read a few times, whatever there is in it.
    assert many.characters - more.characters <= 2.1 * characters + 10 * NOISE
    assert longest.characters - longer.characters <= 1.1 * characters + 10 * NOISE
