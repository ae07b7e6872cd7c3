"""Between the protocol and everything else: the only file that reads lsprotocol values or builds what is sent.

Parameters arrive as lsprotocol's types, checked when they were structured. Results leave as plain JSON: building and
unstructuring thousands of attrs objects would take longer than finding out what is in them.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rubric_core.text import Edit, Position, Span, TextRange
from rubric_lsp.capabilities import Client
from rubric_lsp.features.blockwise import line_in_document
from rubric_lsp.features.code_actions import Action
from rubric_lsp.features.diagnostics import Problem
from rubric_lsp.features.hints import Hint
from rubric_lsp.features.lenses import Lens
from rubric_lsp.features.symbols import Symbol
from rubric_lsp.workspace import Change, Snapshot

if TYPE_CHECKING:
    from lsprotocol import types

    from rubric_core.analysis import LocalText
    from rubric_lsp.features.completion import Completion
    from rubric_lsp.features.folding import Fold
    from rubric_lsp.features.hover import HoverText
    from rubric_lsp.features.names import Name
    from rubric_lsp.features.tokens import Token

__all__ = [
    "arguments",
    "changes",
    "code_actions",
    "code_lenses",
    "completions",
    "diagnostics",
    "document_symbols",
    "folders",
    "hover",
    "inlay_hints",
    "offset",
    "progress_token",
    "uri",
    "within",
    "workspace_edit",
]  # fmt: skip

Json = dict[str, Any]
_SEVERITIES = {"error": 1, "warning": 2, "information": 3, "hint": 4}
_TAGS = {"unnecessary": 1, "deprecated": 2}
# Symbol kinds: Function, Property, Key.
_SYMBOLS = {"case": 12, "evaluator": 7, "criterion": 20}
# Completion kinds: Property, Class, EnumMember, Reference, File, Snippet.
_FOUND = {"case": 12, "target": 19}
_ITEMS = {"key": 10, "type": 7, "value": 20, "reference": 18, "file": 17, "snippet": 15}

# -- what comes in ------------------------------------------------------------------------------------------------------


def uri(params: Any) -> str:
    """The document that a request or notification is about."""
    return str(params.text_document.uri)


def opened(params: "types.DidOpenTextDocumentParams") -> tuple[str, str, int, str]:
    """URI, language id, version and text of a document."""
    document = params.text_document
    return (
        document.uri,
        str(getattr(document.language_id, "value", document.language_id)),
        document.version,
        document.text,
    )


def asked(snapshot: Snapshot, params: Any) -> str:
    """What a request was about, in words for the log. The text itself may be confidential."""
    at = getattr(params, "position", None) or getattr(getattr(params, "range", None), "start", None)
    place = f":{at.line + 1}:{at.character + 1}" if at is not None else ""
    return f"{snapshot.uri}{place} (version {snapshot.version})"


def offset(snapshot: Snapshot, params: Any) -> int:
    """Where a request points to."""
    return snapshot.offset(Position(params.position.line, params.position.character))


def _text_range(given: "types.Range") -> TextRange:
    return TextRange(Position(given.start.line, given.start.character), Position(given.end.line, given.end.character))


def within(snapshot: Snapshot, params: Any) -> Span:
    """The stretch that a request is about."""
    return snapshot.span(_text_range(params.range))


def changes(params: "types.DidChangeTextDocumentParams") -> list[Change]:
    """The steps of an edit."""
    ranges = (getattr(c, "range", None) for c in params.content_changes)
    return [
        Change(_text_range(r) if r is not None else None, c.text)
        for r, c in zip(ranges, params.content_changes, strict=True)
    ]


def folders(params: "types.DidChangeWorkspaceFoldersParams") -> tuple[dict[str, str], list[str]]:
    """The folders that were added, and those that were removed."""
    return {f.uri: f.name for f in params.event.added}, [f.uri for f in params.event.removed]


def changed_files(params: "types.DidChangeWatchedFilesParams") -> list[str]:
    """The files that were made, changed or deleted."""
    return [change.uri for change in params.changes]


def arguments(params: "types.ExecuteCommandParams") -> tuple[str, Sequence[Any]]:
    """A command and its arguments."""
    return params.command, params.arguments or ()


def progress_token(params: Any) -> int | str | None:
    """The token under which the client wants to see the progress of this very request."""
    token = getattr(params, "work_done_token", None)
    return token if isinstance(token, int | str) else None


def only_kinds(params: "types.CodeActionParams") -> list[str]:
    """The kinds of actions that are asked for; empty for all."""
    return [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]


def was_asked(params: "types.CodeActionParams") -> bool:
    """Whether a person asked, rather than the editor on its own account."""
    kind = params.context.trigger_kind
    return kind is None or kind.value == 1


# -- what goes out ------------------------------------------------------------------------------------------------------


def _position(at: Position) -> Json:
    return {"line": at.line, "character": at.character}


def _range(snapshot: Snapshot, span: Span) -> Json:
    start, end = snapshot.range(span)
    return {"start": _position(start), "end": _position(end)}


def diagnostics(snapshot: Snapshot, problems: Iterable[Problem], client: Client) -> list[Json]:
    """Problems, with what this client can show of them."""
    return [_diagnostic(snapshot, each, client) for each in problems]


def _diagnostic(snapshot: Snapshot, problem: Problem, client: Client) -> Json:
    made: Json = {
        "range": _range(snapshot, problem.span),
        "severity": _SEVERITIES[problem.severity],
        "code": problem.code,
        "source": problem.source,
        "message": problem.message,
    }
    if problem.url and client.code_description:
        made["codeDescription"] = {"href": problem.url}
    if problem.related and client.related_information:
        places = ({"uri": snapshot.uri, "range": _range(snapshot, note.span)} for note in problem.related)
        made["relatedInformation"] = [
            {"location": p, "message": n.message} for p, n in zip(places, problem.related, strict=True)
        ]
    tags = [_TAGS[t] for t in problem.tags if _TAGS[t] in client.diagnostic_tags]
    if tags:
        made["tags"] = tags
    if problem.fixes and client.diagnostic_data:
        made["data"] = {"fixes": list(problem.fixes)}
    return made


def text_edits(snapshot: Snapshot, edits: Iterable[Edit]) -> list[Json]:
    """Edits of one document."""
    return [{"range": _range(snapshot, e.span), "newText": e.new_text} for e in edits]


def workspace_edit(snapshot: Snapshot, edits: Iterable[Edit], client: Client) -> Json:
    """Edits of one document as they are applied on their own; with its version where the client checks that."""
    made = text_edits(snapshot, edits)
    if client.versioned_edits:
        return {
            "documentChanges": [{"textDocument": {"uri": snapshot.uri, "version": snapshot.version}, "edits": made}]
        }
    return {"changes": {snapshot.uri: made}}


def code_actions(
    snapshot: Snapshot, found: Iterable[Action], params: "types.CodeActionParams", client: Client
) -> list[Json]:
    """Actions of the kinds that are asked for; plain commands for a client that knows nothing else."""
    only = only_kinds(params)
    wanted = [a for a in found if not only or any(a.kind == k or a.kind.startswith(k + ".") for k in only)]
    if not client.action_literals:
        return [_command(snapshot, a.title, a.command, a.case_id) for a in wanted if a.command]
    given = {(str(d.code), d.range.start.line, d.range.start.character): d for d in params.context.diagnostics}
    return [_code_action(snapshot, a, given, client) for a in wanted]


def _code_action(snapshot: Snapshot, action: Action, given: Mapping[tuple[str, int, int], Any], client: Client) -> Json:
    made: Json = {"title": action.title, "kind": action.kind}
    if action.edits:
        made["edit"] = workspace_edit(snapshot, action.edits, client)
    if action.command:
        made["command"] = _command(snapshot, action.title, action.command, action.case_id)
    if action.preferred and client.preferred_actions:
        made["isPreferred"] = True
    at = snapshot.position(action.at.start) if action.at is not None else None
    solved = given.get((action.code, at.line, at.character)) if at is not None else None
    if solved is not None:
        made["diagnostics"] = [solved]
    return made


def _command(snapshot: Snapshot, title: str, command: str, case_id: str) -> Json:
    return {"title": title, "command": command, "arguments": [snapshot.uri, case_id] if case_id else [snapshot.uri]}


def code_lenses(snapshot: Snapshot, found: Iterable[Lens]) -> list[Json]:
    """Code lenses; none of them needs resolving."""
    return [
        {"range": _range(snapshot, n.span), "command": _command(snapshot, n.title, n.command, n.case_id)} for n in found
    ]


def inlay_hints(snapshot: Snapshot, found: Iterable[Hint]) -> list[Json]:
    """Inlay hints."""
    return [_inlay_hint(snapshot, hint) for hint in found]


def _inlay_hint(snapshot: Snapshot, hint: Hint) -> Json:
    made: Json = {"position": _position(snapshot.position(hint.offset)), "label": hint.label, "paddingLeft": True}
    if hint.tooltip:
        made["tooltip"] = hint.tooltip
    return made


def hover(snapshot: Snapshot, found: "HoverText | None", client: Client) -> Json | None:
    """A hover."""
    if found is None:
        return None
    kind = "markdown" if client.hover_markdown else "plaintext"
    return {"contents": {"kind": kind, "value": found.markdown}, "range": _range(snapshot, found.span)}


def completions(snapshot: Snapshot, found: "Iterable[Completion]", client: Client) -> Json:
    """Suggestions. The list is whole: editors narrow it down themselves while a person types."""
    return {"isIncomplete": False, "items": [_completion(snapshot, each, client) for each in found]}


def _completion(snapshot: Snapshot, item: "Completion", client: Client) -> Json:
    text = item.snippet if item.snippet and client.snippets else item.plain
    made: Json = {
        "label": item.label,
        "kind": _ITEMS[item.kind],
        "textEdit": {"range": _range(snapshot, item.span), "newText": text},
    }
    if text is item.snippet:
        made["insertTextFormat"] = 2
    if item.detail:
        made["detail"] = item.detail
    if item.documentation:
        kind = "markdown" if client.completion_markdown else "plaintext"
        made["documentation"] = {"kind": kind, "value": item.documentation}
    if item.deprecated:
        made |= {"tags": [1]} if client.deprecated_tag else {"deprecated": True}
    if item.sort:
        made["sortText"] = item.sort
    if item.filter:
        made["filterText"] = item.filter
    if item.extra:
        made["additionalTextEdits"] = text_edits(snapshot, item.extra)
    return made


def document_symbols(snapshot: Snapshot, found: Sequence[Symbol], client: Client) -> list[Json]:
    """The outline; flat for a client that cannot nest."""
    if client.nested_symbols:
        return [_symbol(snapshot, s) for s in found]
    return [made for s in found for made in _flat(snapshot, s, "")]


def _symbol(snapshot: Snapshot, symbol: Symbol) -> Json:
    made: Json = {
        "name": symbol.name,
        "kind": _SYMBOLS[symbol.kind],
        "range": _range(snapshot, symbol.span),
        "selectionRange": _range(snapshot, symbol.name_span),
    }
    if symbol.detail:
        made["detail"] = symbol.detail
    if symbol.children:
        made["children"] = [_symbol(snapshot, c) for c in symbol.children]
    return made


def _flat(snapshot: Snapshot, symbol: Symbol, inside: str) -> list[Json]:
    made: Json = {
        "name": symbol.name,
        "kind": _SYMBOLS[symbol.kind],
        "location": {"uri": snapshot.uri, "range": _range(snapshot, symbol.span)},
    }
    if inside:
        made["containerName"] = inside
    return [made, *(each for c in symbol.children for each in _flat(snapshot, c, symbol.name))]


def position(params: Any) -> Position:
    """Where a request points to, as the client counts."""
    return Position(params.position.line, params.position.character)


def positions(params: Any) -> list[Position]:
    """Where a request points to, in several places."""
    return [Position(p.line, p.character) for p in params.positions]


def location(snapshot: Snapshot, span: Span) -> Json:
    """A stretch of a document."""
    return {"uri": snapshot.uri, "range": _range(snapshot, span)}


def file_location(uri: str) -> Json:
    """The beginning of a file."""
    start = {"line": 0, "character": 0}
    return {"uri": uri, "range": {"start": start, "end": start}}


def highlights(snapshot: Snapshot, found: "Iterable[Name]") -> list[Json]:
    """Places where one thing is meant: written (3) where it is made, else read (2)."""
    return [{"range": _range(snapshot, n.span), "kind": 3 if n.defines else 2} for n in found]


def nameable(snapshot: Snapshot, name: "Name | None") -> Json | None:
    """A name that can be changed."""
    if name is None:
        return None
    return {"range": _range(snapshot, name.span), "placeholder": name.name}


def workspace_edits(edits: "Iterable[tuple[Snapshot, Sequence[Edit]]]", client: Client) -> Json:
    """Edits of several documents."""
    made = [(s, text_edits(s, e)) for s, e in edits]
    if client.versioned_edits:
        return {
            "documentChanges": [{"textDocument": {"uri": s.uri, "version": s.version}, "edits": e} for s, e in made]
        }
    return {"changes": {s.uri: e for s, e in made}}


def document_links(snapshot: Snapshot, found: Iterable[tuple[Span, str]]) -> list[Json]:
    """Links to files."""
    return [{"range": _range(snapshot, span), "target": target} for span, target in found]


def folding_ranges(found: "Iterable[tuple[LocalText, Sequence[Fold]]]") -> list[Json]:
    """Folds by whole lines, which every client can show."""
    return [_fold(local, fold) for local, folds in found for fold in folds]


def _fold(local: "LocalText", fold: "Fold") -> Json:
    made: Json = {"startLine": line_in_document(local, fold.first), "endLine": line_in_document(local, fold.last)}
    if fold.is_comment:
        made["kind"] = "comment"
    return made


def selection_range(snapshot: Snapshot, found: Sequence[Span]) -> Json:
    """Stretches, each inside the next."""
    made: Json = {}
    for span in reversed(found):
        made = {"range": _range(snapshot, span), **({"parent": made} if made else {})}
    return made


def token_lines(found: "Iterable[tuple[LocalText, Sequence[Token]]]") -> "list[tuple[int, Sequence[Token]]]":
    """Tokens with the line on which their block begins, in the order of the text."""
    placed: list[tuple[int, Sequence[Token]]] = []
    for local, tokens in found:
        if local.number >= 0:
            placed.append((local.analysis.document.first_line(local.number), tokens))
            continue
        # What stands below the cases comes last.
        above = [t for t in tokens if line_in_document(local, t.line) == t.line]
        placed.append((0, above))
        below = tokens[len(above) :]
        if below:
            placed.append((line_in_document(local, below[0].line) - below[0].line, below))
    return sorted(placed, key=lambda each: each[0])


def tokens_within(found: "list[tuple[int, Sequence[Token]]]", params: Any) -> "list[tuple[int, Sequence[Token]]]":
    """Those that touch the lines that are asked for."""
    first, last = params.range.start.line, params.range.end.line
    return [(start, [t for t in tokens if first <= start + t.line <= last]) for start, tokens in found if start <= last]


def struck(snapshot: Snapshot, spans: Iterable[Span]) -> set[tuple[int, int]]:
    """Line and column of stretches."""
    return {(p.line, p.character) for p in (snapshot.position(s.start) for s in spans)}


def token_edits(old: Sequence[int], new: Sequence[int]) -> list[Json]:
    """What changes one list of tokens into another."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    if start == len(old) == len(new):
        return []
    return [{"start": start, "deleteCount": len(old) - start - end, "data": list(new[start : len(new) - end])}]


def found_symbols(found: "Iterable[tuple[Snapshot, Name]]") -> list[Json]:
    """Names in several documents."""
    return [
        {"name": n.name, "kind": _FOUND[n.kind], "location": location(s, n.span), "containerName": _file_name(s)}
        for s, n in found
    ]


def _file_name(snapshot: Snapshot) -> str:
    return snapshot.path.name if snapshot.path is not None else snapshot.uri
