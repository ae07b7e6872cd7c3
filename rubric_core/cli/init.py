"""`rubric init [FOLDER]`: write a first suite with everything it needs, check it and run it, offline."""

import argparse
import shlex
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from rubric_core.analysis import Language
from rubric_core.atomic_write import write_new_file
from rubric_core.cli.init_files import CI_FILES
from rubric_core.cli.init_plan import OWN_TARGET, Plan, RefusedError, make_plan, targets_file
from rubric_core.cli.init_targets import TargetsNotExtendedError
from rubric_core.configuration import Configurations
from rubric_core.configuration.discovery import Discovery
from rubric_core.family import family_named, part_of
from rubric_core.loading.family_recognition import recognised_family

__all__ = ["add_arguments", "main"]

_TESTED = {
    "example": "an example bot, to be replaced later",
    "command": "a command that prints an answer",
    "python": "a Python function",
    "http": "an HTTP endpoint",
    "openai": "a model behind an OpenAI-compatible API",
    "existing": "a target that this repository has already",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `rubric init`."""
    parser.epilog = (
        "Exit code: 0 the suite was written and its first run passed, 1 it did not pass, 2 usage error, or nothing could be "
        "written. Existing files are never overwritten; an existing targets file gets new targets at its end. In a folder with "
        "configurations of promptfoo nothing is written unless an option says what to test."
    )
    parser.add_argument(
        "folder", nargs="?", default=".", metavar="FOLDER", help="the folder to set up (default: the current folder)"
    )
    parser.add_argument(
        "--yes", action="store_true", help="ask nothing: options decide, else the example bot is tested"
    )
    listed = "; ".join(f"{name}: {words}" for name, words in _TESTED.items())
    parser.add_argument("--test", choices=tuple(_TESTED), metavar="WHAT", help=f"what is tested: {listed}")
    parser.add_argument(
        "--command", dest="program", metavar="COMMAND", help="the command line; {PROMPT} is the question"
    )
    parser.add_argument("--function", metavar="MODULE:NAME", help="the Python function; it gets the question as text")
    parser.add_argument("--url", metavar="URL", help="the HTTP endpoint; it gets the question as JSON")
    parser.add_argument("--output", metavar="PATH", help="the path of the answer in the JSON reply")
    parser.add_argument("--model", metavar="NAME", help="the name of the model")
    parser.add_argument("--base-url", metavar="URL", help="the address of the model's API")
    parser.add_argument("--key-variable", metavar="NAME", help="the environment variable that holds the API's key")
    parser.add_argument("--target", metavar="NAME", help=f"the name of the target (default: {OWN_TARGET})")
    parser.add_argument(
        "--promptfoo", dest="family", action="store_const", const="promptfoo",
        help="write a first promptfooconfig.yaml instead, which runs offline",
    )  # fmt: skip
    parser.add_argument("--ci", choices=(*CI_FILES, "none"), help="the CI server to write a job for (default: none)")


def main(options: argparse.Namespace) -> int:
    """Write, check and run. Returns the exit code."""
    folder = Path(options.folder)
    try:
        code = _by_family(options, folder)
        if code is not None:
            return code
        _complete(options, folder)
        plan = make_plan(options, folder)
        _write(plan)
    except (RefusedError, TargetsNotExtendedError) as error:
        print(f"rubric: {error}", file=sys.stderr)
        return 2
    except EOFError:
        print("\nrubric: the questions were not answered; nothing was written", file=sys.stderr)
        return 2
    return _try(plan)


def _by_family(options: argparse.Namespace, folder: Path) -> int | None:
    """The exit code, if another family is asked for, or has files in the folder; None otherwise. Raises RefusedError."""
    code: int | None = None
    if options.family:
        part = part_of(options.family, "init")
        code = part.write_first(folder) if part is not None else None
    elif folder.is_dir() and not _is_decided(options):
        found = _recognised_files(folder)
        family, first = next(found, ("", ""))
        part = part_of(family, "init") if family else None
        further = (name for owner, name in found if owner == family)
        code = part.point_to(chain([first], further)) if part is not None else None
    return code


def _recognised_files(folder: Path) -> Iterator[tuple[str, str]]:
    """The files below a folder of families that take part in `init`, each with its family, as `rubric check` finds them."""
    for name in Discovery(Configurations(Language())).files(str(folder)):
        family = recognised_family(Path(name))
        if family is not None and "init" in family_named(family).parts:
            yield family, name


def _is_decided(options: argparse.Namespace) -> bool:
    """Whether an option names the system under test. Only suites of AgentV take one, so `init` writes such a suite."""
    return any((options.test, options.program, options.function, options.url, options.model))


def _complete(options: argparse.Namespace, folder: Path) -> None:
    """Determine what the options leave open: from other options, from the folder, or by asking."""
    named = {"command": options.program, "python": options.function, "http": options.url, "openai": options.model}
    chosen = [test for test, value in named.items() if value]
    flags = {"command": "--command", "python": "--function", "http": "--url", "openai": "--model"}
    if len(chosen) > 1:
        raise RefusedError(f"{' and '.join(flags[test] for test in chosen)} exclude each other")
    if chosen and options.test not in (None, chosen[0]):
        raise RefusedError(f"{flags[chosen[0]]} is not for --test {options.test}")
    options.test = options.test or (chosen[0] if chosen else None)
    asking = not options.yes and sys.stdin.isatty()
    if not options.yes and not asking and options.test is None:
        raise RefusedError("there is no terminal to ask on; pass --yes for the example, or --test with its options")
    if options.test is None:
        options.test = _ask_test(folder) if asking else "example"
    needed = {
        "command": [("program", "--command", "The command, with {PROMPT} for the question")],
        "python": [("function", "--function", "The function, as module:name")],
        "http": [("url", "--url", "The address of the endpoint, such as http://localhost:8000/chat")],
        "openai": [
            ("model", "--model", "The name of the model"),
            ("base_url", "--base-url", "The address of its API, such as https://api.openai.com/v1"),
        ],
    }
    for attribute, option, question in needed.get(options.test, []):
        if not getattr(options, attribute):
            if not asking:
                raise RefusedError(f"--test {options.test} needs {option}")
            setattr(options, attribute, _ask(question))
    if options.ci is None:
        options.ci = _ask_choice("A job for a CI server?", {"none": "no", "github": "GitHub", "gitlab": "GitLab"}) if asking else "none"  # fmt: skip


def _ask_test(folder: Path) -> str:
    known = {name: words for name, words in _TESTED.items() if name != "existing" or targets_file(folder)}
    return _ask_choice("What do you test?", known)


def _ask_choice(question: str, choices: dict[str, str]) -> str:
    print(question)
    names = list(choices)
    for number, name in enumerate(names, start=1):
        print(f"  {number}  {choices[name]}")
    while True:
        said = input("Number [1]: ").strip() or "1"
        if said.isdecimal() and 1 <= int(said) <= len(names):
            return names[int(said) - 1]
        print(f"Please answer with a number from 1 to {len(names)}.")


def _ask(question: str) -> str:
    while not (said := input(f"{question}: ").strip()):
        pass
    return said


def _write(plan: Plan) -> None:
    """Write every file, or none if one exists already. Raises RefusedError."""
    for path in plan.texts:
        if path not in plan.replaced and (path.exists() or path.is_symlink()):
            raise RefusedError(f"{path} exists already; nothing was written. Move it away, or choose another FOLDER")
    done: list[Path] = []
    for path, text in plan.texts.items():
        try:
            write_new_file(path, text.encode())
        except OSError as error:
            before = f"written before: {', '.join(map(str, done))}" if done else "nothing was written"
            raise RefusedError(f"{path} cannot be written: {error.strerror or error}; {before}") from error
        done.append(path)
        print(f"{'extended' if path in plan.replaced else 'wrote':<9}{path}")


def _try(plan: Plan) -> int:
    """Check and run the new suite, and print the next steps. Returns the exit code."""
    from rubric_core.cli import main as rubric  # noqa: PLC0415  # it imports this module when asked for this command

    shown = shlex.quote(str(plan.suite))
    code = 0
    for command in (["check", str(plan.suite)], ["run", str(plan.suite), "--replay"]):
        print(f"\n$ rubric {shlex.join(command)}", flush=True)
        code = rubric(command) or code
    own = f" --target {plan.target}" if plan.target else ""
    print(f"\nNext: replace its cases with your own, and run\n  rubric run {shown}{own}")
    return code
