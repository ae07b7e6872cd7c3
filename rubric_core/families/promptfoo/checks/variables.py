"""Variables of promptfoo that have no value, and all mistakes in variables of files of cases.

The values of a case are its own, those of `defaultTest`, of the entry of a scenario, and what earlier cases stored.
"""

import re
from collections.abc import Iterable, Iterator

from rubric_core.families.promptfoo.checks.case_parts import misspells, options_of
from rubric_core.families.promptfoo.checks.case_summary import CaseSummary, PlacedCase
from rubric_core.families.promptfoo.checks.chats import conversation_slips, is_conversation
from rubric_core.families.promptfoo.checks.environment import environment_in_case, misnamed_environment
from rubric_core.families.promptfoo.checks.judge_prompts import (
    FILLED_IN,
    judge_texts,
    names_of_other_types,
    slips_of_judges,
)
from rubric_core.families.promptfoo.checks.lacking_variables import lacking_in_one, lacking_words, needed_by_graders
from rubric_core.families.promptfoo.checks.placeholders import (
    foreign_placeholders,
    member_of_variables,
    single_braces,
)
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite, request_texts, texts_of
from rubric_core.families.promptfoo.checks.templates import UsedName, names_in
from rubric_core.families.promptfoo.checks.unused_variables import slips_of_case, unused_in_case
from rubric_core.families.promptfoo.checks.variable_names import (
    GIVEN,
    are_known,
    every_name,
    has_hooks,
    shared_names,
    slips_in_code,
    unknown_in_code,
)
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.catalogue import VariablesFile
from rubric_core.families.promptfoo.language.text_assertions import Contains, IContains, Regex, StartsWith
from rubric_core.language.closest_name import closest, is_typo
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.tree import Mapping, Node, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, checks

__all__ = ["EMPTY", "EMPTY_TEXT", "NEEDS_TEXT", "below_vars", "is_slip", "place_of"]

#: The additional variables of HTTP requests.
_OF_REQUESTS = frozenset({
    "prompt", "signature", "signatureTimestamp", "token", "expiration", "tools", "tool_choice", "messages", "systemPrompt", "sessionId",
    "evaluationId",
})  # fmt: skip
#: The settings of a provider by HTTP that may give further ones.
_GIVING = frozenset({"session", "sessionParser", "auth", "signatureAuth", "<<", "$ref"})
#: What JavaScript has in programs, and templates of requests have not.
_OF_PROGRAMS = ("context", "vars", "test")
_STAYS = "promptfoo leaves the braces as they are"
EMPTY = "promptfoo fills in nothing"
EMPTY_TEXT = "promptfoo makes the row an error: the text is empty"
_ALONE = pattern(r"\s*\{\{[^{}]*\}\}\s*")
#: Assertions that refuse an empty text.
NEEDS_TEXT = (Contains, IContains, StartsWith, Regex)


@checks("promptfoo/undefined-variable", "undefined-variable", "warning", awaits="entry", about_name=True)
def undefined_variables(suite: PromptfooSuite) -> Iterator[Finding]:
    """Names in prompts and values without a value in a case."""
    if not are_known(suite):
        return
    shared = shared_names(suite)
    every = every_name(suite, shared)
    misplaced = suite.digest.misspells_vars
    if suite.digest.is_plain and not misplaced:
        yield from _without_prompts(suite, every)
    is_open = has_hooks(suite)
    if suite.digest.is_plain and not misplaced and is_open:
        yield from _typos_in_prompts(suite, every)
    elif suite.digest.is_plain and not misplaced:
        yield from _in_prompts(suite, every)
        yield from _in_requests(suite, every | _OF_REQUESTS)
        yield from lacking_in_one(suite, GIVEN)
    shared = _reused_names(suite, shared)
    for placed in suite.digest.reading if not suite.digest.read_by_code <= every else ():
        yield from slips_in_code(placed, every)
        if suite.digest.is_plain and not misplaced and not is_open:
            yield from unknown_in_code(placed, every)
    for placed in suite.digest.with_judge_prompt if suite.digest.is_plain and not misplaced else ():
        yield from _in_judge_prompts(placed, every, is_open=is_open)
    for placed, summary in suite.digest.rendering:
        if summary.clean_for is shared:
            continue
        if not summary.is_plain or (placed.block < 0 and not (suite.digest.is_plain and not misplaced)):
            continue
        if misplaced and (summary.misspells_vars or suite.bearers[0].summary.misspells_vars):
            continue
        names = every if placed.block < 0 else shared | summary.names
        found = list(undefined_in_case(placed, summary, names, is_open=is_open, stores=bool(suite.digest.stored)))
        if not found and placed.block >= 0:
            summary.clean_for = shared
        yield from found


