"""Resolves targets: which one answers, which one judges, and providers for their entries."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rubric_core.evaluation.model.inputs import ResolvedTarget
from rubric_core.evaluation.model.redaction import Redactor, header_secrets
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.targets.answer_cache import file_digests
from rubric_core.evaluation.targets.rate_limits import RateLimits
from rubric_core.evaluation.targets.settings import (
    SETTINGS_BESIDE_ANSWERS,
    UNUSED,
    AnsweringTarget,
    ResolvedEntry,
    family,
    refuse,
    resolve_entry,
    unresolved_entry,
)
from rubric_core.language.providers import Prices
from rubric_core.language.secret_names import looks_secret
from rubric_core.language.variables import ENVIRONMENT_REFERENCE, environment_variables_in, unset_message
from rubric_core.lazy_compilation import dataclass, field, replace
from rubric_core.loading.configured_targets import configured_target_files, whole_target_file
from rubric_core.loading.directory_search import current_directory
from rubric_core.loading.known_names import file_named
from rubric_core.loading.target_files import find_targets, unusable_targets
from rubric_core.loading.targets import LoadedTargetEntry, LoadedTargetFile
from rubric_core.local.weights import ALIAS as LOCAL_MODEL
from rubric_core.ports import Files, Ports, Provider

if TYPE_CHECKING:
    from rubric_core.evaluation.targets.providers.base import ProviderKind, TargetLocation

__all__ = ["JUDGE_SETTINGS", "Targets", "load_targets"]

#: The settings of a target that name the judge of its answers.
JUDGE_SETTINGS = ("grader_target", "judge_target")

_HOW = "`rubric init` writes one; a minimal `.agentv/targets.yaml`: `targets: [{name: default, provider: openai, model: …, api_key: ${{ OPENAI_API_KEY }}}]`"
#: The workspace settings of an entry; they apply where the target answers cases.
_PLACE = ("workspace_template", "environment", "hooks")


def _itself(provider: Provider) -> Provider:
    """Put nothing around a provider."""
    return provider


@dataclass(frozen=True)
class Targets:
    """The targets of a suite. The environment is not read before a target is used."""

    #: The directory of the suite.
    directory: Path
    file: LoadedTargetFile | None = None
    #: Why there is no usable target file.
    trouble: str = ""
    #: The created providers, by the name of the entry and by the requested name.
    _plain: dict[str, Provider] = field(default_factory=dict, repr=False, compare=False)
    _made: dict[str, tuple[ResolvedTarget, Provider]] = field(default_factory=dict, repr=False, compare=False)
    _settled: "dict[str, tuple[ProviderKind[Any], ResolvedEntry]]" = field(
        default_factory=dict, repr=False, compare=False
    )
    #: Notes, each with the name of the entry for which it does not apply when that target answers.
    _written: dict[str, AnsweringTarget | None] = field(default_factory=dict, repr=False, compare=False)
    _notes: list[tuple[str, str]] = field(default_factory=list, repr=False, compare=False)
    _answer: set[str] = field(default_factory=set, repr=False, compare=False)
    #: The default delay between two calls of a target, in milliseconds.
    pause: float = 0.0
    #: The rate limits of targets, for all suites of a run.
    rates: RateLimits = field(default_factory=RateLimits, repr=False, compare=False)
    #: What is put around each provider.
    around: Callable[[Provider], Provider] = field(default=_itself, repr=False, compare=False)

    @property
    def notes(self) -> tuple[str, ...]:
        """The ignored settings in the entries of the targets in use, one sentence each."""
        return tuple(dict.fromkeys(note for name, note in self._notes if name not in self._answer))

    def fresh(self, around: Callable[[Provider], Provider], rates: RateLimits) -> "Targets":
        """The same targets, none of which was used, with something around each provider, and other limits."""
        return replace(
            self,
            around=around,
            rates=rates,
            pause=0.0,
            _plain={},
            _made={},
            _settled={},
            _written={},
            _notes=[],
            _answer=set(),
        )

    def entry(self, name: str) -> LoadedTargetEntry:
        """The entry of that name, as written. Raises Unscored when it does not exist."""
        if self.file is None:
            raise Unscored(self.trouble)
        found = self.file.entry(name)
        if found is None:
            names = [e.name for e in self.file.entries]
            close = get_close_matches(name, names, 1)
            hint = f"; did you mean {close[0]}?" if close else f"; there are {', '.join(names)}" if names else ""
            raise Unscored(f"no target is called {name} in {self.file.path.name}{hint}")
        return found

    def followed(self, name: str, environment: Mapping[str, str]) -> LoadedTargetEntry:
        """The entry with a name, or the one to which its `use_target` leads. Raises Unscored for a cycle."""
        seen: list[str] = []
        while True:
            entry = self.entry(name)
            pointer = entry.settings.get("use_target")
            if not isinstance(pointer, str):
                return entry
            seen.append(name)
            name = self._filled(entry, "use_target", pointer, environment)
            if name in seen:
                raise Unscored(
                    f"target {seen[0]} points to itself: {' → '.join([*seen, name])} ({entry.where('use_target')})"
                )

    def judge_name(self, target: str, environment: Mapping[str, str]) -> str | None:
        """The target that judges the answers of `target`, when its entry names one. Raises Unscored."""
        for name in (target, self.followed(target, environment).name):
            entry = self.entry(name)
            for key in JUDGE_SETTINGS:
                written = entry.settings.get(key)
                if isinstance(written, str):
                    return self._filled(entry, key, written, environment)
        return None

    def default_judge(self) -> str | None:
        """The default judge."""
        return self.file.defaults.get("grader") if self.file is not None else None

    def kind_judges(self, name: str, environment: Mapping[str, str]) -> bool:
        """Whether that target is a model and may therefore judge without being named as a judge. Raises Unscored.

        The small local model may not: its verdicts are no better than guesses.
        """
        from rubric_core.evaluation.targets.providers import kind_named  # noqa: PLC0415  # what runs need, when something is run

        entry = self.followed(name, environment)
        kind = kind_named(self._written_kind(entry))
        return kind is not None and kind.judges and entry.settings.get("model") != LOCAL_MODEL

    def answering(self, name: str, ports: Ports) -> AnsweringTarget:
        """The target with a name, as one that answers cases. Raises Unscored, naming file, line and what to do."""
        entry = self.followed(name, ports.environment)
        _, read = self._read(entry, ports)
        self._answer.add(entry.name)
        return AnsweringTarget(read.shape, read.dialect, entry)

    def as_written(self, name: str) -> AnsweringTarget | None:
        """Like `answering`, without filling anything in; None if that is not known before a run. Never raises."""
        if name not in self._written:  # called for every case, mostly with the same target
            self._written[name] = None
            with suppress(Unscored):
                entry = self.followed(name, {})
                self._written[name] = unresolved_entry(self.file, entry) if self.file is not None else None
        return self._written[name]

    def provider(self, name: str, ports: Ports) -> tuple[ResolvedTarget, Provider]:
        """The provider of the target with a name, created once. Raises Unscored, naming file, line and what to do."""
        if name not in self._made:
            resolved, provider = self._resolved(name, ports)
            self._made[name] = resolved, self.around(provider)
        return self._made[name]

    def addressee(self, name: str, ports: Ports) -> Mapping[str, Any]:
        """All settings of a target that may affect its answers, as plain data without secrets. Raises Unscored."""
        entry = self.followed(name, ports.environment)
        kind, read = self._read(entry, ports)
        members = family(self.file, entry) if self.file is not None else [entry]
        left_out = SETTINGS_BESIDE_ANSWERS
        written = [{k: v for k, v in m.settings.items() if k not in left_out and not looks_secret(k)} for m in members]
        known = [(key, value) for key, value in read.values if not looks_secret(key)]
        digests = file_digests([written, known, *kind.files(read.shape)], self.directory, ports.files)
        return {"name": entry.name, "kind": kind.name, "settings": written, "environment": known, "files": digests}

    def _resolved(self, name: str, ports: Ports) -> tuple[ResolvedTarget, Provider]:
        from rubric_core.evaluation.targets.providers.policies import FallbackProvider  # noqa: PLC0415

        entry = self.followed(name, ports.environment)
        provider = self._without_fallbacks(entry, ports)
        written = self.entry(name).settings.get("fallback_targets") or entry.settings.get("fallback_targets")
        others = [
            self._filled(entry, "fallback_targets", other, ports.environment)
            for other in (written if isinstance(written, list) else [])
            if isinstance(other, str)
        ]
        if others:
            provider = FallbackProvider(
                provider, others, lambda other: self._without_fallbacks(self.followed(other, ports.environment), ports)
            )
        judge = self.judge_name(name, ports.environment)
        return ResolvedTarget(name=name, kind=provider.kind, grader_target=judge, settings=entry.settings), provider

    def _without_fallbacks(self, entry: LoadedTargetEntry, ports: Ports) -> Provider:
        """The provider of an entry without fallbacks; its users share its limits. Raises Unscored."""
        if entry.name not in self._plain:
            self._plain[entry.name] = self._new(entry, ports)
        return self._plain[entry.name]

    def _new(self, entry: LoadedTargetEntry, ports: Ports) -> Provider:
        from rubric_core.evaluation.targets.providers.base import TargetLocation  # noqa: PLC0415
        from rubric_core.evaluation.targets.providers.policies import GuardedProvider, PricedProvider  # noqa: PLC0415
        from rubric_core.evaluation.targets.providers.transform import transform_provider  # noqa: PLC0415

        kind, read = self._read(entry, ports)
        unused = {**UNUSED, **kind.unused}
        self._notes.extend(
            ("", f"{entry.where(read.spelled(field_))}: ignored; {unused[field_]}")
            for field_ in (*read.shape.places, *read.idle)
            if field_ in unused and vars(read.shape).get(field_) is not False
        )
        self._notes.extend(
            (entry.name, f"{entry.where(read.spelled(name))}: ignored; {entry.name} answers no case itself")
            for name in _PLACE
            if read.shape.has(name)
        )
        own = {name: ports.environment[name] for name in kind.environment if name in ports.environment}
        own |= {name: str(value) for name, value in (read.shape.env or {}).items()}
        redact = Redactor.of([*read.values, *own.items(), *header_secrets(vars(read.shape).get("headers"))])
        target = (entry.home.path, entry.name)
        place = TargetLocation(
            entry.name, lambda key: entry.where(read.spelled(key)), self.directory, redact, entry.kind, own,
            self.rates.quiet_period(target),
        )  # fmt: skip
        try:
            provider = transform_provider(self._provider_of(kind, read.shape, place, ports), read.shape, place, ports)
        except ValueError as error:
            raise Unscored(redact(f"target {entry.name}: {error}")) from None
        prices = vars(read.shape).get("prices")
        provider = PricedProvider(provider, prices) if isinstance(prices, Prices) else provider
        delay = (self.pause if read.shape.delay is None else read.shape.delay) / 1000
        pace = self.rates.pace(target, read.shape.workers, delay)
        rate = self.rates.of(target, read.shape.requests_per_minute, read.shape.tokens_per_minute)
        return GuardedProvider(provider, redact, ports.clock, pace, rate)

    def _provider_of(self, kind: "ProviderKind[Any]", settings: Any, place: "TargetLocation", ports: Ports) -> Provider:
        """The provider of an entry, without the wrappers that all kinds share.

        Raises ValueError for conflicting settings.
        """
        return kind.make(settings, place, ports)

    def _read(self, entry: LoadedTargetEntry, ports: Ports) -> "tuple[ProviderKind[Any], ResolvedEntry]":
        """The kind of an entry and its settings. Raises Unscored."""
        if self.file is None:
            raise Unscored(self.trouble)
        if entry.name not in self._settled:
            kind, program = self._kind(entry, ports)
            read = resolve_entry(self.file, entry, ports.environment, program)
            refuse(read, entry)
            self._settled[entry.name] = (kind, read)
        return self._settled[entry.name]

    def _kind(self, entry: LoadedTargetEntry, ports: Ports) -> "tuple[ProviderKind[Any], list[str]]":
        """The kind of an entry, and its command when it is a custom program. Raises Unscored."""
        from rubric_core.evaluation.code.commands import program_argv  # noqa: PLC0415
        from rubric_core.evaluation.targets.providers import PROVIDERS, kind_named  # noqa: PLC0415
        from rubric_core.evaluation.targets.providers.cli import CLI  # noqa: PLC0415

        name = self._written_kind(entry)
        kind = kind_named(name)
        if kind is not None:
            return kind, []
        path = file_named(ports.files, "providers", name, self.directory) if name else None
        if path is not None:
            return CLI, [*program_argv(path, self.directory, ports, None), "{PROMPT}"]
        known = ", ".join(k.name for k in PROVIDERS)
        written = f"kind {name} is not supported by rubric" if name else "a target needs a `provider`"
        raise Unscored(
            f"target {entry.name}: {written}; it runs {known} ({entry.where('id' if entry.as_provider else 'provider')})"
        )

    def _written_kind(self, entry: LoadedTargetEntry) -> str:
        """The kind of an entry, or of the entry that it extends. Raises Unscored."""
        members = family(self.file, entry) if self.file is not None else [entry]
        return next((m.kind for m in members if m.kind), "")

    def _filled(self, entry: LoadedTargetEntry, key: str, text: str, environment: Mapping[str, str]) -> str:
        """A name of another target with the environment filled in. Raises Unscored."""
        for variable in environment_variables_in(text):
            if variable not in environment:
                raise Unscored(unset_message(variable, entry.where(key)))
        return ENVIRONMENT_REFERENCE.sub(lambda m: environment[m[1] or m[2]], text)


def load_targets(directory: Path, files: Files, given: Path | None = None) -> Targets:
    """The targets of the files around suites in `directory`; `given` is a file from the user. Never raises."""
    unusable = None if given is not None else unusable_targets(directory, files, current_directory())
    if unusable is not None:
        name, reason = unusable
        return Targets(directory, trouble=f"{name} cannot be read: {reason}")
    path = given or find_targets(directory, files, current_directory())
    near = [] if given is not None else configured_target_files(directory, files)
    if path is None and near:
        return Targets(directory, reduce(LoadedTargetFile.joined, near))
    if path is None:
        return Targets(
            directory,
            trouble=f"no targets.yaml in {directory.name or directory} or above it, so there is no target; {_HOW}",
        )
    try:
        file = whole_target_file(path, files, current_directory())
    except UnicodeDecodeError as error:
        return Targets(directory, trouble=f"{path.name} is not UTF-8 text: byte {error.start} cannot be read")
    except (OSError, ValueError) as error:
        return Targets(directory, trouble=f"{path.name} cannot be read: {getattr(error, 'strerror', None) or error}")
    if file.broken or (file.problems and not file.entries):
        span, message = file.broken or file.problems[0]
        return Targets(directory, trouble=f"{path.name}:{file.home.line(span)}: {message}")
    return Targets(directory, reduce(LoadedTargetFile.joined, near, file))
