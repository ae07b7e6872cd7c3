"""Names of variables: those that the cases have, and slips of them in JavaScript and Python."""

import re
from collections.abc import Iterable, Iterator

from rubric_core.families.promptfoo.checks.case_parts import misspells
from rubric_core.families.promptfoo.checks.case_summary import PlacedCase
from rubric_core.families.promptfoo.checks.suite import PromptfooSuite
from rubric_core.families.promptfoo.loading.names_in_code import ReadName, names_read
from rubric_core.language.closest_name import closest, is_typo
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.reference_issues import ProgramText
from rubric_core.syntax.tree import Scalar, Sequence
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Finding, Fix, checks

__all__ = [
    "GIVEN",
    "are_known",
    "every_name",
    "has_hooks",
    "shared_names",
    "slips_in_code",
    "unknown_in_code",
    "variables_of_cases",
]

#: Functions that are called when all prompts are filled in.
_AFTERWARDS = (":afterAll", ":afterEach")
#: Variables that promptfoo defines itself.
GIVEN = frozenset({
    "_conversation", "__evalId", "__evalStepId", "__repeatIndex", "env", "__trace", "__traceId", "sessionId", "evaluationId", "testIdx",
    "promptIdx", "repeatIndex",
})  # fmt: skip
#: What JavaScript and Python get for an undefined variable.
_UNDEFINED, _NO_KEY = "the code reads undefined", "the mapping has no such key"
#: What begins a comment, in JavaScript and Python.
_COMMENT = ("//", "#", "*")
#: What precedes and follows a variable that code tests for, or gives a default.
_ASKED = pattern(r"(?:\bif\s{0,9}\(|!|\btypeof\s|\bBoolean\(|\bnot\s|\bif\s|\band\s|\bor\s|&&|\|\|)\s{0,9}\Z")
_TESTED = pattern(
    r"(?:['\"]{1,2}\]?)?\s{0,9}(?:\?|\|\||&&|[!=]==?\s{0,9}(?:undefined|null|None)\b|\bor\b|\bis\b|\bif\b|:)"
)
#: What gives a name of the code the value of a variable, and where that may be tested.
_GIVEN_NAME = pattern(r"\b([A-Za-z_$][\w$]{0,60})\s{0,3}=\s{0,3}\(?\Z")
_NEAR = 500


def has_hooks(suite: PromptfooSuite) -> bool:
    """Whether functions around the run, or a red team, may define variables which the text does not show."""
    place = suite.configuration.places.get("extensions")
    if place is None or suite.configuration.has("red_team"):
        return suite.configuration.has("red_team")
    nodes = place.node.items if isinstance(place.node, Sequence) else [place.node]
    return not all(isinstance(node, Scalar) and node.text.endswith(_AFTERWARDS) for node in nodes)


def are_known(suite: PromptfooSuite) -> bool:
    """Whether every variable is defined in the configuration, in files that were read, or by hooks."""
    configuration = suite.configuration
    if suite.refers_for_cases:
        return False
    if configuration.has("command_line_options") and re.search(r"\bvar\b", suite.frame.text):
        return False
    if suite.outside is None or any(each.names is None for each in suite.outside if each.what != "prompt"):
        return False
    if not suite.digest.is_common_plain or misspells(configuration.node, "defaultTest"):
        return False
    return bool(suite.every_case) or any(each.what == "cases" for each in suite.outside)


def variables_of_cases(suite: PromptfooSuite) -> frozenset[str] | None:
    """The variables that some case has; None if there may be more."""
    if not are_known(suite) or not suite.digest.is_plain or suite.digest.misspells_vars:
        return None
    return every_name(suite, shared_names(suite)) - GIVEN


def shared_names(suite: PromptfooSuite) -> frozenset[str]:
    """The variables that every case has, and those of promptfoo."""
    defaults = (each.names or () for each in suite.outside or () if each.what == "defaults")
    return GIVEN.union(suite.digest.shared, *defaults)


def every_name(suite: PromptfooSuite, shared: frozenset[str]) -> frozenset[str]:
    """The variables that some case has, with those that are `shared`."""
    return shared.union(suite.digest.names, suite.digest.common, *(e.names or () for e in suite.outside or ()))