def is_slip(name: str, names: frozenset[str]) -> bool:
    """Whether a name is one slip of a finger away from a variable."""
    return name not in names and any(is_typo(name, each) for each in names - GIVEN)


def _typos_in_prompts(suite: PromptfooSuite, every: frozenset[str]) -> Iterator[Finding]:
    """Names in prompts that are a slip of a variable which the prompt uses nowhere else."""
    for node, _ in texts_of(suite.configuration):
        names = names_in(node.text)
        missed = sorted(every - GIVEN - {used.name for used in names})
        slips = [used for used in names if any(is_typo(used.name, each) for each in missed)]
        yield from _in_text(node, slips, suite.frame, every, "no case has a value for")
        text, in_file, asserted = suite.frame.text, "{{" in node.text, suite.digest.asserted
        known = suite.digest.names | suite.digest.common
        yield from foreign_placeholders(text, node.span, known, suite.frame.outer, in_file=in_file, asserted=asserted)


#: Providers that make requests of variables, and those that are programs.
_REQUESTS, _PROGRAMS = ("http", "ws:", "wss:", "websocket"), ("file://", "python:", "ruby:", "golang:", "package:")


def _without_prompts(suite: PromptfooSuite, every: frozenset[str]) -> Iterator[Finding]:
    """A configuration without `prompts`: promptfoo sends the variable `prompt`, which cases may have."""
    node = suite.configuration.node
    if not isinstance(node, Mapping) or "prompt" in every or not suite.listed or misspells(node, "prompts"):
        return
    entry = node.entry("providers") or node.entry("targets")
    names = {each.name for each in node.entries}
    if entry is None or names & {"prompts", "redteam", "<<", "$ref", "plugins", "strategies"}:
        return
    if all(placed.case.has("provider_output") for placed in suite.listed) or not _sends_prompt(entry.value):
        return
    words = "there are no `prompts`, and no case has a value for `prompt`, which promptfoo sends instead"
    yield Finding(suite.frame.outer(entry.key.span), words, consequence="promptfoo warns, and sends an empty prompt")


def _sends_prompt(providers: Node) -> bool:
    """Whether a provider needs a prompt: requests are made of variables, and programs read them."""
    items = providers.items if isinstance(providers, Sequence) else [providers]
    for item in items:
        identity = item.get("id") if isinstance(item, Mapping) else item
        if not isinstance(identity, Scalar) or not identity.text.startswith((*_REQUESTS, *_PROGRAMS)):
            return True
        if identity.text.startswith(_REQUESTS) and _names_prompt(item):
            return True
    return False


def _names_prompt(node: Node | None) -> bool:
    """Whether a text in it has a template that may contain the prompt."""
    if isinstance(node, Scalar):
        return "{{" in node.text and "prompt" in node.text
    if isinstance(node, Mapping):
        return any(_names_prompt(entry.value) for entry in node.entries)
    return isinstance(node, Sequence) and any(map(_names_prompt, node.items))


def _reused_names(suite: PromptfooSuite, shared: frozenset[str]) -> frozenset[str]:
    """An equal set of names that was used before, so that cases checked with it are not checked again."""
    known = next((summary.clean_for for _, summary in suite.digest.rendering if summary.clean_for is not None), None)
    return known if known == shared and known is not None else shared


def undefined_in_case(
    placed: PlacedCase, summary: CaseSummary, names: frozenset[str], *, is_open: bool, stores: bool = False
) -> Iterator[Finding]:
    """The variables that the texts of one case use without a value; only slips where there may be more than `names`.

    Where outputs are stored for later cases, braces in variables are meant for these.
    """
    for node, used, check in summary.rendered:
        if all(each.name in summary.names for each in used):
            continue
        certain = [each for each in used if not is_open or is_slip(each.name, names)]
        found = _in_text(node, certain, placed, names, "this case has no value for")
        yield from (
            (replace(each, severity="error", consequence=EMPTY_TEXT) for each in found)
            if _is_nothing(node, used, check)
            else found
        )
    yield from needed_by_graders(placed, summary, names) if not is_open else ()
    for node in summary.for_judges:
        yield from foreign_placeholders(placed.text, node.span, names - GIVEN, placed.outer, in_file=True)
    for node in summary.compared:
        yield from single_braces(placed.text, node.span, names - GIVEN, placed.outer)
    # Text with braces is common in variables, and stays as it is: only misspellings are reported.
    for node, used in summary.inserting:
        own = next((name for name, each in summary.variables.items() if each is node), "")
        for name in used:
            if name.name == own:
                at = placed.outer(place_of(name, node, placed.text))
                yield Finding(at, f"`{own}` inserts itself", severity="warning", consequence=_STAYS)
        slips = [
            each for each in used
            if each.name not in names and ((stores and each.alone) or closest(each.name, sorted(names - GIVEN)))
        ]  # fmt: skip
        for each in _in_text(node, slips, placed, names, "this case has no value for"):
            yield replace(each, consequence=_STAYS)


