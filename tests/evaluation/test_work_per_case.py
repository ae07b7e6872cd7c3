"""What a run does once for a suite, or once for a case: counted, since no result shows it when it is done again and again."""

import asyncio
import gc
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import suites
from judge_server import JudgeServer
from suites import Folder, checks

from rubric_core.cli import main
from rubric_core.evaluation.cases import variations
from rubric_core.evaluation.engine import fingerprint
from rubric_core.evaluation.model import context
from rubric_core.js_regex import translate

CASES = 8
#: Functions of Python that may be called for a case with two checks.
MOST_CALLS = 2_600
SUITE = "metadata: {team: shop}\ntests:\n" + "".join(
    f"""
  - id: c{n}
    criteria: Says hello
    input: Say hello {n}
    assertions:
      - {{type: contains, value: hello}}
      - {{type: regex, value: "[0-9]+"}}
      - {{type: equals, value: hello 42}}
"""
    for n in range(CASES)
)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often some functions are called by runs, without their plans."""
    monkeypatch.setattr(suites, "HELD", False)
    counted: Counter[str] = Counter()

    def count(module: Any, name: str) -> None:
        real: Callable[..., Any] = getattr(module, name)

        def counting(*arguments: Any, **named: Any) -> Any:
            counted[name] += 1
            return real(*arguments, **named)

        monkeypatch.setattr(module, name, counting)

    count(fingerprint, "_read_inherited")
    count(context, "context_fields")
    count(variations, "_distinct_variations")
    count(translate, "parse")
    translate.translate.cache_clear()
    return counted


async def test_what_cases_share_is_worked_out_once(folder: Folder, calls: Counter[str]) -> None:
    folder.mock("hello 42")
    results = await folder.run(SUITE)
    assert {result.verdict.value for result in results.values()} == {"passed"}
    assert len({result.fingerprint for result in results.values()}) == CASES
    assert calls["_read_inherited"] == 1, "the suite is read for fingerprints once"
    assert calls["parse"] == 1, "the one pattern of the suite is translated once"


async def test_a_case_is_told_apart_and_checked_once(folder: Folder, calls: Counter[str]) -> None:
    folder.mock("hello 42")
    await folder.run(SUITE)
    assert calls["_distinct_variations"] == CASES
    assert calls["context_fields"] == CASES, "a context is made of arguments once; for each evaluator it is copied"


async def test_another_suite_has_another_inheritance(folder: Folder, calls: Counter[str]) -> None:
    """Cases share what they inherit under the identity of their suite: it cannot be that of another text."""
    folder.mock("hello 42")
    one = await folder.run(SUITE)
    other = await folder.run(SUITE.replace("criteria: Says", "criteria: says").replace("team: shop", "team: toys"))
    again = await folder.run(SUITE.replace("team: shop", "team: toys"))
    first = await folder.run(SUITE)
    assert calls["_read_inherited"] == 4
    assert first["c0"].fingerprint == one["c0"].fingerprint
    assert len({run["c0"].fingerprint for run in (one, other, again)}) == 3


@pytest.mark.parametrize(
    ("evaluator", "loaded"), [("{type: contains, value: hello}", False), ("{type: llm-judge}", True)]
)
def test_what_judges_need_is_loaded_with_the_first_of_them(folder: Folder, evaluator: str, loaded: bool) -> None:
    """Loading pydantic takes longer than a hundred checks without a judge."""
    folder.mock("hello 42")
    folder.suite(f"tests: [{{id: a, criteria: Says hello, input: hi, assertions: [{evaluator}]}}]")
    code = "import sys, rubric_core.cli as c; c.main(['run', 'suite.eval.yaml']); print('pydantic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder.path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == str(loaded)


def test_what_other_runs_need_is_not_loaded(folder: Folder) -> None:
    """Files in other formats, a baseline, `--watch` and the rows of promptfoo: a seventh of the start of a run."""
    folder.mock("hello 42")
    folder.suite("tests: [{id: a, criteria: Says hello, input: hi, assertions: [{type: contains, value: hello}]}]")
    code = "import sys, rubric_core.cli as c; print(c.main(['run', 'suite.eval.yaml'])); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder.path, capture_output=True, text=True, check=True)
    *_, ended, loaded = done.stdout.splitlines()
    others = (
        "rubric_core.cli.run_watch", "rubric_core.evaluation.comparison", "rubric_core.evaluation.report_page", "urllib.request",
        "rubric_core.evaluation.exporting.junit", "rubric_core.families.promptfoo.evaluators", "rubric_core.families.promptfoo.engine",
    )  # fmt: skip
    assert (ended, sorted(name for name in loaded.split() if name.startswith(others))) == ("0", [])


def test_the_program_collects_no_garbage_while_it_loads_and_does_afterwards(folder: Folder) -> None:
    folder.mock("hello 42")
    folder.suite("tests: [{id: a, criteria: Says hello, input: hi, assertions: [{type: contains, value: hello}]}]")
    code = """
