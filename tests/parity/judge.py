"""What the scripted judge and target reply: decided by the text of a criterion and the answer alone, so the same for both programs.

Directives force a result: `{sat}`, `{unsat}` and `{raw 7}` in a criterion, `{score 0.75}` anywhere in a free-form prompt. A mode makes
the judge misbehave: see `REPLY_MODES`, `TEXT_MODES`, `ONCE`, and `STATUSES` in `server.py`.
"""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["ONCE", "REPLY_MODES", "TEXT_MODES", "is_judge", "judge_reply", "target_reply"]

Reply = dict[str, Any]
Kind = Literal["checklist", "ranges", "free"]

_SECTION = re.compile(r"\[\[ ## (\w+) ## \]\]\n?")
_DIRECTIVE = re.compile(r"\{(sat|unsat|raw -?[\d.]+|score -?[\d.]+)\}")
_FORCED_SCORE = re.compile(r"\{score (-?[\d.]+)\}")
#: How criteria are listed: as `{{ rubrics_json }}`, by agentv with bands and without, by rubric.
_LISTED = (
    re.compile(r'\{"id": ?"([^"]+)", ?"outcome": ?"([^"]*)"'),
    re.compile(r"^### Criterion: (\S+)[^\n]*\n(?:Operator: [^\n]*\n)?(?:Description: ([^\n]*))?", re.MULTILINE),
    re.compile(
        r"^- \[([^\]]+)\](?: \(REQUIRED\))?(?: \(weight: [^)]*\))?(?: \(operator: [^)]*\))?: (.*)$", re.MULTILINE
    ),
    re.compile(r"^- ([^\s:][^\n:]*): (.*)$", re.MULTILINE),
)
#: What rubric appends to a criterion, or writes for one without a text.
_ADDED = re.compile(r" \(satisfied when the answer does not contradict the text\)$|^by its score ranges$")
#: Signs of a reply contract in the instructions of either program.
_JUDGE_SIGNS = ('"satisfied"', '"checks"', '"assertions"', '"score"', "You grade one answer")
_RANGE_SIGNS = ("score each", "integer score", "whole number from 0 to 10", '"score": 7', "score ranges")
#: How agentv asks once more for a reply that it could not read; this judge cannot repair one.
_REPAIR = "Invalid response:\n"


@dataclass(frozen=True)
class _Question:
    kind: Kind
    #: Ids and texts.
    criteria: tuple[tuple[str, str], ...]
    #: The section with the answer, empty where a prompt has no sections.
    answer: str
    #: What decides a free-form score.
    subject: str
    forced: float | None


def is_judge(system: str) -> bool:
    """Whether instructions ask for a judgement."""
    return any(sign in system for sign in _JUDGE_SIGNS)


def judge_reply(system: str, user: str, modes: Collection[str] = ()) -> str:
    """The reply to a request for a judgement."""
    if _REPAIR in user:
        return user.split(_REPAIR, 1)[1]
    question = _question(system, user)
    reply = _free(question, system) if question.kind == "free" else _checks(question)
    for mode in modes:
        if mode in REPLY_MODES:
            REPLY_MODES[mode](reply)
    text = json.dumps(reply)
    for mode in modes:
        text = TEXT_MODES.get(mode, str)(text)
    return text


def target_reply(user: str) -> str:
    """The answer of a target: what `ECHO:` says, else one of four by a hash of the question."""
    echo = re.search(r"ECHO: (.*)", user, re.DOTALL)
    if echo:
        return echo[1].strip()
    number = _number(_words(user))
    answers = (
        f"Answer number {number % 1000}: yes, this was looked at with care.",
        json.dumps({"answer": number % 100, "status": "ok"}),
        f"Error {number % 7}. I cannot help with that.",
        user.strip()[:300],
    )
    return answers[number % len(answers)]


def _question(system: str, user: str) -> _Question:
    pieces = _SECTION.split(user)
    sections = {name: body.strip() for name, body in zip(pieces[1::2], pieces[2::2], strict=True)}
    answer = _first(sections, "answer", "output", "candidate_answer")
    kind = _kind(system, user)
    listed = _first(sections, "rubrics", "scoring_criteria", "rubric") or user
    criteria = next(filter(None, (pattern.findall(listed) for pattern in _LISTED)), [])
    subject = f"{sections.get('criteria', '')}\x1f{answer}" if sections else _words(user)
    forced = _FORCED_SCORE.search(user)
    texts = tuple((name, _ADDED.sub("", text)) for name, text in criteria)
    return _Question(kind, texts, answer, subject, float(forced[1]) if forced else None)


