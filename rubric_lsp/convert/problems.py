"""Diagnostics, with what a client can show of them."""

from collections.abc import Iterable

from rubric_lsp.capabilities import Client
from rubric_lsp.convert.places import Json, range_of
from rubric_lsp.features.diagnostics import Problem
from rubric_lsp.snapshot import Snapshot

__all__ = ["diagnostics"]

_SEVERITIES = {"error": 1, "warning": 2, "information": 3, "hint": 4}
_TAGS = {"unnecessary": 1, "deprecated": 2}


def diagnostics(snapshot: Snapshot, problems: Iterable[Problem], client: Client) -> list[Json]:
    """Problems, with what this client can show of them."""
    return [_diagnostic(snapshot, each, client) for each in problems]


def _diagnostic(snapshot: Snapshot, problem: Problem, client: Client) -> Json:
    made: Json = {
        "range": range_of(snapshot, problem.span),
        "severity": _SEVERITIES[problem.severity],
        "code": problem.code,
        "source": problem.source,
        "message": problem.message,
    }
    if problem.url and client.code_description:
        made["codeDescription"] = {"href": problem.url}
    if problem.related and client.related_information:
        places = ({"uri": snapshot.uri, "range": range_of(snapshot, note.span)} for note in problem.related)
        made["relatedInformation"] = [
            {"location": p, "message": n.message} for p, n in zip(places, problem.related, strict=True)
        ]
    tags = [_TAGS[t] for t in problem.tags if _TAGS[t] in client.diagnostic_tags]
    if tags:
        made["tags"] = tags
    if problem.fixes and client.diagnostic_data:
        made["data"] = {"fixes": list(problem.fixes)}
    return made
