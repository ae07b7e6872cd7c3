"""The response to `initialize`, and later registrations."""

from typing import Literal, TypedDict

from rubric_core.text import Encoding


class SaveOptions(TypedDict):
    """The content of `didSave`."""

    includeText: bool


class TextDocumentSyncOptions(TypedDict):
    """How documents are synchronized; 2 is incrementally."""

    openClose: bool
    change: Literal[0, 1, 2]
    save: SaveOptions


class CompletionOptions(TypedDict):
    """The trigger characters of completion."""

    triggerCharacters: list[str]
    resolveProvider: bool


class CodeActionOptions(TypedDict):
    """The kinds of actions."""

    codeActionKinds: list[str]
    resolveProvider: bool


class CodeLensOptions(TypedDict):
    """Whether lenses have to be resolved."""

    resolveProvider: bool


class InlayHintOptions(TypedDict):
    """Whether hints have to be resolved."""

    resolveProvider: bool


class DocumentLinkOptions(TypedDict):
    """Whether links have to be resolved."""

    resolveProvider: bool


class DocumentSymbolOptions(TypedDict):
    """The name of the outline."""

    label: str


class SemanticTokensLegend(TypedDict):
    """The meaning of the numbers of tokens."""

    tokenTypes: list[str]
    tokenModifiers: list[str]


class SemanticTokensFullDelta(TypedDict):
    """Whether changes since an earlier result are sent."""

    delta: bool


class SemanticTokensOptions(TypedDict):
    """How tokens can be requested."""

    legend: SemanticTokensLegend
    full: SemanticTokensFullDelta
    range: bool


class DocumentOnTypeFormattingOptions(TypedDict):
    """The trigger characters of on-type formatting."""

    firstTriggerCharacter: str
    moreTriggerCharacter: list[str]


class RenameOptions(TypedDict):
    """Whether a rename can be prepared."""

    prepareProvider: bool


class DiagnosticOptions(TypedDict):
    """How diagnostics can be pulled."""

    identifier: str
    interFileDependencies: bool
    workspaceDiagnostics: bool


class ExecuteCommandOptions(TypedDict):
    """The commands of the server."""

    commands: list[str]
    workDoneProgress: bool


class WorkspaceFoldersServerCapabilities(TypedDict):
    """Whether folders may be added and removed."""

    supported: bool
    changeNotifications: bool


class FileOperationPattern(TypedDict):
    """The files of an operation."""

    glob: str


class FileOperationFilter(TypedDict):
    """The same, of one scheme."""

    scheme: str
    pattern: FileOperationPattern


class FileOperationRegistrationOptions(TypedDict):
    """The files whose operations are reported."""

    filters: list[FileOperationFilter]


class FileOperationOptions(TypedDict):
    """The operations on files that are reported."""

    willRename: FileOperationRegistrationOptions


class TextDocumentContentOptions(TypedDict):
    """The schemes of the server's virtual documents."""

    schemes: list[str]


class _WorkspaceOptions(TypedDict):
    workspaceFolders: WorkspaceFoldersServerCapabilities
    fileOperations: FileOperationOptions


class WorkspaceOptions(_WorkspaceOptions, total=False):
    """Capabilities for folders and files."""

    textDocumentContent: TextDocumentContentOptions


class RubricTests(TypedDict):
    """The version of the test protocol."""

    version: int


class Experimental(TypedDict):
    """Capabilities that LSP does not define."""

    rubricTests: RubricTests


class WritingCapabilities(TypedDict):
    """Capabilities for writing and fixing a text."""

    completionProvider: CompletionOptions
    hoverProvider: bool
    codeActionProvider: bool | CodeActionOptions
    documentFormattingProvider: bool
    documentRangeFormattingProvider: bool
    documentOnTypeFormattingProvider: DocumentOnTypeFormattingOptions
    renameProvider: bool | RenameOptions


class DisplayCapabilities(TypedDict):
    """Capabilities for display: hints, lenses, colours, folds."""

    codeLensProvider: CodeLensOptions
    inlayHintProvider: InlayHintOptions
    documentSymbolProvider: DocumentSymbolOptions
    foldingRangeProvider: bool
    selectionRangeProvider: bool
    semanticTokensProvider: SemanticTokensOptions


class NavigationCapabilities(TypedDict):
    """Capabilities for navigation between names."""

    definitionProvider: bool
    referencesProvider: bool
    documentHighlightProvider: bool
    documentLinkProvider: DocumentLinkOptions
    workspaceSymbolProvider: bool


class _AlwaysOffered(WritingCapabilities, DisplayCapabilities, NavigationCapabilities):
    positionEncoding: Encoding
    textDocumentSync: TextDocumentSyncOptions
    executeCommandProvider: ExecuteCommandOptions
    workspace: WorkspaceOptions


class ServerCapabilities(_AlwaysOffered, total=False):
    """The server's capabilities for this client."""

    diagnosticProvider: DiagnosticOptions
    experimental: Experimental


class ServerInfo(TypedDict):
    """The name and version of the server."""

    name: str
    version: str


class InitializeResult(TypedDict):
    """The response to `initialize`."""

    capabilities: ServerCapabilities
    serverInfo: ServerInfo


class DidChangeConfigurationRegistrationOptions(TypedDict):
    """The settings whose changes are reported."""

    section: str


class FileSystemWatcher(TypedDict):
    """Files whose changes are reported."""

    globPattern: str


class DidChangeWatchedFilesRegistrationOptions(TypedDict):
    """All files whose changes are reported."""

    watchers: list[FileSystemWatcher]


class Registration(TypedDict):
    """A notification that the client sends from now on."""

    id: str
    method: str
    registerOptions: DidChangeConfigurationRegistrationOptions | DidChangeWatchedFilesRegistrationOptions


class RegistrationParams(TypedDict):
    """Several registrations."""

    registrations: list[Registration]


class ConfigurationItem(TypedDict):
    """Settings by their section."""

    section: str


class ConfigurationParams(TypedDict):
    """The settings that are requested."""

    items: list[ConfigurationItem]
