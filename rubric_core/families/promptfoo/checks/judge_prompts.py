"""Prompts for judges of promptfoo that do not show the output."""

from collections.abc import Iterable, Iterator
from types import MappingProxyType

from rubric_core.families.promptfoo.checks.case_parts import assertions_of, options_of
from rubric_core.families.promptfoo.checks.chats import chat_faults
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite
from rubric_core.families.promptfoo.checks.templates import UsedName, names_in
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import CaseOptions, PartialCase, PromptfooCase
from rubric_core.families.promptfoo.language.graded_assertions import JUDGED, ClosedQa, Factuality, ModelRubric
from rubric_core.language.closest_name import is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.reference_issues import PromptFileText
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, checks

__all__ = ["FILLED_IN", "judge_texts", "names_of_other_types", "slips_of_judges"]

#: The variables that hold the output, in any of the types.
_OUTPUTS = frozenset(
    {
        "output",
        "completion",
        "answer",
        "statements",
        "context",
        "messages",
        "outputs",
        "trajectory",
        "criteria",
        "question",
    }
)


#: A placeholder without its end.
_LEFT_OPEN = pattern(r"\{\{[^{}]{0,200}(?:\}?\Z|\}[^}]|\{)")
#: What promptfoo fills in, between single braces.
_SINGLE = pattern(r"(?<![{\w$\\\"':])(?<!\{ )\{(output|rubric|criteria|completion|ideal|input)\}(?!\})")


#: A placeholder for the output with a brace too few, or with blanks between its braces.
_HALF_SHOWN = pattern(r"(?<!\{)\{(?:[ \t]{1,3}\{[ \t]{0,3})?(?:output|completion|answer|outputs)\}[ \t]{0,3}\}")
#: A template with a part from the environment.
_ENVIRONMENT = pattern(r"\{\{[^{}]{0,200}\benv\b")
#: Longer files are not checked.
_LONGEST = 100_000
_NOT_SHOWN, _SENT = "this prompt does not show the judge the output; use `{{ output }}`", "promptfoo sends it anyway"
_NO_RUBRIC = "this prompt does not show the judge `value`; use `{{ rubric }}`"
#: What promptfoo fills in besides the variables, for types that have another prompt than that for rubrics.
_OF_TYPES = MappingProxyType({
    Factuality: frozenset({"input", "ideal", "completion"}),
    ClosedQa: frozenset({"input", "criteria", "completion"}),
})  # fmt: skip
#: All that is filled in.
FILLED_IN = _OUTPUTS | {"rubric", "input", "ideal", "steps", "maxScore", "groundTruth", "query", "goal"}


def judge_texts(shape: Assertion | CaseOptions) -> Iterator[Scalar]:
    """The texts of a `rubricPrompt`: one text, several, or the contents of messages. Files are left to their author."""
    place = shape.places.get("rubric_prompt")
    node = place.node if place is not None and not place.borrowed and not shape.borrowed else None
    for item in node.items if isinstance(node, Sequence) else [node]:
        content = item.get("content") if isinstance(item, Mapping) else item
        for part in content.items if isinstance(content, Sequence) else [content]:
            text = part.get("text") if isinstance(part, Mapping) else part
            is_text = isinstance(text, Scalar) and isinstance(text.value, str)
            if isinstance(text, Scalar) and is_text and not text.text.startswith(("file:", "file//", "package:")):
                yield text


@checks("promptfoo/judge-prompt", "template-variable", "warning")
def judge_prompts(shape: Assertion | CaseOptions, context: Context) -> Iterator[Finding]:
    """A prompt for a judge that does not show the output or the rubric, or that has `{output}` in single braces.

    Mistakes in messages are reported, too.
    """
    place = shape.places.get("rubric_prompt")
    node = place.node if place is not None and not place.borrowed else None
    messages = node.items if isinstance(node, Sequence) else []
    if any(not isinstance(item, Mapping) or item.get("content") is None for item in messages) or node is None:
        return
    yield from chat_faults(node, context.text) if messages else ()
    texts = list(judge_texts(shape))
    if any("{%" in each.text or "{#" in each.text or "env" in each.text for each in texts):
        return
    if not any(each.text.strip() for each in texts) or (messages and _has_other_parts(messages)):
        return
    singles: list[Finding] = []
    for each in texts:
        quoted = each.is_quoted
        singles += _single(context.text, Span(each.span.start + quoted, each.span.end - quoted))
    yield from singles
    if singles:
        return
    if not _is_shown(each.text for each in texts):
        at = node.span if isinstance(node, Scalar) else texts[0].span
        yield Finding(at, _NOT_SHOWN, consequence=_SENT)
    elif type(shape) is ModelRubric and shape.has("value") and not _shows_rubric(each.text for each in texts):
        at = node.span if isinstance(node, Scalar) else texts[0].span
        yield Finding(at, _NO_RUBRIC, severity="hint", consequence=_SENT)


