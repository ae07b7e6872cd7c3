"""The handshake: what a client can do, and what the server offers it.

Both are plain JSON. A client's capabilities are read leniently: one word of a later version of the protocol must not keep
a server from starting.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from rubric_core.text import Encoding
from rubric_lsp.features import code_actions, tokens, typing

__all__ = ["Client", "offered"]

_ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
#: Clients that, told to ask for diagnostics again, ask about the workspace and leave out the documents that are open.
_PULL_ONCE = ("Neovim",)
#: Clients that show documents, but do not say so.
_SHOW_UNSAID = ("helix",)
#: After these a list of suggestions is worth asking for.
TRIGGERS = (":", " ", "-", "{", ",", '"', "'", "$")


@dataclass(frozen=True, slots=True)
class Client:
    """What a client says that it can do."""

    name: str = ""
    encoding: Encoding = "utf-16"
    process: int | None = None
    # Diagnostics.
    related_information: bool = False
    diagnostic_tags: frozenset[int] = frozenset()
    code_description: bool = False
    diagnostic_data: bool = False
    #: Whether it asks for diagnostics by itself, and again when it is told that there are others.
    pulls_diagnostics: bool = False
    related_documents: bool = False
    # Texts.
    hover_markdown: bool = False
    completion_markdown: bool = False
    snippets: bool = False
    resolves_documentation: bool = False
    deprecated_tag: bool = False
    # Actions and edits.
    action_literals: bool = False
    preferred_actions: bool = False
    resolves_edits: bool = False
    versioned_edits: bool = False
    prepares_rename: bool = False
    shows_hints: bool = False
    # Structure.
    nested_symbols: bool = False
    folds_lines_only: bool = False
    # What can be asked for again.
    refreshes_lenses: bool = False
    refreshes_hints: bool = False
    refreshes_diagnostics: bool = False
    refreshes_tokens: bool = False
    # The window and the workspace.
    progress: bool = False
    configuration: bool = False
    registers_configuration: bool = False
    registers_watchers: bool = False
    shows_documents: bool = False
    text_contents: bool = False
    # What only clients made for rubric know.
    tests: bool = False
    diffs: bool = False

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> "Client":
        """Read the parameters of `initialize`."""
        said = _Said(params.get("capabilities"))
        name = str(_Said(params.get("clientInfo")).at("name") or "")
        text, workspace = "textDocument.", "workspace."
        return cls(
            name=name,
            encoding=next((e for e in said.words("general.positionEncodings") if e in _ENCODINGS), "utf-16"),
            process=_number(params.get("processId")),
            related_information=said.flag(text + "publishDiagnostics.relatedInformation"),
            diagnostic_tags=frozenset(
                t for t in said.list(text + "publishDiagnostics.tagSupport.valueSet") if isinstance(t, int)
            ),
            code_description=said.flag(text + "publishDiagnostics.codeDescriptionSupport"),
            diagnostic_data=said.flag(text + "publishDiagnostics.dataSupport"),
            # After a run there are others without an edit: a client that cannot be told has them published.
            pulls_diagnostics=said.at(text + "diagnostic") is not None
            and said.flag(workspace + "diagnostics.refreshSupport")
            and name not in _PULL_ONCE,
            related_documents=said.flag(text + "diagnostic.relatedDocumentSupport"),
            hover_markdown="markdown" in said.words(text + "hover.contentFormat"),
            completion_markdown="markdown" in said.words(text + "completion.completionItem.documentationFormat"),
            resolves_documentation="documentation"
            in said.words(text + "completion.completionItem.resolveSupport.properties"),
            snippets=said.flag(text + "completion.completionItem.snippetSupport"),
            deprecated_tag=1 in said.list(text + "completion.completionItem.tagSupport.valueSet"),
            action_literals=said.at(text + "codeAction.codeActionLiteralSupport") is not None,
            resolves_edits="edit" in said.words(text + "codeAction.resolveSupport.properties")
            and said.flag(text + "codeAction.dataSupport"),
            preferred_actions=said.flag(text + "codeAction.isPreferredSupport"),
            versioned_edits=said.flag(workspace + "workspaceEdit.documentChanges"),
            prepares_rename=said.flag(text + "rename.prepareSupport"),
            shows_hints=said.at(text + "inlayHint") is not None,
            nested_symbols=said.flag(text + "documentSymbol.hierarchicalDocumentSymbolSupport"),
            folds_lines_only=said.flag(text + "foldingRange.lineFoldingOnly"),
            refreshes_lenses=said.flag(workspace + "codeLens.refreshSupport"),
            refreshes_hints=said.flag(workspace + "inlayHint.refreshSupport"),
            refreshes_diagnostics=said.flag(workspace + "diagnostics.refreshSupport"),
            refreshes_tokens=said.flag(workspace + "semanticTokens.refreshSupport"),
            progress=said.flag("window.workDoneProgress"),
            configuration=said.flag(workspace + "configuration"),
            registers_configuration=said.flag(workspace + "didChangeConfiguration.dynamicRegistration"),
            registers_watchers=said.flag(workspace + "didChangeWatchedFiles.dynamicRegistration"),
            shows_documents=said.flag("window.showDocument.support") or name in _SHOW_UNSAID,
            text_contents=said.at(workspace + "textDocumentContent") is not None,
            tests=said.flag("experimental.rubricTests"),
            diffs=said.flag("experimental.rubricDiff"),
        )


class _Said:
    """A tree of JSON in which anything may be missing or of another type."""

    def __init__(self, tree: object) -> None:
        self._tree = tree

    def at(self, path: str) -> Any:
        """What is there, None when nothing is."""
        here = self._tree
        for name in path.split("."):
            here = here.get(name) if isinstance(here, Mapping) else None
        return here

    def flag(self, path: str) -> bool:
        """Whether it is true."""
        return self.at(path) is True

    def list(self, path: str) -> Sequence[Any]:
        """The items of a list."""
        found = self.at(path)
        return found if isinstance(found, list) else ()

    def words(self, path: str) -> Sequence[Any]:
        """The texts in a list."""
        return [w for w in self.list(path) if isinstance(w, str)]


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def folders_of(params: Mapping[str, Any]) -> dict[str, str]:
    """The folders that are open, name by URI; older clients name one root in either of two ways."""
    listed = params.get("workspaceFolders")
    if isinstance(listed, list):
        entries = [cast("Mapping[str, Any]", f) for f in listed if isinstance(f, Mapping)]
        return {str(f["uri"]): str(f.get("name") or "") for f in entries if isinstance(f.get("uri"), str)}
    root, path = params.get("rootUri"), params.get("rootPath")
    if isinstance(root, str):
        return {root: ""}
    return {Path(path).absolute().as_uri(): ""} if isinstance(path, str) and path else {}


def offered(client: Client, commands: Iterable[str]) -> dict[str, Any]:
    """What the server can do for this client."""
    pulled = {"identifier": "rubric", "interFileDependencies": True, "workspaceDiagnostics": True}
    return {
        "positionEncoding": client.encoding,
        "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
        "completionProvider": {"triggerCharacters": list(TRIGGERS), "resolveProvider": client.resolves_documentation},
        "hoverProvider": True,
        "codeActionProvider": {
            "codeActionKinds": list(code_actions.KINDS),
            "resolveProvider": client.resolves_edits,
        }
        if client.action_literals
        else True,
        "codeLensProvider": {"resolveProvider": False},
        "inlayHintProvider": {"resolveProvider": False},
        "documentSymbolProvider": {"label": "rubric"},
        "foldingRangeProvider": True,
        "selectionRangeProvider": True,
        "semanticTokensProvider": {
            "legend": {"tokenTypes": list(tokens.TYPES), "tokenModifiers": list(tokens.MODIFIERS)},
            "full": {"delta": True},
            "range": True,
        },
        "documentOnTypeFormattingProvider": {
            "firstTriggerCharacter": "\n",
            "moreTriggerCharacter": list(typing.TRIGGERS[1:]),
        },
        "definitionProvider": True,
        "referencesProvider": True,
        "documentHighlightProvider": True,
        "renameProvider": {"prepareProvider": True} if client.prepares_rename else True,
        "documentLinkProvider": {"resolveProvider": False},
        "workspaceSymbolProvider": True,
        **({"diagnosticProvider": pulled} if client.pulls_diagnostics else {}),
        "executeCommandProvider": {"commands": list(commands), "workDoneProgress": True},
        "workspace": {
            "workspaceFolders": {"supported": True, "changeNotifications": True},
            **({"textDocumentContent": {"schemes": ["rubric"]}} if client.text_contents else {}),
        },
    }
