"""References to prompts, providers and graders of promptfoo that nothing is called by (issue 18, section 2)."""

from collections.abc import Callable, Collection, Iterator

from rubric_core.language.closest_name import closest
from rubric_core.language.promptfoo.assertion import Assertion
from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.language.promptfoo.consequences import ROW_ERRORS, STOPS
from rubric_core.language.promptfoo.graded_assertions import SelectBest
from rubric_core.language.promptfoo.prompt_paths import path_sign
from rubric_core.language.shape import FieldPlace
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.loading.defined_names import ReferableNames
from rubric_core.syntax.edit import plain_or_quoted
from rubric_core.syntax.tree import Mapping, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.case_summary import CaseSummary, PlacedCase
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.rule import Context, Finding, Fix

__all__ = ["names_of", "unknown_in_listed_case", "unknown_labels"]

#: Keys that may give prompts.
_WITH_PROMPTS = frozenset({"prompts", "<<", "$ref", "redteam"})
#: The path of a single prompt, from which its label is made.
_PLAIN_PATH = pattern(r"(?:file://)?[\w./ -]{1,300}\.(?:txt|md|j2|json|ya?ml|[cm]?[jt]s|py)(?::\w{1,99})?\Z")
_WITHOUT_PROMPTS = "this provider gets no prompt: its cases do not run"
_LOST = "promptfoo stops at the end of the run, and all results are lost"
#: A provider in Python, of which the id is known: other programs name themselves.
_PYTHON = pattern(r"(?:file://|python:)(?P<path>[^:{*]{1,500}\.py)(?::(?P<function>\w{1,99}))?\Z")
#: A provider by its id, not by its label.
_ID = pattern(r"[a-z0-9-]+:|https?\b|file:|echo\Z|sequence\Z|browser\Z|mcp\Z|{{")

#: The name of a model in a message, and one without its vendor.
_MODEL = pattern(
    r"`(?:openai|anthropic|google|vertex|bedrock|azure|mistral|groq|xai|deepseek|openrouter|ollama):[\w.:/-]{3,99}`"
)
_MODEL_NAME = pattern(r"(?:gpt|claude|gemini|mistral|deepseek|grok|llama)-\d?\w{1,20}[\w.:-]{0,60}\Z")


def names_of(suite: PromptfooSuite) -> ReferableNames:
    """The names that cases may refer to; with a `$ref` in the configuration, only the labels of providers are known."""
    if not suite.has_static_lists:
        return ReferableNames(None, None, suite.labels)
    return ReferableNames(_prompt_names(suite), _provider_names(suite), suite.labels)


def unknown_labels(suite: PromptfooSuite) -> Iterator[Finding]:
    """Prompts and providers that a case or a provider asks for and that are not configured."""
    if not suite.has_static_lists:
        return
    names = names_of(suite)
    for each in suite.providers:
        place = each.shape.places.get("prompts") if each.shape is not None else None
        if place is not None and names.prompts is not None:
            yield from _unknown(suite.frame, place, names.prompts, "prompt", _WITHOUT_PROMPTS)
    for placed, summary in suite.digest.naming:
        yield from _unknown_in_case(placed, summary, names)


def unknown_in_listed_case(case: PromptfooCase, context: Context) -> Iterator[Finding]:
    """References in a case of another file that no configuration which names the file can resolve."""
    names = context.defaults.names.references if context.defaults.names is not None else None
    if names is not None and not case.borrowed:
        placed = PlacedCase(case, -1, lambda _, span: span, context.text)
        yield from _unknown_in_case(placed, placed.summary, names)


def _unknown_in_case(placed: PlacedCase, summary: CaseSummary, names: ReferableNames) -> Iterator[Finding]:
    if names.prompts is not None and summary.chooses and placed.case.has("prompts"):
        yield from _unknown(placed, placed.case.places["prompts"], names.prompts, "prompt", STOPS)
    if summary.chooses and placed.case.has("providers"):
        place, known = placed.case.places["providers"], names.providers
        found = _unknown(placed, place, names.labels if known is None else known, "provider", STOPS)
        # Programs may have further names, but hardly those of a vendor's models.
        for each in found:
            if known is not None or each.fixes:
                yield each
            elif _MODEL.search(each.message):
                yield replace(each, severity="warning")
    for check, node in summary.graders:
        yield from _grader(placed, node, check, names.labels, names.providers)


