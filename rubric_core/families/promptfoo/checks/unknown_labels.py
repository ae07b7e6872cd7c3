"""References to prompts, providers and graders of promptfoo that nothing is called by."""

import posixpath
from collections.abc import Callable, Collection, Iterator

from rubric_core.families.promptfoo.checks.case_summary import CaseSummary, PlacedCase
from rubric_core.families.promptfoo.checks.suite import PromptEntry, PromptfooSuite
from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.consequences import ROW_ERRORS, STOPS
from rubric_core.families.promptfoo.language.graded_assertions import SelectBest
from rubric_core.families.promptfoo.language.listed_entries import path_sign
from rubric_core.families.promptfoo.language.models import MODEL_NAME
from rubric_core.language.closest_name import closest
from rubric_core.language.shape import FieldPlace, Shape
from rubric_core.lazy_compilation import pattern, replace
from rubric_core.loading.defined_names import ReferableNames
from rubric_core.syntax.edit import plain_or_quoted
from rubric_core.syntax.tree import Mapping, Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, checks

__all__ = ["names_of"]

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

#: The name of a model in a message.
_MODEL = pattern(
    r"`(?:openai|anthropic|google|vertex|bedrock|azure|mistral|groq|xai|deepseek|openrouter|ollama):[\w.:/-]{3,99}`"
)


def names_of(suite: PromptfooSuite) -> ReferableNames:
    """The names that cases may refer to; with a `$ref` in the configuration, only the labels of providers are known."""
    if not suite.has_static_lists:
        return ReferableNames(None, None, suite.labels)
    return ReferableNames(_prompt_names(suite), _provider_names(suite), suite.labels)


@checks("promptfoo/unknown-label", "unknown-label", about_name=True)
def unknown_labels(suite: PromptfooSuite) -> Iterator[Finding]:
    """A reference to a prompt or a provider that is not configured."""
    if not suite.has_static_lists:
        return
    names = names_of(suite)
    for each in suite.providers:
        place = each.shape.places.get("prompts") if each.shape is not None else None
        if place is not None and names.prompts is not None:
            yield from _unknown(suite.frame, place, names.prompts, "prompt", _WITHOUT_PROMPTS)
    for placed, summary in suite.digest.naming:
        yield from _unknown_in_case(placed, summary, names)
    if suite.prompts is not None and names.prompts is not None and names.providers is not None:
        yield from _never_run(suite, names.prompts)


def _never_run(suite: PromptfooSuite, known: frozenset[str]) -> Iterator[Finding]:
    """Cases that choose prompts which none of their providers gets."""
    prompts = [_names_of_prompt(each) or frozenset() for each in suite.prompts or ()]
    gets = {
        number: [prompt for prompt in prompts if _names_any(chosen, prompt)]
        for number, chosen in enumerate(_chosen(each.shape, "prompts") for each in suite.providers)
        if chosen and all(_is_called(word, known) for word in chosen)
    }
    for placed, _ in suite.digest.naming if gets else ():
        case = placed.case
        wanted = _chosen(case, "prompts")
        if not wanted or case.places["prompts"].borrowed or case.has("provider") or case.has("provider_output"):
            continue
        if not all(_is_called(word, known) for word in wanted):
            continue  # reported
        called = _chosen(case, "providers")
        asked = [n for n, p in enumerate(suite.providers) if not called or _names_any(called, {p.label, p.id} - {""})]
        fitting = (prompt for n in asked for prompt in gets.get(n, prompts) if _names_any(wanted, prompt))
        if asked and next(fitting, None) is None:
            words = "this case never runs: no provider gets the prompts that it chooses"
            yield Finding(
                placed.outer(case.places["prompts"].key),
                words,
                severity="warning",
                consequence="promptfoo skips it silently",
            )


def _chosen(shape: Shape | None, field: str) -> list[str]:
    """What a case or provider names in a list; nothing if that is not all in the text."""
    place = shape.places.get(field) if shape is not None else None
    nodes = place.node.items if place is not None and isinstance(place.node, Sequence) else []
    words = [node.text for node in nodes if isinstance(node, Scalar) and "{{" not in node.text]
    return words if len(words) == len(nodes) else []


def _names_any(words: Collection[str], names: Collection[str]) -> bool:
    return any(_is_called(word, names) for word in words)


@checks("promptfoo/unknown-label", "unknown-label", about_name=True)
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
    names = [_names_of_prompt(each) for each in suite.prompts]
    known = frozenset[str]().union(*(each for each in names if each is not None))
    return None if None in names else known


def _names_of_prompt(prompt: PromptEntry) -> frozenset[str] | None:
    """What a prompt is called by: its label or id, else its text, or the path of its file; None for a pattern, a folder, or a table."""
    written, is_text = prompt.text, isinstance(prompt.node, Scalar)
    is_id = not is_text and written == prompt.id
    if (is_text and path_sign(written) and "\n" not in written) or is_id or written.startswith("file://"):
        if not _PLAIN_PATH.match(written):
            return None
        path = posixpath.normpath(written.removeprefix("file://"))
        return frozenset({prompt.label} if prompt.label else {path} if is_text or is_id else {path, prompt.id} - {""})
    return frozenset({prompt.label, prompt.id} - {""} if prompt.label else {prompt.id, written} - {""})


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
        if not isinstance(node, Scalar) or _is_called(node.text, known) or ("{{" in node.text and "env" in node.text):
            continue
        meant = _path_meant(node.text, known) or closest(node.text, sorted(known))
        fixes = _replacing(placed.outer, node, meant)
        advice = f"; did you mean `{_short(meant)}`?" if meant else ""
        yield Finding(
            placed.outer(node.span),
            f"there is no {what} `{_short(node.text)}`{advice}",
            fixes=fixes,
            consequence=consequence,
        )


def _path_meant(word: str, known: Collection[str]) -> str | None:
    """The file that a path leads to, by its name: prompts are called by their path without `file://`."""
    path = posixpath.normpath(word.removeprefix("file://"))
    return path if path in known else next((name for name in sorted(known) if name.endswith(f"/{path}")), None)


def _is_called(word: str, known: Collection[str]) -> bool:
    """Whether a reference fits a name: the name itself, `name*`, or `group` for names `group:…`."""
    if word in known:
        return True
    if word.endswith("*"):
        return any(name.startswith(word[:-1]) for name in known)
    if any(name.startswith(f"{word}:") for name in known):
        return True
    # The path of a file is that from the folder in which promptfoo runs, which may be a parent.
    return not word.startswith(("./", "file://")) and any(word.endswith(f"/{name}") for name in known)


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
        if providers is None and meant is None and not MODEL_NAME.match(node.text):
            return  # a program may be called so
        advice = f"; did you mean `{meant}`?" if meant else ""
        yield Finding(
            placed.outer(node.span), f"there is no provider `{_short(node.text)}`{advice}",
            fixes=_replacing(placed.outer, node, meant), consequence=ROW_ERRORS,
            severity="warning" if providers is None and meant is None else None,
        )  # fmt: skip
