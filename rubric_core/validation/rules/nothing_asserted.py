"""nothing-asserted: a case that no answer can fail."""

from collections.abc import Iterator

from rubric_core.language.model import Case, Message
from rubric_core.loading.grading import asserts_anything
from rubric_core.syntax.edit import rename_key
from rubric_core.syntax.tree import Mapping, Sequence
from rubric_core.validation.fixes import FILL_IN, add_key_fix
from rubric_core.validation.rule import Context, Finding, Fix, rule
from rubric_core.validation.wording import names

__all__ = ["NOTHING_ASSERTED"]

#: What makes a case complete, where the engine asks for one of them.
_AIMS = ("criteria", "expected_output", "assertions", "turns")
_SKIPS = "agentv skips the case and only logs it; rubric does not score it"
_ASKS = "agentv asks a judge without any criteria; rubric does not score it"
_ASSERTING = frozenset(("assertions", "evaluators", "rubrics", "evaluator", "criteria", "expected_output"))


@rule("nothing-asserted", "warning", "A case that asserts nothing", awaits="entry")
def NOTHING_ASSERTED(case: Case, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Silent where a key that would assert something is misspelt: that key is reported already."""
    if context.dialect.properties.reference == "in-input":
        yield from _halves(case)
        return
    skipped = context.dialect.properties.skips_bare_cases and case.places.keys().isdisjoint(_AIMS)
    graded = context.defaults.asserts or context.defaults.evaluator
    if not skipped and (graded or asserts_anything(None, case)):
        return
    unread = {*case.unread, *(case.execution.unread if case.execution is not None else {})}
    if unread & _ASSERTING or any(case.has(f) and _is_broken(case, f) for f in _ASSERTING):
        return
    if case.mode == "conversation" and not case.turns:
        return  # its turns are missing, which is said there
    if context.dialect.demanded(Case, "criteria"):
        return  # missing-key says it
    if (case.has("turns") and (not case.turns or case.mode is None)) or (case.has("mode") and not case.turns):
        return  # what is wrong with the conversation is said there
    if skipped and (asserts_anything(None, case) or graded or _expects(case, context)):
        yield _skipped(case, context)
        return
    if _expects(case, context):
        return
    field = (
        "assertions"
        if context.dialect.spelled(Case, "assertions")
        else "rubrics"
        if context.dialect.spelled(Case, "rubrics")
        else "criteria"
    )
    key = context.dialect.spelled(Case, field)
    yield Finding(
        case.at("id") if case.has("id") else case.span,
        f"this case asserts nothing; describe a good answer under `{key}`",
        fixes=_to_fill_in(case, field, context),
        consequence=_ASKS if case.has(field) else _SKIPS,
    )


def _expects(case: Case, context: Context) -> bool:
    """Whether the variables of a case hold the answer that is expected, where that is its place."""
    return context.dialect.spelled(Case, "expected_output") is None and "expected_output" in (case.vars or {})


def _to_fill_in(case: Case, field: str, context: Context) -> tuple[Fix, ...]:
    """What a good answer is only the author knows."""
    key = context.dialect.spelled(Case, "criteria")
    if key and not context.dialect.properties.strict_keys and not case.has("criteria"):
        return () if case.borrowed else add_key_fix(case.node, key, FILL_IN, context)
    key = context.dialect.spelled(Case, field)
    return () if case.borrowed or not key or case.has(field) else add_key_fix(case.node, key, f"[{FILL_IN}]", context)


def _skipped(case: Case, context: Context) -> Finding:
    """Rubrics, evaluators under their old key and those of the suite do not count when the engine looks whether to run it."""
    needed = names([k for f in _AIMS if f != "turns" and (k := context.dialect.spelled(Case, f))], "or")
    entry = None
    if isinstance(case.node, Mapping) and case.has("evaluators") and not case.places["evaluators"].borrowed:
        written = case.places["evaluators"].name
        entry = case.node.entry(written)
    current = context.dialect.spelled(Case, "assertions")
    fix = (Fix(f"rename it to `{current}`", (rename_key(entry, current),)),) if entry is not None and current else ()
    return Finding(
        case.at("id") if case.has("id") else case.span,
        f"this case is skipped: it needs {needed} of its own",
        fixes=fix or _to_fill_in(case, "criteria", context),
        consequence="agentv skips the case and only logs it, whatever else grades it",
    )


def _is_broken(case: Case, field: str) -> bool:
    """Whether something is written that cannot be understood, which is said where it stands."""
    value, node = vars(case).get(field), case.places[field].node
    return value is None or (value == [] and isinstance(node, Sequence) and bool(node.items))


def _halves(case: Case) -> Iterator[Finding]:
    """Where the messages of a case hold the question and the good answer, both have to be there."""
    if not isinstance(case.input, list):
        return
    roles = {m.role for m in case.input if isinstance(m, Message)}
    wanted = [role for role in ("user", "assistant") if role not in roles]
    if not wanted or (None in roles):
        return
    what = {"user": "nothing is asked", "assistant": "nothing describes a good answer"}
    yield Finding(
        case.key_at("input"),
        f"{' and '.join(what[role] for role in wanted)}: there is no message with the role {names(wanted, 'or')}",
        consequence="agentv skips the case and only logs it",
    )
