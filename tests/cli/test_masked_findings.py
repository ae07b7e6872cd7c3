"""A value that the lines of a finding hide is hidden in its messages and fixes, in every format."""

import argparse
import json

import pytest

from rubric_core.analysis import Language
from rubric_core.cli.check_output import FORMATS, write
from rubric_core.cli.check_result import LEFT_OUT, CheckedFile, CheckRound
from rubric_core.cli.masked_findings import mask_findings
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Diagnostic, Fix, Related

VALUE = "hunter2hunter2value"
TEXTS = {
    "a key": f"api_key: {VALUE}\nb: 1\n",
    "quotes": f'api_key: "{VALUE}"\nb: 1\n',
    "an address": f"url: https://me:{VALUE}@host/\nb: 1\n",
    "a shell": f"command: run --token {VALUE}\nb: 1\n",
    "a block": f"token: |\n  {VALUE}\nb: 1\n",
    "a syntax error": f"password: {VALUE}\nb: [\n",
}


def checked(text: str) -> CheckedFile:
    """A file with a finding that quotes the value wherever a finding has text."""
    fixes = (
        Fix(f"change it to {VALUE}", (Edit(Span(0, 1), "x"),)),
        Fix("move it", (Edit(Span(0, 1), f"token: {VALUE}\n"), Edit(Span(1, 2), "")), safe=False),
    )
    found = Diagnostic(
        "unknown-key", "error", Span(0, 3), f"`{VALUE}` is wrong, and so is `{VALUE[:9]}…`",
        related=(Related(Span(0, 1), f"the other is '{VALUE}'"),), fixes=fixes, consequence=f"{VALUE} is ignored",
    )  # fmt: skip
    return CheckedFile("a.yaml", Language().document(text), (found,), ignored=(found,))


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("form", FORMATS)
def test_no_format_shows_it(name: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = argparse.Namespace(fix=False, paths=[], diff=False, statistics=False, format=form)
    write(CheckRound((checked(TEXTS[name]),), (), 0.1), Language(), options)
    shown = "".join(capsys.readouterr())
    assert VALUE[:7] not in shown
    assert "***" in shown


def test_fixes_that_write_it_have_no_edits(capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("json", "sarif"):
        options = argparse.Namespace(fix=False, paths=[], diff=False, statistics=False, format=form)
        write(CheckRound((checked(TEXTS["a key"]),), (), 0.1), Language(), options)
        told = json.loads(capsys.readouterr().out)
        if form == "json":
            first, second = told[0]["fixes"]
            assert [each["newText"] for each in first["edits"]] == ["x"]
            assert second == {"title": "move it", "edits": [], "leftOut": LEFT_OUT}
        else:
            result = told["runs"][0]["results"][0]
            (only,) = result["fixes"]
            assert only["artifactChanges"][0]["replacements"][0]["insertedContent"] == {"text": "x"}
            assert result["properties"] == {"fixesLeftOut": [f"move it ({LEFT_OUT})"]}


def test_what_hides_nothing_is_left_alone() -> None:
    for text in ("a: 1\n", f"api_key: ${{{{ {VALUE} }}}}\n", "max_tokens: 100\n"):
        file = checked(text)
        shown = mask_findings(file)
        assert (shown.diagnostics, shown.ignored) == (file.diagnostics, file.ignored)
