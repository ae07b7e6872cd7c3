"""The ids of tests: the URI of a suite, then the id of a case, then the name of an evaluator."""

from collections.abc import Iterator

from rubric_lsp.features.tests import SEPARATOR

__all__ = ["cuts", "id_of"]


def id_of(uri: str, name: str = "", evaluator: str = "") -> str:
    """The id of a suite, a case or an evaluator."""
    return SEPARATOR.join(part for part in (uri, name, evaluator) if part)


def cuts(text: str) -> Iterator[tuple[str, str]]:
    """Every way to cut an id in two at a separator; the whole first, with nothing behind it."""
    yield text, ""
    at = text.find(SEPARATOR)
    while at >= 0:
        yield text[:at], text[at + len(SEPARATOR) :]
        at = text.find(SEPARATOR, at + 1)
