"""not-a-suite: the file holds no mapping that could be a suite."""

from collections.abc import Iterator

from rubric_core.language.model import Case, Suite
from rubric_core.loading.issues import NotASuite
from rubric_core.text import Edit, Span
from rubric_core.validation.first_case_fix import PROMPTS, skeleton
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["NOT_A_SUITE"]


@rule("not-a-suite", "error", "A file that is not a suite", awaits="entry")
def NOT_A_SUITE(issue: NotASuite, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Name the key that a suite needs."""
    key = context.dialect.spelled(Suite, "cases")
    if issue.found == "nothing":
        message = f"this file is empty; a suite has its cases under `{key}:`"
    else:
        message = f"this file is {issue.found}; a suite is a mapping that has its cases under `{key}:`"
    yield Finding(issue.span, message, fixes=tuple(_fixes(issue, key, context)), consequence="agentv rejects the file")


def _fixes(issue: NotASuite, key: str | None, context: Context) -> Iterator[Fix]:
    """An empty file gets its first case; a list of mappings with ids is a list of cases whose key is left out."""
    start = Span(0, 0)
    if key and issue.found == "nothing":
        # Comments stay; what stands above has to end its line.
        end = len(context.text)
        lead = "\n" if context.text.strip() and not context.text.endswith(("\n", "\r")) else ""
        asks = context.dialect.spelled(Case, "input") is None and context.dialect.spelled(Suite, "prompts")
        prompts = f"{asks}: {PROMPTS}\n" if asks else ""
        written = f"{lead}{prompts}{key}: {skeleton(context)}\n"
        yield Fix("write a suite with one case", (Edit(Span(end, end), written),), safe=False)
    elif key and issue.found == "a list":
        yield Fix(f"write `{key}:` above it", (Edit(start, f"{key}:\n"),), safe=False)