def _is_nothing(node: Scalar, used: tuple[UsedName, ...], check: Assertion) -> bool:
    """Whether a required text consists of nothing but one variable."""
    metric = check.places.get("metric")
    is_value = metric is None or metric.node is not node
    return is_value and used[0].alone and _ALONE.fullmatch(node.text) is not None and isinstance(check, NEEDS_TEXT)


def _in_prompts(suite: PromptfooSuite, every: frozenset[str]) -> Iterator[Finding]:
    for node, _ in texts_of(suite.configuration):
        names = [_certain(each, every) for each in names_in(node.text)]
        yield from _in_text(node, names, suite.frame, every, "no case has a value for")
        text, outer = suite.frame.text, suite.frame.outer
        # Without a placeholder, each `{name}` is reported by itself.
        in_file, asserted = "{{" in node.text, suite.digest.asserted
        yield from foreign_placeholders(text, node.span, every - GIVEN, outer, in_file=in_file, asserted=asserted)
        yield from conversation_slips(text, node.span, every, outer)
    for each in suite.outside or ():
        for text in each.unchecked:
            first: dict[str, int] = {}
            for used in names_in(text):
                if not used.optional and used.name not in every:
                    first.setdefault(used.name, text.count("\n", 0, used.span.start) + 1)
            for name, line in first.items():
                meant = closest(name, sorted(every - GIVEN))
                advice = f"; did you mean `{meant}`?" if meant else ""
                words = f"no case has a value for `{name}`, which this prompt uses in line {line}{advice}"
                yield Finding(suite.frame.outer(each.node.span), words, consequence=EMPTY)


def _certain(used: UsedName, known: frozenset[str]) -> UsedName:
    """A list that a template goes through, or a name that it tests and that is a slip of a variable; the plural of one may be another."""
    slip = (used.repeated and not is_conversation(used.name)) or (
        used.optional
        and used.name not in known
        and any(is_typo(used.name, each) and used.name.rstrip("s") != each.rstrip("s") for each in known - GIVEN)
    )
    return UsedName(used.name, used.span, alone=used.alone, optional=False) if slip else used


def _in_requests(suite: PromptfooSuite, known: frozenset[str]) -> Iterator[Finding]:
    """Names in requests by HTTP that nothing gives; where sessions may give further ones, only slips."""
    for each in suite.providers:
        provider = each.shape.node if each.shape is not None else None
        settings = provider.get("config") if isinstance(provider, Mapping) else None
        is_open = not isinstance(settings, Mapping) or any(entry.name in _GIVING for entry in settings.entries)
        for node in request_texts(provider):
            reported = misnamed_environment(node.text)
            used = [u for u in names_in(node.text) if not any(at.start <= u.span.start < at.end for at in reported)]
            names = [u for u in used if u.name in _OF_PROGRAMS or not is_open or closest(u.name, sorted(known - GIVEN))]
            yield from _in_text(node, names, suite.frame, known, "no case has a value for")


def _in_judge_prompts(placed: PlacedCase, every: frozenset[str], *, is_open: bool) -> Iterator[Finding]:
    """Names in prompts for judges that nothing gives; where hooks may give further ones, only slips."""
    for shape in (options_of(placed.case), *placed.summary.checks):
        for node in judge_texts(shape) if shape is not None else ():
            used, names = names_in(node.text), every | FILLED_IN
            for each, message in names_of_other_types(shape, used, every) if not is_open else ():
                yield Finding(placed.outer(place_of(each, node, placed.text)), message, consequence=EMPTY)
            slips = slips_of_judges(used, names) if is_open else used
            yield from _in_text(node, slips, placed, names, "nothing has a value for")


