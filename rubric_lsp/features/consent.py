"""What a run would execute and where it would send the case, in words: a person decides by this. Reads no environment."""

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

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
from rubric_core.language.shape import children
from rubric_core.loading.names import file_named
from rubric_core.loading.search import URL
from rubric_core.validation.words import count

if TYPE_CHECKING:
    from rubric_core.evaluation.runnable import Runnable
    from rubric_core.evaluation.targets import Targets
    from rubric_core.loading.targets import TargetEntry

__all__ = ["Suites", "details", "question"]

_SHOWN = 3


#: Cases, and the targets of their suite.
Suites: TypeAlias = "Sequence[tuple[Sequence[Runnable], Targets]]"


def question(suites: Suites) -> str:
    """What a person is asked before these cases are run for the first time."""
    programs, addresses = _plans(suites)
    parts = []
    if programs:
        parts.append(f"execute {_listed(programs)}")
    if addresses:
        parts.append(f"send the case to {_listed(addresses)}")
    doing = f" It will {', and '.join(parts)}." if parts else ""
    return f"Run {_what(suites)}?{doing}"


def details(suites: Suites) -> str:
    """Everything that the question is about, as Markdown."""
    programs, addresses = _plans(suites)
    lines = [f"# What running {_what(suites)} would do", ""]
    lines += ["## Execute", "", *(f"- {p}" for p in programs), ""] if programs else ["It executes nothing.", ""]
    if addresses:
        lines += ["## Send the case and its answer to", "", *(f"- {a}" for a in addresses), ""]
    return "\n".join(lines)


def _what(suites: Suites) -> str:
    every = [case for cases, _ in suites for case in cases]
    return f"`{every[0].id}`" if len(every) == 1 else count(len(every), "case")


def _plans(suites: Suites) -> tuple[list[str], list[str]]:
    """The programs that would run and the addresses that would be asked, each once."""
    programs = [f"`{p}`" for cases, targets in suites for case in cases for p in _programs(case, targets)]
    addresses: list[str] = []
    from rubric_core.evaluation.participants import taking_part  # noqa: PLC0415  # what runs need is loaded when something runs

    for entry in (entry for cases, targets in suites for entry in taking_part(cases, targets)):
        commands, address = list(_commands(entry)), _address(entry)
        programs = [*commands, *_transforms(entry), *programs]
        if not commands and address:
            addresses.append(f"{address}{_variables(entry)}")
    return list(dict.fromkeys(programs)), list(dict.fromkeys(addresses))


def _of_workspace(case: "Runnable", targets: "Targets") -> Iterator[str]:
    """The programs that make the place in which the target of a case works."""
    from rubric_core.evaluation.participants import target_name  # noqa: PLC0415
    from rubric_core.evaluation.result import Unscored  # noqa: PLC0415
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
    from rubric_core.evaluation.asked import program_of  # noqa: PLC0415
    from rubric_core.evaluation.extensions import extensions_written  # noqa: PLC0415
    from rubric_core.evaluation.matrix import variations  # noqa: PLC0415
    from rubric_core.evaluation.own_filters import filters_written  # noqa: PLC0415
    from rubric_core.evaluation.participants import option_of  # noqa: PLC0415

    prompts = [each.variant.prompt for each in variations(case) if each.variant is not None]
    yield from dict.fromkeys(p for prompt in prompts if prompt is not None and (p := program_of(prompt, case)))
    for each in variations(case):
        yield from _of_workspace(each, targets)
    yield from (_code(code) for code in extensions_written(case))
    yield from (_code(code if code.startswith(URL) else f"{URL}{code}") for code in filters_written(case).values())
    option = option_of(case, "transform")
    if option is not None:
        yield _code(option)
    for config in (*case.evaluators, *(case.suite.preprocessors or ())):
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
    """Code and the program that runs it, in a few words."""
    from rubric_core.evaluation.scripts import language_of  # noqa: PLC0415

    runs = program or ("node" if language_of(code) == "javascript" else "python3")
    return f"{runs}: {code.strip().splitlines()[0] if code.strip() else ''}"


def _of_ones_own(case: "Runnable", kind: str) -> Iterator[str]:
    for folder in ("evaluators", "assertions"):
        path = file_named(case.files, folder, kind, case.directory)
        if path is not None:
            yield f".agentv/{folder}/{path.name}"
            return


def _commands(entry: "TargetEntry") -> Iterator[str]:
    """The programs of a target: what finds out whether it can answer, and what answers."""
    from rubric_core.evaluation.providers import kind_named  # noqa: PLC0415

    check = entry.settings.get("healthcheck")
    if isinstance(check, dict) and check.get("command"):
        yield f"`{_written(check['command'])}`"
    kind = kind_named(entry.kind)
    usual = kind.program if kind is not None else ""
    written = (entry.settings.get(key) for key in ("command", "command_template", "executable", "binary"))
    own = next((w for w in written if w), None)
    if own is not None:
        yield f"`{_written(own)}`{_variables(entry) if usual else ''}"
    elif usual:
        yield f"`{usual}`"
    elif kind is None and entry.kind:
        program = file_named(DiskFiles(), "providers", entry.kind, entry.home.path.parent)
        if program is not None:
            yield f"`{program.name}`"


def _transforms(entry: "TargetEntry") -> Iterator[str]:
    code = entry.settings.get("transform")
    if isinstance(code, str):
        yield f"`{_code(code)}`"


def _address(entry: "TargetEntry") -> str:
    for key in ("base_url", "endpoint", "url"):
        if entry.settings.get(key):
            return str(entry.settings[key])
    return "" if entry.kind in ("", "mock") else entry.kind


def _variables(entry: "TargetEntry") -> str:
    from rubric_core.evaluation.participants import variables_of  # noqa: PLC0415

    names = variables_of(entry)
    return f" with {', '.join(names)}" if names else ""


def _written(command: object) -> str:
    if isinstance(command, list | tuple):
        return shlex.join(str(part) for part in command)
    return " ".join(str(command).split())


def _listed(words: list[str]) -> str:
    shown = ", ".join(words[:_SHOWN])
    return shown if len(words) <= _SHOWN else f"{shown} and {len(words) - _SHOWN} more"
