"""A record of every answer that an editor gets about some files: each answer once, with all the places that have it.

A place is `line:column` from 1, a range `4:3-9` or `4:3-6:1`; `~1a2b` stands for a text, a list or an item that is written out below,
by its checksum, so that another answer never goes unseen; `⏎` is a line break.
"""

import asyncio
import json
import os
import re
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode

from client import VSCODE, place
from everywhere import Direct
from invented_results import STATES, invented_evaluator, invented_result
from waiting import PATIENCE

from rubric_core.adapters import system_ports
from rubric_core.evaluation.cases.runnable import Runnable
from rubric_core.evaluation.cases.turns import turns_of
from rubric_core.evaluation.engine.run_plan import plan_run
from rubric_core.evaluation.model.plan import Plan
from rubric_core.language.usage_counts import Counts, count
from rubric_core.lazy_compilation import replace
from rubric_lsp.features.block_memo import blocks_of
from rubric_lsp.features.explorer_items import TestMessage, evaluator_messages, messages, skipped_tests
from rubric_lsp.features.result_texts import KINDS
from rubric_lsp.features.run_question import is_long, question, subject
from rubric_lsp.features.tokens import MODIFIERS, TYPES
from rubric_lsp.protocol.transport import encoded
from rubric_lsp.running.case_fingerprints import CaseFingerprints
from rubric_lsp.running.run_request import RunRequest
from rubric_lsp.running.selection import distinct, select_cases, suite_of

__all__ = [
    "ASKED",
    "EVERYTHING",
    "Editor",
    "Record",
    "asked_again_record",
    "document_record",
    "folder_record",
    "hovers",
    "invent",
    "question_record",
    "results_record",
    "sections",
    "written",
]

#: A client that can do everything, and wants the edits of actions at once.
EVERYTHING: Mapping[str, Any] = {
    **VSCODE,
    "workspace": {
        **VSCODE["workspace"],
        "textDocumentContent": {},
        "diagnostics": {"refreshSupport": True},
        "semanticTokens": {"refreshSupport": True},
    },
    "window": {**VSCODE["window"], "showDocument": {"support": True}},
    "textDocument": {
        **VSCODE["textDocument"],
        "diagnostic": {"relatedDocumentSupport": True},
        "completion": {
            "completionItem": {
                "snippetSupport": True,
                "documentationFormat": ["markdown"],
                "tagSupport": {"valueSet": [1]},
                "insertTextModeSupport": {"valueSet": [1, 2]},
                "resolveSupport": {"properties": ["documentation"]},
            }
        },
        "codeAction": {**VSCODE["textDocument"]["codeAction"], "disabledSupport": True},
    },
    "experimental": {"rubricTests": True, "rubricTestChanges": True, "rubricDiff": True, "rubricReferences": True},
}
#: What is asked about each capability that the server has.
ASKED: Mapping[str, tuple[str, ...]] = {
    "completionProvider": ("textDocument/completion", "completionItem/resolve"),
    "hoverProvider": ("textDocument/hover",),
    "codeActionProvider": ("textDocument/codeAction", "codeAction/resolve"),
    "documentFormattingProvider": ("textDocument/formatting",),
    "documentRangeFormattingProvider": ("textDocument/rangeFormatting",),
    "documentOnTypeFormattingProvider": ("textDocument/onTypeFormatting",),
    "renameProvider": ("textDocument/prepareRename", "textDocument/rename"),
    "codeLensProvider": ("textDocument/codeLens",),
    "inlayHintProvider": ("textDocument/inlayHint",),
    "documentSymbolProvider": ("textDocument/documentSymbol",),
    "foldingRangeProvider": ("textDocument/foldingRange",),
    "selectionRangeProvider": ("textDocument/selectionRange",),
    "semanticTokensProvider": (
        "textDocument/semanticTokens/full",
        "textDocument/semanticTokens/full/delta",
        "textDocument/semanticTokens/range",
    ),
    "definitionProvider": ("textDocument/definition",),
    "referencesProvider": ("textDocument/references",),
    "documentHighlightProvider": ("textDocument/documentHighlight",),
    "documentLinkProvider": ("textDocument/documentLink",),
    "workspaceSymbolProvider": ("workspace/symbol",),
    "diagnosticProvider": ("textDocument/diagnostic", "workspace/diagnostic"),
    "executeCommandProvider": ("workspace/executeCommand",),
    "workspace": ("workspace/willRenameFiles", "workspace/textDocumentContent"),
    "experimental": ("rubric/discoverTests", "rubric/report", "rubric/suite"),
}
Json = Mapping[str, Any]
#: Characters of a text that are written out; its checksum is that of all of it.
_LONGEST = 1_000
#: Behind these something else begins, and behind the mark of a path.
_OPENED = re.compile(r": +|, +(?=\w+:)|[{\[](?=\w)|file://|\{\{ *")
_WORD = re.compile(r"[\w-]+|[*&<]+")


