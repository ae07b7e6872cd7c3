"""Usage counts of keys and values: what is counted, what is likely, and that the general counts are up to date."""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest
from core.corpus import CORPUS, needs_corpus
from harness import LANGUAGE, UPDATING

from rubric_core.analysis import analyze
from rubric_core.language import usage_counts
from rubric_core.language.shape import Shape, children
from rubric_core.language.usage_counts import ANY, Counts, count, general_usage, likelihoods

KINDS = ("suite", "targets", "cases")
DATA = Path(usage_counts.__file__).with_name("usage.json")


def example(path: str) -> str:
    """The example that a file belongs to: the folder around its `evals` or `.agentv`."""
    parts = PurePath(path).parts
    inner = (n for n, part in enumerate(parts) if part in ("evals", ".agentv", ".agentevo"))
    return parts[next(inner, len(parts) - 1) - 1]


def corpus_counts() -> Counts:
    """The counts of the corpus: each example once, the names of its targets left out."""
    found: dict[str, set[tuple[str, str, str]]] = {}
    with (CORPUS / "INDEX.tsv").open(encoding="utf-8", newline="") as index:
        rows = [r for r in csv.DictReader(index, delimiter="\t") if r["copy"] == "first" and r["kind"] in KINDS]
    for row in rows:
        path = CORPUS / row["tag"] / row["path"]
        dialect = "agentv-0.5" if row["dialect"] == "agentv-0.2" else row["dialect"]
        known = analyze(LANGUAGE.document(path.read_text("utf-8"), path), LANGUAGE, dialect=dialect, path=path)
        for state in {id(s): s for s in known.states.values()}.values():
            found.setdefault(example(row["path"]), set()).update(
                count(s for root in state.shapes for s in children(root))
            )
    counts = Counter(each for seen in found.values() for each in seen)
    return Counter({each: n for each, n in counts.items() if each[0] not in usage_counts.NAMES})


def written(counts: Counts) -> str:
    """The counts in the format of the file: by place, then by preceding key, the most frequent first."""
    nested: dict[str, dict[str, dict[str, int]]] = {}
    for (where, before, word), n in sorted(counts.items(), key=lambda item: (item[0][:2], -item[1], item[0][2])):
        nested.setdefault(where, {}).setdefault(before, {})[word] = n
    lines = (f"  {json.dumps(where)}: {json.dumps(fronts)}" for where, fronts in nested.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def kinds_of(shape: type[Shape]) -> Iterator[type[Shape]]:
    for each in shape.__subclasses__():
        yield each
        yield from kinds_of(each)


@needs_corpus
def test_the_general_counts_are_those_of_the_corpus() -> None:
    made = written(corpus_counts())
    if UPDATING:
        DATA.write_text(made, encoding="utf-8")
    assert made == DATA.read_text(encoding="utf-8"), "UPDATE=1 pytest counts again"


def test_the_general_counts_are_about_the_catalogue() -> None:
    """Renamed classes and fields would make counts silently mean nothing."""
    shapes = set(kinds_of(Shape))
    names = {shape.__name__ for shape in shapes}
    fields = {field for shape in shapes for field in shape.keys}
    for where, before, word in general_usage():
        shape, _, field = where.partition(".")
        assert shape in names
        assert field in fields if field else {before, word} <= fields | {"", ANY}


def counted(text: str, dialect: str = "agentv-3") -> Counts:
    known = analyze(LANGUAGE.document(text), LANGUAGE, dialect=dialect)
    return count(s for state in known.states.values() for root in state.shapes for s in children(root))


SUITE = """\
execution: {target: cloud}
tests:
  - id: a
    input:
      - {role: system, content: x}
      - {role: user, content: y}
    assertions:
      - type: contains
        value: x
      - {type: my-check, negate: true}
"""


def test_keys_count_behind_the_key_in_front() -> None:
    found = counted(SUITE)
    assert found["Case", "", "id"] == found["Case", "id", "input"] == found["Case", "input", "assertions"] == 1
    assert found["Case", ANY, "input"] == 1
    assert found["Contains", "type", "value"] == found["Evaluator", "type", "value"] == 1
    assert found["Message", "role", "content"] == 2


def test_values_count_behind_the_item_in_front() -> None:
    found = counted(SUITE)
    assert found["Message.role", "input[]", "system"] == found["Message.role", "system", "user"] == 1
    assert found["Evaluator.type", "assertions[]", "Contains"] == found["Evaluator.type", "Contains", "my-check"] == 1
    assert found["Evaluator.negate", ANY, "true"] == 1
    assert found["target", ANY, "cloud"] == 1
    assert not [each for each in found if each[2] in ("x", "y")], "free texts are nobody's business"


def test_a_type_is_the_same_word_in_every_dialect() -> None:
    old = counted("evalcases:\n  - id: a\n    evaluators: [{name: x, type: code_judge, script: x}]\n", "agentv-1")
    assert old["Evaluator.type", ANY, "CodeEvaluator"] == 1
    new = counted("prompts: [x]\ntests:\n  - assert: [{type: llm-rubric, value: x}]\n", "agentv-5")
    assert new["Evaluator.type", ANY, "Rubrics"] == 1


def test_what_an_alias_repeats_does_not_count() -> None:
    found = counted("tests:\n  - {id: a, assertions: &a [{type: cost, budget: 1}]}\n  - {id: b, assertions: *a}\n")
    assert found["Evaluator.type", ANY, "Cost"] == 1


@pytest.mark.parametrize(
    ("general", "special", "first"),
    [
        ({}, {}, "a"),
        ({("X", ANY, "b"): 3}, {}, "b"),
        ({("X", ANY, "b"): 9, ("X", "k", "c"): 9}, {}, "c"),
        ({("X", ANY, "b"): 9, ("X", "k", "c"): 9}, {("X", "k", "b"): 3}, "b"),
        ({("X", "other", "b"): 9}, {}, "a"),
    ],
    ids=["as they come", "used at all", "used behind this", "used behind this here", "used behind another"],
)
def test_what_is_likely(
    general: dict[tuple[str, str, str], int], special: dict[tuple[str, str, str], int], first: str
) -> None:
    found = likelihoods([Counts(general), Counts(special)], ["X"], "k", ["a", "b", "c"])
    assert max(found, key=lambda word: found[word]) == first
    assert sum(found.values()) == pytest.approx(1)
