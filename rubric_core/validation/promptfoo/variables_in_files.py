"""Variables of promptfoo in files of cases and in programs, by what the configurations that name a file define (issue 18, section 2)."""

from collections.abc import Iterator

from rubric_core.language.closest_name import is_typo
from rubric_core.language.promptfoo.case import PromptfooCase
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.reference_issues import ProgramText
from rubric_core.text import Edit, Span
from rubric_core.validation.promptfoo.case_summary import PlacedCase
from rubric_core.validation.promptfoo.unused_variables import slips_of_case
from rubric_core.validation.promptfoo.variables import GIVEN, UNDEFINED, slips_in_code, undefined_in_case
from rubric_core.validation.rule import Context, Finding, Fix

__all__ = ["misspelt_in_program", "undefined_in_listed_case", "unused_in_listed_case"]

#: `vars.name`, `vars["name"]` and `vars.get("name")`; what follows tells calls and assignments.
_READ = pattern(
    r"\bvars(?:[\"']\])?(?:\??\.(?!get\b)(?P<member>[A-Za-z_]\w{0,60})|(?:\??\.)?(?:\[|get\()\s{0,3}[\"'](?P<item>[A-Za-z_]\w{0,60})[\"'][\])]?)"
    r"(?P<after>\s{0,9}(?:\(|=(?!=)))?"
)
_NO_KEY = "the mapping has no such key"
#: What begins a comment, in JavaScript and Python.
_COMMENT = ("//", "#", "*")


def undefined_in_listed_case(case: PromptfooCase, context: Context) -> Iterator[Finding]:
    """Names in a case of another file that neither the case nor the configuration defines."""
    known = context.defaults.names.variables if context.defaults.names is not None else None
    if known is None or case.borrowed:
        return
    placed = PlacedCase(case, -1, lambda _, span: span, context.text)
    summary = placed.summary
    if summary.is_plain:
        names = known | GIVEN | summary.names | summary.stored
        yield from undefined_in_case(placed, summary, names)
        yield from slips_in_code(placed, names)


def unused_in_listed_case(case: PromptfooCase, context: Context) -> Iterator[Finding]:
    """Variables of a case in another file that no prompt uses, and that are a slip of one which the case lacks."""
    names = context.defaults.names
    if names is None or names.asked is None or case.borrowed:
        return
    placed = PlacedCase(case, -1, lambda _, span: span, context.text)
    yield from slips_of_case(placed, placed.summary, names.asked, names.needed, "this case lacks")


def misspelt_in_program(program: ProgramText) -> Iterator[Finding]:
    """Slips of variables that a program reads; others may be tested for, or come from elsewhere."""
    known = program.use.variables if program.is_own and program.use is not None else None
    if not known:
        return
    found = [
        (name, Span(*each.span("member" if each["member"] else "item")), each["after"] or "")
        for each in _READ.finditer(program.text)
        if (name := each["member"] or each["item"]) and not _is_comment(program.text, each.start())
    ]
    own = {name for name, _, after in found if after}
    candidates = sorted(known)
    for name, at, _ in found:
        if name in known or name in own or name in GIVEN:
            continue
        meant = next((each for each in candidates if is_typo(name, each)), None)
        if meant is not None:
            words = f"no case has a value for `{name}`; did you mean `{meant}`?"
            fixes = (Fix(f"change it to `{meant}`", (Edit(at, meant),), safe=False),)
            yield Finding(at, words, fixes=fixes, consequence=_NO_KEY if program.name.endswith(".py") else UNDEFINED)


def _is_comment(text: str, offset: int) -> bool:
    """Whether a comment may begin before an offset in its line."""
    before = text[max(text.rfind("\n", 0, offset) + 1, offset - 500) : offset]
    return any(sign in before for sign in _COMMENT[:2]) or before.lstrip().startswith(_COMMENT[2])
