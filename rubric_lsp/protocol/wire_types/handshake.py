"""The answer to `initialize`, and what is registered after it."""

from typing import Literal, TypedDict

from rubric_core.text import Encoding


class SaveOptions(TypedDict):
    """What comes with `didSave`."""

    includeText: bool


class TextDocumentSyncOptions(TypedDict):
    """How documents are kept in step; 2 is by edits."""

    openClose: bool
    change: Literal[0, 1, 2]
    save: SaveOptions


class CompletionOptions(TypedDict):
    """When suggestions are asked for."""

    triggerCharacters: list[str]
    resolveProvider: bool


class CodeActionOptions(TypedDict):
    """The kinds of actions."""

    codeActionKinds: list[str]
    resolveProvider: bool


class CodeLensOptions(TypedDict):
    """Whether lenses come without their commands."""

    resolveProvider: bool


class InlayHintOptions(TypedDict):
    """Whether hints come without their tooltips."""

    resolveProvider: bool


class DocumentLinkOptions(TypedDict):
    """Whether links come without their targets."""

    resolveProvider: bool


class DocumentSymbolOptions(TypedDict):
    """The name of the outline."""

    label: str


class SemanticTokensLegend(TypedDict):
    """What the numbers of tokens stand for."""

    tokenTypes: list[str]
    tokenModifiers: list[str]


class SemanticTokensFullDelta(TypedDict):
    """Whether changes since an earlier result are sent."""

    delta: bool


class SemanticTokensOptions(TypedDict):
    """How tokens can be asked for."""

    legend: SemanticTokensLegend
    full: SemanticTokensFullDelta
    range: bool


class DocumentOnTypeFormattingOptions(TypedDict):
    """The characters after which a line is formatted."""

    firstTriggerCharacter: str
    moreTriggerCharacter: list[str]


class RenameOptions(TypedDict):
    """Whether a name can be looked at before it is changed."""

    prepareProvider: bool


class DiagnosticOptions(TypedDict):
    """How diagnostics can be asked for."""

    identifier: str
    interFileDependencies: bool
    workspaceDiagnostics: bool


class ExecuteCommandOptions(TypedDict):
    """The commands of the server."""

    commands: list[str]
    workDoneProgress: bool


class WorkspaceFoldersServerCapabilities(TypedDict):
    """Whether folders may come and go."""

    supported: bool
    changeNotifications: bool


class FileOperationPattern(TypedDict):
    """The files that are meant."""

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
    """The schemes of documents whose text the server has."""

    schemes: list[str]


class _WorkspaceOptions(TypedDict):
    workspaceFolders: WorkspaceFoldersServerCapabilities
    fileOperations: FileOperationOptions


class WorkspaceOptions(_WorkspaceOptions, total=False):
    """What the server can do with folders and files."""

    textDocumentContent: TextDocumentContentOptions


class RubricTests(TypedDict):
    """The version of the test protocol."""

    version: int


class Experimental(TypedDict):
    """What LSP does not define."""

    rubricTests: RubricTests


class WritingCapabilities(TypedDict):
    """What helps to write and to mend a text."""

    completionProvider: CompletionOptions
    hoverProvider: bool
    codeActionProvider: bool | CodeActionOptions
    documentFormattingProvider: bool
    documentRangeFormattingProvider: bool
    documentOnTypeFormattingProvider: DocumentOnTypeFormattingOptions
    renameProvider: bool | RenameOptions


class DisplayCapabilities(TypedDict):
    """What is shown beside the text, and how it is coloured and folded."""

    codeLensProvider: CodeLensOptions
    inlayHintProvider: InlayHintOptions
    documentSymbolProvider: DocumentSymbolOptions
    foldingRangeProvider: bool
    selectionRangeProvider: bool
    semanticTokensProvider: SemanticTokensOptions


class NavigationCapabilities(TypedDict):
    """What leads from a name to other places."""

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
    """What the server can do for this client."""

    diagnosticProvider: DiagnosticOptions
    experimental: Experimental


class ServerInfo(TypedDict):
    """The server by name."""

    name: str
    version: str


class InitializeResult(TypedDict):
    """The answer to `initialize`."""

    capabilities: ServerCapabilities
    serverInfo: ServerInfo


class DidChangeConfigurationRegistrationOptions(TypedDict):
    """The settings whose changes are reported."""

    section: str


class FileSystemWatcher(TypedDict):
    """Files whose changes are told."""

    globPattern: str


class DidChangeWatchedFilesRegistrationOptions(TypedDict):
    """All files whose changes are told."""

    watchers: list[FileSystemWatcher]


class Registration(TypedDict):
    """A notification that the client sends from now on."""

    id: str
    method: str
    registerOptions: DidChangeConfigurationRegistrationOptions | DidChangeWatchedFilesRegistrationOptions


class RegistrationParams(TypedDict):
    """Several of them."""

    registrations: list[Registration]


class ConfigurationItem(TypedDict):
    """Settings by their name."""

    section: str


class ConfigurationParams(TypedDict):
    """The settings that are asked for."""

    items: list[ConfigurationItem]
