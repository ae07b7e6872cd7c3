"""`rubric migrate --to agentv-5 promptfooconfig.yaml`: a suite beside the configuration, which is not touched."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rubric_core.atomic_write import write_file
from rubric_core.cli.sources import Source
from rubric_core.cli.terminal_style import TerminalStyle
from rubric_core.cli.unified_diff import difference
from rubric_core.disk import DiskFiles
from rubric_core.families.promptfoo.cases.case_inheritance import PromptfooTest, default_test, tests_of
from rubric_core.families.promptfoo.cases.configuration import (
    ConfigurationError,
    PromptfooConfiguration,
    read_configuration,
)
from rubric_core.families.promptfoo.cases.models import unsent_settings, vendor_target
from rubric_core.families.promptfoo.cases.prompts import PromptfooPrompt, prompts_of
from rubric_core.families.promptfoo.cases.providers import PromptfooProvider, own_provider, providers_of
from rubric_core.families.promptfoo.code.command import EXEC
from rubric_core.families.promptfoo.migration.commented_yaml import Comments
from rubric_core.families.promptfoo.migration.source import (
    SourceConfiguration,
    SourceFile,
    SourcePrompt,
    SourceProvider,
    SourceTest,
)
from rubric_core.families.promptfoo.migration.suite import (
    ConvertedConfiguration,
    NothingCarriedError,
    convert_configuration,
)
from rubric_core.families.promptfoo.model.comma_values import comma_values
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.files import UnreadableError
from rubric_core.syntax.parse import parse
from rubric_core.syntax.tree import Mapping as MappingNode
from rubric_core.syntax.tree import Node
from rubric_core.text import LineIndex
from rubric_core.validation.wording import count

__all__ = ["ConfigurationError", "read_source", "suite_path", "write_suite"]

#: Functions that make prompts, as AgentV calls them, too; for promptfoo, a Python file without a function is a program.
_FUNCTION = pattern(r"(?:file://)?([^\s:]+(?:\.[cm]?js(?::[\w$.]+)?|\.py:\w+))")
_TYPED = pattern(r"\.[cm]?ts(?::[\w$.]+)?\Z")


def read_source(path: Path, shown: str, text: str) -> SourceConfiguration:
    """A configuration with everything that it refers to. Raises ConfigurationError, also for invalid YAML."""
    broken = next(iter(parse(text).problems), None)
    if broken is not None:
        line = LineIndex(text).line_of(broken.span.start) + 1
        raise ConfigurationError(f"line {line}: {broken.message}; fix this first")
    configuration = read_configuration(path, text, DiskFiles())
    providers = providers_of(configuration)
    default, node, _ = default_test(configuration)
    reader = _Reader(configuration, shown, default)
    tests = [reader.test(each) for each in tests_of(configuration)]
    return SourceConfiguration(
        file=reader.main,
        root=configuration.root,
        data=configuration.resolved(configuration.data),
        prompts=reader.prompts(),
        providers=[_provider(each) for each in providers],
        default=default,
        default_node=node,
        default_assertions=_default_assertions(default, node, configuration),
        tests=tests,
        comma_values=comma_values,
        grader=lambda written: _grader(written, node, configuration, providers),
        read_text=reader.text,
    )


def _made_otherwise(program: str) -> str:
    if program.startswith(EXEC):
        return "program prints: write a function"
    if _TYPED.search(program):
        return "function in TypeScript makes: write it in JavaScript or Python"
    return "whole Python file prints: name a function of it"


class _Reader:
    def __init__(self, configuration: PromptfooConfiguration, shown: str, default: Any) -> None:
        self._configuration = configuration
        self.main = SourceFile(shown, Comments(configuration.text), configuration.line_of, configuration.anchors)
        self._files: dict[tuple[Path, int], SourceFile] = {}
        self._has_default = bool(default.get("assert"))

    def prompts(self) -> list[SourcePrompt]:
        """The prompts; a file with several is their texts."""
        found = prompts_of(self._configuration)
        files = Counter(each.file for each in found)
        return [self._prompt(each, is_alone=files[each.file] == 1) for each in found]

    def _prompt(self, prompt: PromptfooPrompt, *, is_alone: bool) -> SourcePrompt:
        configuration = self._configuration
        function = _FUNCTION.fullmatch(prompt.program) if prompt.program else None
        path, trouble = function[1] if function else "", prompt.trouble
        if prompt.program and not function:
            trouble = f"AgentV has no prompt that a {_made_otherwise(prompt.program)}"
        if prompt.file and is_alone:
            path = configuration.shown(configuration.directory / prompt.file)
        is_path = bool(prompt.program) and prompt.label.startswith(str(configuration.directory))
        is_labelled = not is_path and prompt.label not in (prompt.text, f"{prompt.file}: {prompt.text}", prompt.id)
        return SourcePrompt(
            prompt.prompt.label, is_labelled, (prompt.label, prompt.id), prompt.text, path, prompt.prompt.node,
            trouble, bool(function), tuple(prompt.config),
        )  # fmt: skip

    def test(self, test: PromptfooTest) -> SourceTest:
        """A test and its place."""
        file = self.main
        if test.source is not None:
            key = test.source.path, id(test.source.text)
            if key not in self._files:
                shown = os.path.relpath(test.source.path, Path.cwd())
                is_yaml = test.source.path.suffix in (".yaml", ".yml")
                comments = Comments(test.source.text if is_yaml else "")
                self._files[key] = SourceFile(
                    Path(shown).as_posix(), comments, test.source.line_of, test.source.anchors
                )
            file = self._files[key]
        inherits = bool(test.inherited) or not self._has_default
        return SourceTest(test.data, test.assertions[test.inherited :], inherits, test.node, file, test.trouble)

    def text(self, name: str) -> str | None:
        """The text of a file relative to the configuration; None if it cannot be read."""
        try:
            return self._configuration.read(name)
        except ConfigurationError:
            return None


def _default_assertions(
    default: Mapping[str, Any], node: Node, configuration: PromptfooConfiguration
) -> list[tuple[Mapping[str, Any], Node]]:
    """The assertions of `defaultTest`, each with its place."""
    listed = default.get("assert")
    if not isinstance(listed, list):
        return []
    inner = node.get("assert") if isinstance(node, MappingNode) else None
    nodes = configuration.items(configuration.followed(inner) or node, listed)
    return [(each, at) for each, at in zip(listed, nodes, strict=True) if isinstance(each, dict)]


def _provider(provider: PromptfooProvider) -> SourceProvider:
    """A provider with the settings of the target that calls the same model."""
    config, unsent = dict(provider.config), list[str]()
    target = vendor_target(provider.id, config)
    while target is not None and target.trouble:
        name = next((key for key in config if f"`config.{key}`" in target.trouble), None)
        if name is None:
            target = None
            break
        unsent.append(name)
        del config[name]
        target = vendor_target(provider.id, config)
    unsent += unsent_settings(target, config) if target is not None else ()
    kind, settings = (target.kind, target.settings) if target is not None else ("", {})
    return SourceProvider(
        provider.id, provider.label, kind, settings, tuple(unsent), provider.config, provider.prompts, provider.transform, provider.delay, provider.node,
    )  # fmt: skip


def _grader(
    written: Any, at: Node, configuration: PromptfooConfiguration, answering: list[PromptfooProvider]
) -> SourceProvider | None:
    """The provider of an assertion's reference; None for one that promptfoo rejects."""
    known = next((each for each in answering if written in (each.label, each.id)), None)
    try:
        found = known or own_provider(written, at, configuration)
    except ConfigurationError:
        return None
    return _provider(found) if found is not None else None


