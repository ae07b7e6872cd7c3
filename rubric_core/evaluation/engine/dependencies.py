"""The files that a run of a case reads or executes: named by the suite or its targets, or imported by scripts."""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rubric_core.evaluation.cases.family_cases import cases_of
from rubric_core.evaluation.cases.messages import referenced_files
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.code.imports import module_files, with_imports
from rubric_core.evaluation.judging.templates import prompt_file
from rubric_core.evaluation.model.file_addresses import file_addresses
from rubric_core.evaluation.scoring.json_path import MISSING, at_path
from rubric_core.language.evaluators import (
    Aggregator,
    CodeEvaluator,
    Custom,
    LlmJudge,
    LlmRubric,
    Preprocessor,
    PromptProgram,
)
from rubric_core.language.providers import SETTINGS
from rubric_core.language.shape import children
from rubric_core.language.value_kinds import Text
from rubric_core.loading.directory_search import (
    URL,
    current_directory,
    find_file,
    is_pattern,
    without_function,
    working_directory,
)
from rubric_core.loading.known_names import file_named
from rubric_core.loading.path_matches import path_matches
from rubric_core.loading.sent_files import files_in_messages, messages_in_file
from rubric_core.ports import Files
from rubric_core.syntax.plain_data import plain

__all__ = ["CaseDependencies", "prompt_of"]

#: Settings of targets that name files, and those that name programs.
_FILE_SETTINGS = frozenset(
    name
    for shape in SETTINGS
    for name, key in shape.keys.items()
    if isinstance(key.kind, Text) and key.kind.refers_to == "file"
)
#: Shapes with file names that are not `file://` addresses.
_NAMING = (CodeEvaluator, PromptProgram, Preprocessor, Aggregator, LlmJudge, LlmRubric, Custom)
_VARIABLE = re.compile(r"(?<!\$)\{\{\s*([A-Za-z_][\w.]*)\s*\}\}")
#: Bytes of a prompt file that is searched for names; a run does not read longer ones either.
_LARGEST_PROMPT = 1_000_000
_PROGRAM_SETTINGS = ("command", "executable", "binary", "args", "arguments")


