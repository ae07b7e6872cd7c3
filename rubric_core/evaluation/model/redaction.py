"""Redaction of secrets in everything that is shown or stored: errors, events, results, recordings."""

import base64
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import is_dataclass
from typing import Any, TypeVar

from rubric_core.address_passwords import address_passwords
from rubric_core.dataclass_copies import field_values, replace_fields
from rubric_core.evaluation.model.variables import every_variable, peek
from rubric_core.language.secret_names import looks_secret
from rubric_core.language.variables import environment_variables_in
from rubric_core.lazy_compilation import dataclass, replace
from rubric_core.ports import Finished, Http, HttpReply, NetworkError, Ports, Processes, Program
from rubric_core.redact_text import redact_text
from rubric_core.syntax.template_syntax import ANY_VARIABLE, environment_read

__all__ = [
    "GrowingRedactor",
    "Redactor",
    "header_credentials",
    "header_secrets",
    "named_variables",
    "names_in_text",
    "seal",
    "values_of",
]

#: What is shorter would also be part of ordinary words.
_SHORTEST = 6
_WITHOUT_TEXT = frozenset({int, float, bool, type(None)})

T = TypeVar("T")


class Redactor:
    """Takes secrets out of texts, and out of whatever has texts in it, in every form of `secret_forms`.

    Texts that were JSON are JSON afterwards, with the same structure.
    """

    def __init__(self, values: Iterable[str] = ()) -> None:
        self._secrets = tuple(sorted({v for v in values if len(v) >= _SHORTEST}, key=lambda v: (-len(v), v)))

    @classmethod
    def of(cls, values: Iterable[tuple[str, str]]) -> "Redactor":
        """For settings and variables with their values: the secret ones among them, and passwords in addresses."""
        pairs = list(values)
        inside = (part for _, value in pairs if "://" in value for part in address_passwords(value))
        named = [value.strip() for name, value in pairs if looks_secret(name)]
        return cls([*named, *(part for value in named for part in header_credentials(value)), *inside])

    @classmethod
    def in_texts(cls, texts: Iterable[str], environment: Mapping[str, str]) -> "Redactor":
        """For the variables that texts name."""
        return cls.of(named_variables(texts, environment))

    @property
    def secrets(self) -> tuple[str, ...]:
        """The secrets, the longest ones first."""
        return self._secrets

    def __bool__(self) -> bool:
        """Whether there is any secret."""
        return bool(self._secrets)

    def __call__(self, text: str) -> str:
        """`text` without secrets."""
        return redact_text(text, self._secrets)

    def raw(self, data: bytes) -> bytes:
        """`data` without secrets, whatever its encoding is."""
        if not self._secrets:
            return data
        text = data.decode("utf-8", "surrogateescape")
        found = self(text)
        return data if found is text else found.encode("utf-8", "surrogateescape")

    def raw_beginning(self, data: bytes) -> bytes:
        """The same for data that was cut somewhere: also without the beginning of a secret at its end."""
        found = self.raw(data)
        for secret in self._secrets:
            whole = secret.encode("utf-8", "replace")
            sizes = range(min(len(whole) - 1, len(found)), _SHORTEST // 2 - 1, -1)
            size = next((size for size in sizes if found.endswith(whole[:size])), 0)
            if size:
                return found[:-size] + b"***"
        return found

    def within(self, value: T) -> T:
        """The same without secrets, wherever in it they are: in strings, numbers, lists, names and values of mappings, dataclasses."""
        return self._any(value) if self._secrets else value

    def _any(self, value: Any) -> Any:
        kind = type(value)
        if kind is str:
            return self(value)
        if kind in _WITHOUT_TEXT:
            return value
        if kind is dict or isinstance(value, Mapping):
            return self._mapping(value)
        if kind is list:
            return [self._item(item) for item in value]
        if kind is tuple:
            return tuple(self._any(item) for item in value)
        if is_dataclass(value) and not isinstance(value, type):
            return self._record(value)
        return value

    def _mapping(self, value: Mapping[Any, Any]) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for name, item in value.items():
            shown = free = self(name) if type(name) is str else name
            number = 2
            while free in found:  # two names with secrets
                free, number = f"{shown} {number}", number + 1
            found[free] = self._item(item)
        return found

    def _item(self, value: Any) -> Any:
        """A value in plain data: numbers may be secrets there."""
        if type(value) is int or type(value) is float:
            return "***" if repr(value) in self._secrets else value
        return self._any(value)

    def _record(self, value: Any) -> Any:
        """A dataclass without secrets; the same object if it contains none, as nearly all do."""
        changed: dict[str, Any] = {}
        for name, item in field_values(value):
            made = self._any(item)
            if made is not item and made != item:
                changed[name] = made
        return replace(value, **changed) if changed else value


class GrowingRedactor(Redactor):
    """Takes out the secrets of all cases of a suite that have begun: they share its targets."""

    #: The one that was added last: most cases of a suite share theirs.
    _last: Redactor | None = None

    def __bool__(self) -> bool:
        """True: there may be secrets later."""
        return True

    def add(self, other: Redactor) -> None:
        """Take out the secrets of another one, too."""
        if other is self._last:
            return
        self._last = other
        if not set(other.secrets) <= set(self._secrets):
            self._secrets = Redactor((*self._secrets, *other.secrets)).secrets


def header_credentials(value: str) -> Iterator[str]:
    """`user:password` and the password in the value of an `Authorization` header, which holds them as base64."""
    scheme, _, encoded = value.rpartition(" ")
    if scheme.lower() not in ("", "basic"):
        return
    with suppress(ValueError):
        found = base64.b64decode(encoded, validate=True).decode()
        if ":" in found and found.isprintable():
            yield from (found, found.partition(":")[2])


def named_variables(texts: Iterable[str], environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The variables of the environment that texts name, with their values; all of it for a name that is computed."""
    return values_of({name for text in texts for name in names_in_text(text)}, environment)


def names_in_text(text: str) -> frozenset[str]:
    """The names of the environment variables that a text reads; `ANY_VARIABLE` is among them for one that is computed."""
    if "{{" not in text and "{%" not in text:
        return frozenset()
    return frozenset((*environment_variables_in(text), *(name for name, _ in environment_read(text))))


def values_of(names: Collection[str], environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The variables with these names that are set, with their values; all of them if `ANY_VARIABLE` is among the names."""
    if ANY_VARIABLE in names:
        yield from every_variable(environment)
    else:
        yield from ((name, value) for name in names if (value := peek(environment, name)) is not None)


def header_secrets(headers: object) -> Iterator[tuple[str, str]]:
    """The headers of a target by their names: each value whole, and without the scheme before its credentials."""
    for name, value in headers.items() if isinstance(headers, Mapping) else ():
        yield from ((str(name).replace("-", "_"), part) for part in (str(value), str(value).partition(" ")[2]))


def seal(ports: Ports, redact: Redactor) -> Ports:
    """The same ports with secrets redacted in the output of programs and servers, before it is processed."""
    if not redact:
        return ports
    return replace_fields(ports, processes=_Processes(ports.processes, redact), http=_Http(ports.http, redact))


@dataclass(frozen=True)
class _Processes:
    inner: Processes
    redact: Redactor

    async def run(self, program: Program) -> Finished:
        return self._sealed(await self.inner.run(program))

    async def serve(self, program: Program) -> Finished:
        return self._sealed(await self.inner.serve(program))

    def _sealed(self, finished: Finished) -> Finished:
        raw = self.redact.raw_beginning if finished.stopped else self.redact.raw
        return replace(finished, stdout=raw(finished.stdout), stderr=raw(finished.stderr))


@dataclass(frozen=True)
class _Http:
    inner: Http
    redact: Redactor

    async def post(
        self, url: str, headers: Mapping[str, str], body: bytes, *, time_limit: float, size_limit: int
    ) -> HttpReply:
        with self._sealed_errors():
            reply = await self.inner.post(url, headers, body, time_limit=time_limit, size_limit=size_limit)
        return self._sealed(reply)

    async def get(self, url: str, *, time_limit: float, size_limit: int) -> HttpReply:
        with self._sealed_errors():
            reply = await self.inner.get(url, time_limit=time_limit, size_limit=size_limit)
        return self._sealed(reply)

    async def request(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, *, time_limit: float, size_limit: int
    ) -> HttpReply:
        with self._sealed_errors():
            reply = await self.inner.request(method, url, headers, body, time_limit=time_limit, size_limit=size_limit)
        return self._sealed(reply)

    async def exchange(
        self,
        url: str,
        headers: Mapping[str, str],
        message: str,
        protocols: Sequence[str],
        *,
        time_limit: float,
        size_limit: int,
    ) -> str | bytes:
        with self._sealed_errors():
            reply = await self.inner.exchange(
                url, headers, message, protocols, time_limit=time_limit, size_limit=size_limit
            )
        return self.redact(reply) if isinstance(reply, str) else self.redact.raw(reply)

    @contextmanager
    def _sealed_errors(self) -> Iterator[None]:
        try:
            yield
        except NetworkError as error:
            raise NetworkError(self.redact(str(error)), transient=error.transient, timed_out=error.timed_out) from None

    def _sealed(self, reply: HttpReply) -> HttpReply:
        return HttpReply(reply.status, self.redact.within(reply.headers), self.redact.raw(reply.body))
