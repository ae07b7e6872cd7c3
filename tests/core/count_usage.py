"""Count the usage of promptfoo's keys and values: `python tests/core/count_usage.py FOLDER...`, one folder below each for every project.

Prints the content of `families/promptfoo/language/usage.json`. A word of one project alone is left out: it says nothing about the next author.
So are types that AgentV has too, as counts are by name; what is counted for every assertion stands for them.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from core.test_usage import kinds_of, written
from harness import LANGUAGE

from rubric_core.analysis import Analysis, analyze
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.families.promptfoo.language.dialect import PROMPTFOO
from rubric_core.language.shape import Shape, children
from rubric_core.language.usage_counts import ANY, Counts, count
from rubric_core.syntax.tree import Mapping

_FEWEST = 2


def usages(project: Path) -> Iterator[tuple[str, str, str]]:
    """The usages of the configurations of a project."""
    for path in sorted(project.rglob("promptfooconfig*.y*ml")):
        text = path.read_text("utf-8", errors="replace")
        known = analyze(LANGUAGE.document(text, path), LANGUAGE, dialect="promptfoo", path=path)
        for state in {id(s): s for s in known.states.values()}.values():
            yield from count(s for root in state.shapes for s in children(root))
        yield from _case_list(known)


def _case_list(known: Analysis) -> Iterator[tuple[str, str, str]]:
    """The usage of `tests`, whose cases are cut out of the text around them."""
    root = known.local(0).tree.root
    fields = {name: spelling.field for name, spelling in PROMPTFOO.table(Configuration).items()}
    names = [entry.name or "" for entry in root.entries] if isinstance(root, Mapping) else []
    for before, name in zip(["", *names], names, strict=False):
        if name == "tests":
            yield from (("Configuration", front, "tests") for front in (fields.get(before, ""), ANY))


def counted(folders: list[Path]) -> Counts:
    """How many of the projects have each usage."""
    projects = [each for folder in folders for each in sorted(folder.iterdir()) if each.is_dir()]
    found = Counter(usage for project in projects for usage in set(usages(project)))
    names = Counter(shape.__name__ for shape in set(kinds_of(Shape)))
    fine = {usage for usage, times in found.items() if times >= _FEWEST and names[usage[0].partition(".")[0]] == 1}
    return Counter({usage: found[usage] for usage in fine})


if __name__ == "__main__":
    sys.stdout.write(written(counted([Path(each) for each in sys.argv[1:]])))
