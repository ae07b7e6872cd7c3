"""The route from a dialect to a newer one: from each to its successor, each in a few steps."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath

from rubric_core.analysis import Language, stated_dialect
from rubric_core.language.detect_dialect import modeline
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.file_kinds import FileKind
from rubric_core.lazy_compilation import replace
from rubric_core.migration.draft import Reader
from rubric_core.migration.prompt_variables import rename_variables
from rubric_core.migration.rename_steps import rename_steps
from rubric_core.migration.step import MigrationNote, MigrationState, MigrationStep
from rubric_core.migration.target_steps import TARGETS_INTO
from rubric_core.migration.to_agentv_0_5 import TO_AGENTV_0_5
from rubric_core.migration.to_agentv_1 import TO_AGENTV_1
from rubric_core.migration.to_agentv_2_7 import TO_AGENTV_2_7
from rubric_core.migration.to_agentv_3 import TO_AGENTV_3
from rubric_core.migration.to_agentv_5 import TO_AGENTV_5
from rubric_core.syntax.edit import newline_of
from rubric_core.syntax.parse import parse
from rubric_core.syntax.plain_data import plain
from rubric_core.text import Edit, Span, apply_edits

__all__ = ["MigratedText", "NotMigratableError", "migrate", "steps_into", "titles", "with_final_newline"]

#: The steps into each dialect, in order; types and keys are renamed at the end of every route.
_WAYS: Mapping[str, Sequence[MigrationStep]] = {
    "agentv-0.5": TO_AGENTV_0_5,
    "agentv-1": TO_AGENTV_1,
    "agentv-2.7": TO_AGENTV_2_7,
    "agentv-3": TO_AGENTV_3,
    "agentv-5": TO_AGENTV_5,
}


#: A byte order mark, which is not part of the YAML.
_MARK = "\ufeff"
_MODELINE = re.compile(r"^[ \t]*#[ \t]*rubric:[^\r\n]*?\bdialect[ \t]*=[ \t]*(?P<name>[\w.-]+)", re.MULTILINE)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class NotMigratableError(Exception):
    """A text cannot be migrated; the message says why."""

    def __init__(self, offset: int, words: str) -> None:
        super().__init__(words)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class MigratedText:
    """A migrated text, with notes on what could not be migrated, at offsets of that text."""

    text: str
    notes: tuple[MigrationNote, ...] = ()


def migrate(
    text: str,
    source: str,
    target: str,
    *,
    kind: FileKind = FileKind.SUITE,
    read: Reader = lambda _: None,
    path: PurePath | None = None,
) -> MigratedText:
    """Migrate a text from one dialect to a newer one.

    Args:
        text: The text; its comments and everything that means the same in both dialects stay.
        source: The name of the dialect that it is in.
        target: The name of the dialect to write.
        kind: What kind of file it is.
        read: Gives the text of a file that it refers to, by the path as written, or None.
        path: Where the file is, as far as that tells its dialect.

    Raises NotMigratableError for a text that is no YAML, and KeyError for a name that is no dialect of AgentV's.
    """
    if kind is FileKind.PROMPT:
        return MigratedText(rename_variables(text, [new.name for _, new in _hops(source, target)]))
    if kind is FileKind.DATASET:
        return _lines(text, source, target, read)
    tree = parse(text)
    broken = next(iter(tree.problems), None)
    if broken is not None:
        raise NotMigratableError(broken.span.start, broken.message)
    body = text.lstrip(_MARK)  # editors and scripts write several, which are read as one
    mark = text[: len(text) - len(body)]
    progress = MigrationState(with_final_newline(body), kind, read)
    if with_final_newline(body) == text:
        progress.tree = tree
    for old, new in _hops(source, target):
        for step in steps_into(new, kind):
            progress.make(step, old, new)
    if kind is FileKind.SUITE and source != target:
        _mark_dialect(progress, target, path)
    added = len(with_final_newline(body)) - len(body)
    made = progress.text[: len(progress.text) - added]
    notes = (replace(note, offset=note.offset + len(mark)) for note in progress.notes)
    return MigratedText(mark + made, tuple(dict.fromkeys(sorted(notes, key=lambda n: (n.offset, n.words)))))


def _lines(text: str, source: str, target: str, read: Reader) -> MigratedText:
    """Migrate a data set line by line: each line is one case and stays JSON."""
    done, notes, at = "", list[MigrationNote](), 0
    for line in _LINE.findall(text):
        body = line.strip()
        if not body:
            done, at = done + line, at + len(line)
            continue
        try:
            made = migrate(body, source, target, kind=FileKind.CASE, read=read)
        except NotMigratableError as error:
            raise NotMigratableError(at + error.offset, str(error)) from None
        start = len(done) + line.index(body)
        notes += (replace(note, offset=start) for note in made.notes)
        done += line.replace(body, _as_json(made.text), 1)
        at += len(line)
    return MigratedText(done, tuple(dict.fromkeys(notes)))


def _as_json(text: str) -> str:
    """The text where it is JSON; what was put in is YAML, which JSON writes with more quotes."""
    try:
        json.loads(text)
    except ValueError:
        return json.dumps(plain(parse(text).root, {}), ensure_ascii=False)
    return text


def with_final_newline(text: str) -> str:
    """The text with a line break at its end, which edits of whole lines rely on."""
    return text if not text or text.endswith(("\n", "\r")) else text + newline_of(text)


def _hops(source: str, target: str) -> list[tuple[Dialect, Dialect]]:
    names = [dialect.name for dialect in DIALECTS]
    for name in (source, target):
        if name not in names:
            raise KeyError(name)
    way = DIALECTS[names.index(source) : names.index(target) + 1]
    return list(pairwise(way))


def steps_into(dialect: Dialect, kind: FileKind) -> Iterator[MigrationStep]:
    """The steps that migrate a kind of file into a dialect, in order."""
    every = (*_WAYS[dialect.name], *TARGETS_INTO.get(dialect.name, ()), *rename_steps(dialect))
    return (step for step in every if kind in step.kinds)


def _with_modeline(text: str, name: str, newline: str) -> str:
    """The text with a modeline naming the dialect; an existing modeline is updated."""
    found = _MODELINE.search(text)
    if found is not None and modeline(text) == found["name"]:
        return apply_edits(text, [Edit(Span(*found.span("name")), name)])
    return f"# rubric: dialect={name}{newline}{text}"


def _mark_dialect(progress: MigrationState, target: str, path: PurePath | None) -> None:
    """Add or update the dialect marker if the text would be detected as, or declares, another dialect."""
    said = modeline(progress.text)
    if (said or stated_dialect(progress.text, Language(), path).name) != target:
        before = len(progress.text)
        progress.text = _with_modeline(progress.text, target, newline_of(progress.text))
        shift = len(progress.text) - before
        progress.notes = [replace(note, offset=note.offset + shift) for note in progress.notes]


def titles(name: str) -> list[str]:
    """The titles of the steps that migrate suites into a dialect."""
    dialect = next(d for d in DIALECTS if d.name == name)
    return list(dict.fromkeys(s.title for s in steps_into(dialect, FileKind.SUITE))) if name in _WAYS else []