class _FixedCounts(Counts):
    """Usage counts that stay as they were made, even if suites are counted while an answer is awaited."""

    def __setitem__(self, word: Any, number: int) -> None:
        pass

    def __delitem__(self, word: Any) -> None:
        pass


class Editor(Direct):
    """A server in this process with a folder of files that are open; what it sends is JSON, as on a wire."""

    def __init__(self, folder: Path, files: Mapping[str, str], *, trusted: bool = True, **options: Any) -> None:
        super().__init__()
        self.folder, self.files = folder, files
        #: How the folder and the one above it are called in a record, by the ways to write them.
        self._places = {
            written: name
            for path, name in ((folder, "/project"), (folder.parent, "/above"))
            for uri_or_path in (path.as_uri(), str(path))
            for written in (uri_or_path, quote(uri_or_path), quote(uri_or_path, safe=""))
        }
        self._written = re.compile("|".join(map(re.escape, sorted(self._places, key=len, reverse=True))))
        self.sent: list[dict[str, Any]] = []
        #: How requests of the server's are answered.
        self.replies: dict[str, list[Any]] = {}
        #: Lists of completions that were recorded already, with their checksums.
        self.lists: dict[str, str] = {}
        self._counted: Counts | None = None
        #: The methods that were asked.
        self.methods: set[str] = set()
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        params = {
            "capabilities": EVERYTHING,
            "workspaceFolders": [{"uri": folder.as_uri(), "name": "project"}],
            "initializationOptions": {"trusted": trusted, "referenceLenses": True, "checkWorkspace": False, **options},
        }
        self.capabilities: dict[str, Any] = self.ask("initialize", params)["capabilities"]

    def _sent(self, message: dict[str, Any]) -> None:
        text = encoded(message).partition(b"\r\n\r\n")[2].decode()
        made = json.loads(self.told(text))
        if "method" not in made:
            self.answers[made["id"]] = made
            return
        self.sent.append(made)
        if "id" in made:
            waiting = self.replies.get(made["method"])
            self.loop.call_soon(self._received_later, {"id": made["id"], "result": waiting.pop(0) if waiting else None})

    def _received_later(self, message: dict[str, Any]) -> None:
        self.server.protocol.receive({"jsonrpc": "2.0", **message})

    def told(self, text: str) -> str:
        """A text in which the folder is always called the same."""
        return self._written.sub(lambda found: self._places[found[0]], text)

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def show(self, name: str) -> None:
        """Open a file with the text that it has on disk."""
        self.open(self.uri(name), self.files[name], 1)

    def put(self, name: str, line: int, old: str, new: str) -> None:
        """Write `new` over `old`, which begins with a line."""
        self.versions[self.uri(name)] += 1
        where = {"line": line, "character": 0}
        gone = {"line": line + old.count("\n"), "character": 0}
        self.change(
            self.uri(name), self.versions[self.uri(name)], [{"range": {"start": where, "end": gone}, "text": new}]
        )

    def ask(self, method: str, params: Any) -> Any:
        """The result of a request; an error is its message."""
        self.methods.add(method)
        number = next(self._numbers)
        answer = self.loop.run_until_complete(self._answered({"id": number, "method": method, "params": params}))
        assert "Traceback" not in self.log, self.log
        return f"refused: {answer['error']['message']}" if "error" in answer else answer["result"]

    async def _answered(self, request: Json) -> Any:
        self.server.protocol.receive({"jsonrpc": "2.0", **request})
        end = time.monotonic() + PATIENCE
        while request["id"] not in self.answers:
            assert time.monotonic() < end, request
            await asyncio.sleep(0)
        return self.answers.pop(request["id"])

    def about(self, name: str, method: str, **params: Any) -> Any:
        """The result of a request about a file."""
        if method == "completion":
            # Suites are counted while they are looked at, and when that is depends on the clock: the order of what is offered would, too.
            self.server.documents.usage = _FixedCounts(self._usage())
        return self.ask(f"textDocument/{method}", {"textDocument": {"uri": self.uri(name)}, **params})

    def _usage(self) -> Counts:
        """What all files use, as they are on disk."""
        if self._counted is None:
            shown = (self.server.documents.get(self.uri(name)) for name in self.files)
            every = (local for each in shown if each is not None for local in blocks_of(each.analysis))
            self._counted = sum((count(local.every) for local in every), Counts())
        return self._counted

    def command(self, name: str, *arguments: Any) -> Any:
        return self.ask("workspace/executeCommand", {"command": f"rubric.{name}", "arguments": list(arguments)})


