"""The exit codes of the real promptfoo and rubric, and the comparison of `make parity` itself."""

from pathlib import Path

import npm
import pytest
from thorough import only_thorough

from rubric_core.cli import main

from . import oracle
from .comparison import compare_all, rubric_rows, suites

pytestmark = [pytest.mark.node, only_thorough]


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


RESULTS = """\
prompts: ["Hi {{who}}", {raw: "Bye {{who}}", label: bye}, {raw: '[{"role": "user", "content": "Hi {{who}}"}]', label: chat}]
providers: [echo, {id: echo, label: parrot}]
tests:
  - description: greets
    vars: {who: [Ann, Bob]}
    threshold: 0.5
    assert:
      - {type: contains, value: "{{who}}", metric: name}
      - {type: equals, value: "Hi {{who}}", weight: 3}
      - {type: assert-set, assert: [{type: contains, value: Hi}, {type: not-contains, value: Ann}]}
  - vars: {who: x}
    assert: [{type: latency}]
"""


def test_results_are_written_as_promptfoo_writes_them(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows have the same numbers, verdicts and scores, and promptfoo takes the file for one of its own."""
    monkeypatch.chdir(tmp_path)
    configuration = tmp_path / "promptfooconfig.yaml"
    configuration.write_text(RESULTS, encoding="utf-8")
    main(["run", "promptfooconfig.yaml", "--no-store", "-o", "own.promptfoo.json"])
    theirs, own = oracle.rows(command, configuration, {}, tmp_path), oracle.read_rows(tmp_path / "own.promptfoo.json")
    assert len(own) == 18
    for at, row in theirs.items():
        # Errors are said otherwise, and the output of such a row is kept.
        told = own[at].output if row.verdict == "unscored" else row.output
        assert own[at] == row._replace(reason=own[at].reason, output=told)
    done = oracle.import_results(command, tmp_path / "own.promptfoo.json", tmp_path)
    assert (done.returncode, "has been successfully imported" in done.stdout + done.stderr) == (0, True)
