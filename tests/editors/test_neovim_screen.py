"""What is on the screen, cell by cell; the pictures land in artifacts/."""

import re
import shutil
from pathlib import Path

import pytest
import screenshot
from neovim import REPOSITORY, Open, ScreenNeovim
from terminal import until

pytestmark = pytest.mark.editor

PROMPTFOO = REPOSITORY / "tests" / "editors" / "promptfoo"


def keep(editor: ScreenNeovim, artifacts: Path, name: str) -> None:
    ansi = editor.screen(colours=True)
    (artifacts / f"{name}.ansi").write_text(ansi, encoding="utf-8")
    (artifacts / f"{name}.svg").write_text(screenshot.svg(ansi, editor.file.name), encoding="utf-8")


def test_problems_are_seen(screen: Open, artifacts: Path) -> None:
    editor = screen("broken.eval.yaml")
    assert isinstance(editor, ScreenNeovim)
    shown = editor.sees("start this band at 6")
    assert next(line for line in shown.splitlines() if "start this band" in line).count("[5, 10]") == 1
    editor.sees("Run")
    keep(editor, artifacts, "neovim-problems")


def test_what_to_do_is_seen_on_a_narrow_screen(screen: Open, artifacts: Path) -> None:
    """At the end of a line, before what happens otherwise, which is cut."""
    editor = screen("broken.eval.yaml", size=(120, 30))
    assert isinstance(editor, ScreenNeovim)
    seen = editor.sees("■ fix: start this band at 6, or end the band 0–5 at 4  score")
    assert "agentv skips" not in seen
    editor.lua("vim.diagnostic.config({ virtual_text = false })")
    until("nothing at the end of lines", lambda: "■" not in editor.screen())
    editor.lua("vim.diagnostic.config({ virtual_text = { prefix = '●' } })")
    editor.sees("● fix: start this band at 6")
    keep(editor, artifacts, "neovim-problems-narrow")


def test_results_are_seen_on_the_line(screen: Open, artifacts: Path) -> None:
    editor = screen("support.eval.yaml")
    assert isinstance(editor, ScreenNeovim)
    editor.sees("Run")
    editor.keys(":RubricRunFile<CR>")
    until(
        "every case has its mark",
        lambda: marks(editor.screen()) == {"refund": "✔", "late-order": "✘", "exact": "✔"},
    )
    editor.sees("✔ 2 ✘ 1  ")
    keep(editor, artifacts, "neovim-results")
    editor.keys(":RubricReport late-order<CR>")
    editor.sees("q close")
    keep(editor, artifacts, "neovim-report")
    editor.keys("q:RubricFailures<CR>")
    editor.sees("rubric: cases that did not pass")
    keep(editor, artifacts, "neovim-failures")
    editor.keys(":cclose<CR>:8<CR>A!<Esc>")
    editor.sees("◌ stale")
    keep(editor, artifacts, "neovim-stale")


def test_results_of_the_suite_s_evaluators_are_seen(screen: Open, artifacts: Path) -> None:
    """On the lines of a rubric for every case stands what all cases made of it; the hover says which did what."""
    editor = screen("shared.eval.yaml")
    assert isinstance(editor, ScreenNeovim)
    editor.sees("Run")
    editor.keys(":RubricRunFile<CR>")
    editor.sees("✘ 1/3 cases  4.7/10 on average")
    shown = editor.sees("✔ 3/3 cases  9.3/10 on average").splitlines()
    assert next(line for line in shown if "id: tone" in line).rstrip().endswith("✘ 1/3 cases  4.7/10 on average")
    assert next(line for line in shown if "name: quality" in line).rstrip().endswith("✘ 1/3 cases  0.70 on average")
    keep(editor, artifacts, "neovim-shared")
    editor.keys(":9<CR>fe:lua vim.lsp.buf.hover()<CR>")
    editor.sees("curt, no greeting")
    table = [line for line in editor.screen().splitlines() if "/10 →" in line]
    assert [next(name for name in ("coat", "shoes", "hat") if name in line) for line in table] == [
        "shoes",
        "hat",
        "coat",
    ]
    keep(editor, artifacts, "neovim-shared-hover")
    editor.keys("<Esc>:22<CR>A please<Esc>")
    editor.sees("✘ 1/2 cases  6.0/10 on average  ◌ 1 stale")


def test_completion_is_seen(screen: Open, artifacts: Path) -> None:
    editor = screen("support.eval.yaml")
    assert isinstance(editor, ScreenNeovim)
    editor.sees("Run")
    editor.keys(":7<CR>oex<C-x><C-o>")
    editor.sees("expected_output")
    keep(editor, artifacts, "neovim-completion")


def test_the_first_run_says_what_it_would_execute(screen: Open, artifacts: Path) -> None:
    editor = screen("slow.eval.yaml", trusted=False)
    assert isinstance(editor, ScreenNeovim)
    editor.sees("Run 1 case")
    editor.keys(":RubricRunFile<CR>")
    editor.sees("It will execute `sleep 600`")
    editor.sees("Trust this folder")
    keep(editor, artifacts, "neovim-trust")
    editor.keys("q")
    until("the question is gone", lambda: "Trust this folder" not in editor.screen())
    editor.keys(":RubricRunFile<CR>")
    editor.sees("Trust this folder")
    editor.keys("2<CR>")
    editor.sees("⟳")
    editor.keys(":RubricCancel<CR>")
    until("it has ended", lambda: "⟳" not in editor.screen())


