"""Selects the cases of `rubric run`: those of named suites and folders, single ones, or those that did not pass."""

import argparse
import asyncio
import logging
import os
import shlex
import sys
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from rubric_core.adapters import SystemClock, system_ports
from rubric_core.analysis import Analysis, Language
from rubric_core.cli.answer_cache_files import AnswerFiles
from rubric_core.cli.case_filter import id_pattern
from rubric_core.cli.sources import SourceCollector
from rubric_core.configuration import Configurations
from rubric_core.configuration.discovery import Discovery
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.cases.load import GeneratedCases, LoadedSuite, NoSuiteError, load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.target_choice import shared_targets
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.attempt import requested_fields, targets_of
from rubric_core.evaluation.engine.case_order import with_dependencies
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.evaluation.model.recording import RecordingMode
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.results.database import ResultDatabase
from rubric_core.evaluation.results.known_case import KnownCase
from rubric_core.evaluation.results.signatures import FOREIGN
from rubric_core.loading.files import absolute
from rubric_core.loading.project import Project
from rubric_core.loading.target_files import find_targets
from rubric_core.ports import Ports

__all__ = [
    "RunSelection",
    "SuiteSelection",
    "WrongUseError",
    "changed_cases",
    "failed_cases",
    "named_cases",
    "no_file",
    "resume_command",
    "unfinished_cases",
    "with_needed_variations",
]

log = logging.getLogger(__name__)
#: Options that are repeated in the suggested next command.
_REPEATED = (
    "keywords", "tag", "where", "shard", "sample", "seed", "limit", "dialect", "target", "grader_target", "targets", "threshold", "repeat", "workers", "record", "refresh", "replay", "keep_workspaces",
    "allow_grader_errors", "show_prompts", "cache", "no_store", "promptfoo_exit_code",
    "on", "send_env", "shared_files",
)  # fmt: skip
_SHORT = {"keywords": "-k"}
_MODES: tuple[RecordingMode, ...] = ("record", "refresh", "replay")


class WrongUseError(Exception):
    """A usage error; the message says what is wrong."""


class SuiteSelection(NamedTuple):
    """A suite to run, and the requested ids of its cases; empty for all."""

    path: Path
    ids: tuple[str, ...] = ()


class RunSelection:
    """The suites and cases that a command line requests. Raises WrongUseError for contradictory options."""

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
            target=options.target[0] if options.target and len(options.target) == 1 else None,
            targets=tuple(dict.fromkeys(options.target)) if options.target and len(options.target) > 1 else (),
            grader_target=options.grader_target,
            threshold=options.threshold,
            targets_file=options.targets,
            mode=modes[0] if modes else "auto",
            repeat=options.repeat,
            keep_workspaces=options.keep_workspaces,
            allow_grader_errors=options.allow_grader_errors,
            answer_cache=_answer_cache(options) if options.cache else None,
            working_directory=Path.cwd(),
        )
        self._configurations = Configurations(self._language)
        self._project = Project(DiskFiles(), Path.cwd())
        #: A message for each name without a match.
        self.failures: list[str] = []

    def suites(self) -> list[SuiteSelection]:
        """The suites, each once, in the order of their names on the command line."""
        found: dict[Path, SuiteSelection] = {}
        for name in self._options.suites:
            path, case_id = _parted(name)
            if not case_id and ("::" not in name or os.path.lexists(name)):
                sources = SourceCollector([name], Discovery(self._configurations), None, around=False)
                for source in sources.found():
                    found[source.path] = SuiteSelection(Path(source.shown))
                self.failures += sources.failures
                for each in sources.left_alone:
                    print(f"rubric: {each}", file=sys.stderr)
                continue
            known = found.get(absolute(path))
            if known is None or known.ids:
                found[absolute(path)] = SuiteSelection(Path(path), (*(known.ids if known else ()), case_id))
        return list(found.values())

    def load(self, wanted: SuiteSelection) -> LoadedSuite:
        """Raises UnreadableError, NoSuiteError."""
        dialect = self._options.dialect or self._configurations.for_file(wanted.path).dialect
        suite = load_suite(wanted.path, self._language, self._project, self._asked, dialect)
        if not suite.programs or self._options.plan:
            return suite
        made = asyncio.run(_generated(suite))
        return load_suite(wanted.path, self._language, self._project, self._asked, dialect, made)


def _answer_cache(options: argparse.Namespace) -> AnswerFiles | None:
    """The answer cache of the project of the suites."""
    names = [_parted(name)[0] or "." for name in options.suites]
    now = SystemClock().now
    return AnswerFiles.of(
        names,
        lambda: now().isoformat(timespec="seconds"),
        lambda words: print(f"rubric: {words}", file=sys.stderr),
    )


def _parted(name: str) -> tuple[str, str]:
    """The file and the id of the case in `FILE::ID`; file names may contain two colons, too."""
    parts = name.split("::")
    splits = (("::".join(parts[:n]), "::".join(parts[n:])) for n in range(len(parts), 0, -1))
    first, _, behind = name.partition("::")
    return next((split for split in splits if os.path.lexists(split[0])), (first, behind))


async def _generated(suite: LoadedSuite) -> Mapping[str, GeneratedCases]:
    from rubric_core.evaluation.cases.generators import generate_cases  # noqa: PLC0415  # few suites have programs that make cases

    async with system_ports() as ports:
        return await generate_cases(suite, ports)


def named_cases(suite: LoadedSuite, ids: Sequence[str]) -> list[Runnable]:
    """The cases with these ids, or all, each with its target. Raises WrongUseError if there are none."""
    every = suite.cases
    if not every:
        raise WrongUseError(_no_cases(suite.path, suite.analysis))
    if ids:
        return list({id(case): case for name in ids for case in _cases_named(suite, name)}.values())
    if not suite.in_range:
        raise WrongUseError(f"{suite.path}: there is no case to run: {suite.range_key} leaves none of {len(every)}")
    return _variations(suite.in_range)


