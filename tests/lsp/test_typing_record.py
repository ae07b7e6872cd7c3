"""What is said while a text is written letter by letter, and what waits; what is offered and put in at each new line.

`records/typing.txt` shows it; the texts are in `records/typing.files.txt`. `UPDATE=1` writes it anew; people read the difference.
"""

from pathlib import Path

from harness import UPDATING, files
from test_deferral import Desk

from rubric_core.text import Edit, Span
from rubric_lsp.features.completion import complete
from rubric_lsp.features.on_type_formatting import format_on_type

RECORDS = Path(__file__).parent / "records"
_SHOWN = 200


def state(desk: Desk) -> str:
    said, waiting = desk.split()
    words = [f"{d.code}@{d.span.start}" for d in said] + [f"({d.code}@{d.span.start})" for d in waiting]
    return " ".join(words) or "nothing"


def offered(desk: Desk) -> str:
    snapshot = desk.server.documents.get(desk.uri)
    assert snapshot is not None
    found = sorted(complete(snapshot.analysis, desk.at), key=lambda each: each.sort)
    labels = " ".join(each.label for each in found)
    typed = format_on_type(snapshot.analysis, desk.at, desk.text[desk.at - 1 : desk.at])
    put = "; ".join(f"{e.span.start}-{e.span.end}→«{e.new_text}»" for e in typed)
    return f"{len(found)} {labels[:_SHOWN]} {put}".replace("\n", "⏎").rstrip()


class Written:
    """A line for the findings after each edit; equal consecutive lines are merged."""

    def __init__(self, name: str) -> None:
        self.lines = [f"== {name}"]
        self._keys, self._state = "", ""

    def add(self, keys: str, state: str) -> None:
        if state != self._state:
            self.flush()
        self._keys, self._state = self._keys + keys.replace("\n", "⏎"), state

    def flush(self) -> None:
        if self._keys:
            self.lines.append(f"«{self._keys}» {self._state}")
        self._keys = ""


def written(name: str, text: str) -> list[str]:
    """The text letter by letter, indentation at once as editors do; then edits of it elsewhere."""
    desk = Desk("", f"file:///suites/{'promptfooconfig.yaml' if 'promptfoo' in name else 'a.eval.yaml'}")
    found = Written(name)
    desk.edit(Edit(Span(0, 0), f"# rubric: dialect={name.removesuffix('.yaml')}\n"))
    for line in text.splitlines(keepends=True):
        margin = line[: len(line) - len(line.lstrip(" "))]
        for keys in filter(None, (margin, *line[len(margin) :])):
            desk.edit(Edit(Span(desk.at, desk.at), keys))
            found.add(keys, state(desk))
            if keys.isspace() and "\n" not in keys:
                found.flush()
                found.lines.append(f"  offers {offered(desk)}")
        found.flush()
    for title, edit in edits(desk.text):
        desk.edit(edit)
        found.add(f"[{title}]", state(desk))
        found.flush()
    desk.now += 9
    found.add("[a pause]", state(desk))
    found.flush()
    return found.lines


def edits(text: str) -> list[tuple[str, Edit]]:
    """Edits one after the other, each at an offset of what the one before leaves."""
    made: list[tuple[str, Edit]] = []

    def make(title: str, at: int, gone: int, new: str) -> None:
        nonlocal text
        made.append((title, Edit(Span(at, at + gone), new)))
        text = text[:at] + new + text[at + gone :]

    line = text.index("\n", len(text) // 2) + 1
    end = text.index("\n", line) + 1
    make("a line is taken away", line, end - line, "")
    make("an empty line in its place", line, 0, "\n")
    make("a word there", line, 0, "      wrod")
    make("a colon", line + 10, 0, ":")
    make("a value", line + 11, 0, " x")
    make("a letter far above", 30, 0, "x")
    make("that letter is taken away", 30, 1, "")
    make("two lines are pasted at the end", len(text), 0, "  - id: pasted\n    inptu: x\n")
    make("a bracket is opened", len(text), 0, "  - {id: b, ")
    make("its line goes on below", len(text), 0, "\n     inputt: x")
    make("it is closed", len(text), 0, "}\n")
    make("two lines are replaced", line, text.index("\n", text.index("\n", line) + 1) + 1 - line, "    zz: 1\n")
    return made


def test_what_is_said_while_a_text_is_written() -> None:
    texts = files((RECORDS / "typing.files.txt").read_text(encoding="utf-8"))
    made = "".join(f"{line}\n" for name, text in texts.items() for line in written(name, text))
    path = RECORDS / "typing.txt"
    if UPDATING:
        path.write_text(made, encoding="utf-8")
    assert made == path.read_text(encoding="utf-8")
