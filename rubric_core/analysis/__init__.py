"""Analysis: from a document to its content and its findings."""

from rubric_core.analysis.analyzer import analyze, stated_dialect
from rubric_core.analysis.language import Language, default_language
from rubric_core.analysis.result import Analysis, LocalText

__all__ = ["Analysis", "Language", "LocalText", "analyze", "default_language", "stated_dialect"]
