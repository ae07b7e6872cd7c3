"""What a run would execute, read and send, as it is written. Reads no environment, renders nothing, runs nothing."""

import hashlib
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from rubric_core.disk import DiskFiles
from rubric_core.language.evaluators import (
    Aggregator,
    CodeEvaluator,
    Custom,
    Evaluator,
    Javascript,
    Preprocessor,
    PromptProgram,
    Python,
    Webhook,
)
from rubric_core.language.file_extensions import CODE
from rubric_core.language.shape import children
from rubric_core.loading.directory_search import URL
from rubric_core.loading.known_names import file_named
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.template_syntax import ANY_VARIABLE, environment_read
from rubric_core.trust import real_path

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.evaluation.targets.resolve import Targets
    from rubric_core.loading.targets import LoadedTargetEntry

__all__ = ["RunConsequences", "Suites", "identity", "plan_of"]

#: A text that is read for the variables that it names; a longer file is data.
_LARGEST = 1_000_000

#: Cases, and the targets of their suite.
Suites: TypeAlias = "Sequence[tuple[Sequence[Runnable], Targets]]"


@dataclass(frozen=True, slots=True)
class RunConsequences:
    """The external effects of runs; each entry is complete, with all of its lines."""

    programs: tuple[str, ...]
    #: Where cases and answers go, with the variables that are used there.
    addresses: tuple[str, ...]
    #: The variables of the environment that prompts and other texts are filled in with.
    variables: tuple[str, ...]
    #: The files outside of the open folders, links followed.
    outside: tuple[str, ...]

    def parts(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each list with a word for what it holds."""
        return (
            ("program", self.programs),
            ("address", self.addresses),
            ("variable", self.variables),
            ("file", self.outside),
        )

    @property
    def identities(self) -> frozenset[str]:
        """Hashes of all entries, which identify the plan without revealing any of them."""
        return frozenset(identity(kind, word) for kind, words in self.parts() for word in words)


def identity(kind: str, entry: str) -> str:
    """Tells one entry of a plan from others."""
    return hashlib.sha256(f"{kind} {entry}".encode(errors="surrogatepass")).hexdigest()[:32]


def plan_of(suites: Suites, roots: Sequence[Path] = ()) -> RunConsequences:
    """The effects of running these cases, each listed once."""
    from rubric_core.evaluation.cases.promptfoo.executed_code import is_told_by_cases  # noqa: PLC0415  # what runs need is loaded when something runs
    from rubric_core.evaluation.cases.roles import participating_targets  # noqa: PLC0415

    programs, addresses = list[str](), list[str]()
    for case, targets in ((case, targets) for cases, targets in suites for case in cases):
        executed, sent = _does(case, targets)
        programs += executed
        addresses += sent
    entries = [list(participating_targets(cases, targets)) for cases, targets in suites]
    every = ((entry, targets) for each, (_, targets) in zip(entries, suites, strict=True) for entry in each)
    for entry in (entry for entry, targets in every if not is_told_by_cases(entry, targets)):
        commands, address = list(_commands(entry)), _address(entry)
        programs = [*commands, *_transforms(entry), *programs]
        if not commands and address:
            addresses.append(f"{address}{_variables(entry)}")
    reads = _Reads(roots, "\n".join(programs))
    for (cases, _), taking in zip(suites, entries, strict=True):
        for number, case in enumerate(cases):
            # The files of targets are those of the suite: one look is enough.
            reads.look(case, () if number else taking)
    return RunConsequences(
        _distinct(programs), _distinct(addresses), _distinct(reads.variables), _distinct(reads.outside)
    )


def _does(case: "Runnable", targets: "Targets") -> tuple[Sequence[str], Sequence[str]]:
    """What a case executes, and where it sends something that its targets do not tell."""
    from rubric_core.evaluation.cases.promptfoo.executed_code import addresses_of, executed_code  # noqa: PLC0415
    from rubric_core.evaluation.cases.promptfoo.runnable import PromptfooRunnable  # noqa: PLC0415

    if isinstance(case, PromptfooRunnable):
        return [code.text for code in executed_code(case)], addresses_of(case)
    return list(_programs(case, targets)), ()


def _distinct(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


class _Reads:
    """Collects what cases are filled in with: variables by the texts that name them, and files."""

    def __init__(self, roots: Sequence[Path], programs: str) -> None:
        self.variables: list[str] = []
        self.outside: list[str] = []
        self._roots = [real_path(root) for root in roots]
        self._programs = programs
        self._seen: set[object] = set()

    def look(self, case: "Runnable", taking: "Sequence[LoadedTargetEntry]") -> None:
        """Take note of what a case reads, and these targets."""
        from rubric_core.evaluation.cases.variations import variations  # noqa: PLC0415
        from rubric_core.evaluation.engine.dependencies import prompt_of  # noqa: PLC0415

        written: list[Any] = [plain(case.case.node, case.anchors), *(prompt_of(each) for each in variations(case))]
        if id(case.suite) not in self._seen:
            self._seen.add(id(case.suite))
            around = plain(case.suite.node, case.suite_anchors)
            cases = case.suite.places.get("cases")
            # What the suite says beside its cases: those that do not run read nothing.
            written.append(
                {k: v for k, v in around.items() if cases is None or k != cases.name}
                if isinstance(around, dict)
                else around
            )
        for text in _texts(written):
            self.variables += _named(text)
        for word, file in _files(case, taking, written):
            # Where a command names a file by its whole path, the command says it.
            self._file(file, is_said=os.path.isabs(word) and word in self._programs)  # noqa: PTH117  # it may be no path

    def _file(self, file: Path, *, is_said: bool) -> None:
        if (file, is_said) in self._seen:
            return
        self._seen.add((file, is_said))
        real = real_path(file)
        if self._roots and not is_said and not any(real.is_relative_to(root) for root in self._roots):
            self.outside.append(str(real))
        if not file.name.endswith(CODE):
            self.variables += _named(_text(real))


def _files(case: "Runnable", taking: "Sequence[LoadedTargetEntry]", written: object) -> Iterator[tuple[str, Path]]:
    """The files of a case, each with the word that names it."""
    from rubric_core.evaluation.engine.dependencies import CaseDependencies  # noqa: PLC0415

    yield from (("", entry.home.path) for entry in taking)
    entries = [{"name": each.name, "kind": each.kind, "settings": each.settings} for each in taking]
    for name, path in CaseDependencies(case, case.files, entries).found(written):
        yield name.removesuffix(f" {os.path.relpath(path, case.directory)}"), path


def _text(path: Path) -> str:
    try:
        return DiskFiles().read(path, _LARGEST).decode(errors="replace")
    except OSError:
        return ""


def _named(text: str) -> list[str]:
    found = (name for name, _ in environment_read(text))
    return ["any variable, by a computed name" if name == ANY_VARIABLE else name for name in found]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _texts(name)
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _of_workspace(case: "Runnable", targets: "Targets") -> Iterator[str]:
    """The programs that make the place in which the target of a case works."""
    from rubric_core.evaluation.cases.target_choice import target_name  # noqa: PLC0415
    from rubric_core.evaluation.model.unscored import Unscored  # noqa: PLC0415
    from rubric_core.evaluation.workspaces.plan import plan_of  # noqa: PLC0415

    try:
        plan = plan_of(case, DiskFiles(), targets.as_written(target_name(case.suite, case.options.target, targets)))
    except Unscored:  # it is not run then, either
        return
    for repo in plan.repos if plan is not None else ():
        yield f"git clone {repo.source}"
    for _, hook in plan.hooks if plan is not None else ():
        yield _written(hook.command)


def _programs(case: "Runnable", targets: "Targets") -> Iterator[str]:
    from rubric_core.evaluation.cases.prompts import program_of  # noqa: PLC0415
    from rubric_core.evaluation.cases.variations import variations  # noqa: PLC0415
    from rubric_core.evaluation.engine.extensions import extensions_written  # noqa: PLC0415

    varied = list(variations(case))
    prompts = [each.variant.prompt for each in varied if each.variant is not None]
    yield from dict.fromkeys(p for prompt in prompts if prompt is not None and (p := program_of(prompt, case)))
    for each in varied:
        yield from _of_workspace(each, targets)
    yield from (_code(code) for code in extensions_written(case))
    yield from (_code(code if code.startswith(URL) else f"{URL}{code}") for code in case.filter_files.values())
    option = case.option("transform")
    if option is not None:
        yield _code(option)
    for config in (*case.evaluators, *(case.case.turns or ()), *(case.suite.preprocessors or ())):
        for shape in children(config):
            if isinstance(shape, CodeEvaluator | PromptProgram | Preprocessor) and shape.command is not None:
                yield _written(shape.command)
            elif isinstance(shape, Aggregator) and shape.path:
                yield shape.path
            elif isinstance(shape, Javascript | Python) and shape.value:
                yield _code(shape.value, "node" if isinstance(shape, Javascript) else "python3")
            if isinstance(shape, Evaluator) and isinstance(shape.transform, str):
                yield _code(shape.transform)
            if isinstance(shape, Webhook) and shape.value:
                yield f"POST {shape.value}"
            elif isinstance(shape, Custom):
                yield from _of_ones_own(case, shape.type_name)


def _code(code: str, program: str = "") -> str:
    """Code, whole, and the program that runs it."""
    from rubric_core.evaluation.code.scripts import language_of  # noqa: PLC0415

    runs = program or ("node" if language_of(code) == "javascript" else "python3")
    return f"{runs}: {code.strip()}"


def _of_ones_own(case: "Runnable", kind: str) -> Iterator[str]:
    for folder in ("evaluators", "assertions"):
        path = file_named(case.files, folder, kind, case.directory)
        if path is not None:
            yield f".agentv/{folder}/{path.name}"
            return


def _commands(entry: "LoadedTargetEntry") -> Iterator[str]:
    """The programs of a target: what finds out whether it can answer, and what answers."""
    from rubric_core.evaluation.targets.providers import kind_named  # noqa: PLC0415

    check = entry.settings.get("healthcheck")
    if isinstance(check, dict) and check.get("command"):
        yield _written(check["command"])
    kind = kind_named(entry.kind)
    usual = kind.program if kind is not None else ""
    written = (entry.settings.get(key) for key in ("command", "command_template", "executable", "binary"))
    own = next((w for w in written if w), None)
    if own is not None:
        yield f"{_written(own)}{_variables(entry) if usual else ''}"
    elif usual:
        yield usual
    elif kind is None and entry.kind:
        program = file_named(DiskFiles(), "providers", entry.kind, entry.home.path.parent)
        if program is not None:
            yield program.name


def _transforms(entry: "LoadedTargetEntry") -> Iterator[str]:
    code = entry.settings.get("transform")
    if isinstance(code, str):
        yield _code(code)


def _address(entry: "LoadedTargetEntry") -> str:
    for key in ("base_url", "endpoint", "url"):
        if entry.settings.get(key):
            return str(entry.settings[key])
    return "" if entry.kind in ("", "mock") else entry.kind


def _variables(entry: "LoadedTargetEntry") -> str:
    from rubric_core.evaluation.cases.roles import variables_of  # noqa: PLC0415

    names = variables_of(entry)
    return f" with {', '.join(names)}" if names else ""


def _written(command: object) -> str:
    if isinstance(command, list | tuple):
        return shlex.join(str(part) for part in command)
    return str(command).strip()