def is_partial(suite: LoadedSuite, chosen: Sequence[Runnable]) -> bool:
    """Whether a suite has further cases besides the selected ones."""
    names = {case.id for case in chosen}
    try:
        return any(case.id not in names for case in _variations(suite.in_range))
    except NoSuiteError:  # its range is invalid, and cases were named
        return True


def with_needed_variations(chosen: Sequence[Runnable], every: Sequence[Runnable]) -> list[Runnable]:
    """The selected cases and all their dependencies, in the order of `every`.

    A selected variation is selected alone, unless it needs the others; of a dependency, every variation runs.
    """
    kept, asked = {id(case) for case in chosen}, {case.base_id for case in chosen}
    some = [case for case in every if any(id(each) in kept for each in variations(case))]
    return [
        v
        for v in _variations(with_dependencies(some, every))
        if id(v) in kept or v.base_id not in asked or v.rows_belong_together
    ]


def _cases_named(suite: LoadedSuite, name: str) -> list[Runnable]:
    """The cases with an id, or matching it as a pattern; an exact match takes precedence."""
    every = _variations(suite.cases)
    found = [v for v in every if name in (v.id, v.base_id)]
    pattern = id_pattern(name) if not found else None
    if pattern is not None:
        found = [v for v in every if pattern.match(v.id) or pattern.match(v.base_id)]
    if found:
        return found
    if pattern is not None:
        raise WrongUseError(f"{suite.path}: no id matches {name}")
    close = get_close_matches(name, [n for v in every for n in (v.base_id, v.id)], 1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise WrongUseError(f"{suite.path}: no case has the id {name or '(nothing)'}{hint}")


def _variations(cases: Sequence[Runnable]) -> list[Runnable]:
    return [each for case in cases for each in variations(case)]


def failed_cases(path: Path, cases: Sequence[Runnable], options: argparse.Namespace, *, alone: bool) -> list[Runnable]:
    """The cases that did not pass in their last run. Raises WrongUseError if none was run yet and the suite is `alone`."""
    allows = options.allow_grader_errors
    stored = {(known.id, known.target, _earlier_verdict(known, allows=allows)) for known in _latest(path)}
    if not stored and alone:
        raise WrongUseError(f"{path}: no case has been run yet, so there is none that failed")
    pairs = {(name, by) for name, by, verdict in stored if verdict is not Verdict.PASSED}
    if options.target is not None and len(options.target) == 1:
        ids = {name for name, _ in pairs}
        return [case for case in cases if case.id in ids]
    return [case for case in cases if (case.id, requested_fields(case, case.files)["target"]) in pairs]


def changed_cases(path: Path, cases: Sequence[Runnable]) -> list[Runnable]:
    """The cases that never ran, or whose result is for another text, prompt, target or file."""
    files = DiskFiles()
    ran = {(known.id, known.summary.fingerprint) for known in _latest(path) if known.is_own}
    return [case for case in cases if (case.id, fingerprint(case, files, shared_targets(case, files))) not in ran]


def _latest(suite: Path) -> Collection[KnownCase]:
    """The latest results of a suite; none, with a message, if they cannot be read."""
    try:
        found = ResultDatabase.of(suite).latest(suite).values()
    except OSError as error:
        log.warning("results of earlier runs are not used: %s", error)
        return ()
    foreign = sum(not each.is_own for each in found)
    if foreign:
        subject = "a result" if foreign == 1 else f"{foreign} results"
        log.warning("%s: %s %s %s; this does not count", suite, subject, "was" if foreign == 1 else "were", FOREIGN)
    return found


def _earlier_verdict(known: KnownCase, *, allows: bool) -> Verdict:
    """The verdict of an earlier run; one with a failed grader does not count unless that is allowed, and one of others never."""
    if (known.summary.grader_errors and not allows) or not known.is_own:
        return Verdict.UNSCORED
    return known.summary.verdict


def unfinished_cases(cases: Sequence[Runnable], ports: Ports) -> tuple[list[Runnable], Counter[Verdict]]:
    """The cases without an up-to-date, scored result; and the verdicts of the others."""
    if not cases:
        return [], Counter()
    allows = cases[0].options.allow_grader_errors
    latest = _latest(cases[0].path)
    ended = (((each.id, each.summary.fingerprint), _earlier_verdict(each, allows=allows)) for each in latest)
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
    """The command that continues, with `--resume` or `--failed` as `wish` and all options that matter."""
    words = ["rubric", "run", *suites, f"--{wish}"]
    for name in _REPEATED:
        written = getattr(options, name)
        option = _SHORT.get(name) or f"--{name.replace('_', '-')}"
        for value in written if isinstance(written, list) else [written]:
            if value not in (None, False, "never"):
                words += [option, *([] if value is True else [str(value)])]
    return shlex.join(words)


def no_file(path: Path) -> str:
    """Why a path is not a usable target file."""
    if not path.is_dir():
        return "this is not a file" if path.exists() else "there is no such file"
    inside = find_targets(path, DiskFiles(), path)
    meant = f"; did you mean {inside}?" if inside is not None and path in inside.parents else ""
    return f"this is a folder, --targets names a file{meant}"


def _no_cases(path: Path, analysis: Analysis) -> str:
    errors = [d for d in analysis.diagnostics if d.severity == "error"]
    if not errors:
        return f"{path}: there is no case to run"
    line = analysis.document.position(errors[0].span.start).line + 1
    return f"{path}:{line}: there is no case to run: {errors[0].message} (rubric check {path} says more)"
