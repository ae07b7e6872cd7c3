"""Values of another shape: lists for texts, texts for lists, mappings for either, words for true and false."""

import random
import re
from collections.abc import Callable

from planted.suite import LOST, Plant, Planted, Site, Suite, replaced
from rubric_core.language.evaluators import AnyOf, CodeEvaluator, Comparison, Criterion, Evaluator, Rubric
from rubric_core.language.model import Case, Execution, Message
from rubric_core.language.model import Suite as SuiteShape
from rubric_core.language.shape import Shape
from rubric_core.language.workspace import Hook, Repo, Workspace
from rubric_core.syntax.tree import Mapping, Scalar, Sequence

__all__ = ["KINDS"]

#: Makes of a site what somebody wrote in its place; None where there is no place for it.
Write = Callable[[Site, str], str | None]


def written(fields: dict[type[Shape], str], write: Write, *also: Write, known: bool = True) -> Plant:
    """Write a value otherwise; `write` is given the site and its value as it is written, `also` what is as good as that."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = [site for shape, names in fields.items() for site in suite.sites(shape, *names.split())]
        rng.shuffle(found)
        for site in found[:40]:
            start, end = (at + site.offset for at in site.entry.value.span)
            new = write(site, suite.text[start:end]) if not site.entry.value.anchor else None
            if new is not None and new != suite.text[start:end]:
                rights = [suite.text[start:end], *(w(site, suite.text[start:end]) or "" for w in also)]
                return replaced(suite, start, end, new, right=rights if known else LOST)
        return None

    return plant


def of_text(make: Callable[[str], str | None]) -> Write:
    def write(site: Site, text: str) -> str | None:
        node = site.entry.value
        one_line = isinstance(node, Scalar) and isinstance(node.value, str) and "\n" not in text and text
        in_brackets = not node.is_quoted if one_line and re.search(r"[,\[\]{}]|: ", text) else False
        return make(text) if one_line and not node.is_block and not in_brackets else None

    return write


def of_list(make: Callable[[list[str]], str | None]) -> Write:
    """`make` is given the words of a list in brackets."""

    def write(site: Site, _: str) -> str | None:
        node = site.entry.value
        if not isinstance(node, Sequence) or not node.flow or not all(isinstance(i, Scalar) for i in node.items):
            return None
        return make([i.text for i in node.items if isinstance(i, Scalar)]) if node.items else None

    return write


def of_flag(make: Callable[[str], str | None]) -> Write:
    def write(site: Site, text: str) -> str | None:
        node = site.entry.value
        return make(text) if isinstance(node, Scalar) and isinstance(node.value, bool) else None

    return write


_TEXTS: dict[str, dict[type[Shape], str]] = {
    "criteria": {Case: "criteria"},
    "name of an evaluator": {Evaluator: "name"},
    "outcome": {Criterion: "outcome"},
    "value of a check": {Comparison: "value"},
    "target": {Execution: "target", SuiteShape: "target"},
    "content of a message": {Message: "content"},
    "name of the suite": {SuiteShape: "name description"},
    "path": {Workspace: "template path", Repo: "path repo"},
}
_LISTS: dict[str, dict[type[Shape], str]] = {
    "texts of a check": {AnyOf: "value"},
    "command": {CodeEvaluator: "command", Hook: "command"},
    "tags": {SuiteShape: "tags"},
    "depends_on": {Case: "depends_on"},
}
_FLAGS: dict[type[Shape], str] = {
    Criterion: "required", Evaluator: "required negate", Execution: "cache verbose fail_on_error skip_defaults pool_workspaces keep_workspaces",
}  # fmt: skip


def _alone(site: Site, text: str) -> str | None:
    """A conversation of one message without its dash."""
    node = site.entry.value
    if not isinstance(node, Sequence) or node.flow or len(node.items) != 1 or not isinstance(node.items[0], Mapping):
        return None
    dash, first = text.find("-"), node.items[0].whole.start - node.span.start
    return text[:dash] + " " * (first - dash) + text[first:] if dash == 0 and first > 0 else None


def _without_dash(fields: dict[type[Shape], str]) -> Plant:
    """The only item of a list as the value itself."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        found = [site for shape, names in fields.items() for site in suite.sites(shape, *names.split())]
        rng.shuffle(found)
        for site in found:
            start, end = (at + site.offset for at in site.entry.value.span)
            new = _alone(site, suite.text[start:end])
            if new is not None:
                return replaced(suite, start, end, new)
        return None

    return plant


#: A list without the quotes that its words do not need.
_PLAIN_LIST = of_list(lambda words: f"[{', '.join(words)}]")

KINDS: dict[str, Plant] = {
    **{f"{label} in brackets": written(f, of_text(lambda t: f"[{t}]")) for label, f in _TEXTS.items() if label not in ("target", "content of a message")},
    **{f"{label} under a key": written(f, of_text(lambda t: f"{{text: {t}}}")) for label, f in _TEXTS.items() if label != "content of a message"},
    **{f"{label} is a number": written(f, of_text(lambda _: "42"), known=False) for label, f in _TEXTS.items() if label != "content of a message"},
    **{f"{label} is empty": written(f, of_text(lambda _: '""'), known=False) for label, f in _TEXTS.items() if label not in ("content of a message", "name of the suite")},
    **{f"{label} with commas": written(f, of_list(lambda w: ", ".join(w) if len(w) > 1 and not any("," in x for x in w) else None), _PLAIN_LIST) for label, f in _LISTS.items()},
    **{f"{label}: one without brackets": written(f, of_list(lambda w: w[0] if len(w) == 1 else None), _PLAIN_LIST) for label, f in _LISTS.items()},
    **{f"{label} in brackets twice": written(f, of_list(lambda w: f"[[{', '.join(w)}]]"), _PLAIN_LIST) for label, f in _LISTS.items()},
    **{f"{label} in quotes": written(f, of_list(lambda w: f"\"[{', '.join(w)}]\""), _PLAIN_LIST) for label, f in _LISTS.items()},
    "flag in quotes": written(_FLAGS, of_flag(lambda t: f'"{t}"')),
    "flag: yes or no": written(_FLAGS, of_flag(lambda t: "yes" if t == "true" else "no")),
    "flag: on or off": written(_FLAGS, of_flag(lambda t: "on" if t == "true" else "off")),
    "flag: y or n": written(_FLAGS, of_flag(lambda t: "y" if t == "true" else "n")),
    "flag misspelt": written(_FLAGS, of_flag(lambda t: "ture" if t == "true" else "fasle")),
    "flag: always or never": written(_FLAGS, of_flag(lambda t: "always" if t == "true" else "never")),
    "messages without their dash": _without_dash({Case: "input"}),
    "assertions without their dash": _without_dash({Case: "assertions", Execution: "evaluators"}),
    "criteria without their dash": _without_dash({Rubric: "criteria", Case: "rubrics"}),
}  # fmt: skip
