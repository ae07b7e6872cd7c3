"""The handshake: the capabilities of the client and of the server.

Both are plain JSON. A client's capabilities are parsed leniently: an unknown value of a later version of the protocol
must not keep the server from starting.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rubric_core.lazy_compilation import dataclass, field
from rubric_core.text import Encoding
from rubric_lsp.features import code_actions, on_type_formatting, tokens

if TYPE_CHECKING:
    from rubric_lsp.protocol.wire_types.handshake import (
        CodeActionOptions,
        DiagnosticOptions,
        DisplayCapabilities,
        NavigationCapabilities,
        ServerCapabilities,
        WorkspaceOptions,
        WritingCapabilities,
    )

__all__ = ["Client", "server_capabilities"]

_ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
#: Clients that, on a diagnostic refresh, ask about the workspace and not about open documents.
_PULL_ONCE = ("Neovim",)
#: Clients that support `window/showDocument` without declaring it.
_SHOW_UNSAID = ("helix",)
#: Clients that sort code actions by the standard kinds, and list others after migrations and refactorings.
_SORT_BY_KIND = ("helix",)
#: Completion is triggered after these characters.
TRIGGERS = (":", " ", "-", "{", "[", ",", '"', "'", "$", "*", "=", ".", "|")
#: `InsertTextMode.adjustIndentation`: the following lines are indented like the line of the cursor.
_ADJUST = 2


class _JsonTree:
    """A JSON tree in which anything may be missing or of another type."""

    def __init__(self, tree: object) -> None:
        self._tree = tree

    def at(self, path: str) -> Any:
        """The value at a path, None if it is missing."""
        here = self._tree
        for name in path.split("."):
            here = here.get(name) if isinstance(here, Mapping) else None
        return here

    def flag(self, path: str) -> bool:
        """Whether the value is true."""
        return self.at(path) is True

    def list(self, path: str) -> Sequence[Any]:
        """The items of a list."""
        found = self.at(path)
        return found if isinstance(found, list) else ()

    def words(self, path: str) -> Sequence[Any]:
        """The texts in a list."""
        return [w for w in self.list(path) if isinstance(w, str)]


def _flag(path: str) -> bool:
    """A field that is true if the value at that path is `true`."""
    return _read(lambda said: said.flag(path))


def _present(path: str) -> bool:
    """A field that is true if there is any value at that path."""
    return _read(lambda said: said.at(path) is not None)


def _present_or_unspecified(path: str, name: str) -> bool:
    """A field that is true if `name` is at that path, or the path is missing."""
    return _read(lambda said: said.at(path) is None or said.at(f"{path}.{name}") is not None)


def _word(word: str, path: str) -> bool:
    """A field that is true if the list at that path has that word."""
    return _read(lambda said: word in said.words(path))


def _read(read: Callable[[_JsonTree], bool]) -> bool:
    # As for `field` itself, the declared return type is that of the field's value.
    made: bool = field(default=False, metadata={"read": read})
    return made


#: Editors that show the tables of Markdown as they are written, by the first word of their names.
_WITHOUT_TABLES = frozenset(
    {"coc.nvim", "emacs", "eglot", "gnu", "helix", "kak-lsp", "lsp-mode", "neovim", "vim", "vim-lsp"}
)


@dataclass(frozen=True, slots=True)
class Client:
    """A client's capabilities; most fields name their place in the JSON."""

    name: str = ""
    encoding: Encoding = "utf-16"
    process: int | None = None
    # Diagnostics.
    related_information: bool = _flag("textDocument.publishDiagnostics.relatedInformation")
    diagnostic_tags: frozenset[int] = frozenset()
    code_description: bool = _flag("textDocument.publishDiagnostics.codeDescriptionSupport")
    diagnostic_data: bool = _flag("textDocument.publishDiagnostics.dataSupport")
    #: Whether it pulls diagnostics, and again on a refresh.
    pulls_diagnostics: bool = False
    related_documents: bool = _flag("textDocument.diagnostic.relatedDocumentSupport")
    # Texts.
    hover_markdown: bool = _word("markdown", "textDocument.hover.contentFormat")
    completion_markdown: bool = _word("markdown", "textDocument.completion.completionItem.documentationFormat")
    snippets: bool = _flag("textDocument.completion.completionItem.snippetSupport")
    resolves_documentation: bool = _word(
        "documentation", "textDocument.completion.completionItem.resolveSupport.properties"
    )
    deprecated_tag: bool = False
    #: Whether it supports insert text modes, among them one that indents the following lines.
    adjusts_indentation: bool = False
    # Actions and edits.
    #: A client that requests code actions without declaring any support is treated as a modern one.
    action_literals: bool = _present_or_unspecified("textDocument.codeAction", "codeActionLiteralSupport")
    disabled_actions: bool = _flag("textDocument.codeAction.disabledSupport")
    preferred_actions: bool = _flag("textDocument.codeAction.isPreferredSupport")
    resolves_edits: bool = False
    sorts_actions: bool = False
    versioned_edits: bool = _flag("workspace.workspaceEdit.documentChanges")
    prepares_rename: bool = _flag("textDocument.rename.prepareSupport")
    shows_hints: bool = _present("textDocument.inlayHint")
    # Structure.
    nested_symbols: bool = _flag("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport")
    folds_lines_only: bool = _flag("textDocument.foldingRange.lineFoldingOnly")
    # Refresh requests.
    refreshes_lenses: bool = _flag("workspace.codeLens.refreshSupport")
    refreshes_hints: bool = _flag("workspace.inlayHint.refreshSupport")
    refreshes_diagnostics: bool = _flag("workspace.diagnostics.refreshSupport")
    refreshes_tokens: bool = _flag("workspace.semanticTokens.refreshSupport")
    # The window and the workspace.
    progress: bool = _flag("window.workDoneProgress")
    configuration: bool = _flag("workspace.configuration")
    registers_configuration: bool = _flag("workspace.didChangeConfiguration.dynamicRegistration")
    registers_watchers: bool = _flag("workspace.didChangeWatchedFiles.dynamicRegistration")
    shows_documents: bool = False
    text_contents: bool = _present("workspace.textDocumentContent")
    # Only clients made for rubric.
    tests: bool = _flag("experimental.rubricTests")
    test_changes: bool = _flag("experimental.rubricTestChanges")
    diffs: bool = _flag("experimental.rubricDiff")
    shows_references: bool = _flag("experimental.rubricReferences")
    #: Whether it knows VS Code's command that opens suggestions.
    suggests_again: bool = _flag("experimental.rubricSuggest")

    @property
    def draws_tables(self) -> bool:
        """Whether it draws the tables of Markdown; editors in a terminal show them as they are written."""
        return self.name.split(" ", 1)[0].lower() not in _WITHOUT_TABLES

    @classmethod
    def of(cls, params: Mapping[str, Any]) -> "Client":
        """Parse the parameters of `initialize`."""
        said = _JsonTree(params.get("capabilities"))
        name = str(_JsonTree(params.get("clientInfo")).at("name") or "")
        read = {each.name: each.metadata["read"](said) for each in fields(cls) if "read" in each.metadata}
        return cls(
            name=name,
            encoding=next((e for e in said.words("general.positionEncodings") if e in _ENCODINGS), "utf-16"),
            process=_number(params.get("processId")),
            diagnostic_tags=frozenset(
                t for t in said.list("textDocument.publishDiagnostics.tagSupport.valueSet") if isinstance(t, int)
            ),
            # After a run, other diagnostics apply without an edit: a client without refresh gets them published.
            pulls_diagnostics=said.at("textDocument.diagnostic") is not None
            and read["refreshes_diagnostics"]
            and name not in _PULL_ONCE,
            deprecated_tag=1 in said.list("textDocument.completion.completionItem.tagSupport.valueSet"),
            adjusts_indentation=_ADJUST
            in said.list("textDocument.completion.completionItem.insertTextModeSupport.valueSet"),
            resolves_edits="edit" in said.words("textDocument.codeAction.resolveSupport.properties")
            and said.flag("textDocument.codeAction.dataSupport"),
            sorts_actions=name in _SORT_BY_KIND,
            shows_documents=said.flag("window.showDocument.support") or name in _SHOW_UNSAID,
            **read,
        )


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def folders_of(params: Mapping[str, Any]) -> dict[str, str]:
    """The open folders, name by URI; older clients send one root in either of two ways."""
    listed = params.get("workspaceFolders")
    if isinstance(listed, list):
        entries = [cast("Mapping[str, Any]", f) for f in listed if isinstance(f, Mapping)]
        return {str(f["uri"]): str(f.get("name") or "") for f in entries if isinstance(f.get("uri"), str)}
    root, path = params.get("rootUri"), params.get("rootPath")
    if isinstance(root, str):
        return {root: ""}
    return {Path(path).absolute().as_uri(): ""} if isinstance(path, str) and path else {}


