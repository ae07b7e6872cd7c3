"""Conversion to and from the protocol: the only package that reads or builds messages.

Both are plain JSON: building thousands of library objects would take longer than computing their contents. The tests
check everything that is sent against lsprotocol's types.
"""

from rubric_lsp.convert.actions import code_actions, code_lenses, reference_lenses, resolved_action
from rubric_lsp.convert.completion_hover import completions, hover, inlay_hints, resolved
from rubric_lsp.convert.diagnostics import diagnostics, findings
from rubric_lsp.convert.params import (
    arguments,
    changed_files,
    changes,
    findings_on_line,
    folders,
    is_explicit_request,
    known_diagnostics,
    line,
    moves,
    offset,
    opened,
    positions,
    request_words,
    text_range,
    uri,
    wanted_kinds,
    wants_everything,
    within,
)
from rubric_lsp.convert.positions import (
    file_location,
    lines,
    location,
    position_of,
    range_of,
    text_edits,
    workspace_edit,
    workspace_edits,
)
from rubric_lsp.convert.symbols_links import (
    document_links,
    document_symbols,
    folding_ranges,
    found_symbols,
    highlights,
    nameable,
    selection_range,
)

__all__ = [
    "arguments",
    "changed_files",
    "changes",
    "code_actions",
    "code_lenses",
    "completions",
    "diagnostics",
    "document_links",
    "document_symbols",
    "file_location",
    "findings",
    "findings_on_line",
    "folders",
    "folding_ranges",
    "found_symbols",
    "highlights",
    "hover",
    "inlay_hints",
    "is_explicit_request",
    "known_diagnostics",
    "line",
    "lines",
    "location",
    "moves",
    "nameable",
    "offset",
    "opened",
    "position_of",
    "positions",
    "range_of",
    "reference_lenses",
    "request_words",
    "resolved",
    "resolved_action",
    "selection_range",
    "text_edits",
    "text_range",
    "uri",
    "wanted_kinds",
    "wants_everything",
    "within",
    "workspace_edit",
    "workspace_edits",
]  # fmt: skip
