"""prompt-path: a path where the judge's prompt stands, which the engine takes for the prompt itself."""

from collections.abc import Iterator

from rubric_core.language.releases import Release
from rubric_core.language.variables import variables_in
from rubric_core.loading.directory_search import URL
from rubric_core.loading.reference_issues import PromptText
from rubric_core.syntax.edit import replace_value
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["PROMPT_PATH"]

_SINCE = Release(4, 6)


@rule("prompt-path", "warning", "A path that the judge receives as its prompt")
def PROMPT_PATH(prompt: PromptText, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Since release 4.6 only `file://` makes a path of a prompt."""
    if prompt.bare is None or prompt.path is None or context.dialect.release < _SINCE:
        return
    # What is in the file was not looked at so far: a prompt of another dialect is for the author to fix first.
    used = variables_in(prompt.text)
    properties = context.dialect.properties
    known = set(properties.template_variables) - {name for name, _ in properties.replaced_variables}
    fits = used <= known and bool(used & set(properties.answer_variables))
    fixes = (Fix("write it as file://", (replace_value(prompt.bare, URL + prompt.bare.text),), safe=fits),)
    yield Finding(
        prompt.span,
        f"since agentv {_SINCE} the judge receives this path itself as its prompt, not the content of {prompt.path.name}; write `file://`",
        fixes=() if prompt.borrowed else fixes,
    )
