"""The pictures of Neovim in the documentation, made anew: PYTHONPATH=tests python tests/editors/pictures.py [FOLDER]."""

import shutil
import sys
import tempfile
from pathlib import Path

import screenshot
from neovim import REPOSITORY, ScreenNeovim
from terminal import until

EXAMPLES = REPOSITORY / "examples"


def keep(editor: ScreenNeovim, file: Path, title: str) -> None:
    """Write the screen down."""
    file.write_text(screenshot.svg(editor.screen(colours=True), title), encoding="utf-8")


def ran(examples: Path, folder: Path) -> None:
    """A suite after a run, and the report of a case."""
    editor = ScreenNeovim(examples / "quickstart.eval.yaml", size=(106, 50))
    try:
        editor.sees("Run 3 cases")
        editor.keys(":RubricRunFile<CR>")
        until("the run's end", lambda: "⟳" not in editor.screen() and "rubric: ✔" in editor.screen())
        editor.put_cursor("tests:")
        editor.keys("zt<C-l>")
        until("it is scrolled", lambda: "quickstart\n" not in editor.screen())
        keep(editor, folder / "neovim-run.svg", "nvim examples/quickstart.eval.yaml")
        editor.put_cursor("late-parcel")
        editor.keys("zt:RubricReport<CR>")
        editor.sees("q close")
        keep(editor, folder / "neovim-report.svg", ":RubricReport")
    finally:
        editor.close()


def main(argv: list[str]) -> int:
    """Make all of them."""
    folder = Path(argv[0]) if argv else REPOSITORY / "docs" / "images"
    with tempfile.TemporaryDirectory() as scratch:
        examples = Path(scratch) / "examples"
        shutil.copytree(EXAMPLES, examples, ignore=shutil.ignore_patterns(".rubric"))
        ran(examples, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
