"""The whole plan of a run: what it starts and sends, and the files and variables that it reads."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from rubric_core.environment_files import is_environment_file
from rubric_core.evaluation.cases.roles import participating_targets
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.suite_facts import SuiteFacts
from rubric_core.evaluation.cases.target_choice import shared_targets
from rubric_core.evaluation.engine.rehearse import rehearsed
from rubric_core.evaluation.engine.run_inputs import RunInputs
from rubric_core.evaluation.model.plan import Plan
from rubric_core.evaluation.model.plan_entries import Read, Variable
from rubric_core.lazy_compilation import replace
from rubric_core.ports import Ports

__all__ = ["plan_run"]


async def plan_run(cases: Sequence[Runnable], ports: Ports, roots: Sequence[Path] = ()) -> Plan:
    """The plan of running these cases, of one suite or several. Runs nothing.

    Args:
        cases: The cases.
        ports: The outside world; only files are read, and templates filled in.
        roots: The open folders: files outside of them are entries. Without any, files are not compared.
    """
    plan = await rehearsed(cases, ports)
    inputs = RunInputs(roots, "\n".join(each.words() for each in plan.starts))
    suites: dict[SuiteFacts, list[Runnable]] = {}
    for case in cases:
        suites.setdefault(case.facts, []).append(case)
    for several in suites.values():
        taking = list(participating_targets(several, shared_targets(several[0], ports.files)))
        for number, case in enumerate(several):
            # Targets files belong to the suite, so they are examined once.
            inputs.add(case, () if number else taking)
    try:
        copied = [*plan.reads, *(Read(path) for each in plan.reads for path in _linked(each, ports, inputs.roots))]
    except OSError as error:
        plan, copied = replace(plan, unknown=f"what this run would do is not known: {error}"), []
    further_reads = [each.path for each in copied if not any(Path(each.path).is_relative_to(r) for r in inputs.roots)]
    # What was asked for in the rehearsal is of the plan, however it was written; where another entry names it, it says more.
    named = {*inputs.variables, *replace(plan, variables=()).variable_names()}
    further = [each.name for each in plan.variables if each.name not in named]
    return replace(
        plan,
        variables=tuple(Variable(name) for name in dict.fromkeys([*inputs.variables, *further])),
        reads=tuple(Read(path) for path in dict.fromkeys([*further_reads, *inputs.outside] if inputs.roots else ())),
        roots=tuple(inputs.roots),
        files=inputs.files,
    )


def _linked(copied: Read, ports: Ports, roots: Sequence[Path]) -> Iterator[str]:
    """The files and directories to which links in a copied directory lead, without files of variables, which are refused."""
    for target in ports.directories.links(Path(copied.path), roots).values():
        if not is_environment_file(target):
            yield str(target)
