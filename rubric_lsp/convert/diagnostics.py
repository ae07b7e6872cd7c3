"""Diagnostics as the client supports them."""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import TYPE_CHECKING

from rubric_core.analysis import Language
from rubric_core.analysis.finding_list import in_order, shift_findings
from rubric_core.control_characters import mask
from rubric_core.loading.files import UnreadableError
from rubric_core.text import Span
from rubric_core.validation.rule import Diagnostic
from rubric_lsp.convert.positions import range_of
from rubric_lsp.documents.block_answers import RelativePlaces
from rubric_lsp.documents.snapshot import Snapshot
from rubric_lsp.features.deferred_findings import Numbered, leave_out_deferred
from rubric_lsp.features.diagnostics import CHECKED, UNREADABLE, DiagnosticEntry, listing
from rubric_lsp.protocol.capabilities import Client
from rubric_lsp.protocol.json_array import JsonArray, json_text

if TYPE_CHECKING:
    from rubric_core.analysis import LocalText
    from rubric_lsp.protocol.wire_types.diagnostics import Diagnostic as WireDiagnostic
    from rubric_lsp.protocol.wire_types.diagnostics import DiagnosticSeverity, DiagnosticTag
    from rubric_lsp.protocol.wire_types.documents import Position, Range

__all__ = ["diagnostics", "findings", "unreadable"]

_SEVERITIES: dict[str, "DiagnosticSeverity"] = {"error": 1, "warning": 2, "information": 3, "hint": 4}
_TAGS: dict[str, "DiagnosticTag"] = {"unnecessary": 1, "deprecated": 2}
#: The maximum number of findings per file: VS Code lists a thousand, and a line of 2 MB can have 400,000.
_MOST = 10_000


def diagnostics(snapshot: Snapshot, problems: Iterable[DiagnosticEntry], client: Client) -> list["WireDiagnostic"]:
    """Diagnostics with the parts that this client supports."""
    return [_diagnostic(partial(range_of, snapshot), snapshot.uri, each, client) for each in problems]


def findings(snapshot: Snapshot, without: Collection[Numbered], client: Client) -> JsonArray:
    """The findings in the order of the text, except those with these numbers."""
    found, document = leave_out_deferred(snapshot.analysis.listed, without), snapshot.document
    hidden = found.amount - _MOST
    if hidden > 0:
        found = found.worst(_MOST)
    loose: dict[int, list[Diagnostic]] = {}
    for each in found.loose:
        loose.setdefault(document.block_at(each.span.start), []).append(each)
    keys = found.blocks or [()] * len(document.blocks)
    if loose:
        keys = [*keys]
        for number in loose:
            keys[number] = ()
    about = (snapshot.uri, client, snapshot.analysis.language)
    pieces = [*snapshot.by_block(_findings, keys, about=about).cases]
    for number, some in loose.items():
        here = [shift_findings(each, document.start(number)) for each in (found.blocks[number] if found.blocks else ())]
        problems = listing(in_order([*here, *some]), snapshot.analysis.language)
        pieces[number] = ",".join(map(json_text, diagnostics(snapshot, problems, client)))
    if hidden > 0:
        pieces.append(json_text(_hidden(hidden)))
    return JsonArray(pieces)


def unreadable(error: UnreadableError) -> "WireDiagnostic":
    """What is wrong with a closed file that is no text in UTF-8, at the line that it is about."""
    place: Position = {"line": (error.line or 1) - 1, "character": 0}
    return {
        "range": {"start": place, "end": place},
        "severity": _SEVERITIES["error"],
        "code": UNREADABLE,
        "source": CHECKED,
        "message": mask(error.reason),
    }


def _hidden(amount: int) -> "WireDiagnostic":
    """A diagnostic that counts the findings that are not listed: nothing is left out silently."""
    place: Position = {"line": 0, "character": 0}
    words = f"{amount:,} further findings are not shown; `rubric check` lists all of them"
    return {
        "range": {"start": place, "end": place},
        "severity": _SEVERITIES["information"],
        "code": "findings-not-shown",
        "source": CHECKED,
        "message": words,
    }


def _findings(
    _: "LocalText", places: RelativePlaces, found: tuple[Diagnostic, ...], about: tuple[str, Client, Language]
) -> list["WireDiagnostic"]:
    """The findings of a block, at offsets of the block."""
    uri, client, language = about
    return [_diagnostic(places.range, uri, each, client) for each in listing(found, language)]


def _diagnostic(
    place: Callable[[Span], "Range"], uri: str, problem: DiagnosticEntry, client: Client
) -> "WireDiagnostic":
    made: WireDiagnostic = {
        "range": place(problem.span),
        "severity": _SEVERITIES[problem.severity],
        "code": problem.code,
        "source": problem.source,
        "message": mask(problem.message),
    }
    if problem.url and client.code_description:
        made["codeDescription"] = {"href": problem.url}
    if problem.related and client.related_information:
        made["relatedInformation"] = [
            {"location": {"uri": uri, "range": place(note.span)}, "message": mask(note.message)}
            for note in problem.related
        ]
    tags = [_TAGS[t] for t in problem.tags if _TAGS[t] in client.diagnostic_tags]
    if tags:
        made["tags"] = tags
    if problem.fixes and client.diagnostic_data:
        made["data"] = {"fixes": [mask(title) for title in problem.fixes]}
    return made
