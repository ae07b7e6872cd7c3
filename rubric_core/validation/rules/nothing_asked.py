"""nothing-asked: cases for which there is no prompt."""

from collections.abc import Iterator

from rubric_core.language.file_kinds import CaseFile
from rubric_core.language.model import Case, Suite
from rubric_core.syntax.edit import add_entry
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.entry_lists import CaseEntry, CaseList
from rubric_core.validation.first_case_fix import has_prompts
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["NOTHING_ASKED"]


@rule("nothing-asked", "error", "A case without a prompt", awaits="entry")
def NOTHING_ASKED(cases: CaseList | Case, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Where cases have no `input` of their own, prompts ask: those of the suite, or of the case."""
    if isinstance(cases, Case):
        yield from _files_beside_messages(cases)
        yield from _empty(cases, context)
        return
    suite = cases.suite
    # Of a file of cases, the suites that include it ask.
    if (
        suite is None
        or isinstance(suite, CaseFile)
        or cases.siblings is None
        or not _asks_by_prompts(context)
        or has_prompts(suite)
    ):
        return
    # An `input` that is refused says it already.
    silent = [e for e in cases.cases if not (e.case.has("prompts") or e.case.has("turns") or "input" in e.case.unread)]
    if not silent or "input" in suite.unread:
        return
    message = "nothing is asked: neither the suite nor this case has `prompts`"
    if len(silent) == len(cases.cases) and suite.has("cases"):
        fixes = tuple(_fixes(cases, suite, silent))
        where = cases.outer(None, suite.key_at("cases"))
        yield Finding(where, "nothing is asked: there are no `prompts`", fixes=fixes, consequence=_REFUSES)
        return
    for entry in silent:
        fixes = tuple(_own_prompt(cases, entry, context))
        yield Finding(cases.outer(entry, entry.case.at("id")), message, fixes=fixes, consequence=_REFUSES)


def _empty(case: Case, context: Context) -> Iterator[Finding]:
    """An input with nothing in it: agentv skips a case with an empty list, and asks an empty text."""
    # Where one list has what is asked and what is expected, both are looked at together.
    if context.defaults.asks or context.dialect.spelled(Case, "expected_output") is None:
        return
    place = case.places.get("input")
    if place is None or place.borrowed or not _is_empty(place.node):
        return
    message = f"nothing is asked: `{place.name}` is empty"
    if isinstance(place.node, Sequence) and not place.node.items:
        yield Finding(place.key, message, consequence="agentv skips the case")
        return
    effect = "asks an empty question, and grades the answer to it"
    if case.has("turns"):
        effect = "begins the conversation with an empty message; rubric does not score the case"
    yield Finding(place.key, message, severity="warning", consequence=f"agentv {effect}")


def _files_beside_messages(case: Case) -> Iterator[Finding]:
    """Files for an input that is no string, which agentv does not read as one."""
    files = case.places.get("input_files")
    if files is not None and not files.borrowed and isinstance(case.input, list):
        yield Finding(
            files.key,
            f"`{files.name}` needs an `input` that is a string",
            severity="warning",
            consequence="agentv skips the case; rubric puts the files before the first message of the user",
        )


def _is_empty(node: Node) -> bool:
    """Whether there is no text in it; nothing at all is a value of the wrong type, and said as that."""
    if isinstance(node, Scalar):
        return isinstance(node.value, str) and not node.text.strip()
    if not isinstance(node, Sequence):
        return False
    for item in node.items:
        content = item.get("content") if isinstance(item, Mapping) else None
        if content is None or not _is_empty(content):
            return False
    return True


_REFUSES = "agentv rejects the file"


def _asks_by_prompts(context: Context) -> bool:
    return context.dialect.spelled(Suite, "prompts") is not None and context.dialect.spelled(Case, "input") is None


def _own_prompt(cases: CaseList, entry: CaseEntry, context: Context) -> Iterator[Fix]:
    """A prompt of the case that is the first of its values; the others have prompts that may be no good here."""
    name = next((n for n in ("input", *(entry.case.vars or {})) if n in (entry.case.vars or {})), None)
    key, node = context.dialect.spelled(Case, "prompts"), entry.case.node
    if name is None or key is None or entry.case.borrowed or not isinstance(node, Mapping):
        return
    written = f'["{{{{ {name} }}}}"]'
    edit = add_entry(cases.text_of(entry), node, key, written)
    if edit is not None:
        outer = Edit(cases.outer(entry, edit.span), edit.new_text)
        yield Fix(f"add `{key}: {written}`", (outer,), safe=False)


def _fixes(cases: CaseList, suite: Suite, silent: list[CaseEntry]) -> Iterator[Fix]:
    """A prompt that is the one value which every case has."""
    shared = [set(e.case.vars or {}) for e in silent]
    names = sorted(set[str].intersection(*shared), key=lambda n: (n != "input", n)) if shared else []
    place = suite.places["cases"]
    if names and not place.borrowed and suite.node is not None:
        at = cases.outer(None, place.key).start
        written = f'prompts: ["{{{{ {names[0]} }}}}"]'
        yield Fix(f"add `{written}`", (Edit(Span(at, at), f"{written}\n"),), safe=False)
