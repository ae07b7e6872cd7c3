"""Which cases `rubric run` runs: the suite that is named, one case of it, or what did not pass last time."""

import argparse
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from rubric_core.analysis import Analysis, Language, analyze
from rubric_core.disk import DiskFiles
from rubric_core.evaluation.attempt import targets_of
from rubric_core.evaluation.fingerprint import fingerprint
from rubric_core.evaluation.judging.judge import RecordingMode
from rubric_core.evaluation.result import Verdict
from rubric_core.evaluation.runnable import Options, Runnable, for_each_target, runnables
from rubric_core.evaluation.schedule import with_dependencies
from rubric_core.evaluation.store import ResultStore
from rubric_core.loading.files import read_text
from rubric_core.loading.project import Project
from rubric_core.ports import Ports

__all__ = ["WrongUseError", "chosen_cases", "opened", "still_to_do", "unread_cases"]


class WrongUseError(Exception):
    """Something that the caller has to mend; the message says what."""


def opened(options: argparse.Namespace) -> tuple[Path, str | None, Analysis]:
    """The suite, the id of the case that is asked for, and what is in the suite. Raises WrongUseError, UnreadableError."""
    name, wanted = options.suite, None
    if "::" in name and not Path(name).exists():
        name, _, wanted = name.partition("::")
    if options.record and options.replay:
        raise WrongUseError("--record and --replay exclude each other")
    language = Language()
    if options.dialect is not None and options.dialect not in {d.name for d in language.dialects}:
        known = ", ".join(d.name for d in language.dialects)
        raise WrongUseError(f"there is no dialect {options.dialect}; there are {known}")
    if options.targets is not None and not options.targets.is_file():
        raise WrongUseError(f"{options.targets}: there is no such file")
    path = Path(name)
    project = Project(DiskFiles(), Path.cwd())
    document = language.document(read_text(path), path)
    return path, wanted, analyze(document, language, dialect=options.dialect, path=path, project=project)


def chosen_cases(path: Path, wanted: str | None, analysis: Analysis, options: argparse.Namespace) -> list[Runnable]:
    """The cases to run, each with the target that answers it. Raises WrongUseError when there is none."""
    mode: RecordingMode = "record" if options.record else "replay" if options.replay else "auto"
    asked = Options(
        target=options.target,
        grader_target=options.grader_target,
        threshold=options.threshold,
        targets_file=options.targets,
        mode=mode,
        repeat=options.repeat,
    )
    every = runnables(path, analysis, asked)
    if not every:
        raise WrongUseError(_no_cases(path, analysis))
    cases = every
    if wanted is not None:
        cases = [case for case in every if case.id == wanted]
        if not cases:
            close = get_close_matches(wanted, [case.id for case in every], 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            raise WrongUseError(f"{path}: no case has the id {wanted}{hint}")
    if options.failed:
        cases = _failed(path, cases)
    return for_each_target(with_dependencies(cases, every))


def unread_cases(analysis: Analysis) -> str:
    """Which cases a suite has elsewhere, empty when it has none: they are not run, and that is said."""
    if not analysis.case_files:
        return ""
    return f"cases in other files are not run yet: {', '.join(sorted({f.name for f in analysis.case_files}))}"


def _failed(path: Path, cases: Sequence[Runnable]) -> list[Runnable]:
    stored = ResultStore.of(path).read()
    if not stored:
        raise WrongUseError(f"{path}: no case has been run yet, so there is none that failed")
    failed = {name for name, known in stored.items() if known.latest.verdict is not Verdict.PASSED}
    return [case for case in cases if case.id in failed]


def still_to_do(cases: Sequence[Runnable], ports: Ports) -> list[Runnable]:
    """The cases that have no result, or one that does not hold any more, or one without a score."""
    if not cases:
        return []
    stored = ResultStore.of(cases[0].path).read()
    done = {
        (k.latest.id, k.latest.target, k.latest.fingerprint)
        for k in stored.values()
        if k.latest.verdict is not Verdict.UNSCORED
    }
    return [case for case in cases if not _done(case, done, ports)]


def _done(case: Runnable, done: set[tuple[str, str, str]], ports: Ports) -> bool:
    print_now = fingerprint(case, ports.files, targets_of(case, ports))
    return any(known[0] == case.id and known[2] == print_now for known in done)


def _no_cases(path: Path, analysis: Analysis) -> str:
    errors = [d for d in analysis.diagnostics if d.severity == "error"]
    if analysis.case_files:
        return f"{path}: {unread_cases(analysis)}"
    if not errors:
        return f"{path}: there is no case to run"
    line = analysis.document.position(errors[0].span.start).line + 1
    return f"{path}:{line}: there is no case to run: {errors[0].message} (rubric check {path} says more)"
