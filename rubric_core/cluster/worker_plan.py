"""The plan of a run as it holds on a worker, which has files in another place and looks programs up itself."""

import errno
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from rubric_core.cluster.relocation import Relocation
from rubric_core.evaluation.engine.permitted_files import is_temporary
from rubric_core.evaluation.engine.rehearsal_ports import known_secrets
from rubric_core.evaluation.model.holes import has_hole, hole, hole_names
from rubric_core.evaluation.model.plan import Plan
from rubric_core.evaluation.model.plan_entries import Read, Send, Start
from rubric_core.lazy_compilation import replace
from rubric_core.trust import real_path

__all__ = ["WorkerStarts", "plan_for_workers", "plan_on_worker"]

#: A program that each worker looks up.
_ITS_OWN = hole("program")


def plan_for_workers(plan: Plan) -> Plan:
    """The plan as it is sent: without the values of secrets; a program that workers look up may be any file there."""
    starts = (_looked_up(each).public() for each in plan.starts)
    return replace(plan, starts=tuple(starts), sends=tuple(each.public() for each in plan.sends))


def plan_on_worker(plan: Plan, relocation: Relocation, environment: Mapping[str, str]) -> Plan:
    """The plan with the places of files on this worker, and with its values of secrets that decide about programs and hosts."""
    names = {name for each in plan.starts for name in _secret_names(each)}
    names.update(name for each in plan.sends for name in _secret_names(each))
    known = known_secrets(environment, names & environment.keys())
    home = relocation.home
    own = {path: real_path(path) for path in plan.files}
    places = {Path(f"{home}{path}"): Path(f"{home}{path}") for path in plan.files} if home else dict(plan.files)
    reads = (Read(str(real_path(Path(each.path)))) for each in plan.reads if not each.is_any)
    return replace(
        plan,
        starts=tuple(
            replace(entry, real="" if home else entry.real) for each in plan.starts for entry in _filled_start(each, known)
        ),
        sends=tuple(entry for each in plan.sends for entry in _filled_send(each, known)),
        reads=(*plan.reads, *reads),
        roots=(Path(home),) if home else plan.roots,
        files={**own, **places},
    )  # fmt: skip


class WorkerStarts:
    """Says how a program that a worker starts is written in the plan.

    Args:
        relocation: The places of files.
    """

    def __init__(self, relocation: Relocation) -> None:
        self._relocation = relocation
        #: What was found first for a name in a directory.
        self._first: dict[tuple[str, str], tuple[str, str]] = {}

    def __call__(self, start: Start) -> Start:
        """The same with the paths of the client. Raises OSError if another file is found for its name than before."""
        name, found = start.argv[0] if start.argv else "", (start.program, start.real)
        is_kept = bool(start.program) and not is_temporary(Path(start.program))
        if is_kept and self._first.setdefault((name, start.cwd), found) != found:
            raise OSError(errno.EPERM, f"refused: {name} is another file than before ({start.real}); run it again")
        path = self._relocation.with_client_paths
        return replace(
            start,
            argv=tuple(map(path, start.argv)),
            program=path(start.program),
            real="" if self._relocation.home else start.real,
            cwd=path(start.cwd),
            environment=tuple((key, path(value)) for key, value in start.environment),
            says=path(start.says),
        )


def _looked_up(start: Start) -> Start:
    """A program with any file in place of the one that is found for its name here, or not found."""
    name = start.argv[0] if start.argv else ""
    if start.says and start.is_usual and not has_hole(name):
        return replace(start, argv=(_ITS_OWN, *start.argv[1:]), program=_ITS_OWN)
    if (start.is_usual and "/" not in name) or not start.program:
        return replace(start, program=_ITS_OWN)
    return start


def _secret_names(entry: Start | Send) -> set[str]:
    """The names of the variables that decide about a program or a host."""
    decided = (entry.origin,) if isinstance(entry, Send) else (*entry.argv[:1], entry.program, entry.cwd)
    return {name.removeprefix("$") for text in decided for name in hole_names(text) if name.startswith("$")}


def _filled_start(start: Start, known: Sequence[tuple[str, str]]) -> Iterator[Start]:
    for filled in _filled((start.argv[0] if start.argv else "", start.program, start.cwd), start, known):
        name, program, cwd = filled
        secrets = tuple(known) if filled != (*start.argv[:1], start.program, start.cwd) else ()
        yield replace(start, argv=(name, *start.argv[1:]), program=program, cwd=cwd, secrets=secrets)


def _filled_send(send: Send, known: Sequence[tuple[str, str]]) -> Iterator[Send]:
    for (origin,) in _filled((send.origin,), send, known):
        yield replace(send, origin=origin, secrets=tuple(known) if origin != send.origin else ())


def _filled(texts: tuple[str, ...], entry: Start | Send, known: Sequence[tuple[str, str]]) -> Iterator[tuple[str, ...]]:
    """Texts with each part of the values of secrets in place of their holes."""
    names = sorted(_secret_names(entry))
    for values in product(*([value for value, name in known if name == each] for each in names)):
        made = texts
        for name, value in zip(names, values, strict=True):
            made = tuple(text.replace(hole(f"${name}"), value) for text in made)
        yield made
