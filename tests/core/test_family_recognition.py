"""Whose a file is: each family recognises its own files, and none of another family."""

import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import PurePath

import pytest
from harness import ROOT, files
from test_legal import examples

from rubric_core.family import FAMILIES, Family, part_of
from rubric_core.loading.family_recognition import FamilyRecognition, recognised_kind
from rubric_core.loading.files import is_suite_name
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Mapping, Node, Sequence

_RECOGNISING = [family for family in FAMILIES if "recognition" in family.parts]
#: Examples of a page that belong to another family, as their first comment says.
_ELSEWHERE = {"agentv-5: promptfoo quick start in yaml names": "promptfoo"}
#: A name that two families use, so that what is in the file decides.
_SHARED_NAMES = frozenset({"promptfooconfig.eval.yaml"})


def recognition_of(family: Family) -> FamilyRecognition:
    part = part_of(family.name, "recognition")
    assert part is not None
    found: FamilyRecognition = part.RECOGNITION
    return found


def legal_examples() -> Iterator[tuple[str, dict[PurePath, str]]]:
    """The family of each legal example, by its heading or its page, with its files."""
    for name, text in examples():
        page, _, dialect = name.partition(" => ")
        owners = (each.name for each in _RECOGNISING if dialect in each.dialects or page.startswith(each.name))
        yield (
            _ELSEWHERE.get(name) or next(owners, "agentv"),
            {PurePath(ROOT / path): own for path, own in files(text).items()},
        )


def own_file() -> tuple[PurePath, str]:
    """A file that a family recognises."""
    return next((*example.items(),)[0] for owner, example in legal_examples() if owner == _RECOGNISING[0].name)


def items_of(root: Node | None) -> list[Mapping]:
    return [each for each in root.items if isinstance(each, Mapping)] if isinstance(root, Sequence) else []


@pytest.mark.parametrize("family", _RECOGNISING, ids=lambda family: family.name)
def test_no_file_of_another_family_is_recognised(family: Family) -> None:
    recognition = recognition_of(family)
    foreign = [each for owner, each in legal_examples() if owner != family.name]
    assert len(foreign) > 100
    for path, text in chain.from_iterable(each.items() for each in foreign):
        root = parse(text).root
        items = items_of(root)
        assert path.name in _SHARED_NAMES or not recognition.has_own_name(path.name), path
        assert recognition.kind(path, text, root, items[0] if items else None) is None, text
        is_asked = items and is_suite_name(path.name)
        assert not is_asked or not all(map(recognition.is_case, items)), text


@pytest.mark.parametrize("family", _RECOGNISING, ids=lambda family: family.name)
def test_its_own_files_are_recognised(family: Family) -> None:
    own = [each for owner, each in legal_examples() if owner == family.name]
    assert len(own) > 40
    for example in own:
        found = (recognised_kind(None, path, text, parse(text).root, None) for path, text in example.items())
        kinds = [kind for kind in found if kind is not None]
        assert kinds, example
        assert {kind.family for kind in kinds} == {family.name}, example


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_a_modeline_decides_before_any_family_is_asked(family: Family) -> None:
    path, text = own_file()
    kind = recognised_kind(family.dialects[-1], path, text, parse(text).root, None)
    assert kind is (recognition_of(family).stated if family in _RECOGNISING else None)


def test_a_modeline_that_names_no_dialect_leaves_a_file_to_agentv() -> None:
    path, text = own_file()
    assert recognised_kind(None, path, text, parse(text).root, None) is not None
    assert recognised_kind("agentv-9", path, text, parse(text).root, None) is None


@pytest.mark.parametrize("family", _RECOGNISING, ids=lambda family: family.name)
def test_what_is_asked_about_every_file_loads_no_other_part_of_its_family(family: Family) -> None:
    """A walk asks every family about every file, and a keystroke about the text."""
    part = family.parts["recognition"]
    code = f"import sys, {part}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {*family.parts.values()} & {*loaded} == {part}
