"""The recordings file: its entries, and how it is read and first written."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

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

from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.scalars import resolve
from rubric_core.syntax.tree import SyntaxTree

__all__ = [
    "BREAKS",
    "RecordedCriterion",
    "RecordedEntry",
    "RecordedReply",
    "RecordedWhole",
    "RecordingsError",
    "dump_yaml",
    "entries_in",
    "row_of",
    "whole_file",
]  # fmt: skip

_VERSION = 1
#: Characters that YAML 1.1 takes for line breaks and YAML 1.2 does not.
BREAKS = re.compile("[\x85\u2028\u2029\r]")
HEAD = """\
# What a judge said about answers of {suite}. Made by `rubric run --record`, made anew by `--refresh`; read by `--replay`, and
# when no judge is configured.
# If you edit a question, an answer or a criterion here or in the suite, its recording is no longer used.
"""


class RecordingsError(Exception):
    """An unreadable recordings file; the message names file and line."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)


def _text(value: object) -> object:
    """A text that YAML can hold, without lone surrogates; None becomes the empty text."""
    return "" if value is None else value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


_Str = Annotated[StrictStr, BeforeValidator(_text)]


class RecordedReply(_Part):
    """The reply of a judge about a criterion."""

    satisfied: StrictBool | None = None
    score: Annotated[StrictInt, Field(ge=0, le=10)] | None = None
    reasoning: _Str = ""


class RecordedCriterion(_Part):
    """A criterion as the judge saw it, and the reply."""

    criterion: _Str = ""
    operator: _Str = "correctness"
    bands: dict[str, StrictStr] = {}
    reply: RecordedReply


class RecordedWhole(_Part):
    """The reply of a judge about an answer as a whole; the score is 0..1."""

    score: Annotated[StrictFloat | StrictInt, Field(ge=0, le=1)]
    hits: list[_Str] = []
    misses: list[_Str] = []
    reasoning: _Str = ""


class RecordedEntry(_Part):
    """One reply of a judge with all of its inputs."""

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
    criteria: list[RecordedCriterion] = []
    reply: RecordedWhole | None = None


class _File(_Part):
    version: StrictInt
    recordings: list[RecordedEntry] = []


def entries_in(path: Path, text: str, tree: SyntaxTree | None = None) -> list[RecordedEntry]:
    """The entries of a file; `tree` is its parsed text, if available. Raises RecordingsError."""
    tree = tree or parse(text)
    if tree.problems:
        first = tree.problems[0]
        raise RecordingsError(f"{path.name}:{text.count(chr(10), 0, first.span.start) + 1}: {first.message}")
    written = plain(tree.root, tree.anchors)
    if not isinstance(written, dict):
        what = "this file is empty" if written in (None, "") else "this is not a file of recordings"
        raise RecordingsError(f"{path.name}: {what}; remove it, and the next run that records makes a new one")
    version = written.get("version")
    # Checked first: the file of a later version may have other keys, too.
    if isinstance(version, int) and version != _VERSION:
        raise RecordingsError(f"{path.name}: version {version} is not supported; this rubric reads version {_VERSION}")
    try:
        return _File.model_validate(written).recordings
    except ValidationError as error:
        first_error = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(p) for p in first_error["loc"])
        raise RecordingsError(f"{path.name}: {place}: {first_error['msg'].lower()}") from None


def row_of(model: BaseModel) -> dict[str, Any]:
    """The keys to write for a part, without empty ones."""
    return model.model_dump(exclude_defaults=True, exclude_none=True)


def whole_file(entries: Sequence[RecordedEntry], suite: str) -> str:
    """The text of a new file with these entries; its header names `suite`."""
    return HEAD.format(suite=suite) + dump_yaml({"version": _VERSION, "recordings": [row_of(each) for each in entries]})


def dump_yaml(value: Any) -> str:
    """Readable YAML that a YAML 1.2 parser reads back unchanged."""
    import yaml  # noqa: PLC0415  # only who records needs it

    class Dumper(yaml.SafeDumper):
        """Writes long and multi-line texts as block scalars."""

    def text(dumper: yaml.SafeDumper, content: str) -> yaml.ScalarNode:
        if BREAKS.search(content) or (content and not isinstance(resolve(content), str)):
            style: str | None = '"'
        else:
            style = "|" if "\n" in content else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", content, style=style)

    Dumper.add_representer(str, text)
    return yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=110)
