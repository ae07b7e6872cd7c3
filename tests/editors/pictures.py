"""The pictures of editors in the documentation, made anew in light and dark: `make pictures`, or pictures.py [FOLDER] for Neovim alone."""

import shutil
import sys
import tempfile
from pathlib import Path

import screenshot
from neovim import REPOSITORY, ScreenNeovim
from terminal import until

EXAMPLES = REPOSITORY / "examples"
#: The colours behind the text, as the screen has them.
GROUNDS = {"dark": "48;2;20;22;27", "light": "48;2;224;226;234"}


def keep(editor: ScreenNeovim, file: Path, title: str) -> None:
    """Write the screen down."""
    file.write_text(screenshot.svg(editor.screen(colours=True), title), encoding="utf-8")


def shaded(examples: Path, folder: Path) -> None:
    """A suite after a run, on a dark ground and on a light one."""
    editor = ScreenNeovim(examples / "quickstart.eval.yaml", size=(106, 40))
    try:
        editor.sees("Run 3 cases")
        editor.keys(":RubricRunFile<CR>")
        until("the run's end", lambda: "⟳" not in editor.screen() and "rubric: ✔" in editor.screen())
        editor.put_cursor("tests:")
        editor.keys("zt<C-l>")
        until("it is scrolled", lambda: "quickstart\n" not in editor.screen())
        for shade in ("dark", "light"):
            editor.keys(f":set background={shade}<CR><C-l>")
            until("its colours", lambda ground=GROUNDS[shade]: ground in editor.screen(colours=True))
            picture = screenshot.svg(
                editor.screen(colours=True), "nvim examples/quickstart.eval.yaml", light=shade == "light"
            )
            (folder / f"neovim-{shade}.svg").write_text(picture, encoding="utf-8")
    finally:
        editor.close()


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
        shutil.rmtree(examples / ".rubric", ignore_errors=True)
        shaded(examples, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
