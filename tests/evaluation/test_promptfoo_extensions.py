"""`extensions` of promptfoo: what they may change, and when there is no score. What they give: `tests/parity/promptfoo`."""

import json
from pathlib import Path
from typing import Any

import pytest

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.engine.events import Event, Noted
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict

HOOKS = """\
import json, pathlib
def note(name, value):
    path = pathlib.Path(__file__).with_name("noted")
    path.write_text((path.read_text() if path.exists() else "") + name + " " + json.dumps(value) + "\\n")
def beforeAll(context, about):
    note("beforeAll", [each["label"] for each in context["suite"]["prompts"]])
def beforeEach(context, about):
    context["test"]["vars"]["who"] += " and Bob"
    context["test"]["metadata"]["seen"] = True
    return context
def afterEach(context, about):
    note("afterEach", [context["result"]["success"], context["result"]["failureReason"]])
    return {"result": {"namedScores": {"own": 0.5, "nan": float("nan"), "text": "x"}, "score": 0}}
def afterAll(context, about):
    note("afterAll", [[each["success"], each["vars"]["who"]] for each in context["results"]])
"""


async def results(folder: Path, extensions: Any, hooks: str = HOOKS, **test: Any) -> tuple[list[CaseResult], list[str]]:
    """The results of two rows, and the notes about them."""
    (folder / "hooks.py").write_text(hooks, encoding="utf-8")
    (folder / "hooks.mjs").write_text("export default (hook) => { throw new Error(hook); };\n", encoding="utf-8")
    made = [{"vars": {"who": who}, "assert": [{"type": "contains", "value": "Ann"}], **test} for who in ("Ann", "Eve")]
    path = folder / "promptfooconfig.yaml"
    whole = {"prompts": ["Hi {{who}}"], "providers": ["echo"], "extensions": extensions, "tests": made}
    path.write_text(json.dumps(whole), encoding="utf-8")
    cases = load_suite(path).cases
    assert not (folder / "noted").exists(), "loading runs nothing"
    notes: list[str] = []

    def heard(event: Event) -> None:
        if isinstance(event, Noted):
            notes.append(event.message)

    return list(await run_cases(cases, on_event=heard, workers=1)), notes


def hooked(*names: str) -> list[str]:
    return [f"file://hooks.py:{name}" for name in names]


async def test_hooks_run_around_the_run_and_its_rows(tmp_path: Path) -> None:
    found, notes = await results(tmp_path, hooked("beforeAll", "beforeEach", "afterEach", "afterAll"))
    assert [(each.verdict.value, each.score, each.answer) for each in found] == [
        ("passed", 1.0, "Hi Ann and Bob"), ("failed", 0.0, "Hi Eve and Bob"),
    ]  # fmt: skip
    assert [(each.details or {})["named_scores"] for each in found] == [{"own": 0.5}] * 2
    assert (tmp_path / "noted").read_text().splitlines() == [
        'beforeAll ["Hi {{who}}"]', "afterEach [true, 0]", "afterEach [false, 1]",
        'afterAll [[true, "Ann and Bob"], [false, "Eve and Bob"]]',
    ]  # fmt: skip
    assert notes == []


async def test_a_hook_that_fails_after_a_row_leaves_it(tmp_path: Path) -> None:
    """promptfoo keeps the row, too, and logs the failure."""
    failing = "def afterEach(context, about):\n    raise ValueError('as asked')\n"
    found, notes = await results(tmp_path, hooked("afterEach"), failing)
    assert [each.verdict for each in found] == [Verdict.PASSED, Verdict.FAILED]
    assert "the extension file://hooks.py:afterEach: the python code failed: ValueError: as asked" in notes[0]


CHANGES = """\
def beforeAll(context, about):
    context["suite"]["tests"].pop()
    return context
def beforeEach(context, about):
    context["test"]["assert"] = []
    return context
def nothing(hook, context):
    return {"other": 1}
def one(context):
    return None
"""


@pytest.mark.parametrize(
    ("extensions", "reason"),
    [
        (hooked("beforeAll"), "changes `tests` of the suite"),
        (hooked("beforeEach"), "changes `assert` of the case; rubric supports changes to `vars` only"),
        (hooked("nothing"), "returned no `suite`"),
        (hooked("one"), "takes 1 positional argument but 2 were given"),
        (hooked("gone"), "gone"),
        (["file://hooks.mjs"], "beforeAll"),
        (["hooks.py:beforeAll"], "an extension is a file that begins with file://"),
        ([5], "of `extensions` rubric runs functions in files"),
    ],
)
async def test_what_cannot_be_run_or_applied_leaves_no_score(tmp_path: Path, extensions: Any, reason: str) -> None:
    found, _ = await results(tmp_path, extensions, CHANGES)
    assert [each.verdict for each in found] == [Verdict.UNSCORED] * 2
    assert all(reason in each.reason for each in found)


async def test_variables_that_are_transformed_and_hooked_leave_no_score(tmp_path: Path) -> None:
    found, _ = await results(tmp_path, hooked("beforeEach"), options={"transformVars": "vars"})
    assert all("`extensions` together with `transformVars`" in each.reason for each in found)
