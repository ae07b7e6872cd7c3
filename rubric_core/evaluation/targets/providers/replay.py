"""Replays recorded answers: rows of earlier results, one JSON object per line or a list of objects."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rubric_core.evaluation.targets.providers.answer_reader import read_answer
from rubric_core.evaluation.targets.providers.base import ProviderKind, TargetLocation
from rubric_core.language.providers import Replay
from rubric_core.lazy_compilation import dataclass, field
from rubric_core.loading.directory_search import current_directory, find_file
from rubric_core.ports import Answer, Ports, ProviderError, Request

__all__ = ["REPLAY"]

_LARGEST = 200_000_000
_SOURCES = ("fixtures", "execution_traces", "transcripts")
#: The keys of a row for its case and so on, in all releases.
_CASE = ("test_id", "id", "eval_id", "case", "case_id")
_TARGET = ("target", "source_target", "target_used")
_SUITE = ("suite", "dataset")


@dataclass
class _Replay:
    name: str
    settings: Replay
    place: TargetLocation
    ports: Ports
    path: Path
    source: str
    kind: str = "replay"
    _rows: Sequence[Mapping[str, Any]] | None = None
    _reading: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def identity(self) -> str:
        return f"replay:{self.settings.source_target}"

    async def ask(self, request: Request) -> Answer:
        async with self._reading:
            if self._rows is None:
                self._rows = [row for row in self._read() if self._is_selected(row)]
        rows = [row for row in self._rows if _first(row, _CASE) == request.case_id]
        # The second run of a case uses its second recording, and so on; after the last recording, that one is repeated.
        answer = read_answer(rows[min(request.attempt, len(rows)) - 1]) if rows else None
        if answer is None:
            where = self.place.where(self.source)
            what = (
                "the recording has no answer"
                if rows
                else f"there is no recorded answer of {self.settings.source_target}"
            )
            raise ProviderError(f"{what} for case {request.case_id} in {self.path.name} ({where})")
        return answer

    def _read(self) -> Sequence[Mapping[str, Any]]:
        where = self.place.where(self.source)
        try:
            text = self.ports.files.read(self.path, _LARGEST).decode("utf-8")
        except UnicodeDecodeError:
            raise ProviderError(f"{self.path.name} is not UTF-8 text ({where})") from None
        except OSError as error:
            raise ProviderError(f"{self.path.name} cannot be read: {error.strerror or error} ({where})") from None
        try:
            whole = json.loads(text) if text.lstrip().startswith("[") else None
        except (ValueError, RecursionError) as error:
            raise ProviderError(f"{self.path.name} is not JSON: {error} ({where})") from None
        rows = whole if isinstance(whole, list) else self._lines(text, where)
        return [row for row in rows if isinstance(row, dict)]

    def _lines(self, text: str, where: str) -> list[Any]:
        rows = []
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            try:
                rows.append(json.loads(line))
            except (ValueError, RecursionError):
                raise ProviderError(f"{self.path.name}:{number} is not a JSON object ({where})") from None
        return rows

    def _is_selected(self, row: Mapping[str, Any]) -> bool:
        wanted = (
            (_TARGET, self.settings.source_target),
            (_SUITE, self.settings.suite),
            (("eval_path",), self.settings.eval_path),
            (("variant",), self.settings.variant),
        )
        return all(value is None or _first(row, names) in (None, value) for names, value in wanted)


def _first(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((row[name] for name in names if row.get(name) is not None), None)


def _make(settings: Replay, place: TargetLocation, ports: Ports) -> _Replay:
    named = [name for name in _SOURCES if settings.has(name)]
    if len(named) != 1:
        raise ValueError(f"replay targets need one of {', '.join(f'`{s}`' for s in _SOURCES)} ({place.where('')})")
    written = str(getattr(settings, named[0]))
    path = find_file(written, place.directory, ports.files, current_directory())
    if path is None:
        raise ValueError(f"the file {written} is not there ({place.where(named[0])})")
    return _Replay(place.name, settings, place, ports, path, named[0])


REPLAY = ProviderKind(("replay",), Replay, _make)
