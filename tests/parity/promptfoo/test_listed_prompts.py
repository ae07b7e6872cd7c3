"""Pairs of entries of `prompts`: which rows are left of them in the real promptfoo and in rubric, and what becomes of these.

Every kind of prompt, with every content of the second entry, under every label. A row that is missing may be the one that fails.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import npm
import pytest
import yaml
from thorough import only_thorough

from rubric_core.disk import DiskFiles
from rubric_core.families.promptfoo.cases.configuration import read_configuration
from rubric_core.families.promptfoo.cases.prompts import prompts_of

from . import oracle
from .comparison import compare, rubric_rows

FUNCTIONS = MappingProxyType({
    "js": "module.exports = {first: () => 'first', second: () => 'second'};\n",
    "py": "def first(context):\n    return 'first'\n\n\ndef second(context):\n    return 'second'\n",
})  # fmt: skip
#: By kind: the source of a prompt with a word, and the content of the file STEM that it names.
KINDS = MappingProxyType({
    "text": ("{word} STEM {{{{x}}}}", ""),
    "text file": ("file://STEM.txt", "{word} {{{{x}}}}\n"),
    "path": ("./STEM.txt", "{word} {{{{x}}}}\n"),
    "file of repeated texts": ("file://STEM.txt", "{word} {{{{x}}}}\n---\n{word} {{{{x}}}}\n"),
    "table": ("file://STEM.csv", "prompt,label\n{word} {{{{x}}}},row\n{word} {{{{x}}}},row\n"),
    "lines": ("file://STEM.jsonl", '["{word} {{{{x}}}}"]\n["{word} {{{{x}}}}"]\n'),
    "Markdown": ("file://STEM.md", "{word} {{{{x}}}}\n"),
    "template": ("file://STEM.j2", "{word} {{{{x}}}}\n"),
    "JSON": ("file://STEM.json", '[{{"role": "user", "content": "{word} {{{{x}}}}"}}]'),
    "YAML": ("file://STEM.yaml", "- role: user\n  content: {word} {{{{x}}}}\n"),
    "JavaScript": ("file://STEM.js:{word}", FUNCTIONS["js"].replace("{", "{{").replace("}", "}}")),
    "Python": ("file://STEM.py:{word}", FUNCTIONS["py"]),
    "Python file": ("file://STEM.py", "print('{word}')\n"),
    "command": ("exec:sh STEM.sh", "echo {word}\n"),
})  # fmt: skip
#: By content: the stem and the word of the second entry; those of the first are `a` and `first`.
CONTENTS = MappingProxyType({"again": ("a", "first"), "equal": ("b", "first"), "other": ("b", "second")})
#: By label: what is beside the source in both entries.
LABELS: Mapping[str, tuple[Mapping[str, Any] | None, Mapping[str, Any] | None]] = MappingProxyType({
    "bare": (None, None),
    "one label": ({"label": "same"}, {"label": "same"}),
    "two labels": ({"label": "same"}, {"label": "other"}),
    "two configs": ({"label": "same", "config": {"a": 1}}, {"label": "same", "config": {"a": 2}}),
})  # fmt: skip
#: Kinds of which each prompt starts a program, which takes long: of these only some labels.
STARTED, OF_STARTED = frozenset({"Python", "Python file", "command"}), frozenset({"bare", "one label"})


class Pair(NamedTuple):
    """Two entries of `prompts`, and the files that they name."""

    name: str
    entries: tuple[Any, Any]
    files: Mapping[str, str]


def pairs() -> Iterator[Pair]:
    for number, (kind, content, label) in enumerate(product(KINDS, CONTENTS, LABELS)):
        if kind in STARTED and label not in OF_STARTED:
            continue
        source, text = KINDS[kind]
        files, entries = dict[str, str](), list[Any]()
        for (own, word), beside in zip((("a", "first"), CONTENTS[content]), LABELS[label], strict=True):
            # Functions are of one file: another content is another function of it.
            stem = f"{number}-{'a' if '{word}' in source else own}"
            written = source.replace("STEM", stem).format(word=word)
            if text:
                files[written.removeprefix("file://").removeprefix("exec:sh ").partition(":")[0]] = text.format(
                    word=word
                )
            key = "id" if number % 2 and written.startswith("file://") else "raw"
            named = {} if beside is None else {**beside, "label": f"{beside['label']}:{number}"}
            entries.append(written if beside is None else {**named, key: written})
        yield Pair(f"{kind}, {content}, {label}", (entries[0], entries[1]), files)
        if content == "again":
            yield Pair(f"{kind}, alias, {label}", (entries[0], entries[0]), {})


def written_to(folder: Path) -> Path:
    """A configuration with all pairs, whose second entries fail where they have another content."""
    found = list(pairs())
    for name, text in (item for each in found for item in each.files.items()):
        (folder / name).write_text(text, encoding="utf-8")
    checks = [{"type": "contains", "value": "first"}]
    tests = [
        {"description": "all", "vars": {"x": "X"}, "assert": checks},
        {"description": "labelled", "vars": {"x": "Y"}, "assert": checks, "prompts": ["same:1*", "same:5"]},
    ]
    prompts = [entry for each in found for entry in each.entries]
    path = folder / "promptfooconfig.yaml"
    path.write_text(yaml.safe_dump({"prompts": prompts, "providers": ["echo"], "tests": tests}), encoding="utf-8")
    return path


@pytest.mark.node
@only_thorough
def test_the_rows_of_equal_and_unequal_prompts_are_those_of_promptfoo(tmp_path: Path) -> None:
    try:
        command = oracle.command()
    except npm.UnavailableError as reason:
        pytest.skip(str(reason))
    path = written_to(tmp_path)
    theirs = oracle.rows(command, path, {}, tmp_path)
    number, differences = compare(path, theirs, rubric_rows(path))
    assert number > len(list(pairs())) * 2
    assert [str(each) for each in differences] == []


@pytest.mark.parametrize("pair", [pytest.param(each, id=each.name) for each in pairs()])
def test_only_an_entry_that_is_the_same_text_is_left_out(pair: Pair, tmp_path: Path) -> None:
    """Whatever the two entries stand for."""
    for name, text in pair.files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    def count(*entries: Any) -> int:
        text = yaml.safe_dump({"prompts": list(entries), "providers": ["echo"]})
        return len(prompts_of(read_configuration(tmp_path / "promptfooconfig.yaml", text, DiskFiles())))

    first, second = pair.entries
    left_out = isinstance(first, str) and first == second
    assert count(first, second) == count(first) + (0 if left_out else count(second))
