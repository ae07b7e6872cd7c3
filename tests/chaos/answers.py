"""Answers with bytes that are no text, characters that act, and millions of them: stored, shown, and in every export."""

import csv
import json
import re
import sys
from collections.abc import Callable
from xml.etree import ElementTree as ET

from .processes import rubric, sound, suite_folder
from .tally import Setting, Tally

__all__ = ["run"]

_SUITE = "name: s\ntests:\n  - {id: a, input: hi, criteria: x, assertions: [{type: contains, value: hello}, {type: equals, value: other}]}\n"
#: What Python writes to its standard output.
_ANSWERS = {
    "zeros": "b'hello \\0\\0 end'", "halves of pairs": "b'hello \\xed\\xa0\\x80 \\xff\\xfe end'",
    "characters that act": "'hello \\x1b]0;t\\x07 \\x1b[2J \\x9b \\u202e \\u2028 \\ufffe \\uffff end'.encode()",
    "ends of markup": "b'hello ]]> </system-out></script><!-- --> end'", "formulas": "b'=HYPERLINK(\"x\")\\r\\n@hello,\"; end'",
    "Markdown": "b'hello ![x](http://127.0.0.1:9/x) `````` |a|\\n# end'", "many zeros": "b'hello ' + b'x\\0' * 2_000_000 + b' end'",
    "fifty megabytes": "b'hello ' + b'x' * 50_000_000",
}  # fmt: skip
_ENDINGS = ("xml", "json", "jsonl", "csv", "md", "html")
_ACTS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def run(setting: Setting, tally: Tally) -> None:
    """Run a case whose target answers so, write every format, read each as its readers do, and show the result."""
    for name, written in setting.some(_ANSWERS, 3).items():
        folder = setting.folder / name
        program = f"import sys; sys.stdout.buffer.write({written})"
        (folder / ".git").mkdir(parents=True)
        (folder / "answer.py").write_text(program, encoding="utf-8")
        suite_folder(
            folder,
            _SUITE,
            {"name": "default", "provider": "cli", "command": f"{sys.executable} answer.py # {{PROMPT}}"},
        )
        outputs = [word for ending in _ENDINGS for word in ("-o", f"r.{ending}")]
        ended = rubric(folder, "run", "s.eval.yaml", "--show-prompts", *outputs)
        sound(tally, name, ended)
        # Too long an answer is none.
        tally.expect(ended.code in (1, 3), f"{name}: exit {ended.code}: {ended.said[-300:]}")
        for ending, read in _READERS.items():
            with tally.no_exception(f"{name}, {ending}"):
                text = (folder / f"r.{ending}").read_bytes().decode("utf-8")
                read(text)
                tally.expect(not _ACTS.search(text), f"{name}: r.{ending} has characters that act")
        for command in (
            ("results", "show", "last::a"),
            ("results", "export", "last", "--format", "junit"),
            ("report",),
        ):
            shown = rubric(folder, *command)
            sound(tally, f"{name}, {' '.join(command)}", shown)
            tally.expect(shown.code == 0, f"{name}, {' '.join(command)}: exit {shown.code}: {shown.said[-300:]}")
        tally.count("answers")


def _rows(text: str) -> None:
    for line in text.splitlines():
        json.loads(line)


def _cells(text: str) -> None:
    csv.field_size_limit(sys.maxsize)
    for row in csv.reader(text.splitlines(keepends=True)):
        for cell in row:
            if cell[:1] in ("=", "@", "+", "\t", "\r"):
                raise ValueError(f"a formula: {cell[:20]}")


def _whole_page(text: str) -> None:
    if not text.rstrip().endswith("</html>"):
        raise ValueError("no whole page")


_READERS: dict[str, Callable[[str], object]] = {
    "xml": ET.fromstring, "json": json.loads, "jsonl": _rows, "csv": _cells, "md": len, "html": _whole_page,
}  # fmt: skip