class Record:
    """Lines of a record, and what they refer to by checksums."""

    def __init__(self, words: dict[str, dict[str, str]], expected: str | None = None) -> None:
        self.lines: list[str] = []
        self._expected = expected
        #: What stands in a file of its own, because several records refer to it: texts and items, by their checksums.
        self.words = words
        self._below: dict[str, dict[str, str]] = {}

    def add(self, *lines: str) -> None:
        self.lines.extend(lines)

    def head(self, name: str) -> None:
        """Begin a part, when everything above it is as expected: who waits for a difference does not wait for all of it."""
        if self._expected is not None:
            above = written(self.lines)
            assert above == self._expected[: len(above)]
        self.lines.append(f"== {name}")

    def refer(self, section: str, text: str) -> str:
        """The checksum of a text, which is written out elsewhere."""
        name = f"~{zlib.crc32(text.encode()) & 0xFFFFF:05x}"
        into = self.words if section.startswith(("texts", "items")) else self._below
        into.setdefault(section, {})[name] = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… of {len(text)}"
        return name

    def groups(self, found: Iterable[tuple[str, str]]) -> None:
        """Each answer with all the places that have it, in the order of the first."""
        places: dict[str, list[str]] = {}
        for where, answer in found:
            places.setdefault(answer, []).append(where)
        self.lines += [f"{', '.join(where)}: {answer}" for answer, where in places.items()]

    def text(self) -> str:
        return written([*self.lines, *sections(self._below)])


