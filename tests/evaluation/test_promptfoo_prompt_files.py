"""Prompts of promptfoo in files of data and tables. What promptfoo makes of them: `tests/parity/promptfoo`."""

from pathlib import Path

import pytest

from rubric_core.disk import DiskFiles
from rubric_core.families.promptfoo.cases.configuration import read_configuration
from rubric_core.families.promptfoo.cases.prompts import prompts_of
from rubric_core.families.promptfoo.cases.providers import providers_of

TURNS = """\
[{% for turn in turns %}
  {"role": "user", "content": {{ turn | dump }}},
{% endfor %}
  {"role": "user", "content": "{{name}}"}]
"""


@pytest.mark.parametrize(
    ("name", "written", "texts"),
    [
        ("turns.json", TURNS, [TURNS]),
        ("turns.yaml", "{% if a %}\n- {role: user}\n{% endif %}\n", ["{% if a %}\n- {role: user}\n{% endif %}\n"]),
        ("named.json", '[{"content": "file://word.txt"}]', ['[{"content":"word"}]']),
        ("named.yaml", "- content: file://word.txt\n", ['[{"content":"word"}]']),
        ("missing.json", '[{"content": "file://none.txt"}]', ['[{"content": "file://none.txt"}]']),
        ("table.csv", 'label,prompt\nlong,"Hi, {{name}}"\n,Hi\nempty,\n', ["Hi, {{name}}", "Hi"]),
        ("lines.csv", "Prompt\nHi {{name}}\n\nBye\n", ["Hi {{name}}", "Bye"]),
    ],
)
def test_prompts_in_a_file(name: str, written: str, texts: list[str], tmp_path: Path) -> None:
    (tmp_path / name).write_text(written, encoding="utf-8")
    (tmp_path / "word.txt").write_text("word", encoding="utf-8")
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(f"prompts: [file://{name}]\nproviders: [echo]\n", encoding="utf-8")
    found = prompts_of(read_configuration(path, path.read_text(encoding="utf-8"), DiskFiles()))
    assert [(each.text, each.trouble) for each in found] == [(text, "") for text in texts]


def test_labels_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("label,prompt\nlong,Hello\n,Hi\n", encoding="utf-8")
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text("prompts: [file://table.csv]\nproviders: [echo]\n", encoding="utf-8")
    found = prompts_of(read_configuration(path, path.read_text(encoding="utf-8"), DiskFiles()))
    assert [each.label for each in found] == ["long", "table.csv: Hi"]


@pytest.mark.parametrize(
    ("entries", "count"),
    [
        ("[echo, echo]", 1),
        ("[&own {id: echo, label: one}, *own, {id: echo, label: one}]", 1),
        ("[{id: echo, config: {a: 1}}, {id: echo, config: {a: 1.0}}, {config: {a: 1}, id: echo}]", 2),
    ],
)
def test_providers_are_listed_once_where_they_are_equal_in_javascript(entries: str, count: int, tmp_path: Path) -> None:
    """A mapping with its keys in another order is another one."""
    text = f"prompts: [hi]\nproviders: {entries}\n"
    assert len(providers_of(read_configuration(tmp_path / "promptfooconfig.yaml", text, DiskFiles()))) == count
