"""What judges said before, in a readable file beside the suite: for runs without a judge, and for repeatable ones.

A recording answers only the very question that it was made for. Everything that the judge was told is part of the key:
the prompt, the question, what a good answer achieves, the reference, the answer, the criterion. Weights, gates and the
id of a criterion are not, because a judge is not told of them. The file holds the parts of the key in full, so that a person
can read it, and write one.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
)

from rubric_core.evaluation.context import EvaluationScore
from rubric_core.evaluation.rubric import Check, Item
from rubric_core.evaluation.store import write_atomically
from rubric_core.ports import Files
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain import plain
from rubric_core.syntax.scalars import resolve

__all__ = ["HAND_WRITTEN", "Asked", "Made", "Recorded", "Recordings", "RecordingsError", "recordings_path"]

#: The judge of a recording that a person wrote.
HAND_WRITTEN = "hand-written"
_LARGEST = 50_000_000
#: Characters that YAML 1.1 takes for line breaks and YAML 1.2 does not.
_BREAKS = re.compile("[\x85\u2028\u2029\r]")
_HEAD = """\
# What a judge said about answers of {suite}. Made by `rubric run --record`, made anew by `--refresh`; read by `--replay`, and
# when no judge is configured.
# Edit a question, an answer or a criterion here or in the suite, and its recording is not used any more.
"""


class RecordingsError(Exception):
    """A file of recordings that cannot be read; the message names file and line."""


@dataclass(frozen=True, slots=True)
class Asked:
    """All that a judge was told, but for the criterion."""

    prompt: str
    question: str
    answer: str
    goal: str = ""
    reference: str = ""
    #: File changes and tool calls, when the judge saw some.
    more: str = ""


class Made(NamedTuple):
    """Where a recording comes from."""

    judge: str
    #: ISO 8601.
    day: str
    case: str
    evaluator: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """Something a judge said, and who and when that was."""

    judge: str
    made: str
    check: Check | None = None
    score: EvaluationScore | None = None

    @property
    def words(self) -> str:
        """For people: "recorded (hand-written)", "recorded (gpt-x, 2026-11-21)"."""
        return f"recorded ({self.judge}{f', {self.made}' if self.made and self.judge != HAND_WRITTEN else ''})"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


_Str = Annotated[StrictStr, BeforeValidator(lambda v: "" if v is None else v)]


class _Reply(_Part):
    satisfied: StrictBool | None = None
    score: Annotated[StrictInt, Field(ge=0, le=10)] | None = None
    reasoning: _Str = ""


class _Criterion(_Part):
    criterion: _Str = ""
    operator: _Str = "correctness"
    bands: dict[str, StrictStr] = {}
    reply: _Reply


class _FreeForm(_Part):
    score: Annotated[StrictFloat | StrictInt, Field(ge=0, le=1)]
    hits: list[StrictStr] = []
    misses: list[StrictStr] = []
    reasoning: _Str = ""


class _Entry(_Part):
    judge: StrictStr
    made: _Str = ""
    case: _Str = ""
    evaluator: _Str = ""
    prompt: StrictStr
    question: _Str = ""
    goal: _Str = ""
    reference: _Str = ""
    more: _Str = ""
    answer: _Str = ""
    criteria: list[_Criterion] = []
    reply: _FreeForm | None = None


class _File(_Part):
    version: StrictInt
    recordings: list[_Entry] = []


def recordings_path(suite: Path) -> Path:
    """Where the recordings of a suite are: `x.recordings.yaml` beside `x.eval.yaml`."""
    stem = suite.name
    for ending in (".eval.yaml", ".eval.yml", ".yaml", ".yml", ".jsonl"):
        if stem.lower().endswith(ending):
            stem = stem[: -len(ending)]
            break
    return suite.with_name(f"{stem}.recordings.yaml")


def _key(asked: Asked, criterion: Mapping[str, Any] | None) -> str:
    parts = [asked.prompt, asked.question, asked.goal, asked.reference, asked.more, asked.answer, criterion]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _criterion_key(item: Item, ranges: bool) -> dict[str, Any]:
    bands = {f"{low}-{high}": text for low, high, text in item.bands} if ranges else {}
    return {"criterion": item.text or item.id, "operator": item.operator, "bands": bands, "ranges": ranges}


@dataclass
class Recordings:
    """The recordings of one suite, in memory; `save` writes what was added."""

    path: Path
    entries: list[_Entry] = field(default_factory=list)
    _index: dict[str, list[tuple[_Entry, _Criterion | None]]] = field(default_factory=dict)
    changed: bool = False
    #: The judges and cases of which everything older is gone.
    _afresh: set[tuple[str, str]] = field(default_factory=set)

    @classmethod
    def beside(cls, suite: Path, files: Files) -> "Recordings":
        """The recordings of a suite; none when there is no file. Raises RecordingsError."""
        path = recordings_path(suite)
        made = cls(path)
        if files.is_file(path):
            try:
                text = files.read(path, _LARGEST).decode("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise RecordingsError(f"{path.name} cannot be read: {error}") from None
            for entry in _read(path, text).recordings:
                made.add(entry)
        return made

    def add(self, entry: _Entry) -> None:
        """Take one entry in."""
        self.entries.append(entry)
        for key, criterion in _keys(entry):
            self._index.setdefault(key, []).append((entry, criterion))

    def check(self, asked: Asked, item: Item, ranges: bool, judge: str | None) -> Recorded | None:
        """What was said about one criterion; by `judge` when one is named, else by the last one that was asked."""
        for entry, criterion in reversed(self._index.get(_key(asked, _criterion_key(item, ranges)), [])):
            if criterion is not None and judge in (None, entry.judge):
                reply = criterion.reply
                said = Check(reply.satisfied, reply.score, reply.reasoning, recorded=True)
                if (said.score if ranges else said.satisfied) is not None:
                    return Recorded(entry.judge, entry.made, check=said)
        return None

    def free_form(self, asked: Asked, judge: str | None) -> Recorded | None:
        """What was said about an answer as a whole."""
        for entry, _ in reversed(self._index.get(_key(asked, None), [])):
            if entry.reply is not None and judge in (None, entry.judge):
                said = entry.reply
                score = EvaluationScore(
                    score=float(said.score), hits=tuple(said.hits), misses=tuple(said.misses),
                    expected_aspect_count=len(said.hits) + len(said.misses) or 1, reasoning=said.reasoning or None,
                )  # fmt: skip
                return Recorded(entry.judge, entry.made, score=score)
        return None

    def record_checks(
        self, asked: Asked, checks: Sequence[tuple[Item, Check]], ranges: bool, made: Made, *, afresh: bool = False
    ) -> None:
        """Keep what a judge said about criteria, in place of what it said before.

        Args:
            asked: What the judge was told.
            checks: The criteria, each with what was said about it.
            ranges: Whether the judge gave numbers.
            made: Who said it, when, and about which case.
            afresh: Whether everything else that this judge said about the case before this run is to go.
        """
        criteria = []
        for item, check in checks:
            key = _criterion_key(item, ranges)
            said = {"score": check.score} if ranges else {"satisfied": check.satisfied}
            reply = _Reply.model_validate({**said, "reasoning": check.reasoning})
            criteria.append(
                _Criterion(criterion=key["criterion"], operator=key["operator"], bands=key["bands"], reply=reply)
            )
        self._replace(_entry(asked, made, criteria=criteria), afresh=afresh)

    def record_free_form(self, asked: Asked, score: EvaluationScore, made: Made, *, afresh: bool = False) -> None:
        """Keep what a judge said about an answer as a whole, in place of what it said before; see `record_checks`."""
        reply = _FreeForm(
            score=score.score,
            hits=list(score.hits),
            misses=list(score.misses),
            reasoning=score.reasoning or "",
        )
        self._replace(_entry(asked, made, reply=reply), afresh=afresh)

    def _replace(self, entry: _Entry, *, afresh: bool) -> None:
        """Add an entry; older ones of the same judge lose what it answers again."""
        if afresh and (entry.judge, entry.case) not in self._afresh:
            self._afresh.add((entry.judge, entry.case))
            for old in [e for e in self.entries if (e.judge, e.case) == (entry.judge, entry.case)]:
                self._remove(old)
        new = {key for key, _ in _keys(entry)}
        again = {id(old): old for key in new for old, _ in self._index.get(key, ()) if old.judge == entry.judge}
        for old in again.values():
            self._remove(old)
            left = [c for key, c in _keys(old) if c is not None and key not in new]
            if left:
                self.add(old.model_copy(update={"criteria": left}))
        self.add(entry)
        self.changed = True

    def _remove(self, old: _Entry) -> None:
        self.entries = [each for each in self.entries if each is not old]
        for key, _ in _keys(old):
            self._index[key] = [pair for pair in self._index.get(key, ()) if pair[0] is not old]

    def save(self, suite: str) -> None:
        """Write the file, at once or not at all. Raises OSError."""
        rows = [e.model_dump(exclude_defaults=True, exclude_none=True) for e in self.entries]
        write_atomically(self.path, _HEAD.format(suite=suite) + _yaml({"version": 1, "recordings": rows}))
        self.changed = False


def _entry(asked: Asked, made: Made, **rest: Any) -> _Entry:
    return _Entry(
        judge=made.judge, made=made.day, case=made.case, evaluator=made.evaluator, prompt=asked.prompt, question=asked.question, goal=asked.goal,
        reference=asked.reference, more=asked.more, answer=asked.answer, **rest,
    )  # fmt: skip


def _keys(entry: _Entry) -> Iterator[tuple[str, _Criterion | None]]:
    asked = Asked(entry.prompt, entry.question, entry.answer, entry.goal, entry.reference, entry.more)
    for each in entry.criteria:
        ranges = each.reply.score is not None
        yield (
            _key(
                asked,
                {
                    "criterion": each.criterion,
                    "operator": each.operator,
                    "bands": each.bands,
                    "ranges": ranges,
                },
            ),
            each,
        )
    if entry.reply is not None:
        yield _key(asked, None), None


def _read(path: Path, text: str) -> _File:
    tree = parse(text)
    if tree.problems:
        first = tree.problems[0]
        raise RecordingsError(f"{path.name}:{text.count(chr(10), 0, first.span.start) + 1}: {first.message}")
    try:
        read = _File.model_validate(plain(tree.root, tree.anchors))
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(p) for p in first_error["loc"])
        raise RecordingsError(f"{path.name}: {place}: {first_error['msg'].lower()}") from None
    if read.version != 1:
        raise RecordingsError(f"{path.name}: version {read.version} is not known; this rubric reads version 1")
    return read


def _yaml(value: Any) -> str:
    """YAML that people can read, and that YAML 1.2 reads back as it was."""
    import yaml  # noqa: PLC0415  # only who records needs it

    class Dumper(yaml.SafeDumper):
        """Long and many-lined texts as blocks."""

    def text(dumper: yaml.SafeDumper, content: str) -> yaml.ScalarNode:
        if _BREAKS.search(content) or (content and not isinstance(resolve(content), str)):
            style: str | None = '"'
        else:
            style = "|" if "\n" in content else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", content, style=style)

    Dumper.add_representer(str, text)
    return yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110)
