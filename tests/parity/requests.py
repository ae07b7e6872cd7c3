"""What the model behind a target or a judge was sent by the two runners.

Compared where a suite marks it: with `[[CASE.WHAT]]` in an input or in a prompt of its own. To targets all messages count; to judges
the one message with the mark, because the instructions around a prompt are each program's own. agentv instructs targets too: that
message counts where a label ends with `.whole` only.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .compare import Difference
from .payloads import compare_values, without_places
from .server import Request

__all__ = ["compare_requests", "marked_labels"]

_MARK = re.compile(r"\[\[([\w-]+(?:\.[\w-]+)?)\]\]")
_AGENTV_INSTRUCTIONS = "You are a careful assistant."
Messages = list[list[str]]


def compare_requests(requests: Iterable[Request], suite: str, folders: Mapping[str, Path]) -> Iterator[Difference]:
    """What differs between marked requests of a suite that was laid out in a folder for each program."""
    own = [request for request in requests if request.suite == suite]
    sent = {
        program: without_places(_marked(each for each in own if each.program == program), [(str(folder), "<suite>")])
        for program, folder in folders.items()
    }
    for label in dict.fromkeys([*sent["agentv"], *sent["rubric"]]):
        case, place = label.partition(".")[0], f"request {label}"
        one, other = (sent[program].get(label, []) for program in ("agentv", "rubric"))
        roles = [[[role for role, _ in messages] for messages in sent] for sent in (one, other)]
        differ = (
            [("roles", *map(json.dumps, roles))] if roles[0] != roles[1] else compare_values(one, other, "messages")
        )
        for where, left, right in differ:
            yield Difference(case, place, where, left, right)


def marked_labels(requests: Iterable[Request], suite: str) -> frozenset[str]:
    """The labels of the marked requests of a suite."""
    return frozenset(_marked(request for request in requests if request.suite == suite))


def _marked(requests: Iterable[Request]) -> dict[str, list[Messages]]:
    """The messages of marked requests by label; the same request again, a retry, counts once."""
    found: dict[str, list[Messages]] = {}
    for request in requests:
        for label in dict.fromkeys(_MARK.findall("\n".join(text for _, text in request.messages))):
            messages = [list(message) for message in request.messages if _counts(message, request, label)]
            calls = found.setdefault(label, [])
            if messages not in calls:
                calls.append(messages)
    return {label: sorted(calls) for label, calls in found.items()}


def _counts(message: tuple[str, str], request: Request, label: str) -> bool:
    role, text = message
    if request.judge:
        return f"[[{label}]]" in text
    return label.endswith(".whole") or role != "system" or not text.startswith(_AGENTV_INSTRUCTIONS)