def unknown_in_code(placed: PlacedCase, known: frozenset[str]) -> Iterator[Finding]:
    """Variables that inline code reads from `context` and nothing defines, whatever was meant; not those that it tests for."""
    if placed.summary.read_by_code <= known:
        return
    for read, is_python in placed.summary.code_variables:
        own = {each.name for each in read if each.is_own or _is_tested(placed.text, each.span)}
        slips = {each.span for each, _ in _slips_among(read, known, strict=False)}
        for each in read:
            is_unknown = each.name not in known and each.name not in own and each.name not in GIVEN
            if is_unknown and each.is_of_context and not each.is_taken and each.span not in slips:
                words = f"no case has a value for `{each.name}`"
                yield Finding(placed.outer(each.span), words, consequence=_NO_KEY if is_python else _UNDEFINED)


def _is_tested(text: str, name: Span) -> bool:
    """Whether code asks if there is a variable, or has another value for it."""
    start = text.rfind("context", max(0, name.start - 60), name.start)
    before = text[max(0, start - 60) : max(start, 0)]
    if _TESTED.match(text, name.end) is not None or _ASKED.search(before) is not None:
        return True
    if text.endswith(("get('", 'get("', "get(\\'", 'get(\\"', "get(''"), max(0, start), name.start):
        return True
    given = _GIVEN_NAME.search(before)
    return (
        given is not None
        and re.search(
            rf"(?:!|\bif\s{{0,3}}\(?|\btypeof\s|\bnot\s|&&\s{{0,3}}|\|\|\s{{0,3}}){re.escape(given[1])}\b|\b{re.escape(given[1])}\s{{0,3}}(?:\?|&&|\|\||[!=]==?|is\b|or\b|and\b)",
            text[name.end : name.end + _NEAR],
        )
        is not None
    )


def _slips_among(read: Iterable[ReadName], known: frozenset[str], *, strict: bool) -> Iterator[tuple[ReadName, str]]:
    """Names that resemble a known one, which is the second; others may be tested for, or come from elsewhere.

    With `strict`, only those that are one slip of a finger away.
    """
    found = tuple(read)
    own = {each.name for each in found if each.is_own}
    candidates = sorted(known - GIVEN)
    for each in found:
        if each.name in known or each.name in own or each.name in GIVEN:
            continue
        typos = (other for other in candidates if is_typo(each.name, other))
        meant = next(typos, None) if strict else closest(each.name, candidates)
        if meant is not None:
            yield each, meant


def slips_in_code(placed: PlacedCase, known: frozenset[str]) -> Iterator[Finding]:
    """Slips of variables that the code of a case reads from `context`, in assertions and transforms."""
    if placed.summary.read_by_code <= known:
        return
    for read, is_python in placed.summary.code_variables:
        for each, meant in _slips_among(read, known, strict=False):
            if each.is_of_context:
                yield _misread(placed.outer(each.span), each, meant, colon=":", is_safe=True, is_python=is_python)


@checks("promptfoo/undefined-variable", "undefined-variable", "warning", awaits="entry", about_name=True)
def slips_in_program(program: ProgramText) -> Iterator[Finding]:
    """A variable without a value in any case; here a misspelt one that a program reads."""
    known = program.use.variables if program.is_own and program.use is not None else None
    if not known:
        return
    read = (each for each in names_read(program.text) if not _is_comment(program.text, each.span.start))
    is_python = program.name.endswith(".py")
    for each, meant in _slips_among(read, known, strict=True):
        yield _misread(each.span, each, meant, colon=": ", is_safe=False, is_python=is_python)


def _is_comment(text: str, offset: int) -> bool:
    """Whether a comment may begin before an offset in its line."""
    before = text[max(text.rfind("\n", 0, offset) + 1, offset - 500) : offset]
    return any(sign in before for sign in _COMMENT[:2]) or before.lstrip().startswith(_COMMENT[2])


def _misread(at: Span, read: ReadName, meant: str, *, colon: str, is_safe: bool, is_python: bool) -> Finding:
    """A slip of a variable in code that stands at `at`, with the fix that corrects it."""
    # The code knows it by this name further on.
    written = f"{meant}{colon}{read.name}" if read.is_taken else meant
    fixes = (Fix(f"change it to `{written}`", (Edit(at, written),), safe=is_safe),)
    words = f"no case has a value for `{read.name}`; did you mean `{meant}`?"
    return Finding(at, words, fixes=fixes, consequence=_NO_KEY if is_python else _UNDEFINED)
