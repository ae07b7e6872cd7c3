"""However a suite is written: the same result from every style, comments anywhere stay, and broken texts never raise."""

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from properties import comments

from rubric_core.migration import NotMigratableError, migrate
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain

pytestmark = pytest.mark.corpus
CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
NEWEST = "agentv-5"


class Dumper(yaml.SafeDumper):
    """Writes the same data twice rather than referring to it."""

    def ignore_aliases(self, _: Any) -> bool:
        return True


def dumped(**style: Any) -> Callable[[Any], str]:
    return lambda value: yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True, **style)


STYLES: dict[str, Callable[[Any], str]] = {
    "lines": dumped(default_flow_style=False),
    "wide": dumped(default_flow_style=False, indent=4),
    "leaves in braces": dumped(default_flow_style=None),
    "braces": dumped(default_flow_style=True, width=1_000_000),
    "wrapped braces": dumped(default_flow_style=True, width=60),
    "json": lambda value: json.dumps(value, ensure_ascii=False),
}


def suites(every: int = 1) -> list[tuple[str, str]]:
    """Texts with their dialects, of suites that can be migrated."""
    if not CORPUS.is_dir():
        pytest.skip(f"the corpus is not there: {CORPUS}")
    with (CORPUS / "INDEX.tsv").open(encoding="utf-8") as table:
        rows = [r for r in csv.DictReader(table, delimiter="\t") if r["kind"] == "suite" and r["copy"] == "first"]
    rows = [row for row in rows if row["dialect"] != NEWEST][::every]
    dialects = {"agentv-0.2": "agentv-0.5"}
    return [
        (dialects.get(r["dialect"], r["dialect"]), (CORPUS / r["tag"] / r["path"]).read_text(encoding="utf-8"))
        for r in rows
    ]


def values(text: str) -> Any:
    tree = parse(text)
    assert not tree.problems, tree.problems[0]
    return plain(tree.root, tree.anchors)


def test_every_style_gives_the_same() -> None:
    compared = 0
    for dialect, text in suites(every=8):
        made = {name: migrate(write(values(text)), dialect, NEWEST) for name, write in STYLES.items()}
        wanted = made["lines"]
        for name, each in made.items():
            if [n.words for n in each.notes] == [n.words for n in wanted.notes]:
                assert values(each.text) == values(wanted.text), (name, text)
                compared += 1
    assert compared > 80


@pytest.mark.parametrize("seed", range(2))
def test_comments_anywhere_stay_and_change_nothing(seed: int) -> None:
    pick = random.Random(seed)
    compared = 0
    for dialect, text in suites(every=4):
        marked = with_comments(text, pick)
        if marked is None:
            continue
        bare, made = migrate(text, dialect, NEWEST), migrate(marked, dialect, NEWEST)
        assert not comments(marked) - comments(made.text), marked
        assert values(made.text) == values(bare.text), marked
        compared += 1
    assert compared > 5


def with_comments(text: str, pick: random.Random) -> str | None:
    """The text with comments in a few places; None where one of them fell into a text."""
    lines: list[str] = []
    for number, line in enumerate(text.split("\n")):
        content = bool(line.strip()) and not line.strip().startswith("#")
        if content and pick.random() < 0.1:
            lines.append(" " * (len(line) - len(line.lstrip()) + pick.choice((0, 0, 2))) + f"# above {number}")
        if content and pick.random() < 0.1 and not line.rstrip().endswith(("|", ">", "-")):
            line += f"  # beside {number}"  # noqa: PLW2901
        lines.append(line)
    marked = "\n".join(lines)
    tree = parse(marked)
    return marked if not tree.problems and plain(tree.root, tree.anchors) == values(text) else None


def test_no_text_raises() -> None:
    pick = random.Random(7)
    known = suites(every=2)
    migrated = 0
    for _ in range(250):
        dialect, text = pick.choice(known)
        try:
            made = migrate(damaged(text, pick), dialect, NEWEST)
        except NotMigratableError:
            continue
        assert not parse(made.text).problems
        migrated += 1
    assert migrated > 60


@pytest.mark.parametrize("body", ["", "name: a\ntests: [{id: a, input: b, criteria: c}]\n"])
def test_several_byte_order_marks_stay_in_front(body: str) -> None:
    made = migrate(f"\ufeff\ufeff{body}", "agentv-1", "agentv-5").text
    assert made.startswith("\ufeff\ufeff")
    assert "\ufeff" not in made.lstrip("\ufeff")
    assert not parse(made).problems


def damaged(text: str, pick: random.Random) -> str:
    lines = text.split("\n")
    for _ in range(pick.randint(1, 3)):
        at = pick.randrange(len(lines))
        end = min(len(lines), at + pick.randint(1, 5))
        how = pick.randrange(5)
        if how == 0:
            del lines[at:end]
        elif how == 1:
            lines[at:at] = lines[at:end]
        elif how == 2:
            lines[at] = "  " + lines[at]
        elif how == 3:
            other = pick.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        elif ":" in lines[at]:
            key = lines[at].partition(":")[0]
            lines[at] = key + ":" + pick.choice((" 3", " [a, b]", " {a: b}", "", ' "q"', " ${{ X }}", " null"))
        lines = lines or [""]
    return "\n".join(lines)
