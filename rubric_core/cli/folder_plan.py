"""The plan of all suites below a folder: what `rubric trust` shows and remembers."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rubric_core.adapters import system_ports
from rubric_core.analysis import Language
from rubric_core.cli.plan_output import plan_cases, plan_suite
from rubric_core.cli.sources import SourceCollector
from rubric_core.configuration import Configurations
from rubric_core.configuration.discovery import Discovery
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.generators import generate_cases
from rubric_core.evaluation.cases.load import GeneratedCases, LoadedSuite, NoSuiteError, load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.target_choice import shared_targets
from rubric_core.evaluation.engine.guard import guarded
from rubric_core.evaluation.engine.rehearse import rehearsed_generators
from rubric_core.evaluation.model.plan import Plan
from rubric_core.lazy_compilation import replace
from rubric_core.loading.files import UnreadableError
from rubric_core.loading.project import Project

__all__ = ["FolderPlan", "plan_folder"]


class FolderPlan(NamedTuple):
    """What the suites below a folder do."""

    plan: Plan
    #: The number of suites in it.
    suites: int
    #: A sentence for each suite that is not in it, or not with all of its cases.
    missing: list[str]


def plan_folder(folder: Path, options: Options, *, makes_cases: bool = False) -> FolderPlan:
    """The plan of the suites below a folder, with every target that they could be run with.

    Executes nothing; only with `makes_cases` the programs that make cases, whose plans are otherwise not known.
    """
    language = Language()
    configurations, project = Configurations(language), Project(DiskFiles(), folder)
    plan, number, missing = Plan(), 0, list[str]()
    sources = SourceCollector([str(folder)], Discovery(configurations), None, around=False)
    for source in sources.found():
        try:
            dialect = configurations.for_file(source.path).dialect
            suite = load_suite(source.path, language, project, options, dialect)
        except (NoSuiteError, UnreadableError) as error:
            missing.append(str(error))
            continue
        found = asyncio.run(plan_suite(suite, [*suite.cases, *_with_other_targets(suite.cases)], folder))
        if suite.programs and makes_cases and not found.unknown:
            made = load_suite(source.path, language, project, options, dialect, asyncio.run(_made_cases(suite)))
            cases = [*made.cases, *_with_other_targets(made.cases)]
            found = replace(found, notes=()).joined(asyncio.run(plan_cases(cases, folder)))
        if found.unknown:
            missing.append(f"{source.shown}: {found.unknown}")
            continue
        plan, number = plan.joined(found), number + 1
    failures = sources.failures if number else []  # that there is none is no trouble
    return FolderPlan(plan, number, [*failures, *missing])


async def _made_cases(suite: LoadedSuite) -> Mapping[str, GeneratedCases]:
    """The cases of the programs of a suite, which do nothing but what their plan says."""
    async with system_ports() as ports:
        return await generate_cases(suite, guarded(ports, await rehearsed_generators(suite, ports)))


def _with_other_targets(cases: Sequence[Runnable]) -> Iterator[Runnable]:
    """The first case with each target that somebody may choose for it, as an agent can."""
    first = next(iter(cases), None)
    if first is None or first.answering is not None:  # it has the variations of all its targets
        return
    targets = shared_targets(first, first.files).file
    for name in dict.fromkeys(entry.name for entry in targets.entries) if targets is not None else ():
        yield replace(first, options=replace(first.options, target=name))