def server_capabilities(client: Client, commands: Iterable[str]) -> "ServerCapabilities":
    """The server's capabilities for this client."""
    capabilities: ServerCapabilities = {
        "positionEncoding": client.encoding,
        "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
        "executeCommandProvider": {"commands": list(commands), "workDoneProgress": True},
        "workspace": _workspace(client),
        **_writing(client),
        **_display(),
        **_navigation(),  # type: ignore[typeddict-item]  # the parts that are put in have no further keys
    }
    if client.pulls_diagnostics:
        pulled: DiagnosticOptions = {
            "identifier": "rubric",
            "interFileDependencies": True,
            "workspaceDiagnostics": True,
        }
        capabilities["diagnosticProvider"] = pulled
    return capabilities


def _writing(client: Client) -> "WritingCapabilities":
    """Capabilities for writing and fixing a text."""
    actions: bool | CodeActionOptions = True
    if client.action_literals:
        actions = {"codeActionKinds": list(code_actions.KINDS), "resolveProvider": client.resolves_edits}
    return {
        "completionProvider": {"triggerCharacters": list(TRIGGERS), "resolveProvider": client.resolves_documentation},
        "hoverProvider": True,
        "codeActionProvider": actions,
        "documentFormattingProvider": True,
        "documentRangeFormattingProvider": True,
        "documentOnTypeFormattingProvider": {
            "firstTriggerCharacter": "\n",
            "moreTriggerCharacter": list(on_type_formatting.TRIGGERS[1:]),
        },
        "renameProvider": {"prepareProvider": True} if client.prepares_rename else True,
    }


def _display() -> "DisplayCapabilities":
    """Capabilities for display: hints, lenses, colours, folds."""
    return {
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
    }


def _navigation() -> "NavigationCapabilities":
    """Capabilities for navigation between names."""
    return {
        "definitionProvider": True,
        "referencesProvider": True,
        "documentHighlightProvider": True,
        "documentLinkProvider": {"resolveProvider": False},
        "workspaceSymbolProvider": True,
    }


def _workspace(client: Client) -> "WorkspaceOptions":
    workspace: WorkspaceOptions = {
        "workspaceFolders": {"supported": True, "changeNotifications": True},
        # A suite can refer to any file. Clients that do not declare the capability may still use it by a plugin.
        "fileOperations": {"willRename": {"filters": [{"scheme": "file", "pattern": {"glob": "**/*"}}]}},
    }
    if client.text_contents:
        workspace["textDocumentContent"] = {"schemes": ["rubric"]}
    return workspace