def test_trust_can_be_given_where_the_details_of_a_run_are_read(screen: Open) -> None:
    editor = screen("slow.eval.yaml", trusted=False)
    assert isinstance(editor, ScreenNeovim)
    editor.sees("Run 1 case")
    editor.keys(":RubricRunFile<CR>")
    editor.sees("Show details")
    editor.keys("3<CR>")
    editor.sees("3: Not now")
    editor.keys("3<CR>")
    until("the question is gone", lambda: "3: Not now" not in editor.screen())
    assert "what-a-run-would-do" in editor.lua("return vim.api.nvim_buf_get_name(0)")
    editor.keys(":RubricTrust<CR>")
    editor.sees("is trusted: its suites can be run")


def marks(screen: str) -> dict[str, str]:
    """Case → the first mark on its line."""
    lines = [line.split("id: ", 1)[1] for line in screen.splitlines() if "- id: " in line]
    return {line.split()[0]: next((c for c in line if c in "✔✘○◌◐"), "") for line in lines}


def test_a_configuration_of_promptfoo_is_run_as_a_suite(screen: Open, workspace: Path, artifacts: Path) -> None:
    """Lenses, results on their lines, signs, the report, a result that is stale after an edit."""
    shutil.copytree(PROMPTFOO, workspace, dirs_exist_ok=True)
    editor = screen("promptfooconfig.yaml", size=(112, 46))
    assert isinstance(editor, ScreenNeovim)
    editor.sees("Run 2 cases")
    editor.keys(":RubricRunFile<CR>")
    until("each case has its mark", lambda: re.search(r"greets everybody +✔ 1\.00", editor.screen()))
    until("and the other one", lambda: re.search(r"- vars: +✘ 0\.83  1/2 variations", editor.screen()))
    editor.sees("✔ 2/2 cases")
    signs = editor.lua("""
        local found = {}
        for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })) do
          local sign = vim.trim(mark[4].sign_text or '')
          if sign ~= '' then found[#found + 1] = { mark[2] + 1, sign } end
        end
        return found""")
    assert {12, 18} <= {line - 1 for line, _ in signs}
    keep(editor, artifacts, "neovim-promptfoo")
    editor.put_cursor("starts-with")
    editor.keys(":RubricReport<CR>")
    editor.sees("q close")
    editor.sees("name=Zoe")
    keep(editor, artifacts, "neovim-promptfoo-report")
    editor.keys("q")
    editor.put_cursor("name: Zoe")
    editor.keys("A!<Esc>")
    editor.sees("◌ stale")
    keep(editor, artifacts, "neovim-promptfoo-stale")
    editor.keys("u")
    until("the result holds again", lambda: re.search(r"- vars: +✘ 0\.83", editor.screen()))


SLOW = '[ -e ready ] || sleep 600\necho "$1"\n'
ROWS = {
    "promptfooconfig.yaml": "prompts: ['Hi {{name}}']\nproviders: ['exec:sh slow.sh']\ntests: [file://rows.csv, file://lines.jsonl]\n",
    "slow.sh": SLOW,
    "rows.csv": "name,__expected,__description\nAnn,contains:Ann,greets Ann\nBob,contains:Eve,greets Bob\n",
    "lines.jsonl": '{"vars": {"name": "Kim"}, "assert": [{"type": "contains", "value": "Kim"}]}\n',
}


def test_rows_of_tables_are_cancelled_and_run_where_they_stand(screen: Open, workspace: Path, artifacts: Path) -> None:
    for name, text in ROWS.items():
        (workspace / name).write_text(text, encoding="utf-8")
    editor = screen("promptfooconfig.yaml", size=(112, 30))
    assert isinstance(editor, ScreenNeovim)
    editor.sees("▶ Run every case")
    editor.command("edit rows.csv")
    editor.sees("Run 5×")
    editor.put_cursor("Bob")
    editor.keys(":RubricRun<CR>")
    editor.sees("■ Cancel")
    editor.keys(":RubricCancel<CR>")
    until("nothing runs", lambda: "■ Cancel" not in editor.screen())
    (workspace / "ready").touch()
    editor.keys(":RubricRun<CR>")
    until("the row has its result", lambda: re.search(r"Bob,contains:Eve,greets Bob +✘ 0\.00", editor.screen()))
    assert not re.search(r"greets Ann +[✔✘]", editor.screen())
    keep(editor, artifacts, "neovim-table")
    editor.command("edit lines.jsonl")
    until("its lens", lambda: re.search(r"Kim.*▶ Run|▶ Run.*\n.*Kim", editor.screen()))
    editor.keys(":RubricRun<CR>")
    until("and the line of the other file", lambda: re.search(r'"Kim"}\]} +✔ 1\.00', editor.screen()))
    keep(editor, artifacts, "neovim-lines")