_STEM = "promptfooconfig"
_ENDING = ".eval.yaml"


def suite_path(configuration: Path) -> Path:
    """Where the suite of a configuration goes: `promptfoo.eval.yaml`, or `NAME.eval.yaml` for `promptfooconfig.NAME.yaml`."""
    name = configuration.stem
    if name.startswith(_STEM):
        name = name.removeprefix(_STEM).strip(".-_") or "promptfoo"
    return configuration.with_name(f"{name}{_ENDING}")


def write_suite(source: Source, options: argparse.Namespace, failures: list[str]) -> bool:
    """Write the suite for a configuration, or show it, and list what has no equivalent.

    Returns whether it was written, or would be. Problems are added to `failures`.
    """
    home = Path(options.output) if options.output else suite_path(Path(source.shown))
    trouble = _trouble(home, source.path)
    if trouble:
        failures.append(trouble)
        return False
    try:
        made = convert_configuration(read_source(source.path, source.shown, source.read()))
        if options.check:
            sys.stdout.writelines(difference(str(home), "", made.text, TerminalStyle.of()))
        else:
            write_file(home, made.text.encode())
    except UnreadableError as error:
        failures.append(str(error))
    except NothingCarriedError as error:
        for note in error.notes:
            print(note)
        failures.append(f"{source.shown}: {error}; no suite is written")
    except ConfigurationError as error:
        failures.append(f"{source.shown}: {error}; no suite is written")
    except OSError as error:
        failures.append(f"{home}: cannot be written: {error.strerror or error}")
    else:
        _report(source, home, made, is_shown=options.check)
        return True
    return False


def _trouble(home: Path, configuration: Path) -> str:
    """Why a suite cannot be written there; empty if it can."""
    if home.exists() or home.is_symlink():
        return f"{home}: this file exists, and is not overwritten: name another with -o"
    if home.absolute().parent.resolve() != configuration.absolute().parent.resolve():
        return (
            f"{home}: the suite names its files relative to its folder, so it has to be in that of {configuration.name}"
        )
    if not home.name.endswith((".yaml", ".yml")):
        return f"{home}: a suite is a .yaml file, best called NAME{_ENDING}"
    return ""


def _report(source: Source, home: Path, made: ConvertedConfiguration, *, is_shown: bool) -> None:
    """Print what was written, and what is left to the author."""
    for note in made.notes:
        print(note)
    verb = "would be written" if is_shown else "written"
    left = f", {count(made.left_out, 'test')} left out" if made.left_out else ""
    notes = f" · {count(len(made.notes), 'place')} to look at" if made.notes else ""
    print(f"{source.shown} → {home}: {verb} with {count(made.cases, 'case')}{left}{notes}")
