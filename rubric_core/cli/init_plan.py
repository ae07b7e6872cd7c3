"""The plan of `rubric init`, complete before the first file is written."""

import argparse
import json
import keyword
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rubric_core.analysis import Language, analyze
from rubric_core.cli.init_files import (
    CI_FILES,
    EXAMPLE_BOT,
    EXAMPLE_TARGET,
    FirstTarget,
    ci_text,
    command_target,
    example_target,
    recordings,
    suite,
    targets,
)
from rubric_core.cli.init_targets import extended, names_in
from rubric_core.disk import DiskFiles
from rubric_core.distribution import INDEX
from rubric_core.loading.landmarks import TARGET_FILES

__all__ = ["OWN_TARGET", "Plan", "RefusedError", "make_plan", "targets_file"]

#: The name of the suite, and of the folder that holds it.
_NAME = "first"
_FOLDER = "evals"
#: The name of the new target.
OWN_TARGET = "my-bot"


class RefusedError(Exception):
    """Nothing was written; the message says why, and what to do."""


@dataclass
class Plan:
    """The text of each file to write, and the current texts."""

    folder: Path
    texts: dict[Path, str] = field(default_factory=dict)
    replaced: set[Path] = field(default_factory=set)
    target: str | None = None

    @property
    def suite(self) -> Path:
        """The path of the new suite."""
        return self.folder / _FOLDER / f"{_NAME}.eval.yaml"


def targets_file(folder: Path) -> Path | None:
    """The target file of a folder; None if it has none."""
    files = DiskFiles()
    return next((folder / name for name in TARGET_FILES if files.is_file(folder / name)), None)


def make_plan(options: argparse.Namespace, folder: Path) -> Plan:
    """Decide every file and its text. Raises RefusedError."""
    plan = Plan(folder)
    evals = folder / _FOLDER
    maker = _MAKERS.get(options.test)
    own = maker(options, plan) if maker else None
    plan.texts[evals / "bot.py"] = EXAMPLE_BOT
    plan.texts[evals / f"{_NAME}.recordings.yaml"] = recordings(_NAME)
    there = targets_file(folder)
    written = [example_target(), *([own] if own else [])]
    if there:
        plan.replaced.add(there)
    plan.texts[there or folder / ".agentv" / "targets.yaml"] = _extended(there, written) if there else targets(written)
    plan.target = own.name if own else next(iter(names_in(there, DiskFiles())), None) if there else None
    plan.texts[plan.suite] = suite(_NAME, plan.target)
    if options.ci != "none":
        package = INDEX or "./tools/rubric_lsp-*.whl  # a wheel of rubric, see its docs/install.md"
        plan.texts[folder / CI_FILES[options.ci]] = ci_text(options.ci, package, _FOLDER)
    return plan


def _extended(path: Path, added: list[FirstTarget]) -> str:
    """The targets file with more targets. Raises RefusedError if they would be invalid in its dialect."""
    files = DiskFiles()
    taken = ({target.name for target in added} - {EXAMPLE_TARGET}) & set(names_in(path, files))
    if taken:
        raise RefusedError(f"{path} has a target {min(taken)} already; choose another name with --target")
    result = extended(path, files, added)
    language = Language()
    texts = (files.read(path).decode("utf-8"), result)
    before, after = (len(analyze(language.document(text, path), language, path=path).diagnostics) for text in texts)
    if after > before:
        lines = "\n".join(line for target in added for line in target.lines("  "))
        raise RefusedError(
            f"{path} is written in another dialect; add these targets to it, and choose --test existing:\n{lines}"
        )
    return result


def _command(options: argparse.Namespace, plan: Plan) -> FirstTarget:
    del plan
    command = options.program if "{" in options.program else f"{options.program} {{PROMPT}}"
    return command_target(_target_name(options), "Your system: the command prints its answer.", command, "..")


def _python(options: argparse.Namespace, plan: Plan) -> FirstTarget:
    del plan
    module, colon, function = options.function.partition(":")
    parts = [*module.split("."), function]
    if not colon or not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
        raise RefusedError(f"--function {options.function} is not MODULE:NAME, such as app.bot:answer")
    keys = (("provider", "python"), ("function", json.dumps(options.function)), ("cwd", '".."'))
    return FirstTarget(
        _target_name(options), "Your system: a Python function, looked for in the folder above evals.", keys
    )


def _http(options: argparse.Namespace, plan: Plan) -> FirstTarget:
    del plan
    if not options.url.startswith(("http://", "https://")):
        raise RefusedError(f"--url {options.url} is not an HTTP address, such as http://localhost:8000/chat")
    keys = [("provider", "http"), ("url", json.dumps(options.url, ensure_ascii=False))]
    if options.key_variable:
        keys.append(("headers", f"{{Authorization: 'Bearer ${{{{ {_variable(options)} }}}}'}}"))
    keys.append(("body", """{prompt: '{{ prompt }}'}"""))
    if options.output:
        keys.append(("output", json.dumps(options.output, ensure_ascii=False)))
    return FirstTarget(
        _target_name(options), "Your system: an HTTP endpoint; `output` is the path of the answer.", tuple(keys)
    )


def _openai(options: argparse.Namespace, plan: Plan) -> FirstTarget:
    del plan
    variable = _variable(options)
    keys = [("provider", "openai"), ("model", json.dumps(options.model, ensure_ascii=False))]
    if options.base_url:
        keys.append(("base_url", json.dumps(options.base_url, ensure_ascii=False)))
    keys.append(("api_key", f"${{{{ {variable} }}}}"))
    return FirstTarget(_target_name(options), "Your system: a model.", tuple(keys))


def _variable(options: argparse.Namespace) -> str:
    variable: str = options.key_variable or "OPENAI_API_KEY"
    if not variable.isidentifier():
        raise RefusedError(f"--key-variable {variable} is not the name of an environment variable")
    return variable


def _existing(options: argparse.Namespace, plan: Plan) -> FirstTarget | None:
    there = targets_file(plan.folder)
    if there is None:
        raise RefusedError(f"{plan.folder} has no targets file; --test command, python, http or openai writes one")
    if options.target and options.target not in names_in(there, DiskFiles()):
        raise RefusedError(f"{there} has no target {options.target}")
    return None


def _target_name(options: argparse.Namespace) -> str:
    name = options.target or OWN_TARGET
    if not name.replace("-", "").replace("_", "").isalnum() or not name[0].isalpha():
        raise RefusedError(f"--target {name} is not a name of letters, digits, - and _")
    return name


_MAKERS: dict[str, Callable[[argparse.Namespace, Plan], FirstTarget | None]] = {
    "command": _command, "python": _python, "http": _http, "openai": _openai, "existing": _existing,
}  # fmt: skip
