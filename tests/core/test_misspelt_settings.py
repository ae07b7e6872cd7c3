"""A misspelt key is found in evaluators that take settings of their author beside their own keys."""

import pytest
from harness import LANGUAGE

from rubric_core.analysis import analyze
from rubric_core.text import apply_edits
from rubric_core.validation.rule import Diagnostic

LIST = {"agentv-2.7": "evaluators", "agentv-3": "assertions", "agentv-5": "assert"}
#: Keys that all of these have, with a value.
COMMON = {"weight": ("weigth", "2"), "required": ("requird", "true"), "negate": ("negat", "true")}
#: Types that take any key, with more of their own keys.
TYPES = {
    "agentv-2.7": {"llm_judge": {"prompt": ("promt", "'{{ output }}'")}, "code_judge": {"command": ("comand", "[a]")}, "mine": {}},
    "agentv-3": {
        "llm-grader": {"prompt": ("promt", "'{{ output }}'"), "min_score": ("min_scor", "0.5"), "max_steps": ("max_stps", "3")},
        "llm_judge": {"prompt": ("promt", "'{{ output }}'"), "min_score": ("min_scor", "0.5")},
        "code-grader": {"command": ("comand", "[a]"), "min_score": ("min_scor", "0.5")},
        "mine": {"min_score": ("min_scor", "0.5")},
    },
    "agentv-5": {
        "script": {"command": ("comand", "[a]"), "min_score": ("min_scor", "0.5")},
        "javascript": {"threshold": ("thresold", "0.5")},
        "mine": {"min_score": ("min_scor", "0.5")},
    },
}  # fmt: skip
EACH = [
    (dialect, kind, key, *written)
    for dialect, types in TYPES.items()
    for kind, own in types.items()
    for key, written in {**COMMON, **own}.items()
]


def suite(dialect: str, kind: str, setting: str) -> str:
    return f"tests:\n  - id: a\n    input: hi\n    criteria: Greets\n    {LIST[dialect]}:\n      - type: {kind}\n        {setting}\n"


def unknown(text: str, dialect: str) -> list[Diagnostic]:
    found = analyze(LANGUAGE.document(text), LANGUAGE, dialect=dialect).diagnostics
    return [each for each in found if each.code == "unknown-key"]


@pytest.mark.parametrize(("dialect", "kind", "key", "slip", "value"), EACH)
def test_it_is_found_and_renamed(dialect: str, kind: str, key: str, slip: str, value: str) -> None:
    text = suite(dialect, kind, f"{slip}: {value}")
    (found,) = unknown(text, dialect)
    assert text[slice(*found.span)] == slip
    assert f"did you mean `{key}`?" in found.message
    (fix,) = found.fixes
    assert fix.safe
    assert apply_edits(text, fix.edits) == suite(dialect, kind, f"{key}: {value}")


@pytest.mark.parametrize(("dialect", "kind"), [(d, k) for d, types in TYPES.items() for k in types])
@pytest.mark.parametrize(
    "setting",
    [
        "config: {weigth: 2, promt: x, comand: [a]}",
        "audience: experts",
        "mode: strict",  # a word of the language, if not of this evaluator: not `model`
        "weights: {tone: 2}",  # nothing that `weight` could be
        "{weight: 2, weigth: 3}",
    ],
)
def test_settings_of_the_author_are_no_mistake(dialect: str, kind: str, setting: str) -> None:
    setting = setting.strip("{}").replace(", ", "\n        ") if setting.startswith("{") else setting
    assert unknown(suite(dialect, kind, setting), dialect) == []