@checks("promptfoo/judge-prompt", "template-variable", "warning")
def rubric_of_case(case: PromptfooCase) -> Iterator[Finding]:
    """A prompt in the options of a case that shows no rubric, where its assertions have one each."""
    options = options_of(case) if not isinstance(case, PartialCase) else None
    if options is not None and not options.borrowed:
        yield from _unshown_rubric(options, assertions_of(case))


@checks("promptfoo/judge-prompt", "template-variable", "warning")
def common_rubric(suite: PromptfooSuite) -> Iterator[Finding]:
    """The same for the prompt of the defaults, and the assertions of all cases."""
    options = options_of(suite.defaults)
    if options is not None and options.has("rubric_prompt") and not options.borrowed:
        frame = suite.bearers[0]
        checks = (check for placed in suite.bearers for check in placed.summary.checks)
        for found in _unshown_rubric(options, checks):
            yield Finding(frame.outer(found.span), found.message, severity="hint", consequence=found.consequence)


def _unshown_rubric(options: CaseOptions, checks: Iterable[Assertion]) -> Iterator[Finding]:
    texts = [each for each in judge_texts(options) if each.text.strip()]
    if not texts or any("{%" in each.text or "env" in each.text or _SINGLE.search(each.text) for each in texts):
        return
    if not _is_shown(each.text for each in texts) or _shows_rubric(each.text for each in texts):
        return
    asked = [check for check in checks if isinstance(check, JUDGED) and not check.has("rubric_prompt")]
    if asked and all(type(check) is ModelRubric and check.has("value") for check in asked):
        yield Finding(texts[0].span, _NO_RUBRIC, severity="hint", consequence=_SENT)


def _shows_rubric(texts: Iterable[str]) -> bool:
    """Whether a prompt inserts the rubric, or is meant to: a placeholder that is misspelt or not closed is reported itself."""
    several = list(texts)
    names = {used.name for text in several for used in names_in(text)}
    return any(name == "rubric" or is_typo(name, "rubric") for name in names) or any(map(_LEFT_OPEN.search, several))


def _has_other_parts(messages: list[Node]) -> bool:
    """Whether the content of a message is a file, or has parts that are no text."""
    contents = [item.get("content") for item in messages if isinstance(item, Mapping)]
    return any(
        not isinstance(content, Scalar) or not isinstance(content.value, str) or content.text.startswith("file:")
        for content in contents
    )


def _single(text: str, span: Span) -> Iterator[Finding]:
    for found in _SINGLE.finditer(text, *span):
        written, at = f"{{{{{found[1]}}}}}", Span(*found.span())
        fixes = (Fix(f"write `{written}`", (Edit(at, written),), safe=False),)
        words = f"`{found[0]}` is no placeholder; write `{written}`"
        yield Finding(at, words, fixes=fixes, consequence="it is sent as it is")


def slips_of_judges(used: Iterable[UsedName], names: frozenset[str]) -> list[UsedName]:
    """Those of the names in a prompt that are a slip of one of `names` which it uses nowhere."""
    missed = names.difference(each.name for each in used)
    return [each for each in used if each.name not in names and any(is_typo(each.name, m) for m in missed)]


def names_of_other_types(
    shape: Assertion | CaseOptions | None, used: Iterable[UsedName], variables: frozenset[str]
) -> Iterator[tuple[UsedName, str]]:
    """The names in the prompt of an assertion that judges of other types get, each with what is said of it."""
    own = next((found for kind, found in _OF_TYPES.items() if isinstance(shape, kind)), None)
    if own is None or not isinstance(shape, Assertion):
        return
    known = ", ".join(f"`{name}`" for name in sorted(own))
    for each in used:
        if each.name in FILLED_IN - own - variables:
            words = f"`{shape.type_name}` fills in no `{each.name}`; it has {known} and the variables of the case"
            yield each, words


@checks("promptfoo/judge-prompt", "template-variable", "warning")
def judge_file(prompt: PromptFileText) -> Iterator[Finding]:
    """`{output}`, and a whole prompt that does not show the output, in a file of its own."""
    text = prompt.text
    is_whole = prompt.is_own and prompt.is_of_judges and bool(text.strip()) and len(text) <= _LONGEST
    if not is_whole or "{%" in text or "{#" in text or _ENVIRONMENT.search(text):
        return
    singles = list(_single(text, Span(0, len(text))))
    yield from singles
    if not singles and not _HALF_SHOWN.search(text) and not _is_shown([text]):
        start = len(text) - len(text.lstrip())
        line = text[start:].partition("\n")[0].rstrip()
        yield Finding(Span(start, start + len(line)), _NOT_SHOWN, consequence=_SENT)


def _is_shown(texts: Iterable[str]) -> bool:
    """Whether texts show the output, or are meant to: a placeholder that is misspelt or not closed is reported itself."""
    several = list(texts)
    shown = {used.name for each in several for used in names_in(each)}
    # `outputs` are those that `select-best` compares; its prompt has no `rubric`.
    outputs = _OUTPUTS - {"outputs"} if "rubric" in shown else _OUTPUTS
    slips = any(is_typo(name, each) for name in shown - {"outputs"} for each in outputs)
    return slips or not shown.isdisjoint(outputs) or any(_LEFT_OPEN.search(each) for each in several)
