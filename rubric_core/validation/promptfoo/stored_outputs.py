"""Outputs that are stored by a name which no template can use."""

from collections.abc import Iterator

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.edit import plain_or_quoted
from rubric_core.text import Edit
from rubric_core.validation.promptfoo.case_parts import options_of
from rubric_core.validation.promptfoo.case_summary import PROGRAM
from rubric_core.validation.promptfoo.suite import PromptfooSuite
from rubric_core.validation.rule import Finding, Fix

__all__ = ["unusable_names"]

#: What ends a name in a template, or is an operator there.
_NO_NAME = pattern(r"[\s()\[\]{}%*+~/#,:|.<>=!'\"-]")
_TEMPLATE = pattern(r"\{\{\s{0,9}([A-Za-z_]\w{0,60})\s{0,9}\}\}")
#: A name that code, or a template, reads in brackets.
_SUBSCRIPT = pattern(r"\[([\"'])([^\"'\n]{1,200})\1\]")
_RUN = pattern(r"[^\w]{1,60}")


def unusable_names(suite: PromptfooSuite) -> Iterator[Finding]:
    """Names under `storeOutputAs` that are none in a template, unless code may read them."""
    wrong = [name for name in suite.digest.stored if name.strip() and _NO_NAME.search(name) and "env" not in name]
    texts = [suite.frame.text, *(placed.text for placed in suite.bearers)] if wrong else []
    if any(PROGRAM.search(text) for text in texts):
        return
    read = frozenset(found[2] for text in texts for found in _SUBSCRIPT.finditer(text))
    wrong = [name for name in wrong if name not in read]
    for placed, summary in suite.digest.storing if wrong else ():
        options = options_of(placed.case)
        place = options.places.get("store_output_as") if options is not None and not options.borrowed else None
        for name in summary.stored.intersection(wrong) if place is not None and not place.borrowed else ():
            template = _TEMPLATE.fullmatch(name)
            meant = template[1] if template is not None else _RUN.sub("_", name).strip("_")
            at = placed.outer(place.value) if place is not None else placed.outer(placed.case.span)
            fixes = (Fix(f"write `{meant}`", (Edit(at, plain_or_quoted(meant)),), safe=False),) if meant else ()
            words = f"`{name}` is no name that a template can use" + (f"; write `{meant}`" if meant else "")
            yield Finding(at, words, fixes=fixes, severity="warning", consequence="later cases do not find the output")
