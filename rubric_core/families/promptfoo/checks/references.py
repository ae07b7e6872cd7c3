"""Metrics, comparisons and equal entries of a promptfoo configuration."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.case_summary import PlacedCase
from rubric_core.families.promptfoo.checks.formulas import without_strings
from rubric_core.families.promptfoo.checks.suite import PromptEntry, PromptfooSuite, placed_fix
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.configuration import Metric
from rubric_core.families.promptfoo.language.graded_assertions import MaxScore, SelectBest
from rubric_core.families.promptfoo.language.javascript import FUNCTIONS
from rubric_core.families.promptfoo.language.listed_entries import path_sign, prompt_key, provider_key
from rubric_core.language.closest_name import closest, is_typo
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.syntax.plain_data import plain
from rubric_core.syntax.tree import Mapping, Node, Scalar
from rubric_core.text import Edit, Span
from rubric_core.validation.fixes import remove_item_fix
from rubric_core.validation.rule import Context, Finding, Fix, Related, checks

__all__ = ["has_one_output"]

_TWICE = "promptfoo runs it twice"
#: Without a file on its command line, promptfoo compares no entries.
_ONCE = "`promptfoo eval -c FILE` runs it once; `promptfoo eval` in its folder runs it twice"
_NAME = pattern(r"(?<![\w.])([A-Za-z_]\w*)(?!\w*\s*\()")
#: Functions and constants of mathjs, which are not metrics.
_OF_MATH = frozenset(
    {
        "pi",
        "e",
        "i",
        "Infinity",
        "NaN",
        "true",
        "false",
        "null",
        "and",
        "or",
        "not",
        "xor",
        "mod",
        "to",
        "in",
        "tau",
        "phi",
    }
)
#: The words of files with checks whose metrics are not in the text.
_NO_SCRIPTS = frozenset({"javascript", "python", "ruby", "webhook", "file", "namedScores"})
_GIVES_0 = "promptfoo gives 0, with a debug message only"
_CALLED = pattern(r"(?<![\w.])([A-Za-z_]\w*)(?=\s*\()")
_ONE_OUTPUT = "`{}` compares outputs, and there is one: one prompt, one provider"
_LOST = "promptfoo stops at the end of the run, and all results are lost"
#: A file that holds one prompt, if nothing divides it.
_ONE_PROMPT = pattern(r"\.(?:txt|md|j2|json|ya?ml)\Z")
#: A program, of which one function gives the prompt.
_FUNCTION = pattern(r"(?:file://)?[^*?{}\[\]\n:]{1,300}\.(?:py|[cm]?[jt]s)(?::\w{1,99})?\Z")
#: A file with any number of providers.
_LISTS_PROVIDERS = pattern(r"file://.*(?:\*|\.ya?ml\Z|\.json\Z)|file://[^.]*\Z")


@checks("promptfoo/too-few-outputs", "too-few-outputs")
def too_few_outputs(suite: PromptfooSuite) -> Iterator[Finding]:
    """`select-best` or `max-score` with a single output, or with nothing else to compare."""
    columns = _columns(suite)
    common = suite.bearers[0].summary.checks
    for placed, summary in suite.digest.comparing:
        for check in summary.compares:
            at = placed.outer(check.at("type"))
            if columns == 1:
                yield Finding(at, _ONE_OUTPUT.format(check.type_name), consequence=_LOST)
            elif isinstance(check, MaxScore) and all(
                isinstance(each, SelectBest | MaxScore) for each in (*summary.checks, *common)
            ):
                words = "`max-score` compares the scores of the other assertions, and there are none"
                yield Finding(at, words, consequence=_LOST)


@checks("promptfoo/too-few-outputs", "too-few-outputs")
def one_output_in_listed_case(case: PromptfooCase, context: Context) -> Iterator[Finding]:
    """The same in a case of another file, where the configurations that name it have one prompt and one provider."""
    names = context.defaults.names
    if names is None or not names.has_one_output or case.borrowed:
        return
    for check in PlacedCase(case, -1, lambda _, span: span, context.text).summary.compares:
        yield Finding(check.at("type"), _ONE_OUTPUT.format(check.type_name), consequence=_LOST)


def has_one_output(suite: PromptfooSuite) -> bool:
    """Whether each case certainly has one output."""
    return _columns(suite) == 1


def _columns(suite: PromptfooSuite) -> int | None:
    """The number of outputs per case; None if it is only known at run time."""
    prompts, providers = suite.prompts, suite.providers
    if prompts is None or not providers or not suite.has_static_lists:
        return None
    if any(not p.text or (path_sign(p.text) and not _is_one(p, suite)) for p in prompts):
        return None
    if any(_LISTS_PROVIDERS.match(p.id) for p in providers):
        return None
    lists_one = [p for p in suite.providers if p.shape is not None and p.shape.has("prompts")]
    return None if lists_one else len({p.text for p in prompts}) * len(providers)


def _is_one(prompt: PromptEntry, suite: PromptfooSuite) -> bool:
    """Whether a path leads to one prompt: a function, or a text that no line divides."""
    if _FUNCTION.match(prompt.text):
        return True
    if not _ONE_PROMPT.search(prompt.text):
        return False
    found = next((e for e in suite.outside or () if e.what == "prompt" and e.node is prompt.node), None)
    return found is not None and found.texts is not None and len(found.texts) == 1 and "---" not in found.texts[0]


@checks("promptfoo/unknown-metric", "unknown-metric", "warning", about_name=True)
def unknown_metrics(suite: PromptfooSuite) -> Iterator[Finding]:
    """A name in a derived metric that no assertion and no earlier derived metric has."""
    metrics = suite.configuration.derived_metrics
    if not isinstance(metrics, list) or not suite.is_static:
        return
    if suite.outside is None:
        return
    # A file with cases may name metrics, and holds every one of these as a word.
    elsewhere = frozenset[str]().union(*(each.words for each in suite.outside))
    # Programs may make cases with further metrics, and scripts in files may return them; words tell whether there are any.
    others = [each for each in suite.outside if each.what != "prompt"]
    only_typos = bool(others) and (not _NO_SCRIPTS.isdisjoint(elsewhere) or any(each.names is None for each in others))
    # Scripts may return further metrics, and templates may produce names: then only misspellings are certain.
    only_slips = suite.digest.may_give_metrics
    known = {"__count", *suite.digest.metrics, *suite.digest.metric_words}
    derived = frozenset(each.name for each in metrics if isinstance(each, Metric) and isinstance(each.name, str))
    for metric in metrics:
        if isinstance(metric, Metric) and isinstance(metric.value, str):
            for name, found in _in_formula(suite, metric, known, derived):
                if not name:  # no metric, but a function
                    yield found
                    continue
                meant = found.fixes[0].edits[0].new_text if found.fixes else ""
                if name in elsewhere or (only_typos and not (meant and is_typo(name, meant))):
                    continue
                if meant or not only_slips:
                    yield found
        if isinstance(metric, Metric) and isinstance(metric.name, str):
            known.add(metric.name)


def _in_formula(
    suite: PromptfooSuite, metric: Metric, known: set[str], derived: frozenset[str]
) -> Iterator[tuple[str, Finding]]:
    """The unknown names of a formula, each with its finding; those among `derived` are computed, but not before it."""
    place = metric.places["value"]
    if place.borrowed or "{{" in str(metric.value):
        return
    start, end = place.value
    formula = suite.frame.text[start:end]
    if isinstance(place.node, Scalar) and place.node.is_quoted:
        formula = f" {formula[1:-1]} "
    for found in _NAME.finditer(without_strings(formula)):
        if found[1] not in known and found[1] not in _OF_MATH:
            meant = closest(found[1], sorted(known))
            at = suite.frame.outer(Span(start + found.start(1), start + found.end(1)))
            fixes = (Fix(f"change it to `{meant}`", (Edit(at, meant),)),) if meant else ()
            advice = f"; did you mean `{meant}`?" if meant else ""
            words = f"no assertion has a metric `{found[1]}`{advice}"
            if found[1] in derived:
                where = "here" if found[1] == metric.name else "below"
                fixes, words = (), f"`{found[1]}` has no value yet: it is computed {where}"
            yield found[1], Finding(at, words, fixes=fixes, consequence=_GIVES_0)
    for found in _CALLED.finditer(without_strings(formula)) if "=" not in formula else ():
        if found[1] not in FUNCTIONS:
            meant = closest(found[1], sorted(FUNCTIONS))
            at = suite.frame.outer(Span(start + found.start(1), start + found.end(1)))
            fixes = (Fix(f"change it to `{meant}`", (Edit(at, meant),), safe=False),) if meant else ()
            advice = f"; did you mean `{meant}`?" if meant else ""
            yield "", Finding(at, f"formulas have no function `{found[1]}`{advice}", fixes=fixes, consequence=_GIVES_0)


@checks("promptfoo/equal-entry", "duplicate-entry", "warning")
def equal_entries(suite: PromptfooSuite, context: Context) -> Iterator[Finding]:
    """Prompts and providers that are listed twice, and names shared by two entries."""
    for what, entries in (("prompt", suite.prompts or ()), ("provider", suite.providers)):
        seen: dict[tuple[bool, str], Node] = {}
        for each in entries:
            written = plain(each.node, {})
            dropped_by = provider_key(written) if what == "provider" else prompt_key(written)
            is_dropped = dropped_by is not None
            first = seen.setdefault((is_dropped, dropped_by or provider_key(written)), each.node)
            if written is not None and first is not each.node:
                yield _listed_twice(suite, what, each.node, first, context, is_dropped=is_dropped)
        yield from _equal_labels(suite, what, [(e.label, e.node, _label_of(e.node)) for e in entries if e.label])
    yield from _equal_descriptions(suite)
    yield from _equal_cases(suite)


def _listed_twice(
    suite: PromptfooSuite, what: str, node: Node, first: Node, context: Context, *, is_dropped: bool
) -> Finding:
    place = suite.configuration.places.get(_listed(suite, what))
    fixes = remove_item_fix(place.node if place else None, node, replace(context, text=suite.frame.text))
    return Finding(
        suite.frame.outer(node.span), f"this {what} is listed twice", severity="warning",
        fixes=tuple(placed_fix(fix, suite.frame.outer) for fix in fixes),
        related=(Related(suite.frame.outer(first.span), "it is listed here"),), consequence=_ONCE if is_dropped else _TWICE,
    )  # fmt: skip


def _equal_cases(suite: PromptfooSuite) -> Iterator[Finding]:
    """Cases that are equal but for their descriptions."""
    contents = [summary.content for _, summary in suite.digest.listed if summary.names]
    if len(set(contents)) == len(contents):
        return
    seen: dict[frozenset[object], PlacedCase] = {}
    for placed, summary in suite.digest.listed:
        first = seen.setdefault(summary.content, placed) if summary.names and summary.content else placed
        if first is not placed and placed.case.node is not None and first.case.node is not None:
            at, before = placed.case.at("vars"), first.outer(first.case.at("vars"))
            related = (Related(before, "the same case"),)
            words = "a case with the same variables and assertions is here already"
            yield Finding(placed.outer(at), words, related=related, severity="hint", consequence=_TWICE)


def _listed(suite: PromptfooSuite, what: str) -> str:
    """The field that lists prompts or providers."""
    return "prompts" if what == "prompt" else "targets" if suite.configuration.has("targets") else "providers"


def _label_of(node: Node) -> Node:
    """The place of an entry's label."""
    written = node.get("label") or node.get("display") if isinstance(node, Mapping) else None
    return written if isinstance(written, Scalar) else node


def _equal_labels(suite: PromptfooSuite, what: str, labels: list[tuple[str, Node, Node]]) -> Iterator[Finding]:
    seen: dict[str, Node] = {}
    written: dict[int, Node] = {}
    for label, node, at in labels:
        written[id(node)] = at
        first = seen.setdefault(label, node)
        if first is not node and suite.frame.text[slice(*first.span)] != suite.frame.text[slice(*node.span)]:
            yield Finding(
                suite.frame.outer(at.span), f"two {what}s have the label `{label}`", severity="warning",
                related=(Related(suite.frame.outer(written[id(first)].span), "this one has it, too"),),
                consequence="a reference to it means both",
            )  # fmt: skip


def _equal_descriptions(suite: PromptfooSuite) -> Iterator[Finding]:
    seen: set[str] = set()
    for placed in suite.listed:
        description = placed.case.description
        if isinstance(description, str) and description in seen and not placed.case.borrowed:
            at = placed.outer(placed.case.at("description"))
            words = "another case has this description"
            yield Finding(at, words, severity="hint", consequence="`--filter-pattern` runs both")
        elif isinstance(description, str):
            seen.add(description)