def _in_text(
    node: Scalar, names: Iterable[UsedName], placed: PlacedCase, known: frozenset[str], words: str
) -> Iterator[Finding]:
    seen: set[str] = set()
    for used in names:
        if used.optional or used.name in known or used.name in seen:
            continue
        seen.add(used.name)
        at = place_of(used, node, placed.text)
        member = member_of_variables(placed.text, at.start, known) if at != node.span else None
        if member is not None:
            yield below_vars(placed.outer(member[0]), placed.text[slice(*member[0])], member[1])
            continue
        meant = closest(used.name, sorted(known - GIVEN))
        fixes = (Fix(f"change it to `{meant}`", (Edit(placed.outer(at), meant),)),) if meant and at != node.span else ()
        advice = f"; did you mean `{meant}`?" if meant else ""
        yield Finding(placed.outer(at), f"{words} `{used.name}`{advice}", fixes=fixes, consequence=EMPTY)


def below_vars(at: Span, written: str, name: str) -> Finding:
    """`vars.name`, which other tools and JavaScript have."""
    fixes = (Fix(f"write `{name}`", (Edit(at, name),)),)
    return Finding(at, f"no case has a value for `{written}`; write `{name}`", fixes=fixes, consequence=EMPTY)


def place_of(used: UsedName, node: Scalar, text: str) -> Span:
    """The span of a name in the file, searched for again because escapes and folding change offsets."""
    found = re.compile(r"\{[{%][^{}]*?\b(" + re.escape(used.name) + r")\b").search(text, node.span.start, node.span.end)
    return Span(*found.span(1)) if found else node.span


@checks("promptfoo/undefined-variable", "undefined-variable", "warning", awaits="entry", about_name=True)
def undefined_in_listed_case(case: PromptfooCase, context: Context) -> Iterator[Finding]:
    """Names in a case of another file that neither the case nor the configuration defines."""
    defined = context.defaults.names
    if defined is None or case.borrowed:
        return
    placed = PlacedCase(case, -1, lambda _, span: span, context.text)
    yield from environment_in_case(placed, defined.environment)
    known, summary = defined.variables, placed.summary
    if known is None:
        return
    if summary.is_plain:
        # Outputs that another case stores are among the names of all.
        is_alone = defined.shared is not None and "storeOutputAs" not in context.text
        names = (
            (defined.shared if is_alone and defined.shared is not None else known)
            | GIVEN
            | summary.names
            | summary.stored
        )
        yield from undefined_in_case(placed, summary, names, is_open=defined.is_open)
        yield from slips_in_code(placed, known | names)
        yield from _lacking(placed, defined.lacked)


def _lacking(placed: PlacedCase, lacked: frozenset[str]) -> Iterator[Finding]:
    """Variables that a prompt uses, and that all cases of the file have but this one."""
    case, given = placed.case, placed.summary.names
    if not case.has("vars") or any(case.has(field) for field in ("prompts", "provider_output")):
        return
    for name in sorted(lacked - given):
        if not any(is_typo(each, name) for each in given):
            yield Finding(case.places["vars"].key, lacking_words(name, "a prompt"), consequence=EMPTY)


@checks("promptfoo/unused-variable", "unused-variable", "hint")
def unused_in_listed_case(case: PromptfooCase, context: Context) -> Iterator[Finding]:
    """Variables of a case in another file that nothing uses, and those that are a slip of one which the case lacks."""
    names = context.defaults.names
    if names is None or names.asked is None or case.borrowed:
        return
    placed = PlacedCase(case, -1, lambda _, span: span, context.text)
    slips = list(slips_of_case(placed, placed.summary, names.asked, names.needed, "this case lacks"))
    yield from slips
    if names.unused:
        unused = unused_in_case(placed, names.unused, context)
        yield from (found for found in unused if all(found.span != slip.span for slip in slips))


@checks("promptfoo/unused-variable", "unused-variable", "hint")
def unused_in_variables_file(file: VariablesFile, context: Context) -> Iterator[Finding]:
    """Names in a file under `vars` that no prompt uses, and that are a slip of one which the file lacks."""
    names, node = context.defaults.names, file.node
    if names is None or names.asked is None or not isinstance(node, Mapping):
        return
    keys = {entry.name: entry.key.span for entry in node.entries if entry.name is not None}
    lacking, used = sorted(names.needed.difference(keys)), {each.name for each in names_in(context.text)}
    for name, at in keys.items() if lacking else ():
        meant = closest(name, lacking) if name not in names.asked and name not in used else None
        if meant is not None:
            words = f"no prompt uses `{name}`; did you mean `{meant}`, which this file lacks?"
            fixes = (Fix(f"change it to `{meant}`", (Edit(at, meant),)),)
            yield Finding(at, words, fixes=fixes, severity="warning", consequence=EMPTY)
