"""The configurations that are compared with promptfoo itself: what the migration carries over of them scores the same.

They give most outputs by `providerOutput`, which AgentV does not have: here the prompt is the output, and the provider gives it back.
"""

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from promptfoo_runs import converted, errors_in, outcomes

from rubric_core.families.promptfoo.migration.conversion import ConversionNote
from rubric_core.families.promptfoo.migration.suite import ConvertedConfiguration, NothingCarriedError

SUITES = Path(__file__).parents[1] / "parity" / "promptfoo" / "suites"


#: What is listed of a test that gives something else in AgentV.
OTHERWISE = (
    "not carried over",
    "left out",
    "fails a case",
    "is ignored",
    "checks nothing",
    "no cost",
    "makes the score 0",
)
#: Patterns that are none, at which AgentV's checks are not scored; text as the result of Python.
KNOWN = ("regex that is none", "Python expressions")


def given(written: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The tests of a configuration with their outputs as a variable; not those of which a template would be made."""
    for number, test in enumerate(written["tests"]):
        said = test.get("providerOutput") if isinstance(test, dict) else None
        if isinstance(said, str) and said.strip() and "{" + "{" not in said and "{" + "%" not in said:
            values = {**(test.get("vars") or {}), "said": said, "number": number}
            rest = {name: value for name, value in test.items() if name != "providerOutput"}
            yield {**rest, "vars": values}


def configuration(folder: Path, tests: list[dict[str, Any]]) -> Path:
    """A configuration with these tests."""
    path = folder / "promptfooconfig.yaml"
    providers = [{"id": "echo", "label": "back"}]
    path.write_text(yaml.safe_dump({"prompts": ["{" + "{said}" + "}"], "providers": providers, "tests": tests}))
    return path


def converted_or_listed(path: Path) -> ConvertedConfiguration | list[ConversionNote]:
    """The suite of a configuration; what is listed where no test is left."""
    try:
        return converted(path)
    except NothingCarriedError as error:
        return error.notes


def is_whole(folder: Path, test: dict[str, Any]) -> bool:
    """Whether everything of a test is carried over, and means the same."""
    try:
        made = converted(configuration(folder, [test]))
    except NothingCarriedError:
        return False
    return not any(words in note.words for note in made.notes for words in OTHERWISE)


@pytest.mark.parametrize(("name", "least"), [("texts", 12), ("scoring", 18)])
async def test_what_is_carried_over_scores_the_same(tmp_path: Path, name: str, least: int) -> None:
    shutil.copytree(SUITES / "files", tmp_path / "files")
    written = yaml.safe_load((SUITES / f"promptfooconfig.{name}.yaml").read_text())
    tests = [test for test in given(written) if is_whole(tmp_path, test) and test["description"] not in KNOWN]
    assert len(tests) >= least
    path, suite = configuration(tmp_path, tests), tmp_path / "promptfoo.eval.yaml"
    suite.write_text(converted(path).text)
    assert not errors_in(suite)
    before, after = await outcomes(path), await outcomes(suite)
    differences = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    assert not differences


@pytest.mark.parametrize("name", sorted(path.name for path in SUITES.glob("promptfooconfig.*.yaml")))
def test_every_test_is_a_case_or_in_the_list(tmp_path: Path, name: str) -> None:
    """Nothing is dropped silently, and the suite has no error that its configuration does not have."""
    folder = tmp_path / "suites"
    shutil.copytree(SUITES, folder)
    path, suite = folder / name, folder / "made.eval.yaml"
    made = converted_or_listed(path)
    if isinstance(made, list):
        assert made
        assert all("left out" in note.words for note in made if "not carried over" not in note.words)
        return
    suite.write_text(made.text)
    own = {error.partition(": ")[2] for error in errors_in(path, "promptfoo")}
    assert {error.partition(": ")[2] for error in errors_in(suite)} <= own
    assert made.cases
    assert sum("is left out" in note.words for note in made.notes) or not made.left_out
