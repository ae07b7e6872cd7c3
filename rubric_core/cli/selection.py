"""Which cases `rubric run` runs: those of suites and folders that are named, single ones, or what did not pass last time."""

import argparse
import asyncio
import os
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from rubric_core.adapters import system_ports
from rubric_core.analysis import Analysis, Language
from rubric_core.cli.sources import SourceCollector
from rubric_core.configuration import Configurations
from rubric_core.configuration.discovery import Discovery
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import GeneratedCases, LoadedSuite, load_suite
from rubric_core.evaluation.cases.runnable import Options, Runnable
from rubric_core.evaluation.cases.variations import base_id, variations
from rubric_core.evaluation.engine.attempt import requested_fields, targets_of
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.evaluation.engine.schedule import with_dependencies
from rubric_core.evaluation.model.recording import RecordingMode
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.evaluation.results.store import ResultStore
from rubric_core.loading.files import absolute
from rubric_core.loading.project import Project
from rubric_core.loading.targets import find_targets
from rubric_core.ports import Ports

__all__ = [
    "RunSelection",
    "SuiteSelection",
    "WrongUseError",
    "chosen_cases",
    "no_file",
    "resume_command",
    "unfinished_cases",
]


#: Options that a run after a run takes over.
_REPEATED = (
    "dialect", "target", "grader_target", "targets", "threshold", "repeat", "workers", "record", "refresh", "replay", "keep_workspaces",
    "allow_grader_errors", "show_prompts",
)  # fmt: skip
_MODES: tuple[RecordingMode, ...] = ("record", "refresh", "replay")


class WrongUseError(Exception):
    """Something that the caller has to mend; the message says what."""


class SuiteSelection(NamedTuple):
    """A suite to run, and the ids of its cases that are asked for; none for all of them."""

    path: Path
    ids: tuple[str, ...] = ()


class RunSelection:
    """What a command line asks to be run. Raises WrongUseError for options that do not go together."""

    def __init__(self, options: argparse.Namespace) -> None:
        modes: list[RecordingMode] = [mode for mode in _MODES if getattr(options, mode)]
        if len(modes) > 1:
            raise WrongUseError(f"{' and '.join(f'--{mode}' for mode in modes)} exclude each other")
        self._language = Language()
        if options.dialect is not None and options.dialect not in {d.name for d in self._language.dialects}:
            known = ", ".join(d.name for d in self._language.dialects)
            raise WrongUseError(f"there is no dialect {options.dialect}; there are {known}")
        if options.targets is not None and not options.targets.is_file():
            raise WrongUseError(f"{options.targets}: {no_file(options.targets)}")
        self._options = options
        self._asked = Options(
            target=options.target,
            grader_target=options.grader_target,
            threshold=options.threshold,
            targets_file=options.targets,
            mode=modes[0] if modes else "auto",
            repeat=options.repeat,
            keep_workspaces=options.keep_workspaces,
            allow_grader_errors=options.allow_grader_errors,
        )
        self._configurations = Configurations(self._language)
        self._project = Project(DiskFiles(), Path.cwd())
        #: A sentence for each name behind which nothing was found.
        self.failures: list[str] = []

    def suites(self) -> list[SuiteSelection]:
        """The suites, each once, in the order in which they are named."""
        found: dict[Path, SuiteSelection] = {}
        for name in self._options.suites:
            path, case_id = _parted(name)
            if not case_id and ("::" not in name or os.path.lexists(name)):
                sources = SourceCollector([name], Discovery(self._configurations), None, around=False)
                for source in sources.found():
                    found[source.path] = SuiteSelection(Path(source.shown))
                self.failures += sources.failures
                continue
            known = found.get(absolute(path))
            if known is None or known.ids:
                found[absolute(path)] = SuiteSelection(Path(path), (*(known.ids if known else ()), case_id))
        return list(found.values())

    def load(self, wanted: SuiteSelection) -> LoadedSuite:
        """Raises UnreadableError, NoSuiteError."""
        dialect = self._options.dialect or self._configurations.for_file(wanted.path).dialect
        suite = load_suite(wanted.path, self._language, self._project, self._asked, dialect)
        if not suite.programs:
            return suite
        made = asyncio.run(_generated(suite))
        return load_suite(wanted.path, self._language, self._project, self._asked, dialect, made)


def _parted(name: str) -> tuple[str, str]:
    """The file and the id of the case in `FILE::ID`; names of files may have two colons in them, too."""
    parts = name.split("::")
    splits = (("::".join(parts[:n]), "::".join(parts[n:])) for n in range(len(parts), 0, -1))
    first, _, behind = name.partition("::")
    return next((split for split in splits if os.path.lexists(split[0])), (first, behind))


async def _generated(suite: LoadedSuite) -> Mapping[str, GeneratedCases]:
    from rubric_core.evaluation.cases.generators import generate_cases  # noqa: PLC0415  # few suites have programs that make cases

    async with system_ports() as ports:
        return await generate_cases(suite, ports)


