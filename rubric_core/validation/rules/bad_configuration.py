"""bad-configuration: a mistake in .rubric.toml or in the table tool.rubric of pyproject.toml."""

from collections.abc import Iterator

from rubric_core.lazy_compilation import dataclass
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["BAD_CONFIGURATION", "ConfigurationProblem"]


@dataclass(frozen=True, slots=True)
class ConfigurationProblem:
    """What is wrong at `span` of a configuration file."""

    span: Span
    message: str
    #: Writes the word that was probably meant.
    mend: Edit | None = None


@rule("bad-configuration", "error", "A mistake in the configuration of rubric")
def BAD_CONFIGURATION(problem: ConfigurationProblem, context: Context) -> Iterator[Finding]:  # noqa: ARG001, N802  # a rule is a constant
    """Settings that are not understood have no effect; the others have."""
    fixes = (Fix(f"write `{problem.mend.new_text}`", (problem.mend,), safe=False),) if problem.mend is not None else ()
    yield Finding(problem.span, problem.message, fixes=fixes)
