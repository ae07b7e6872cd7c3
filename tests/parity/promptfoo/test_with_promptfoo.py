"""The exit codes of the real promptfoo and rubric, and the comparison of `make parity` itself."""

from pathlib import Path

import npm
import pytest

from rubric_core.cli import main

from . import oracle
from .comparison import compare_all, rubric_rows, suites

pytestmark = pytest.mark.node


@pytest.fixture(scope="module")
def command() -> tuple[str, ...]:
    try:
        return oracle.command()
    except npm.UnavailableError as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("check", ["contains, value: hello", "contains, value: bye", "latency"])
def test_both_programs_exit_alike(
    command: tuple[str, ...], check: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row that passes, one that fails, and one that is an error."""
    monkeypatch.chdir(tmp_path)
    text = f"prompts: [hello]\nproviders: [echo]\ntests: [{{vars: {{n: a}}, assert: [{{type: {check}}}]}}]\n"
    (tmp_path / "promptfooconfig.yaml").write_text(text, encoding="utf-8")
    theirs = oracle.exit_code(command, tmp_path / "promptfooconfig.yaml", tmp_path / "kept")
    assert main(["run", "promptfooconfig.yaml", "--promptfoo-exit-code"]) == theirs
    assert theirs == (0 if "hello" in check else 100)


def test_a_row_that_differs_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The comparison itself: what promptfoo would say is taken from rubric, with one verdict and one score changed."""
    configuration = next(each for each in suites() if "scoring" in each.name)
    theirs = rubric_rows(configuration)
    first, second = list(theirs)[:2]
    theirs[first] = theirs[first]._replace(verdict="passed" if theirs[first].verdict == "failed" else "failed")
    theirs[second] = theirs[second]._replace(score=0.123)
    monkeypatch.setattr(oracle, "rows", lambda *_: theirs)
    ((_, number, found),) = compare_all(("promptfoo",), tmp_path, "scoring")
    assert number > 100
    assert [each.test for each in found] == [theirs[first].description, theirs[second].description]