def _prompt_names(suite: PromptfooSuite) -> frozenset[str] | None:
    """The names by which prompts can be referenced; None if some are only known at run time."""
    node = suite.configuration.node
    if isinstance(node, Mapping) and _WITH_PROMPTS.isdisjoint(entry.name or "" for entry in node.entries):
        return frozenset({"{{prompt}}"})  # what promptfoo sends without prompts
    if suite.prompts is None:
        place = suite.configuration.places.get("prompts")
        return _labels_of_map(place.node) if place is not None and isinstance(place.node, Mapping) else None
    names: set[str] = set()
    for each in suite.prompts:
        if isinstance(each.node, Mapping) and each.node.get("raw") is not None and each.text != each.id:
            names.update(name for name in (each.label, each.id, each.text) if name)
            continue
        path = each.text if isinstance(each.node, Scalar) and path_sign(each.text) and "\n" not in each.text else ""
        path = path or (each.id if each.id and not each.label else "")
        if path and not _PLAIN_PATH.match(path):
            return None  # a pattern, a folder, or a table with its own labels
        # The label is the path, before a colon and the text.
        names.update(
            n for n in (each.label, each.id, each.text, path.removeprefix("file://"), path.rpartition("/")[2]) if n
        )
    return frozenset(names)


def _labels_of_map(prompts: Mapping) -> frozenset[str] | None:
    """The labels of a map of prompts, which has no other names for them: its keys are sources."""
    labels = {entry.name: entry.value.text for entry in prompts.entries if isinstance(entry.value, Scalar)}
    is_whole = len(labels) == len(prompts.entries) and labels.keys().isdisjoint((None, "<<", "$ref"))
    return frozenset(labels.values()) if is_whole and all(labels.values()) else None


def _provider_names(suite: PromptfooSuite) -> frozenset[str] | None:
    names: set[str] = set()
    for each in suite.providers:
        program = _PYTHON.match(each.id)
        if not each.id or "{{" in each.id or (each.id.startswith("file://") and program is None):
            return None
        names.update(n for n in (each.label, each.id) if n)
        if program is not None:
            names.add(f"python:{program['path']}:{program['function'] or 'default'}")
    return frozenset(names) or None


def _unknown(
    placed: PlacedCase, place: FieldPlace, known: Collection[str], what: str, consequence: str
) -> Iterator[Finding]:
    if place.borrowed:
        return
    for node in place.node.items if isinstance(place.node, Sequence) else []:
        if not isinstance(node, Scalar) or "{{" in node.text or _is_called(node.text, known):
            continue
        meant = closest(node.text, sorted(known))
        fixes = _replacing(placed.outer, node, meant)
        advice = f"; did you mean `{_short(meant)}`?" if meant else ""
        yield Finding(
            placed.outer(node.span),
            f"there is no {what} `{_short(node.text)}`{advice}",
            fixes=fixes,
            consequence=consequence,
        )


def _is_called(word: str, known: Collection[str]) -> bool:
    """Whether a reference fits a name: the name itself, `name*`, or `group` for names `group:…`."""
    if word in known:
        return True
    if word.endswith("*"):
        return any(name.startswith(word[:-1]) for name in known)
    return any(name.startswith(f"{word}:") for name in known)


def _short(name: str | None) -> str:
    return (name or "").partition("\n")[0][:60]


def _replacing(outer: Callable[[Span], Span], node: Scalar, meant: str | None) -> tuple[Fix, ...]:
    if not meant or "\n" in meant:
        return ()
    return (Fix(f"change it to `{_short(meant)}`", (Edit(outer(node.span), plain_or_quoted(meant)),)),)


def _grader(
    placed: PlacedCase, node: Scalar, check: Assertion | None, labels: Collection[str], providers: frozenset[str] | None
) -> Iterator[Finding]:
    if isinstance(check, SelectBest) and node.text in labels and not _ID.match(node.text):
        yield Finding(
            placed.outer(node.span), "`select-best` finds its grader by id only, not by a label", consequence=_LOST
        )
    elif node.text not in (providers or labels) and not _ID.match(node.text):
        meant = closest(node.text, sorted(labels))
        if providers is None and meant is None and not _MODEL_NAME.match(node.text):
            return  # a program may be called so
        advice = f"; did you mean `{meant}`?" if meant else ""
        yield Finding(
            placed.outer(node.span), f"there is no provider `{_short(node.text)}`{advice}",
            fixes=_replacing(placed.outer, node, meant), consequence=ROW_ERRORS,
            severity="warning" if providers is None and meant is None else None,
        )  # fmt: skip
