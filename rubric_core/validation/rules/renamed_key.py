"""renamed-key: a key that the dialect does not want any more, `grader` first of all."""

from collections.abc import Iterator

from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.evaluators import Criterion, LlmJudge
from rubric_core.language.model import Case, Suite
from rubric_core.language.shape import Shape
from rubric_core.language.workspace import Repo
from rubric_core.lazy_compilation import replace
from rubric_core.loading.issues import RenamedKey
from rubric_core.syntax.edit import column_of, newline_of, remove_entry, rename_key
from rubric_core.syntax.tree import Mapping, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.author_notes import is_author_note
from rubric_core.validation.fixes import remove_key_fix
from rubric_core.validation.move_fixes import as_rubric, as_variable, move_under
from rubric_core.validation.repositories import as_address
from rubric_core.validation.rule import Context, Finding, Fix, Severity, rule
from rubric_core.validation.wording import number

__all__ = ["RENAMED_KEY"]


@rule("renamed-key", "warning", "A key whose name the dialect no longer uses", about_name=True)
def RENAMED_KEY(issue: RenamedKey, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Name the key to use, and what the engine does with the old one."""
    if issue.spelling.fate is SpellingStatus.LEAVING:
        return  # only later releases refuse it
    used = issue.owner.places.get(issue.spelling.field)
    if issue.spelling.fate.read and used is not None and used.name != issue.spelling.name:
        return  # conflicting-keys says it
    if is_author_note(issue, context):
        return  # a matter of style, which is reported on request
    fate, name, dialect = issue.spelling.fate, issue.spelling.name, context.dialect.name
    instead = issue.current or _instead(issue, context)
    advice = f": use `{instead}`" if instead else ""
    if fate is SpellingStatus.DEPRECATED:
        message = f"`{name}` is deprecated in {dialect}{advice}"
    elif fate is SpellingStatus.REFUSED:
        message = f"agentv {issue.spelling.refused_from} and later refuse `{name}`{advice}"
    elif fate is SpellingStatus.REJECTED:
        message = f"{dialect} refuses `{name}`{advice}"
    else:
        message = f"{dialect} does not read `{name}` here{advice}"
    fixes = () if issue.borrowed else tuple(_fixes(issue, context))
    yield Finding(
        issue.span,
        message,
        fixes=fixes,
        consequence=f"`{issue.current}` counts" if _is_beside(issue) else issue.spelling.note,
        severity=_severity(issue, context),
        tags=("deprecated",),
    )


def _severity(issue: RenamedKey, context: Context) -> Severity:
    needed = (
        issue.spelling.field
        and not _is_beside(issue)
        and context.dialect.demanded(type(issue.owner), issue.spelling.field)
    )
    refused = issue.spelling.fate in (SpellingStatus.REJECTED, SpellingStatus.REFUSED)
    lost = refused or (issue.spelling.fate is SpellingStatus.IGNORED and needed)
    return "error" if lost else "warning"


def _is_beside(issue: RenamedKey) -> bool:
    """Whether the key that is read stands there as well, so that nothing is missing."""
    return issue.taken and issue.spelling.fate is SpellingStatus.IGNORED


def _instead(issue: RenamedKey, context: Context) -> str | None:
    """The key of another field that has taken over."""
    field = issue.spelling.field
    if field == "required_min_score":
        return context.dialect.spelled(Criterion, "min_score")
    if field == "evaluator" and isinstance(issue.owner, Case | Suite):
        return context.dialect.spelled(type(issue.owner), "assertions")
    return None


def _fixes(issue: RenamedKey, context: Context) -> Iterator[Fix]:
    if isinstance(issue.owner, Repo):
        yield from as_address(issue.owner, context)
    elif issue.current and not issue.taken and _beside_another_list(issue):
        yield from remove_key_fix(issue.owner.node, issue.spelling.name, context, "remove it: another list is read")
    elif issue.current and not issue.taken and _strings(issue) and not context.dialect.properties.string_assertions:
        yield from _as_criteria(issue, context)
    elif issue.current and not issue.taken:
        yield Fix(
            f"rename it to `{issue.current}`",
            (rename_key(issue.entry, issue.current),),
            safe=_is_safe_to_rename(issue, context),
        )
    elif issue.spelling.field in ("input", "expected_output") and isinstance(issue.owner, Case) and not issue.current:
        yield from as_variable(issue.owner, issue.entry, context)
    elif issue.spelling.field == "rubrics" and isinstance(issue.owner, Case) and not issue.current:
        yield from as_rubric(issue.owner, issue.entry, context)
    elif issue.spelling.field == "required_min_score":
        yield from _as_share(issue, context)
    elif issue.taken and issue.current:
        yield from _removed(issue, context)
    elif issue.spelling.field == "evaluator" and _instead(issue, context):
        instead = [*_as_list(issue, context), *_without(issue, context)]
        yield from instead or remove_key_fix(issue.owner.node, issue.spelling.name, context)
    elif issue.spelling.field == "evaluators" and isinstance(issue.owner, Suite) and not issue.current:
        moved = list(_where_suites_have_them(issue, context))
        yield from moved or remove_key_fix(issue.owner.node, issue.spelling.name, context)
    elif not issue.current and issue.spelling.fate is not SpellingStatus.REFUSED:  # what it says is not to be lost
        yield from remove_key_fix(issue.owner.node, issue.spelling.name, context)


def _where_suites_have_them(issue: RenamedKey, context: Context) -> Iterator[Fix]:
    """Evaluators of a suite stand under `execution`, in the newest dialect in a list of their own.

    They were ignored, and grade every case afterwards: whether that is wanted, the author knows.
    """
    execution, key = context.dialect.spelled(Suite, "execution"), context.dialect.spelled(Suite, "assertions")
    if execution:
        for fix in move_under(execution, issue.owner.node, issue.entry, context):
            yield replace(fix, safe=False)
    elif key and not issue.owner.has("assertions"):
        yield Fix(f"rename it to `{key}`", (rename_key(issue.entry, key),), safe=False)


def _strings(issue: RenamedKey) -> int:
    """How many of the evaluators are plain strings."""
    if issue.spelling.field not in ("assertions", "evaluators") or not isinstance(issue.entry.value, Sequence):
        return 0
    return sum(isinstance(item, Scalar) for item in issue.entry.value.items)


def _as_criteria(issue: RenamedKey, context: Context) -> Iterator[Fix]:
    """Plain strings are criteria: where no evaluator stands among them they are the rubric of the case."""
    key = context.dialect.spelled(Case, "rubrics")
    value = issue.entry.value
    alone = isinstance(value, Sequence) and _strings(issue) == len(value.items)
    if key and alone and isinstance(issue.owner, Case) and not issue.owner.has("rubrics"):
        yield Fix(f"rename it to `{key}`", (rename_key(issue.entry, key),), safe=False)


def _beside_another_list(issue: RenamedKey) -> bool:
    """Whether another list of evaluators is read, so that these would not be read under their current key either."""
    if issue.spelling.field not in ("assertions", "evaluators") or issue.spelling.fate is not SpellingStatus.IGNORED:
        return False
    owner = issue.owner
    inner = vars(owner).get("execution")
    holders = [owner, *([inner] if isinstance(inner, Shape) else [])]
    return any(isinstance(vars(h).get(field), list) for h in holders for field in ("assertions", "evaluators"))


def _is_safe_to_rename(issue: RenamedKey, context: Context) -> bool:
    """Whether renaming is safe: evaluators that were ignored so far are read afterwards, and must be valid in this dialect."""
    if issue.spelling.fate is not SpellingStatus.IGNORED or issue.spelling.field not in ("assertions", "evaluators"):
        return True
    for item in issue.entry.value.items if isinstance(issue.entry.value, Sequence) else ():
        written = {e.name: e.value for e in item.entries} if isinstance(item, Mapping) else {}
        kind = written.get("type")
        known = context.dialect.type_of(kind.text) if isinstance(kind, Scalar) else None
        if (
            known is None
            or not known.fate.read
            or (context.dialect.properties.names_required and "name" not in written)
        ):
            return False
    return True


def _removed(issue: RenamedKey, context: Context) -> Iterator[Fix]:
    """What the current key says counts."""
    node = issue.owner.node
    edit = remove_entry(context.text, node, issue.entry) if isinstance(node, Mapping) else None
    if edit is not None:
        yield Fix(f"remove it: `{issue.current}` counts", (edit,), safe=False)


def _without(issue: RenamedKey, context: Context) -> Iterator[Fix]:
    """Beside a list of assertions the scalar has no effect in any release."""
    node = issue.owner.node
    if isinstance(node, Mapping) and issue.owner.has("assertions"):
        edit = remove_entry(context.text, node, issue.entry)
        if edit is not None:
            yield Fix(f"remove it: `{_instead(issue, context)}` counts", (edit,), safe=False)


def _as_share(issue: RenamedKey, context: Context) -> Iterator[Fix]:
    """`required_min_score: 6` is `min_score: 0.6`; 0 gates nothing and has no counterpart."""
    node, current = issue.entry.value, _instead(issue, context)
    value = node.value if isinstance(node, Scalar) else None
    if current and isinstance(value, int) and 0 < value <= 10 and not issue.owner.has("min_score"):
        edits = (rename_key(issue.entry, current), Edit(node.span, number(value / 10)))
        yield Fix(f"write `{current}: {number(value / 10)}`", edits)


def _as_list(issue: RenamedKey, context: Context) -> Iterator[Fix]:
    """`evaluator: llm_judge` becomes a list with that evaluator."""
    key, judge = _instead(issue, context), context.dialect.type_name(LlmJudge)
    node = issue.owner.node
    if (
        not isinstance(node, Mapping)
        or node.flow
        or issue.owner.has("assertions")
        or not isinstance(issue.entry.value, Scalar)
    ):
        return
    # The newest dialect has no judge without criteria of its own.
    if judge is None or issue.entry.value.text not in ("llm_judge", "llm-judge", "llm-grader"):
        return
    indent = " " * column_of(context.text, issue.entry.key.span.start)
    written = f"{key}:{newline_of(context.text)}{indent}  - type: {judge}"
    yield Fix(
        f"write `{key}` with a {judge}", (Edit(Span(issue.entry.key.span.start, issue.entry.value.span.end), written),)
    )
