"""The external effects of a run: what it would execute, read and send. Reads no environment, renders and runs nothing."""

import hmac
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from rubric_core.disk import DiskFiles
from rubric_core.evaluation.engine.run_inputs import RunInputs
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
from rubric_core.language.shape import children
from rubric_core.loading.directory_search import URL
from rubric_core.loading.known_names import file_named

if TYPE_CHECKING:
    from rubric_core.evaluation.cases.runnable import Runnable
    from rubric_core.evaluation.targets.resolve import Targets
    from rubric_core.loading.targets import LoadedTargetEntry

__all__ = ["RunConsequences", "Suites", "consequences_of"]

_WEB = ("http://", "https://", "ws://", "wss://")
#: Names of variables whose value may be an address without its scheme, or a template of one.
_ADDRESSES = ("_URL", "_HOST", "_ENDPOINT", "_PROXY")
#: Cases, and the targets of their suite.
Suites: TypeAlias = "Sequence[tuple[Sequence[Runnable], Targets]]"


@dataclass(frozen=True, slots=True)
class RunConsequences:
    """The external effects of runs. Entries are never shortened."""

    programs: tuple[str, ...]
    #: The recipients of cases and answers, with the variables used for them.
    addresses: tuple[str, ...]
    #: The environment variables that prompts and other texts use.
    variables: tuple[str, ...]
    #: The files outside of the open folders, with links resolved.
    outside: tuple[str, ...]
    #: The open folders, and every examined file with the target of its links.
    roots: tuple[Path, ...] = ()
    files: Mapping[Path, Path] = field(default_factory=dict)

    def parts(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Each list with its heading."""
        return (
            ("program", self.programs),
            ("address", self.addresses),
            ("variable", self.variables),
            ("file", self.outside),
        )

    def entries(self, key: bytes, folder: Path) -> dict[str, str]:
        """Every entry by its hash with the user's key, which identifies it without revealing it."""
        place = os.fsencode(folder) + b"/"
        return {
            hmac.new(key, f"{kind} {word}".encode(errors="surrogatepass").replace(place, b""), "sha256").hexdigest()[
                :32
            ]: word
            for kind, words in self.parts()
            for word in words
        }


def consequences_of(suites: Suites, roots: Sequence[Path] = ()) -> RunConsequences:
    """The effects of running these cases, each listed once."""
    from rubric_core.evaluation.cases.promptfoo.executed_code import is_promptfoo_provider  # noqa: PLC0415  # what runs need is loaded when something runs
    from rubric_core.evaluation.cases.roles import participating_targets  # noqa: PLC0415

    programs, addresses = list[str](), list[str]()
    for case, targets in ((case, targets) for cases, targets in suites for case in cases):
        executed, sent = _effects(case, targets)
        programs += executed
        addresses += sent
    entries = [list(participating_targets(cases, targets)) for cases, targets in suites]
    every = ((entry, targets) for each, (_, targets) in zip(entries, suites, strict=True) for entry in each)
    for entry in (entry for entry, targets in every if not is_promptfoo_provider(entry, targets)):
        commands, address = list(_commands(entry)), _address(entry)
        programs = [*commands, *_transforms(entry), *programs]
        if not commands and address:
            addresses.append(f"{address}{_variables(entry)}")
    inputs = RunInputs(roots, "\n".join(programs))
    for (cases, _), taking in zip(suites, entries, strict=True):
        for number, case in enumerate(cases):
            # Targets files belong to the suite, so they are examined once.
            inputs.add(case, () if number else taking)
    return RunConsequences(
        _distinct(programs),
        _distinct(addresses),
        _distinct(inputs.variables),
        _distinct(inputs.outside),
        tuple(inputs.roots),
        inputs.files,
    )


def _effects(case: "Runnable", targets: "Targets") -> tuple[Sequence[str], Sequence[str]]:
    """The programs that a case executes, and the addresses to which it sends requests besides its targets."""
    from rubric_core.evaluation.cases.promptfoo.executed_code import addresses_of, executed_code  # noqa: PLC0415
    from rubric_core.evaluation.cases.promptfoo.runnable import PromptfooRunnable  # noqa: PLC0415
    from rubric_core.evaluation.code.interpreters import INTERPRETERS  # noqa: PLC0415
    from rubric_core.evaluation.model.redaction import Redactor  # noqa: PLC0415

    if isinstance(case, PromptfooRunnable):
        variables = list(case.suite_variables(DiskFiles()))
        # What a variable of the suite redirects goes there instead: a base URL, a proxy.
        named = [
            Redactor.of([(name, value)])(f"{name}={value}")
            for name, value in variables
            if value.startswith(_WEB) or name.upper().endswith(_ADDRESSES)
        ]
        interpreters = {each.variable for each in INTERPRETERS.values() if each.variable}
        chosen = [f"{name}={value}" for name, value in variables if name in interpreters]
        return [*(code.text for code in executed_code(case)), *chosen], [*addresses_of(case), *named]
    return list(_programs(case, targets)), ()


def _distinct(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _workspace_programs(case: "Runnable", targets: "Targets") -> Iterator[str]:
    """The programs that prepare the workspace of a case."""
    from rubric_core.evaluation.cases.target_choice import target_name  # noqa: PLC0415
    from rubric_core.evaluation.model.unscored import Unscored  # noqa: PLC0415
    from rubric_core.evaluation.workspaces.plan import plan_of  # noqa: PLC0415

    try:
        plan = plan_of(case, DiskFiles(), targets.as_written(target_name(case.suite, case.options.target, targets)))
    except Unscored:  # not run in this case, either
        return
    for repo in plan.repos if plan is not None else ():
        yield f"git clone {repo.source}"
    for _, hook in plan.hooks if plan is not None else ():
        yield _command_line(hook.command)


def _programs(case: "Runnable", targets: "Targets") -> Iterator[str]:
    from rubric_core.evaluation.cases.prompts import program_of  # noqa: PLC0415
    from rubric_core.evaluation.cases.variations import variations  # noqa: PLC0415
    from rubric_core.evaluation.engine.extensions import extensions_written  # noqa: PLC0415

    varied = list(variations(case))
    prompts = [each.variant.prompt for each in varied if each.variant is not None]
    yield from dict.fromkeys(p for prompt in prompts if prompt is not None and (p := program_of(prompt, case)))
    for each in varied:
        yield from _workspace_programs(each, targets)
    yield from (_run_code(code) for code in extensions_written(case))
    yield from (_run_code(code if code.startswith(URL) else f"{URL}{code}") for code in case.filter_files.values())
    option = case.option("transform")
    if option is not None:
        yield _run_code(option)
    for config in (*case.evaluators, *(case.case.turns or ()), *(case.suite.preprocessors or ())):
        for shape in children(config):
            if isinstance(shape, CodeEvaluator | PromptProgram | Preprocessor) and shape.command is not None:
                yield _command_line(shape.command)
            elif isinstance(shape, Aggregator) and shape.path:
                yield shape.path
            elif isinstance(shape, Javascript | Python) and shape.value:
                yield _run_code(shape.value, "node" if isinstance(shape, Javascript) else "python3")
            if isinstance(shape, Evaluator) and isinstance(shape.transform, str):
                yield _run_code(shape.transform)
            if isinstance(shape, Webhook) and shape.value:
                yield f"POST {shape.value}"
            elif isinstance(shape, Custom):
                yield from _custom_evaluator(case, shape.type_name)


def _run_code(code: str, program: str = "") -> str:
    """The full source of inline code, and the program that runs it."""
    from rubric_core.evaluation.code.scripts import language_of  # noqa: PLC0415

    runs = program or ("node" if language_of(code) == "javascript" else "python3")
    return f"{runs}: {code.strip()}"


def _custom_evaluator(case: "Runnable", kind: str) -> Iterator[str]:
    for folder in ("evaluators", "assertions"):
        path = file_named(case.files, folder, kind, case.directory)
        if path is not None:
            yield f".agentv/{folder}/{path.name}"
            return


def _commands(entry: "LoadedTargetEntry") -> Iterator[str]:
    """The programs of a target: its health check and its command."""
    from rubric_core.evaluation.targets.providers import kind_named  # noqa: PLC0415

    check = entry.settings.get("healthcheck")
    if isinstance(check, dict) and check.get("command"):
        yield _command_line(check["command"])
    kind = kind_named(entry.kind)
    usual = kind.program if kind is not None else ""
    written = (entry.settings.get(key) for key in ("command", "command_template", "executable", "binary"))
    own = next((w for w in written if w), None)
    if own is not None:
        yield f"{_command_line(own)}{_variables(entry) if usual else ''}"
    elif usual:
        yield usual
    elif kind is None and entry.kind:
        program = file_named(DiskFiles(), "providers", entry.kind, entry.home.path.parent)
        if program is not None:
            yield program.name


def _transforms(entry: "LoadedTargetEntry") -> Iterator[str]:
    code = entry.settings.get("transform")
    if isinstance(code, str):
        yield _run_code(code)


def _address(entry: "LoadedTargetEntry") -> str:
    for key in ("base_url", "endpoint", "url"):
        if entry.settings.get(key):
            return str(entry.settings[key])
    return "" if entry.kind in ("", "mock") else entry.kind


def _variables(entry: "LoadedTargetEntry") -> str:
    from rubric_core.evaluation.cases.roles import variables_of  # noqa: PLC0415

    names = variables_of(entry)
    return f" with {', '.join(names)}" if names else ""


def _command_line(command: object) -> str:
    if isinstance(command, list | tuple):
        return shlex.join(str(part) for part in command)
    return str(command).strip()
