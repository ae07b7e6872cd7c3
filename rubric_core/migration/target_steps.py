"""Steps of targets files: the list gets a key, settings come up and go down again, targets become providers."""

import re
from collections.abc import Iterator

from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.file_kinds import FileKind
from rubric_core.language.targets import Entry as TargetEntry
from rubric_core.language.targets import Provider, Target, TargetFile
from rubric_core.migration.draft import Draft, ShapedMapping
from rubric_core.migration.group_keys import all_or_none, comments_left, group_under
from rubric_core.migration.moves import dash_of, piece_of, replace_entry, take_out_entry
from rubric_core.migration.step import EditGroup, MigrationNote, MigrationStep, Work
from rubric_core.syntax.collection_edits import line_start
from rubric_core.syntax.edit import rename_key, replace_value
from rubric_core.syntax.tree import Entry, Mapping, Scalar, Sequence
from rubric_core.text import Edit, Span

__all__ = ["TARGETS_INTO"]

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]+\Z")
#: Names of kinds that were dropped, with the names that remain; the author has to decide about other kinds.
_KINDS = {"azure-openai": "azure", "google": "gemini", "google-gemini": "gemini", "copilot_sdk": "copilot-sdk"}
#: What `stream_log` says for the formats of logs, as agentv 4.42 translates them (`resolveStreamLog`).
_STREAMED = {"json": "raw", "summary": "summary"}


def _keyed(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Put the bare list of the first releases under `targets`."""
    root = draft.tree.root
    if not isinstance(root, Sequence) or not root.items:
        return
    if root.flow:
        yield MigrationNote(root.span.start, "this list belongs under `targets`")
        return
    at = dash_of(draft, root.items[0])
    start = line_start(draft.text, at)
    yield EditGroup((Edit(Span(start, start), f"$schema: agentv-targets-v2{draft.newline}targets:{draft.newline}"),))


def _variables(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Write settings in capitals, which were names of environment variables, as `${{ NAME }}`."""
    for site in draft.of(TargetEntry):
        settings = site.value("settings")
        for entry in settings.entries if isinstance(settings, Mapping) else ():
            if isinstance(entry.value, Scalar) and _VARIABLE.match(entry.value.text):
                yield EditGroup((replace_value(entry.value, f"${{{{ {entry.value.text} }}}}"),))


def _flat(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Move settings beside the name."""
    for site in draft.of(TargetEntry):
        entry = site.own("settings")
        inner = entry.value if entry is not None else None
        if entry is None or not isinstance(inner, Mapping):
            continue
        names = {e.name for e in site.node.entries}
        pieces = [piece_of(draft, inner, each) for each in inner.entries]
        if names & {e.name for e in inner.entries} or not pieces:
            yield MigrationNote(
                entry.key.span.start, "these settings belong beside the name, where some of them are already"
            )
            continue
        head = comments_left(draft, site.node, entry, inner, *inner.entries)
        text = head + (", ".join(p.strip() for p in pieces) if site.node.flow else "".join(pieces))
        yield all_or_none([replace_entry(draft, site.node, entry, text)]) or MigrationNote(
            entry.key.span.start, "these settings belong beside the name"
        )


def _providers(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Rename targets to providers: the kind is `id`, the name `label`, and settings are under `config`."""
    for site in draft.of(TargetFile):
        entry = site.own("targets")
        if entry is not None and site.entry("providers") is None:
            yield EditGroup((rename_key(entry, draft.target.spelled(TargetFile, "providers") or "providers"),))


def _configured(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    for site in draft.of(TargetEntry):
        under = draft.target.spelled(site.shape, "settings") or "config"
        entries = [
            (entry, entry.name)
            for entry in site.node.entries
            if entry.name is not None and entry.name != under and _is_setting(site, entry)
        ]
        if entries:
            yield from group_under(draft, site, entries, under)


def _is_setting(site: ShapedMapping, entry: Entry) -> bool:
    field = site.field_of(entry)
    return bool(field) and field not in TargetEntry.keys


def _kinds(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Kinds under the one name that is left."""
    for site in draft.of(TargetEntry):
        entry = site.own("provider")
        if entry is None or not isinstance(entry.value, Scalar):
            continue
        name = entry.value.text
        base = Target if issubclass(site.shape, Target) else Provider
        known = draft.target.type_of(name, base)
        if name in _KINDS:
            yield EditGroup((replace_value(entry.value, _KINDS[name]),))
        elif known is not None and "write" in known.note:
            leaving = (
                f"`{name}` is about to leave"
                if known.fate is SpellingStatus.LEAVING
                else f"agentv-5 does not take `{name}`"
            )
            yield MigrationNote(entry.key.span.start, f"{leaving}: {known.note}")


def _marks(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Nothing says the version of a file any more."""
    for site in draft.of(TargetFile):
        for field in ("schema", "version"):
            entry = site.own(field)
            if entry is not None:
                change = all_or_none([take_out_entry(draft, site.node, entry)])
                yield change or MigrationNote(entry.key.span.start, "nothing says the version of a file any more")


def _logs(draft: Draft) -> Iterator[MigrationNote]:
    """How a log is written became whether it is shown: the one does not say the other."""
    for site in draft.of(TargetEntry):
        settings = site.value("settings")
        for entry in settings.entries if isinstance(settings, Mapping) else ():
            if entry.name in ("log_format", "log_output_format"):
                yield MigrationNote(
                    entry.key.span.start,
                    f"agentv-5 refuses `{entry.name}`: `stream_log` says whether the log is shown while it runs",
                )


def _streamed(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """Say `stream_log` where the newest release of the dialect refuses the format of the log, and name other such settings."""
    for site in draft.of(TargetEntry):
        for entry in site.node.entries:
            known = draft.target.table(site.shape).get(entry.name or "")
            if known is None or known.fate is not SpellingStatus.REFUSED:
                continue
            value = entry.value.text.strip().lower() if isinstance(entry.value, Scalar) else ""
            if known.field == "log_format" and value in _STREAMED and site.entry("stream_log") is None:
                yield EditGroup((rename_key(entry, "stream_log"), replace_value(entry.value, _STREAMED[value])))
            else:
                yield MigrationNote(
                    entry.key.span.start,
                    f"agentv {known.refused_from} and later refuse `{entry.name}`: {known.note}",
                )


def _place(draft: Draft) -> Iterator[MigrationNote]:
    root = draft.tree.root
    if root is not None:
        yield MigrationNote(
            root.span.start,
            "agentv-5 looks for providers in a file `.agentv/providers.yaml`: rename this one",
            file=".",
        )


def _step(title: str, work: Work, *, before_all: bool = False) -> MigrationStep:
    return MigrationStep(title, work, frozenset({FileKind.TARGETS}), before_all)


#: The steps of targets files on the way into each dialect.
TARGETS_INTO: dict[str, tuple[MigrationStep, ...]] = {
    "agentv-0.5": (
        _step("Write words of capitals as `${{ NAME }}`", _variables, before_all=True),
        _step("Put the list of targets under a key", _keyed),
    ),
    "agentv-1": (_step("Write settings beside the name", _flat),),
    "agentv-3": (_step("Say whether the log is shown while a target runs", _streamed),),
    "agentv-5": (
        _step("Name the file that providers are looked for in", _place, before_all=True),
        _step("Write targets as providers", _providers),
        _step("Put settings under `config`", _configured),
        _step("Name formats of logs", _logs),
        _step("Write kinds under the name that is left", _kinds),
        _step("Take out marks of the version", _marks),
    ),
}
