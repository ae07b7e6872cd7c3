"""Unusual and legal: suites and the files around them as somebody might write them. None has an error or a warning.

`#### what it is about => dialect` also says which dialect the first of its files has to be taken for.
"""

import json
import re
from pathlib import Path, PurePath

import pytest
from harness import LANGUAGE, ROOT, Folder, files

from rubric_core.analysis import analyze
from rubric_core.loading.files import is_suite_name
from rubric_core.loading.project import Project
from rubric_core.syntax.blocks import Document
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain

HERE = Path(__file__).parent / "legal"
_HEADING = re.compile(r"^#### (.+)\n", re.MULTILINE)
_YAML = (".yaml", ".yml")
_CHECKED = (*_YAML, ".jsonl")


def examples() -> list[tuple[str, str]]:
    """What each is about, and its files under lines `--- name`."""
    found: list[tuple[str, str]] = []
    for page in sorted(HERE.glob("*.txt")):
        _, *parts = _HEADING.split(page.read_text(encoding="utf-8"))
        found += [(f"{page.stem}: {name}", text) for name, text in zip(parts[::2], parts[1::2], strict=True)]
    return found


def as_json(text: str) -> str:
    """The same in one line of JSON, merge keys and references filled in."""
    tree = parse(text)
    value = plain(tree.root, tree.anchors)
    if isinstance(value, dict):  # what only held anchors holds nothing now
        value = {name: each for name, each in value.items() if not name.startswith("x")}
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.filterwarnings("error::FutureWarning")
@pytest.mark.parametrize(
    ("dialect", "text"),
    [(name.partition(" => ")[2], text) for name, text in examples()],
    ids=[name for name, _ in examples()],
)
@pytest.mark.parametrize(
    "written",
    [str, lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t, as_json],
    ids=["", "CRLF", "BOM", "JSON"],
)
def test_nothing_is_wrong(dialect: str, text: str, written) -> None:
    folder = {n: written(content) if n.endswith(_YAML) else content for n, content in files(text).items()}
    project = Project(Folder(folder))
    project.register_suites([ROOT], [ROOT / name for name in folder if is_suite_name(PurePath(name).name)])
    found: list[tuple[str, ...]] = []
    for name in (n for n in folder if n.endswith(_CHECKED)):
        document: Document = LANGUAGE.document(folder[name], ROOT / name)
        analysis = analyze(document, LANGUAGE, path=ROOT / name, project=project)
        if dialect and name == next(iter(folder)):
            assert analysis.dialect.name == dialect
        found += [(name, d.code, d.message) for d in analysis.diagnostics if d.severity in ("error", "warning")]
    if next(iter(folder), "").startswith("promptfoo"):
        # Its pages show forms; what a missing file does is among the mistakes.
        found = [each for each in found if each[1] != "missing-file"]
    # promptfoo refuses a byte order mark, see test_promptfoo_files.
    found = [each for each in found if each[1] != "syntax-error" or "byte order mark" not in each[2]]
    assert found == []


def test_there_are_many() -> None:
    assert len(examples()) >= 155