def _first(sections: Mapping[str, str], *names: str) -> str:
    return next((sections[name] for name in names if sections.get(name)), "")


def _kind(system: str, user: str) -> Kind:
    if '"satisfied"' in system:
        return "checklist"
    ranges = "### Criterion:" in user or any(sign in system.lower() for sign in _RANGE_SIGNS)
    return "ranges" if ranges and '"checks"' in system else "free"


def _checks(question: _Question) -> Reply:
    check = _satisfied if question.kind == "checklist" else _raw
    checks = [{"id": name, **check(name, text, question.answer)} for name, text in question.criteria]
    return {"checks": checks, "overall_reasoning": "scripted"}


def _satisfied(name: str, text: str, answer: str) -> Reply:
    directive = _directive(text)
    satisfied = directive == "sat" if directive in ("sat", "unsat") else _number(name, text.strip(), answer) % 3 != 0
    return {"satisfied": satisfied, "reasoning": f"satisfied {satisfied}"}


def _raw(name: str, text: str, answer: str) -> Reply:
    directive = _directive(text)
    raw = float(directive.split()[1]) if directive.startswith("raw") else _number(name, text.strip(), answer) % 11
    return {"score": int(raw) if raw == int(raw) else raw, "reasoning": f"raw {raw:g}"}


def _free(question: _Question, system: str) -> Reply:
    score = _number(question.subject) % 21 / 20 if question.forced is None else question.forced
    if '"pass"' in system:
        return {"pass": score >= 0.5, "score": score, "reason": "scripted"}
    if '"hits"' in system:
        return {"score": score, "hits": ["h"], "misses": [], "reasoning": "scripted"}
    return {"score": score, "assertions": [{"text": "scripted", "passed": score >= 0.5, "evidence": "scripted"}]}


def _directive(text: str) -> str:
    found = _DIRECTIVE.search(text)
    return found[1] if found else ""


def _number(*parts: str) -> int:
    return int(hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:12], 16)


def _words(text: str) -> str:
    return " ".join(text.split())


def _omit(reply: Reply) -> None:
    if "checks" in reply:
        del reply["checks"][-1:]
    else:
        del reply["score"]


def _omit_all(reply: Reply) -> None:
    if "checks" in reply:
        reply["checks"].clear()
    else:
        del reply["score"]


def _unknown(reply: Reply) -> None:
    reply.get("checks", []).extend([{**check, "id": "not-a-criterion"} for check in reply.get("checks", [])[-1:]])


def _twice(reply: Reply) -> None:
    checks = reply.get("checks", [])
    for check in checks[-1:]:
        opposite = {"satisfied": not check["satisfied"]} if "satisfied" in check else {"score": 10 - check["score"]}
        checks.append({**check, **opposite})


def _valued(ranges: object, free: object, checklist: object = None) -> Callable[[Reply], None]:
    """A mode that sets the first result to a value that it must not have."""

    def spoil(reply: Reply) -> None:
        if "checks" not in reply:
            reply["score"] = reply["score"] if free is None else free
        for check in reply.get("checks", [])[:1]:
            name, value = ("satisfied", checklist) if "satisfied" in check else ("score", ranges)
            check[name] = check[name] if value is None else value

    return spoil


def _without_reasoning(reply: Reply) -> None:
    reply.pop("overall_reasoning", None)
    for check in reply.get("checks", []):
        del check["reasoning"]


def _extra(reply: Reply) -> None:
    for check in reply.get("checks", []):
        check["confidence"] = 0.5


#: What a judge does to its reply.
REPLY_MODES: Mapping[str, Callable[[Reply], None]] = {
    "omit": _omit,
    "omit-all": _omit_all,
    "unknown": _unknown,
    "twice": _twice,
    "high": _valued(11, 1.5),
    "low": _valued(-1, -0.5),
    "fraction": _valued(7.5, None),
    "number-as-text": _valued("7", "0.7"),
    "boolean-as-text": _valued(None, None, "true"),
    "no-reasoning": _without_reasoning,
    "extra-keys": _extra,
}
#: What a judge does to the text of its reply.
TEXT_MODES: Mapping[str, Callable[[str], str]] = {
    "nan": lambda text: re.sub(r'"score": [-\d.]+', '"score": NaN', text, count=1),
    "cut": lambda text: text[: len(text) // 2],
    "prose": lambda _: "I think this is rather good, on the whole.",
    "fence": lambda text: f"```json\n{text}\n```",
    "empty": lambda _: "",
}
#: Modes that hold for the first request only, by the mode that they are then.
ONCE: Mapping[str, str] = {"cut-once": "cut", "omit-once": "omit"}
