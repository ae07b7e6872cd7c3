"""Whether a file has to do with evals, by its first lines: a glance says the same as all of them."""

import random
from pathlib import Path, PurePath

import pytest
from edit_scripts import random_edit
from thorough import seeds

from rubric_core.loading import detect_eval_yaml
from rubric_core.loading.detect_eval_yaml import head_is_eval_yaml, is_eval_yaml
from rubric_core.syntax.parse import parse
from rubric_core.text import apply_edits

HERE = Path(__file__).parent
TEXTS = [
    each.read_text(encoding="utf-8", errors="replace")
    for each in (*sorted(HERE.parents[1].glob("examples/**/*.yaml")), *sorted(HERE.glob("documents/*.yaml")))
]
OTHERS = """\
- hosts: all
  tasks:
    - name: install
      package: {name: curl}
"""


@pytest.mark.parametrize("seed", seeds(8, few=3))
def test_a_quick_look_detects_the_same_as_reading_the_whole_head(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    path = tmp_path / "suite.yaml"
    for text in (*TEXTS, OTHERS):
        for _ in range(3):
            text = apply_edits(text, [random_edit(text, rng)])  # noqa: PLW2901  # one after the other
            head = text[: detect_eval_yaml.HEAD]
            path.write_text(head, encoding="utf-8", errors="replace", newline="")
            read = path.read_text(encoding="utf-8", errors="replace")[: detect_eval_yaml.HEAD]
            whole = read if len(read) < detect_eval_yaml.HEAD else read[: read.rfind("\n") + 1]
            monkeypatch.setattr(detect_eval_yaml, "_GLANCE", rng.choice((40, 120, 400, 1_200)))
            assert head_is_eval_yaml(path) is is_eval_yaml(path, whole, parse(whole).root)


def test_only_the_glance_is_parsed_where_it_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []
    monkeypatch.setattr(detect_eval_yaml, "parse", lambda text: parsed.append(len(text)) or parse(text))
    path = tmp_path / "suite.yaml"
    path.write_text("tests:\n" + "  - id: a\n    criteria: Greets\n    input: hi\n" * 400, encoding="utf-8")
    assert head_is_eval_yaml(path) is True
    assert max(parsed) <= detect_eval_yaml._GLANCE
    path.write_text(OTHERS, encoding="utf-8")
    assert head_is_eval_yaml(path) is False


@pytest.mark.parametrize(("length", "read"), [(39, "a: 1\n" * 7 + "b: 2"), (40, "a: 1\n" * 7), (41, "a: 1\n" * 7)])
def test_of_a_long_file_only_whole_lines_are_read(
    length: int, read: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(detect_eval_yaml, "HEAD", 40)
    monkeypatch.setattr(detect_eval_yaml, "is_eval_yaml", lambda _, text, __: seen.append(text))
    path = tmp_path / "suite.yaml"
    path.write_text(("a: 1\n" * 7 + "b: 2 # comment")[:length], encoding="utf-8")
    head_is_eval_yaml(path)
    assert seen == [read]


@pytest.mark.parametrize(
    ("path", "known"),
    [
        (".agentv/notes.yaml", True),
        (".agentv/templates/notes.yaml", True),
        ("a/.agentv/templates/deep/notes.yaml", None),
        ("a/b/notes.yaml", None),
    ],
)
def test_what_is_in_the_engines_own_folder_has_to_do_with_evals(path: str, known: bool | None) -> None:
    assert is_eval_yaml(PurePath("/work", path), "", None) is known


@pytest.mark.parametrize(
    ("item", "known"),
    [
        ("{input: hi}", True),
        ("{description: hi}", None),
        ("{note: hi}", None),
        ("{id: a, image: curl}", None),
        # A key of something else, and nothing that names a case.
        ("{description: hi, image: curl}", False),
        ("{name: install, image: curl}", False),
    ],
)
def test_a_list_is_recognised_by_the_keys_of_its_items(item: str, known: bool | None) -> None:
    text = f"tests:\n  - {item}\n"
    assert is_eval_yaml(PurePath("/work/list.yaml"), text, parse(text).root) is known
