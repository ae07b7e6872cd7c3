"""Every type that the catalogue knows is run, or says at its line that it is not."""

import pytest
from suites import Folder

from rubric_core.evaluation.registry import build_evaluator_registry, kind_of
from rubric_core.evaluation.result import Verdict
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS

#: Known, and not run.
NOT_RUN: set[str] = set()

READ = [
    pytest.param(dialect, name, id=f"{dialect.name} {name}")
    for dialect in DIALECTS
    for name, known in dialect.types.items()
    if known.fate.read
]


def runs(dialect: Dialect, name: str) -> bool:
    shape = dialect.types[name].shape
    from rubric_core.text import Span

    made = shape(Span(0, 0), None, type=name)
    made.type_name = name
    return kind_of(made) in {*build_evaluator_registry(), "code"}


@pytest.mark.parametrize(("dialect", "name"), READ)
def test_every_type_that_a_dialect_reads_is_run(dialect: Dialect, name: str) -> None:
    assert runs(dialect, name) is (name not in NOT_RUN)


def test_the_types_that_are_not_run_are_those_of_the_list() -> None:
    # Names that are kept for later, or refused, are run by nobody.
    assert {n for d in DIALECTS for n, known in d.types.items() if known.fate.read and not runs(d, n)} == NOT_RUN


async def test_a_name_that_is_kept_for_later_is_said_at_its_line(folder: Folder) -> None:
    folder.mock("x")
    result = await folder.one(
        "prompts: [hi]\ntests:\n  - id: a\n    assert: [{type: levenshtein, value: x}]", "agentv-5"
    )
    assert result.verdict is Verdict.UNSCORED
    assert result.reason.startswith("line 4 has a mistake")
    assert "levenshtein" in result.reason