import gc, sys
from rubric_core.cli import main
found = []
gc.callbacks.append(lambda phase, info: found.append("rubric_core.cli.run" in sys.modules and info["generation"]))
sys.argv = ["rubric", "run", "suite.eval.yaml"]
print(main(), 2 in found, gc.isenabled())
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=folder.path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 False True"


async def test_recordings_are_not_loaded_where_a_judge_is_asked(folder: Folder, judge: JudgeServer) -> None:
    """They are as much again as its replies."""
    folder.targets({"name": "default", "provider": "mock", "response": "hi", "grader_target": "judge"}, judge.target())
    judge.replies = [checks(a=True)]
    folder.suite("tests: [{id: a, input: hi, assertions: [{type: rubrics, criteria: [{id: a, outcome: o}]}]}]")
    code = "import sys, rubric_core.cli as c; print(c.main(['run', 'suite.eval.yaml'])); print(*sys.modules)"
    started = await asyncio.create_subprocess_exec(sys.executable, "-c", code, cwd=folder.path, stdout=subprocess.PIPE)
    out, _ = await started.communicate()
    *_, ended, loaded = out.decode().splitlines()
    modules = {name for name in loaded.split() if name.startswith("rubric_core.evaluation.judging.")}
    assert (ended, len(judge.bodies)) == ("0", 1)
    assert "rubric_core.evaluation.judging.replies" in modules
    assert "rubric_core.evaluation.judging.recording_file" not in modules


def calls_of_a_run(folder: Folder, cases: int) -> int:
    """How many functions of Python are called by a run of that many cases."""
    folder.suite("tests:\n" + "".join(f"""
      - {{id: c{n}, criteria: c, input: hi, assertions: [{{type: contains, value: h}}, {{type: equals, value: hi}}]}}""" for n in range(cases)))  # fmt: skip
    counted = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event == "call"

    sys.setprofile(count)
    try:
        assert main(["run", str(folder.path / "suite.eval.yaml")]) == 0
    finally:
        sys.setprofile(None)
    return counted


def test_a_case_takes_few_calls(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    """From reading it to its row in the store; what a run does once is not counted."""
    folder.mock("hi")
    calls_of_a_run(folder, 1)
    few, many = calls_of_a_run(folder, 10), calls_of_a_run(folder, 40)
    assert (many - few) / 30 < MOST_CALLS, capsys.readouterr().err


def test_reading_a_suite_leaves_no_garbage(folder: Folder) -> None:
    """A run does not look for any while it reads."""
    folder.mock("hello 42")
    folder.cases(SUITE)
    gc.collect()
    gc.disable()
    try:
        kept = folder.cases(SUITE)
        assert gc.collect() == 0
    finally:
        gc.enable()
    assert len(kept) == CASES


def test_the_form_of_a_reply_is_made_once() -> None:
    """Making it takes as long as reading fifty replies, and pydantic forgets it between two of them."""
    code = """
import gc, weakref
from rubric_core.evaluation.judging import replies
from rubric_core.evaluation.scoring.rubric import RubricSheet

forms, valid = [], replies._valid
replies._valid = lambda form, value: forms.append(weakref.ref(form)) or valid(form, value)
for _ in range(2):
    for ranges in (False, True):
        replies.read_checks('{"checks": []}', RubricSheet((), ranges=ranges))
    gc.collect()
print(len(forms), [form() is None for form in forms].count(True))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["4", "0"]
