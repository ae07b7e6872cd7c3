"""A demonstration in half a minute, offline and without a key: `make demo`."""

import sys
from pathlib import Path
from shutil import which

from rubric_core.cli import main as rubric
from rubric_core.cli.terminal_style import TerminalStyle

__all__ = ["main"]


def main() -> int:
    """Check a broken suite, run a sound one, explain how to open them. Exit code 1 if either fails to show its point."""
    examples = Path(__file__).resolve().parents[2] / "examples"
    if not examples.is_dir():
        print("rubric: the examples are part of the source; run this from a clone", file=sys.stderr)
        return 2
    style = TerminalStyle.of()
    here = _shown(examples)
    _say(style, "1  Mistakes, underlined in place", f"rubric check {here}/broken.eval.yaml")
    checked = rubric(["check", f"{here}/broken.eval.yaml"])
    _say(style, "2  A run, with results beside each case", f"rubric run {here}/quickstart.eval.yaml")
    ran = rubric(["run", f"{here}/quickstart.eval.yaml"])
    _say(style, "3  The same in your editor, while you type", "")
    print(
        "   VS Code   make vsix && code --install-extension editors/vscode/rubric.vsix && code .   (open this folder)"
    )
    nvim, note = _neovim(examples.parent)
    print(f"   Neovim    {nvim} --clean -u editors/neovim/init-example.lua {here}/broken.eval.yaml{note}")
    print("   Others    editors/README.md")
    # Both examples have problems on purpose: an error in the first, a failing case in the second.
    return 0 if (checked, ran) == (1, 1) else 1


def _shown(examples: Path) -> str:
    try:
        return str(examples.relative_to(Path.cwd()))
    except ValueError:
        return str(examples)


def _neovim(root: Path) -> tuple[str, str]:
    """The installed Neovim, and what to say about it."""
    if (root / ".venv" / "bin" / "nvim").is_file():
        return ".venv/bin/nvim", ""
    return "nvim", "" if which("nvim") else "   (0.10 or later; `make test` brings one: .venv/bin/nvim)"


def _say(style: TerminalStyle, title: str, command: str) -> None:
    print(f"\n{style.paint(title, 'bold')}")
    print(style.paint(f"$ {command}", "dim") + "\n" if command else "")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