def chosen_cases(
    suite: LoadedSuite, ids: Sequence[str], options: argparse.Namespace, *, alone: bool = True
) -> list[Runnable]:
    """The cases to run, each with the target that answers it.

    Raises WrongUseError when there is none; with --failed, only where the suite is `alone`.
    """
    every = suite.cases
    if not every:
        raise WrongUseError(_no_cases(suite.path, suite.analysis))
    cases: Sequence[Runnable] = every if ids else suite.in_range
    if not cases:
        raise WrongUseError(f"{suite.path}: there is no case to run: `filter_range` leaves none of {len(every)}")
    if ids:
        cases = [case for name in ids for case in _named(suite, name)]
    if options.failed:
        return _failed(suite.path, cases, every, options, alone=alone)
    chosen = _variations(with_dependencies(cases, every))
    # A variation that is named stands for itself alone.
    single = [name for name in ids if not any(case.id == name for case in every)]
    asked = {base_id(name) for name in single}
    return [case for case in chosen if case.base_id not in asked or case.id in single]


def _named(suite: LoadedSuite, name: str) -> list[Runnable]:
    cases = [case for case in suite.cases if name in (case.id, *(v.id for v in variations(case)))]
    if not cases:
        names = [n for c in suite.cases for n in (c.id, *(v.id for v in variations(c)))]
        close = get_close_matches(name, names, 1)
        hint = f"; did you mean {close[0]}?" if close else ""
        raise WrongUseError(f"{suite.path}: no case has the id {name or '(nothing)'}{hint}")
    return cases


def _variations(cases: Sequence[Runnable]) -> list[Runnable]:
    return [each for case in cases for each in variations(case)]


def _failed(
    path: Path, cases: Sequence[Runnable], every: Sequence[Runnable], options: argparse.Namespace, *, alone: bool
) -> list[Runnable]:
    """The cases that did not pass when they ran last, and those that they depend on."""
    allows = options.allow_grader_errors
    stored = {(k.latest.id, k.latest.target, _stands(k.latest, allows=allows)) for _, k in ResultStore.of(path).cases()}
    if not stored and alone:
        raise WrongUseError(f"{path}: no case has been run yet, so there is none that failed")
    pairs = {(name, by) for name, by, verdict in stored if verdict is not Verdict.PASSED}
    ids = {name for name, _ in pairs}
    chosen = {v.id for case in cases for v in variations(case) if v.id in ids}
    some = [c for c in cases if any(v.id in chosen for v in variations(c))]
    each_target = [
        v
        for v in _variations(with_dependencies(some, every))
        if v.id in chosen or v.base_id not in {c.base_id for c in some}
    ]
    if options.target is not None:
        return each_target
    return [c for c in each_target if c.id not in chosen or (c.id, requested_fields(c)["target"]) in pairs]


def _stands(result: CaseResult, *, allows: bool) -> Verdict:
    """The verdict of an earlier run; one in which a grader failed does not stand unless that is allowed."""
    return Verdict.UNSCORED if result.grader_errors and not allows else result.verdict


def unfinished_cases(cases: Sequence[Runnable], ports: Ports) -> tuple[list[Runnable], Counter[Verdict]]:
    """The cases that have no result, or one that does not hold any more, or one without a score; and how the others ended."""
    if not cases:
        return [], Counter()
    allows = cases[0].options.allow_grader_errors
    latest = (known.latest for _, known in ResultStore.of(cases[0].path).cases())
    ended = (((each.id, each.fingerprint), _stands(each, allows=allows)) for each in latest)
    done = {key: verdict for key, verdict in ended if verdict is not Verdict.UNSCORED}
    known = {name for name, _ in done}
    left: list[Runnable] = []
    kept: Counter[Verdict] = Counter()
    for case in cases:
        verdict = None
        if case.id in known:
            verdict = done.get((case.id, fingerprint(case, ports.files, targets_of(case, ports))))
        if verdict is None:
            left.append(case)
        else:
            kept[verdict] += 1
    return left, kept


def resume_command(options: argparse.Namespace, suites: Sequence[str], wish: str) -> str:
    """The command that goes on, with `--resume` or `--failed` as `wish`: the same in all that makes a difference."""
    words = ["rubric", "run", *suites, f"--{wish}"]
    for name in _REPEATED:
        value = getattr(options, name)
        if value not in (None, False, "never"):
            words += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return shlex.join(words)


def no_file(path: Path) -> str:
    """Why a path that should be a target file is none."""
    if not path.is_dir():
        return "this is no file" if path.exists() else "there is no such file"
    inside = find_targets(path, DiskFiles(), path)
    meant = f"; did you mean {inside}?" if inside is not None and path in inside.parents else ""
    return f"this is a folder, --targets names a file{meant}"


def _no_cases(path: Path, analysis: Analysis) -> str:
    errors = [d for d in analysis.diagnostics if d.severity == "error"]
    if not errors:
        return f"{path}: there is no case to run"
    line = analysis.document.position(errors[0].span.start).line + 1
    return f"{path}:{line}: there is no case to run: {errors[0].message} (rubric check {path} says more)"