def sections(found: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Each section with its references, in the order of the checksums; the items of one label are on one line."""
    for section, texts in sorted(found.items()):
        shown = [f"{name} {text}" for name, text in sorted(texts.items())]
        yield from [f"{section}: {'; '.join(shown)}"] if section.startswith("items") else [f"== {section}", *shown]


def written(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


# -- places ---------------------------------------------------------------------------------------------------------------


def at(position: Json) -> str:
    return f"{position['line'] + 1}:{position['character'] + 1}"


def span(found: Json) -> str:
    start, end = found["start"], found["end"]
    if start == end:
        return at(start)
    return f"{at(start)}-{end['character'] + 1}" if start["line"] == end["line"] else f"{at(start)}-{at(end)}"


def line_of(text: str) -> str:
    return text.replace("\r", "␍").replace("\n", "⏎")


def places_of(text: str) -> list[dict[str, int]]:
    """The second character of each word, or its only one."""
    return [place(text, m.start() + (len(m[0]) > 1)) for m in _WORD.finditer(text)]


# -- answers --------------------------------------------------------------------------------------------------------------


def edits(found: Iterable[Json]) -> str:
    return "; ".join(f"{span(each['range'])}→«{line_of(each['newText'])}»" for each in found)


def workspace_edit(found: Json) -> str:
    changes = found.get("documentChanges") or [
        {"textDocument": {"uri": uri}, "edits": made} for uri, made in found.get("changes", {}).items()
    ]
    return " | ".join(f"{each['textDocument']['uri'].rpartition('/')[2]} {edits(each['edits'])}" for each in changes)


def locations(found: Any) -> str:
    return ", ".join(f"{each['uri'].removeprefix('/project/')} {span(each['range'])}" for each in found or ())


def command(found: Json) -> str:
    words = " ".join(json.dumps(each, ensure_ascii=False) for each in found.get("arguments", ()))
    return f"{found['title']} [{found['command']} {words}]"


def diagnostic(found: Json) -> str:
    told = "; ".join(
        f"{span(r['location']['range'])} {line_of(r['message'])}" for r in found.get("relatedInformation", ())
    )
    rest = {key: found[key] for key in ("tags", "data") if key in found}
    if "codeDescription" in found:
        rest["page"] = found["codeDescription"]["href"].rpartition("/")[2]
    return (
        f"{span(found['range'])} {found['severity']} {found['source']} {found['code']}: {line_of(found['message'])}"
        + (f" ({told})" if told else "")
        + (f" {json.dumps(rest, ensure_ascii=False)}" if rest else "")
    )


def symbols(found: Iterable[Json], depth: int = 0) -> Iterator[str]:
    for each in found:
        where = f"{span(each['range'])} at {span(each['selectionRange'])}"
        yield f"{'  ' * depth}{each['kind']} {each['name']} ({each.get('detail', '')}) {where} {each.get('tags', '')}".rstrip()
        yield from symbols(each.get("children", ()), depth + 1)


def tokens(data: Sequence[int], text: str) -> Iterator[tuple[int, str]]:
    """The tokens of each line that has some."""
    line, start = 0, 0
    shown: dict[int, list[str]] = {}
    lines = text.split("\n")
    for by, ahead, length, kind, marks in zip(*[iter(data)] * 5, strict=True):
        line, start = line + by, ahead if by else start + ahead
        word = lines[line].encode("utf-16-le")[2 * start : 2 * (start + length)].decode("utf-16-le")
        told = "".join(f" {mark}" for bit, mark in enumerate(MODIFIERS) if marks & (1 << bit))
        shown.setdefault(line, []).append(f"{word} {TYPES[kind]}{told}")
    return ((number, ", ".join(words)) for number, words in shown.items())


def selection(found: Json | None) -> str:
    steps = []
    while found is not None:
        steps.append(span(found["range"]))
        found = found.get("parent")
    return " < ".join(steps)


def action(found: Json) -> str:
    told = [found.get("kind", ""), "preferred" if found.get("isPreferred") else "", found["title"]]
    told += [f"takes away {' '.join(diagnostic(d) for d in found['diagnostics'])}"] if "diagnostics" in found else []
    told += [f"cannot: {found['disabled']['reason']}"] if "disabled" in found else []
    told += [workspace_edit(found["edit"])] if "edit" in found else []
    told += [command(found["command"])] if isinstance(found.get("command"), dict) else []
    return " · ".join(filter(None, told))


def completion(record: Record, editor: Editor, found: Json | None) -> str:
    """What is offered, in the order in which an editor lists it; each item once, with its documentation."""
    items = sorted((found or {}).get("items", ()), key=lambda each: each.get("sortText", each["label"]))
    if not items:
        return "nothing"
    ranges = " ".join(dict.fromkeys(span(each["textEdit"]["range"]) for each in items))
    same = json.dumps([{**each, "textEdit": each["textEdit"]["newText"]} for each in items])
    if same not in editor.lists:  # the documentation of what was offered before was written there
        names = [f"{each['label']}{_item(record, editor, each)}" for each in items]
        editor.lists[same] = record.refer("lists", f"{len(names)}: {'  '.join(names)}")
        words = editor.server.offered[items[-1]["data"]].documentation()
        resolved = editor.ask("completionItem/resolve", items[-1])
        assert resolved == (
            {**items[-1], "documentation": {"kind": "markdown", "value": words}} if words else items[-1]
        )
    return f"{ranges} {editor.lists[same]}"


def _item(record: Record, editor: Editor, item: Json) -> str:
    words = editor.server.offered[item["data"]].documentation()
    facts = [
        str(item["kind"]),
        f"«{line_of(item['textEdit']['newText'])}»",
        {2: "snippet"}.get(item.get("insertTextFormat", 1), ""),
        f"mode {item['insertTextMode']}" if "insertTextMode" in item else "",
        f"filter {item['filterText']}" if item.get("filterText") != item["label"] else "",
        line_of(item.get("detail", "")),
        f"tags {item['tags']}" if item.get("tags") else "",
        record.refer("texts", line_of(words)) if words else "",
    ]
    return record.refer(f"items {item['label']}", " ".join(filter(None, facts)))


# -- a document -----------------------------------------------------------------------------------------------------------

OPTIONS = {"tabSize": 2, "insertSpaces": True}


def document_record(record: Record, editor: Editor, name: str, *, typing: bool = True) -> None:
    """Everything that can be asked about one open file."""
    text = editor.files[name]
    last = place(text, len(text))
    whole = {"start": {"line": 0, "character": 0}, "end": last}
    record.head(f"{name}: as a whole")
    found = (editor.about(name, "diagnostic") or {}).get("items", [])
    record.add(*(f"diagnostic {diagnostic(each)}" for each in found))
    _whole(record, editor, name, text, whole)
    record.head(f"{name}: each line")
    _rows(record, editor, name, text)
    record.head(f"{name}: names")
    _names(record, editor, name, text)
    record.head(f"{name}: actions")
    _actions(record, editor, name, text, whole, found)
    if typing:
        record.head(f"{name}: completion")
        _completions(record, editor, name, text)


def _whole(record: Record, editor: Editor, name: str, text: str, whole: Json) -> None:
    half = {**whole, "start": {"line": whole["end"]["line"] // 2, "character": 0}}
    record.add(*(f"symbol {line}" for line in symbols(editor.about(name, "documentSymbol") or ())))
    folds = editor.about(name, "foldingRange") or ()
    shown = [f"{f['startLine'] + 1}-{f['endLine'] + 1} {f.get('kind', '')}".rstrip() for f in folds]
    record.add(f"folds {', '.join(shown)}")
    lenses = editor.about(name, "codeLens") or ()
    record.groups((f"lens {at(each['range']['start'])}", command(each["command"])) for each in lenses)
    for each in editor.about(name, "documentLink") or ():
        record.add(f"link {span(each['range'])} {each['target'].removeprefix('/project/')}")
    hints = [editor.about(name, "inlayHint", range=within) or () for within in (whole, half)]
    for each in hints[0]:
        more = {key: each[key] for key in ("tooltip", "paddingLeft", "data") if each.get(key)}
        record.add(f"hint {at(each['position'])} {each['label']} {json.dumps(more, ensure_ascii=False)}")
    record.add(f"hints from the middle on: {len(hints[1])}")
    full = editor.about(name, "semanticTokens/full") or {"data": [], "resultId": ""}
    part = (editor.about(name, "semanticTokens/range", range=half) or {"data": []})["data"]
    delta = editor.about(name, "semanticTokens/full/delta", previousResultId=full.get("resultId", ""))
    record.add(
        f"tokens {len(full['data']) // 5}, from the middle on {len(part) // 5}, changed {delta and delta.get('edits')}"
    )
    record.add(f"formatted {edits(editor.about(name, 'formatting', options=OPTIONS) or ())}")
    record.add(
        f"formatted from the middle on {edits(editor.about(name, 'rangeFormatting', range=half, options=OPTIONS) or ())}"
    )
    status = editor.ask("rubric/suite", {"textDocument": {"uri": editor.uri(name)}})
    record.add(f"status {json.dumps(status, ensure_ascii=False)}")


def _hover(record: Record, found: Json | None, line: int) -> str:
    if not found:
        return "-"
    where = span(found["range"]).removeprefix(f"{line + 1}:")
    return f"{where} {record.refer('texts', line_of(found['contents']['value']))}"


def _run_lengths(found: Iterable[str]) -> str:
    """Answers for one word after the other; equal ones beside each other are counted."""
    runs: list[list[str]] = []
    for each in found:
        if runs and runs[-1][0] == each:
            runs[-1].append(each)
        else:
            runs.append([each])
    return ", ".join(f"{run[0]}×{len(run)}" if len(run) > 1 else run[0] for run in runs)


def _rows(record: Record, editor: Editor, name: str, text: str) -> None:
    """A row for each line: its tokens, the hovers of its words, and what is selected from its first, a middle and its last word."""
    full = editor.about(name, "semanticTokens/full") or {"data": []}
    colours = dict(tokens(full["data"], text))
    places = places_of(text)
    for number, _ in enumerate(text.split("\n")):
        here = [p for p in places if p["line"] == number]
        if not here:
            continue
        hovers = [_hover(record, editor.about(name, "hover", position=p), number) for p in here]
        some = [here[0], here[len(here) // 2], here[-1]]
        chains = [selection(each) for each in editor.about(name, "selectionRange", positions=some) or ()]
        parts = [colours.get(number, "-"), _run_lengths(hovers), _run_lengths(chains)]
        record.add(f"{number + 1} {' | '.join(parts)}")


def _names(record: Record, editor: Editor, name: str, text: str) -> None:
    """The names: each with its places, and what is asked about the first and the last of them."""
    groups: dict[tuple[str, str, str], list[Json]] = {}
    for p in places_of(text):
        defined, marked = (editor.about(name, method, position=p) for method in ("definition", "documentHighlight"))
        if not defined and not marked:
            continue
        called = editor.about(name, "prepareRename", position=p)
        marks = ", ".join(f"{span(e['range'])} {e.get('kind')}" for e in marked or ())
        groups.setdefault((locations(defined), marks, str(called and called["placeholder"])), []).append(p)
    for (defined, marks, called), places in groups.items():
        uses = [
            locations(editor.about(name, "references", position=p, context={"includeDeclaration": declared}))
            for p in (places[0], places[-1])
            for declared in (False, True)
        ]
        ways = [
            _edit_or_words(editor.about(name, "rename", position=p, newName=new))
            for p, new in ((places[0], "other-name"), (places[-1], "other_name"))
        ]
        told = (f"defined {defined}", f"marks {marks}", f"called {called}", f"used {_run_lengths(uses)}")
        record.add(f"{', '.join(map(at, places))}: {'; '.join(told)}; renamed {_run_lengths(ways)}")


def _edit_or_words(found: Any) -> str:
    return str(found) if isinstance(found, str) or found is None else workspace_edit(found)


def _actions(record: Record, editor: Editor, name: str, text: str, whole: Json, found: Sequence[Json]) -> None:
    def ask(within: Json, listed: Sequence[Json], **context: Any) -> str:
        given = editor.about(name, "codeAction", range=within, context={"diagnostics": listed, **context}) or ()
        return " ".join(record.refer("actions", action(each)) for each in given) or "nothing"

    told = []
    for number, line in enumerate(text.split("\n")):
        if line.strip():
            here = {"line": number, "character": len(line) - len(line.lstrip())}
            listed = [d for d in found if d["range"]["start"]["line"] == number]
            given = [ask({"start": here, "end": here}, listed, triggerKind=trigger) for trigger in (1, 2)]
            told.append((str(number + 1), " and unasked ".join(given)))
    record.groups(told)
    record.groups((span(d["range"]), f"fixes {ask(d['range'], [d], only=['quickfix'])}") for d in found)
    for kind in ("source.fixAll", "refactor", "rubric.run", "quickfix", None):
        only = {"only": [kind]} if kind else {}
        record.add(f"whole, {kind or 'any'}: {ask(whole, found, triggerKind=1, **only)}")


def _completions(record: Record, editor: Editor, name: str, text: str) -> None:
    """What is offered at the key and at each value of a line, at its end, and on a new line below it."""
    lines = text.split("\n")
    rows: list[list[str]] = [[] for _ in lines]
    first = {"position": {"line": 0, "character": 0}, "options": OPTIONS}
    begun = [editor.about(name, "onTypeFormatting", ch=typed, **first) for typed in ("\n", "-")]
    record.add(f"typed at the beginning {begun}")
    for number, line in enumerate(lines):
        key = re.match(r"[ -]*", line)
        columns = {key.end() if key else 0, len(line.rstrip()), *(m.end() for m in _OPENED.finditer(line))}
        for column in sorted(columns) if line.strip() else ():
            where = {"line": number, "character": len(line[:column].encode("utf-16-le")) // 2}
            rows[number].append(completion(record, editor, editor.about(name, "completion", position=where)))
    for number, line in enumerate(lines[:-1]):
        rows[number].append(f"below {_below(record, editor, name, number, line)}")
    record.groups(
        (str(number + 1), _run_lengths(row).replace(f"{number + 1}:", ":").replace(f"{number + 2}:", "::"))
        for number, row in enumerate(rows)
    )


def _below(record: Record, editor: Editor, name: str, number: int, line: str) -> str:
    """The completions on a new line, with the inserted text, at the place where an editor puts the cursor."""
    found = re.match(r" *(?:- +)?", line)
    margin = (found.end() if found and line.strip() else 0) + 2 * line.rstrip().endswith(":")
    written = f"{' ' * margin}\n"
    editor.put(name, number + 1, "", written)
    here = {"line": number + 1, "character": margin}
    offered = completion(record, editor, editor.about(name, "completion", position=here))
    typed = edits(editor.about(name, "onTypeFormatting", position=here, ch="\n", options=OPTIONS) or ())
    dashed = f"{' ' * max(0, margin - 1)}-\n"
    editor.put(name, number + 1, written, dashed)
    here = {"line": number + 1, "character": len(dashed) - 1}
    typed += edits(editor.about(name, "onTypeFormatting", position=here, ch="-", options=OPTIONS) or ())
    editor.put(name, number + 1, dashed, "")
    return f"{offered} and {typed}" if typed else offered


# -- results --------------------------------------------------------------------------------------------------------------


def invent(editor: Editor, suite: str, round_: int) -> None:
    """Results for the cases of a suite, of other kinds and states in every round."""
    server, uri = editor.server, editor.uri(suite)
    snapshot = server.known.at(uri)
    assert snapshot.path is not None
    server.known.record.clear(uri)
    fingerprints = CaseFingerprints(server.documents)
    cases = distinct(suite_of(snapshot, server.documents).cases)
    prints = fingerprints.of_loaded_cases(snapshot, [case.id for case in cases])
    prints |= fingerprints.of_cases(snapshot, snapshot.path, snapshot.analysis.cases)
    for number, case in enumerate(cases):
        state = STATES[(number + round_) % len(STATES)]
        made = invented_result(case, 3 * number + round_)
        file = Path(os.path.relpath(case.file, snapshot.path.parent)).as_posix() if case.file is not None else ""
        made = replace(made, fingerprint="old" if state == "stale" else prints.get(case.id, ""), file=file)
        if state:
            for before in range(number):
                earlier = invented_result(case, before)
                server.known.record.done(uri, replace(earlier, fingerprint=prints.get(case.id, ""), file=file))
            server.known.record.done(uri, made)
        if state == "running":
            server.known.record.running(uri, case.id, "2/3 judging tone")
        if state in ("running", "newer") and case.evaluators:
            place = len(turns_of(case.case)) + 1
            part = invented_evaluator(case, case.evaluators[0], number)
            if state == "running":
                server.known.record.part(uri, case.id, place, part)
            else:
                server.known.record.done_alone(uri, case.id, place, part, prints.get(case.id, ""))


def hovers(editor: Editor, names: Iterable[str]) -> dict[tuple[str, str], Any]:
    """The hovers on the first two words of each line of some files."""
    found: dict[tuple[str, str], Any] = {}
    for name in names:
        seen: Counter[int] = Counter()
        for p in places_of(editor.files[name]):
            seen[p["line"]] += 1
            if seen[p["line"]] <= 2:
                found[name, at(p)] = editor.about(name, "hover", position=p)
    return found


def results_record(record: Record, editor: Editor, names: Sequence[str], plain: Mapping[tuple[str, str], Any]) -> None:
    """What is shown of the results of a suite, and of those of its cases in other files; `plain` are the hovers without any."""
    suite = names[0]
    for name in names:
        _results_in(record, editor, name)
    changed = {key: found for key, found in hovers(editor, names).items() if found != plain[key]}
    record.groups((where, f"{name} {_hover(record, found, -2)}") for (name, where), found in changed.items())
    snapshot = editor.server.known.at(editor.uri(suite))
    cases = distinct(suite_of(snapshot, editor.server.documents).cases)
    for case in cases:
        told = {kind: _content(record, editor, suite, case.id, kind) for kind in KINDS}
        record.add(f"{case.id}: " + ", ".join(f"{kind} {text}" for kind, text in told.items()))
        report = editor.ask("rubric/report", {"testId": f"{editor.uri(suite)}::{case.id}"})
        record.add(f"  {record.refer('reports', line_of(json.dumps(report, ensure_ascii=False)))}")
        result = editor.server.known.results(snapshot).get(case.id)
        if result is not None and result.result is not None:
            told_of = [*messages(case, result.result, "expected"), TestMessage("--", "error")]
            told_of += [
                m for n, each in enumerate(result.result.evaluators, 1) for m in evaluator_messages(case, n, each)
            ]
            record.add(f"  skipped {skipped_tests(result.result)}; " + "; ".join(line_of(_message(m)) for m in told_of))


def _message(found: TestMessage) -> str:
    where = f"{found.span.start}-{found.span.end}" if found.span is not None else ""
    return f"{found.severity} {where} {found.text} {found.expected and '≠'}{found.subject}".strip()


def _results_in(record: Record, editor: Editor, name: str) -> None:
    text = editor.files[name]
    whole = {"start": {"line": 0, "character": 0}, "end": place(text, len(text))}
    found = editor.about(name, "diagnostic")["items"]
    record.add(*(f"diagnostic {diagnostic(each)}" for each in found if each["source"] != "rubric"))
    lenses = editor.about(name, "codeLens") or ()
    record.groups((f"lens {at(each['range']['start'])}", command(each["command"])) for each in lenses)
    for each in editor.about(name, "inlayHint", range=whole):
        more = {key: each[key] for key in ("tooltip", "data") if each.get(key)}
        if "data" in more:
            record.add(f"hint {at(each['position'])} {each['label']} {json.dumps(more, ensure_ascii=False)}")
    plain = {p["line"]: p for p in reversed(places_of(text))}
    told = []
    for number, p in sorted(plain.items()):
        asked = {
            "range": {"start": p, "end": p},
            "context": {"diagnostics": [], "only": ["rubric.run"], "triggerKind": 1},
        }
        given = editor.about(name, "codeAction", **asked) or ()
        told.append((str(number + 1), " ".join(record.refer("actions", action(each)) for each in given)))
    record.groups(told)


def _content(record: Record, editor: Editor, suite: str, case: str, kind: str) -> str:
    """A document about a result."""
    query = urlencode({"kind": kind, "suite": editor.uri(suite), "case": case})
    found = editor.ask("workspace/textDocumentContent", {"uri": f"rubric:/x?{query}"})
    if isinstance(found, str):
        return found
    return record.refer("contents", line_of(found["text"]))


# -- a folder -------------------------------------------------------------------------------------------------------------


def folder_record(record: Record, editor: Editor, suites: Sequence[str]) -> None:
    """What is asked about a folder as a whole: names, moves of files, and the tree of tests."""
    record.head("symbols")
    for query in ("", "oe", "zz"):
        found = editor.ask("workspace/symbol", {"query": query})
        shown = [
            f"{e['kind']} {e['name']} {locations([e['location']])} {e.get('containerName', '')}".strip() for e in found
        ]
        record.add(f"«{query}»: {'; '.join(shown)}")
    record.head("moves")
    folders = {str(Path(name).parent) for name in editor.files} - {"."}
    for name in sorted(name for name in {*editor.files, *folders} if name != ".."):
        for new in (f"moved/{Path(name).name}", str(Path(name).with_name(f"new {Path(name).name}"))):
            moved = {"files": [{"oldUri": editor.uri(name), "newUri": editor.uri(new)}]}
            found = editor.ask("workspace/willRenameFiles", moved)
            record.add(f"{name} → {new}: {workspace_edit(found) if found else 'nothing'}")
    record.head("tests")
    asked = [None, *({"textDocument": {"uri": editor.uri(name)}} for name in suites)]
    for each in asked:
        found = editor.ask("rubric/discoverTests", each)
        record.add(f"scope {found['scope']}", *(f"test {_test(test)}" for test in found["tests"]))
    record.head("commands")
    for name in suites:
        snapshot = editor.server.known.at(editor.uri(name))
        for case in distinct(suite_of(snapshot, editor.server.documents).cases):
            record.add(f"{case.id}: {editor.command('copyCommand', editor.uri(name), case.id)}")


def _test(found: Json) -> str:
    where = span(found["range"]) if "range" in found else ""
    more = {key: found[key] for key in found if key != "range"}
    return f"{where} {json.dumps(more, ensure_ascii=False)}"


def question_record(record: Record, editor: Editor, suites: Sequence[str]) -> None:
    """What a person is asked before a suite is run in a folder that is not trusted, and the document with all of it."""
    for name in suites:
        record.head(name)
        begun = len(editor.sent)
        editor.replies["window/showMessageRequest"] = [{"title": "Show details"}, {"title": "Not now"}]
        record.add(f"run {editor.command('runFile', editor.uri(name))}")
        editor.loop.run_until_complete(
            _until(lambda begun=begun: json.dumps(editor.sent[begun:]).count("showMessageRequest") == 2)
        )  # type: ignore[misc]
        for message in editor.sent[begun:]:
            if message["method"] == "window/showDocument":
                path = Path(unquote(message["params"]["uri"]).replace("/above", str(editor.folder.parent)))
                record.add(f"shown {path.name}: {line_of(editor.told(path.read_text(encoding='utf-8')))}")
            elif message["method"].startswith("window/"):
                record.add(f"{message['method']} {line_of(json.dumps(message['params'], ensure_ascii=False))}")


def asked_again_record(record: Record, editor: Editor, suites: Sequence[str]) -> None:
    """The same question after every second part of it was allowed before."""
    documents, known = editor.server.documents, editor.server.known
    for name in suites:
        order = RunRequest.of(editor.uri(name))
        parts = select_cases(order, documents, known.at, known.results)
        cases = [case for part in parts for case in part.cases]
        plan = editor.loop.run_until_complete(_planned(cases, editor.folder))
        words = [word for _, some in plan.parts(editor.folder) for word in some]
        asked = question(subject([case.id for case in cases]), plan, editor.folder, words[1::2])
        record.add(f"{name}, long: {is_long(plan, editor.folder)}, {line_of(editor.told(asked))}")


async def _planned(cases: Sequence[Runnable], folder: Path) -> Plan:
    async with system_ports() as ports:
        return await plan_run(cases, ports, [folder])


async def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end
        await asyncio.sleep(0.01)
