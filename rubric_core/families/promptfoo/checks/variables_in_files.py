"""Variables of promptfoo in files of cases, by what the configurations that name a file define."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.checks.case_summary import PlacedCase
from rubric_core.families.promptfoo.checks.lacking_variables import lacking_words
from rubric_core.families.promptfoo.checks.misspelt_variables import GIVEN, slips_in_code
from rubric_core.families.promptfoo.checks.suite_notes import environment_in_case
from rubric_core.families.promptfoo.checks.templates import names_in
from rubric_core.families.promptfoo.checks.unused_variables import slips_of_case, unused_in_case
from rubric_core.families.promptfoo.checks.variables import EMPTY, undefined_in_case
from rubric_core.families.promptfoo.language.case import PromptfooCase
from rubric_core.families.promptfoo.language.catalogue import VariablesFile
from rubric_core.language.closest_name import closest, is_typo
from rubric_core.syntax.tree import Mapping
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, checks


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
