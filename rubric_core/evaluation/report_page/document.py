"""The HTML document: one file that needs no network, and runs only the front end.

Answers and suites are data: compressed and in base64, no character of it is markup. The policy allows one script and
one style, by their hashes, and nothing else; no script may turn text into markup (`trusted-types`).
"""

import base64
import gzip
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import Literal

from rubric_core.control_characters import mask_name
from rubric_core.evaluation.report_page.data import CaseData, ReportData, RunData
from rubric_core.evaluation.results.journal import json_text

__all__ = ["content_policy", "html_document", "packed"]

_NO_SCRIPT = "This page needs JavaScript, which this browser does not run."
#: The most compact that pays: level 9 takes twice as long for 2 %.
_LEVEL = 7


@lru_cache(maxsize=1)
def _bundle() -> tuple[str, str]:
    """The script and the style of the view."""
    folder = files("rubric_core.evaluation.report_page") / "bundle"
    return (folder / "report.js").read_text("utf-8"), (folder / "report.css").read_text("utf-8")


def content_policy(connects: Literal["none", "self"] = "none") -> str:
    """The content security policy of the page; with "self" it may ask the server that it comes from."""
    script, style = map(_hash, _bundle())
    return (
        f"default-src 'none'; script-src '{script}'; style-src '{style}'; connect-src '{connects}'; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def packed(data: ReportData | Sequence[CaseData]) -> str:
    """Data as the page reads it: JSON by gzip in base64, the same bytes every time."""
    return base64.b64encode(gzip.compress(json_text(data).encode(), _LEVEL, mtime=0)).decode()


def html_document(data: ReportData | None, details: Iterable[str] = (), *, title: str = "") -> Iterator[str]:
    """The page, piece by piece.

    Args:
        data: Its data; None for the page of a server, which requests it.
        details: The cases, packed in pieces.
        title: The title without data.
    """
    script, style = _bundle()
    source, connects = ("embedded", "none") if data is not None else ("served", "self")
    name = _title(data) if data is not None else title
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(content_policy(connects))}">\n'  # type: ignore[arg-type]  # one of the two
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(name)}</title>\n<style>{style}</style>\n</head>\n"
        f'<body data-source="{source}">\n<div id="page"><main><h1>{escape(name)}</h1>{_summary(data)}</main></div>\n'
        f"<noscript><p>{_NO_SCRIPT}</p></noscript>\n"
    )
    if data is not None:
        yield f'<script type="text/plain" id="data">{packed(data)}</script>\n'
        for number, piece in enumerate(details):
            yield f'<script type="text/plain" id="details-{number}">{piece}</script>\n'
    yield f"<script>{script}</script>\n</body>\n</html>\n"


def _title(data: ReportData) -> str:
    suites = data["suites"]
    return f"{mask_name(suites[0]) if len(suites) == 1 else f'{len(suites)} suites'} · rubric"


def _summary(data: ReportData | None) -> str:
    """A summary for readers without JavaScript."""
    return f"<p>{escape(_words(data['run']))}</p>" if data is not None else ""


def _words(run: RunData) -> str:
    counts = run["counts"]
    foreign = f"not yours: {run['foreign']}. " if "foreign" in run else ""
    told = foreign + ", ".join(f"{number} {verdict}" for verdict, number in counts.items() if number)
    return f"Run {run['id']}: {told or 'no cases'}."
