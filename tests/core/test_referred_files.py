"""The files that a suite refers to, each with its kind: editors check them as what they are."""

from pathlib import Path

from harness import LANGUAGE

from rubric_core.analysis import analyze
from rubric_core.disk import DiskFiles
from rubric_core.language.file_kinds import FileKind
from rubric_core.loading.project import Project

SUITE = """
tests:
  - file://cases.yaml
  - file://rows.jsonl
  - file://rows.csv
  - file://broken.yaml
  - id: a
    input: hi
    criteria: Greets
    assertions: [{include: tone}]
"""
FILES = {
    "s.eval.yaml": SUITE,
    "cases.yaml": "- {id: b, input: hi, criteria: Greets}\n",
    "rows.jsonl": '{"id": "c", "input": "hi", "criteria": "Greets"}\n',
    "rows.csv": "id,input\nd,hi\n",
    "broken.yaml": "- {id: [\n",
    ".agentv/templates/tone.yaml": "- {type: contains, value: hi}\n",
}


def test_each_file_has_its_kind_and_tables_are_not_checked(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    path = tmp_path / "s.eval.yaml"
    document = LANGUAGE.document(SUITE, path)
    found = analyze(document, LANGUAGE, dialect="agentv-3", path=path, project=Project(DiskFiles()))
    assert {file.relative_to(tmp_path).as_posix(): kind for file, kind in found.refers_to.items()} == {
        "cases.yaml": FileKind.CASES,
        "rows.jsonl": FileKind.DATASET,
        "broken.yaml": FileKind.CASES,
        ".agentv/templates/tone.yaml": FileKind.TEMPLATE,
    }
    assert [(each.code, SUITE[slice(*each.span)], each.message) for each in found.diagnostics] == [
        (
            "broken-cases",
            "file://rows.csv",
            "no cases were loaded from here: rows.csv is none of the files from which agentv-3 reads cases: .yaml, .yml, .jsonl",
        ),
        ("broken-cases", "file://broken.yaml", "no cases were loaded from here: broken.yaml is not YAML"),
    ]
