"""The MCP server: its tools, and the reference of each dialect as a resource."""

import os
import signal
from functools import partial
from pathlib import Path

from mcp.server import MCPServer
from mcp.server.mcpserver.resources import FunctionResource
from mcp.types import ToolAnnotations

from rubric_core import __version__
from rubric_core.language.dialect_reference import dialect_reference
from rubric_core.language.dialects import DIALECTS
from rubric_lsp.mcp.answered_stdio import AnsweringServer
from rubric_lsp.mcp.language_tools import LanguageTools
from rubric_lsp.mcp.run_tools import RunTools
from rubric_lsp.mcp.served_folder import ServedFolder

__all__ = ["make_server", "serve"]

_INSTRUCTIONS = (
    "rubric checks and runs LLM evaluation suites in YAML. Before you write a suite, read the resource of its dialect "
    "(rubric://language/agentv-3); check after every change; explain a code before you ignore it."
)


def make_server(folder: Path) -> MCPServer[object]:
    """The server for a folder, which has to be the current folder."""
    served = ServedFolder(folder)
    language, runs = LanguageTools(served), RunTools(served)
    server = AnsweringServer("rubric", instructions=_INSTRUCTIONS, version=__version__, log_level="ERROR")
    reading = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    for tool in (language.check, language.complete_at, language.explain, language.schema, runs.results, runs.compare):
        server.add_tool(tool, annotations=reading)
    server.add_tool(language.fix, annotations=ToolAnnotations(destructive_hint=True, idempotent_hint=True))
    server.add_tool(runs.run_case, annotations=ToolAnnotations(destructive_hint=True, open_world_hint=True))
    for dialect in DIALECTS:
        server.add_resource(
            FunctionResource(
                uri=f"rubric://language/{dialect.name}",
                name=dialect.name,
                title=f"The language of suites, dialect {dialect.name}",
                description=f"Every key, evaluator and target of {dialect.name} on one page, read by agentv {dialect.releases}.",
                mime_type="text/markdown",
                fn=partial(dialect_reference, dialect),
            )
        )
    return server


def serve(folder: Path) -> None:
    """Serve a folder on standard input and output until the client disconnects. Makes it the current folder."""
    os.chdir(folder)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Python would wait for the thread that reads from the client, perhaps for ever. The guard ends running
        # programs.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    make_server(Path.cwd()).run("stdio")
