"""Targets in use: which one answers, which one judges, and their settings filled in from the environment."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubric_core.evaluation.context import ResolvedTarget
from rubric_core.evaluation.result import Unscored
from rubric_core.language.model import Execution, Suite
from rubric_core.loading.targets import TargetEntry, TargetFile, find_targets, read_targets
from rubric_core.ports import Files, Ports, Provider

if TYPE_CHECKING:
    from pydantic import ValidationError

    from rubric_core.evaluation.providers.kind import ProviderKind

__all__ = ["Targets", "load_targets", "target_name", "variables_of"]

_VARIABLE = re.compile(r"\$\{\{\s*([A-Za-z_]\w*)\s*\}\}")
_DEFAULT = "default"
_HOW = "a minimal `.agentv/targets.yaml`: `targets: [{name: default, provider: openai, model: …, api_key: ${{ OPENAI_API_KEY }}}]`"


@dataclass(frozen=True)
class Targets:
    """The targets of a suite. Nothing of the environment is read before a target is used."""

    #: The directory of the suite.
    directory: Path
    file: TargetFile | None = None
    #: Why there is no file that can be used.
    trouble: str = ""
    _made: dict[str, tuple[ResolvedTarget, Provider]] = field(default_factory=dict, repr=False, compare=False)

    def entry(self, name: str) -> TargetEntry:
        """The entry of that name, as written. Raises Unscored when there is none."""
        if self.file is None:
            raise Unscored(self.trouble)
        found = self.file.entry(name)
        if found is None:
            names = [e.name for e in self.file.entries]
            close = get_close_matches(name, names, 1)
            hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(names)}" if names else ""
            raise Unscored(f"no target is called {name} in {self.file.path.name}{hint}")
        return found

    def followed(self, name: str, environment: Mapping[str, str]) -> TargetEntry:
        """The entry of that name, or the one that it points to with `use_target`. Raises Unscored for a circle."""
        seen: list[str] = []
        while True:
            entry = self.entry(name)
            pointer = entry.settings.get("use_target")
            if not isinstance(pointer, str):
                return entry
            seen.append(name)
            name = self._filled(entry, "use_target", pointer, environment, {})
            if name in seen:
                raise Unscored(
                    f"target {seen[0]} points to itself: {' → '.join([*seen, name])} ({self._where(entry, 'use_target')})"
                )

    def judge_name(self, target: str, environment: Mapping[str, str]) -> str | None:
        """The target that judges the answers of `target`, when its entry names one. Raises Unscored."""
        for name in (target, self.followed(target, environment).name):
            entry = self.entry(name)
            for key in ("grader_target", "judge_target"):
                written = entry.settings.get(key)
                if isinstance(written, str):
                    return self._filled(entry, key, written, environment, {})
        return None

    def kind_judges(self, name: str, environment: Mapping[str, str]) -> bool:
        """Whether that target is a model, so that it may judge without being named as a judge. Raises Unscored."""
        from rubric_core.evaluation.providers import kind_named  # noqa: PLC0415  # pydantic, when something is run

        kind = kind_named(self.followed(name, environment).kind)
        return kind is not None and kind.judges

    def provider(self, name: str, ports: Ports) -> tuple[ResolvedTarget, Provider]:
        """The target of that name, ready to be asked; made once. Raises Unscored, naming file, line and what to do."""
        if name not in self._made:
            self._made[name] = self._make(name, ports)
        return self._made[name]

    def _make(self, name: str, ports: Ports) -> tuple[ResolvedTarget, Provider]:
        from rubric_core.evaluation.providers import PROVIDERS, kind_named  # noqa: PLC0415
        from rubric_core.evaluation.providers.kind import Place, Redactor  # noqa: PLC0415

        entry = self.followed(name, ports.environment)
        kind = kind_named(entry.kind)
        if kind is None:
            known = ", ".join(k.name for k in PROVIDERS)
            written = f"provider {entry.kind} is not run by rubric" if entry.kind else "a target needs a `provider`"
            raise Unscored(f"{written}; it runs {known} ({self._where(entry, 'provider')})")
        variables: dict[str, tuple[str, str]] = {}
        settings = self._expanded(entry, ports.environment, variables)
        secrets = Redactor.of({**variables, **{k: (k, v) for k, v in settings.items() if isinstance(v, str)}})
        place = Place(name, lambda key: self._where(entry, key), self.directory, secrets)
        provider = self._provider(kind, settings, place, entry, ports)
        judge = self.judge_name(name, ports.environment)
        return ResolvedTarget(name=name, kind=kind.name, grader_target=judge, settings=entry.settings), provider

    def _provider(
        self,
        kind: "ProviderKind[Any]",
        settings: dict[str, Any],
        place: Any,
        entry: TargetEntry,
        ports: Ports,
    ) -> Provider:
        from pydantic import ValidationError  # noqa: PLC0415

        try:
            return kind.provider(settings, place, ports)
        except ValidationError as error:
            raise Unscored(self._invalid(error, kind, entry)) from None
        except ValueError as error:
            raise Unscored(f"target {entry.name}: {error}") from None

    def _invalid(self, error: "ValidationError", kind: "ProviderKind[Any]", entry: TargetEntry) -> str:
        first = error.errors(include_url=False, include_context=False)[0]
        key = str(first["loc"][0]) if first["loc"] else ""
        if first["type"] == "extra_forbidden":
            close = get_close_matches(key, list(kind.settings.model_fields), 1)
            hint = f"; did you mean {close[0]}?" if close else ""
            return f"target {entry.name}: {key} is no setting of {kind.name} targets{hint} ({self._where(entry, key)})"
        if first["type"] == "missing":
            return f"target {entry.name}: {kind.name} targets need `{key}` ({self._where(entry, '')})"
        return f"target {entry.name}: {key}: {str(first['msg']).lower()} ({self._where(entry, key)})"

    def _expanded(
        self, entry: TargetEntry, environment: Mapping[str, str], variables: dict[str, tuple[str, str]]
    ) -> dict[str, Any]:
        def expand(key: str, value: Any) -> Any:
            if isinstance(value, str):
                return self._filled(entry, key, value, environment, variables)
            if isinstance(value, list):
                return [expand(key, item) for item in value]
            return {k: expand(key, v) for k, v in value.items()} if isinstance(value, dict) else value

        skipped = ("use_target", "grader_target", "judge_target", "$schema")
        return {key: expand(key, value) for key, value in entry.settings.items() if key not in skipped}

    def _filled(
        self,
        entry: TargetEntry,
        key: str,
        text: str,
        environment: Mapping[str, str],
        variables: dict[str, tuple[str, str]],
    ) -> str:
        def value(match: re.Match[str]) -> str:
            found = environment.get(match[1])
            if found is None:
                raise Unscored(f"the environment variable {match[1]} is not set ({self._where(entry, key)})")
            variables[match[1]] = (key, found)
            return found

        return _VARIABLE.sub(value, text)

    def _where(self, entry: TargetEntry, key: str) -> str:
        return self.file.where(entry, key) if self.file is not None else entry.name


def variables_of(entry: TargetEntry) -> tuple[str, ...]:
    """The environment variables that a target names, for telling a person before anything is run."""
    return tuple(dict.fromkeys(name for text in _strings(entry.settings) for name in _VARIABLE.findall(text)))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def load_targets(directory: Path, files: Files, given: Path | None = None) -> Targets:
    """The targets for a suite in `directory`; `given` is a file that the user names. Never raises."""
    path = given or find_targets(directory, files, Path.cwd())
    if path is None:
        return Targets(
            directory,
            trouble=f"no targets.yaml in {directory.name or directory} or above it, so nothing answers; {_HOW}",
        )
    try:
        file = read_targets(path, files)
    except UnicodeDecodeError as error:
        return Targets(directory, trouble=f"{path.name} is no UTF-8 text: byte {error.start} cannot be read")
    except (OSError, ValueError) as error:
        return Targets(directory, trouble=f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}")
    if file.problems and not file.entries:
        span, message = file.problems[0]
        return Targets(directory, trouble=f"{path.name}:{file.line(span)}: {message}")
    return Targets(directory, file)


def target_name(suite: Suite, given: str | None = None) -> str:
    """Which target runs the cases of a suite: the command line's, the suite's, else `default`."""
    if given and given != _DEFAULT:
        return given
    execution = suite.execution if isinstance(suite.execution, Execution) else None
    return (execution.target if execution else None) or suite.target or _DEFAULT