class CaseDependencies:
    """The files on which a run of one case depends. The methods give those that exist, each with the name used for it.

    Args:
        runnable: The case.
        files: The disk.
        entries: The targets that take part: each has a `kind` and its `settings`.
    """

    def __init__(self, runnable: Runnable, files: Files, entries: Sequence[Mapping[str, Any]]) -> None:
        self._runnable = runnable
        self._files = files
        self._entries = entries
        self._directory = runnable.directory

    def found(self, written: object) -> Iterator[tuple[str, Path]]:
        """All files of the case.

        Args:
            written: The case and its suite, as plain data; texts in it may be `file://` addresses.
        """
        return self._with_imports(self._named(written))

    def of_evaluators(self) -> Iterator[tuple[str, Path]]:
        """The files named by its evaluators, its turns and its preprocessors."""
        return self._with_imports(self._named_by_evaluators())

    def called(self, names: Iterable[str]) -> Iterator[tuple[str, Path]]:
        """The files with these names, which may begin with `file://`."""
        return self._with_imports(
            found for name in names for found in self._searched(without_function(name.removeprefix(URL)))
        )

    def _with_imports(self, named: Iterable[tuple[str, Path, Path]]) -> Iterator[tuple[str, Path]]:
        for name, path, cwd in named:
            for file in with_imports(path, cwd, self._files, self._runnable.facts.imports):
                yield f"{name} {os.path.relpath(file, self._directory)}", file

    def in_command(self, command: object, cwd: Path) -> Iterator[tuple[str, Path, Path]]:
        """The words of a command that are files in its working directory. The word after `-m` is a Python module."""
        try:
            words = (
                shlex.split(command)
                if isinstance(command, str)
                else command
                if isinstance(command, list | tuple)
                else []
            )
        except ValueError:
            words = []
        before = ""
        for word in words:
            if not isinstance(word, str) or not word:
                continue
            names = (
                [word] if before != "-m" else [f"{word.replace('.', '/')}.py", f"{word.replace('.', '/')}/__main__.py"]
            )
            yield from ((word, cwd / name, cwd) for name in names if self._files.is_file(cwd / name))
            before = word

    def _named(self, written: object) -> Iterator[tuple[str, Path, Path]]:
        """Each file with its name and its working directory."""
        directory = self._directory
        for name in self.named_in_messages():
            yield from self._searched(name)
        for path in self._runnable.borrowed_files:
            yield path.name, path, directory
        yield from self._named_by_family()
        prompts = [prompt_of(each) for each in variations(self._runnable) if each.variant is not None]
        for text in (*file_addresses(written), *file_addresses(prompts)):
            yield from self._searched(without_function(text[len(URL) :]))
        for text in self._runnable.filter_files.values():
            yield from self._searched(without_function(text.removeprefix(URL)))
        for prompt in prompts:
            yield from self._prompt_files(prompt)
        for part in (self._runnable.suite, self._runnable.case):
            for place in (part.workspace, part.environment):
                if isinstance(place, str):
                    yield from self._searched(place.removeprefix(URL))
        yield from self._named_by_evaluators()
        for entry in self._entries:
            yield from self._target_files(entry["kind"], entry["settings"])

    def named_in_messages(self) -> list[str]:
        """The files that its messages name, with its variables filled in.

        Templates beyond plain variables are left as they are.
        """
        case = self._runnable
        values = [dict(each.variables) for each in variations(case)] or [dict(case.variables)]
        prompts = [prompt_of(each) for each in variations(case) if each.variant is not None]
        names = [*referenced_files(case.suite, case.case), *files_in_messages([*values, *prompts])]
        return list(dict.fromkeys(_with_values(name, each) for name in names for each in values))

    def _named_by_family(self) -> Iterator[tuple[str, Path, Path]]:
        """The files that only the family of the case knows of."""
        case, family = self._runnable, cases_of(self._runnable.dialect)
        for path in family.files(case):
            if self._files.is_file(path):
                yield path.name, path, self._directory
        for text in family.addresses(case):
            yield from self._searched(without_function(text[len(URL) :]))
        for code in family.code(case):
            yield from self._searched(code.file) if code.file else self.in_command(code.text, self._directory)

    def _named_by_evaluators(self) -> Iterator[tuple[str, Path, Path]]:
        turns = self._runnable.case.turns or ()
        for config in (*self._runnable.evaluators, *turns, *(self._runnable.suite.preprocessors or ())):
            for shape in children(config):
                for text in file_addresses([vars(shape).get(name) for name in shape.places]):
                    yield from self._searched(without_function(text[len(URL) :]))
                if isinstance(shape, _NAMING):
                    yield from self._named_by(shape)

    def _prompt_files(self, written: object) -> Iterator[tuple[str, Path, Path]]:
        """The files of a prompt that is a file or a mapping, and the files named by the messages in them."""
        named = [written] if isinstance(written, str) and written.startswith(URL) else []
        if isinstance(written, Mapping):
            named = [written[name] for name in ("path", "file", "function_file", "id") if name in written]
            yield from self.in_command(written.get("command"), self._directory)
        for name in named:
            for found in self._searched(without_function(name.removeprefix(URL))) if isinstance(name, str) else ():
                yield found
                for inner in self._named_in_messages(found[1]):
                    yield from self._searched(inner)

    def _named_in_messages(self, path: Path) -> tuple[str, ...]:
        """The files that the messages in a prompt file name."""
        known = self._runnable.facts.files_in_prompts
        if path not in known:
            try:
                text = self._files.read(path, _LARGEST_PROMPT).decode("utf-8", "replace")
            except OSError:
                text = ""
            known[path] = tuple(files_in_messages(messages_in_file(path.name, text)))
        return known[path]

    def _searched(self, name: str) -> Iterator[tuple[str, Path, Path]]:
        path = find_file(name, self._directory, self._files, current_directory())
        if path is not None:
            yield name, path, self._directory
        elif is_pattern(name):
            for each in path_matches(name, [self._directory], self._files).paths:
                yield name, each, self._directory

    def _target_files(self, kind: str, settings: Mapping[str, Any]) -> Iterator[tuple[str, Path, Path]]:
        cwd = settings.get("cwd")
        works_in = self._directory / cwd if isinstance(cwd, str) else self._directory
        for name in _PROGRAM_SETTINGS:
            if name in settings:
                yield from self.in_command(settings[name], works_in)
        if kind == "python" and isinstance(settings.get("function"), str):
            found = (works_in / name for name in module_files(settings["function"]))
            yield from ((settings["function"], path, works_in) for path in found if self._files.is_file(path))
        for name in _FILE_SETTINGS & settings.keys():
            if isinstance(settings[name], str):
                yield from self._searched(settings[name])
        for text in file_addresses(settings):
            yield from self._searched(without_function(text[len(URL) :]))
        known = self._runnable.facts.provider_programs
        if kind not in known:
            known[kind] = file_named(self._files, "providers", kind, self._directory) if kind else None
        program = known[kind]
        if program is not None:
            yield program.name, program, works_in

    def _named_by(self, shape: object) -> Iterator[tuple[str, Path, Path]]:
        directory = self._directory
        if isinstance(shape, CodeEvaluator):
            yield from self.in_command(shape.command, working_directory(shape.cwd, directory, self._files))
        elif isinstance(shape, PromptProgram | Preprocessor):
            yield from self.in_command(shape.command, directory)
        elif isinstance(shape, Aggregator):
            yield from self.in_command(shape.path, directory)
            yield from self._in_prompt(shape.prompt)
        elif isinstance(shape, LlmJudge | LlmRubric):
            yield from self._in_prompt(shape.prompt)
        elif isinstance(shape, Custom):
            own = (
                file_named(self._files, folder, shape.type_name, directory) for folder in ("evaluators", "assertions")
            )
            yield from ((path.name, path, directory) for path in own if path is not None)

    def _in_prompt(self, prompt: object) -> Iterator[tuple[str, Path, Path]]:
        path = (
            prompt_file(prompt, self._directory, self._files, self._runnable.dialect.properties)
            if isinstance(prompt, str)
            else None
        )
        if path is not None:
            yield str(prompt), path, self._directory


def _with_values(name: str, values: Mapping[str, Any]) -> str:
    """A file name with its variables filled in."""

    def value(found: re.Match[str]) -> str:
        given = at_path(dict(values), found[1].removeprefix("vars."))
        return found[0] if given is MISSING or isinstance(given, dict | list) else str(given)

    return _VARIABLE.sub(value, name) if "{{" in name else name


def prompt_of(runnable: Runnable) -> Any:
    """The prompt of a variation, as plain data."""
    prompt = runnable.variant.prompt if runnable.variant is not None else None
    return (
        plain(prompt.node, runnable.anchors if prompt.own else runnable.suite_anchors) if prompt is not None else None
    )
