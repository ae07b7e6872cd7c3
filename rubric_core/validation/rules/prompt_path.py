"""prompt-path: a path where the judge's prompt stands, which the engine takes for the prompt itself."""

from collections.abc import Iterator

from rubric_core.language.releases import Release
from rubric_core.language.variables import variables_in
from rubric_core.loading.directory_search import URL
from rubric_core.loading.reference_issues import PathLikePrompt, PromptText
from rubric_core.syntax.edit import column_of, newline_of, replace_value
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["PROMPT_PATH"]

_SINCE = Release(4, 6)


@rule("prompt-path", "warning", "A path that the judge receives as its prompt")
def PROMPT_PATH(prompt: PromptText | PathLikePrompt, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Since release 4.6 only `file://` makes a path of a prompt."""
    if isinstance(prompt, PathLikePrompt):
        yield _mistaken_for_path(prompt, context)
        return
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


def _mistaken_for_path(prompt: PathLikePrompt, context: Context) -> Finding:
    """A prompt of promptfoo on one line: as a block it ends with a line break, and is no path."""
    at = prompt.node.whole.start
    column = column_of(context.text, at)
    line = context.text[at - column : at]
    own = line.strip() in ("-", "prompts:") and prompt.node.whole.start == prompt.node.span.start
    blanks = " " * (len(line) - len(line.lstrip()) + 2)
    block = f"|{newline_of(context.text)}{blanks}{prompt.node.text}"
    rest = context.text[prompt.node.span.end :].partition("\n")[0].strip()
    fits = own and not rest and "\n" not in context.written(prompt.node.span) and prompt.node.text[:1] not in " \t"
    fixes = (Fix("write it as a block", (replace_value(prompt.node, block),)),) if fits and not prompt.borrowed else ()
    return Finding(
        prompt.span, f"promptfoo takes this prompt for the path of a file, because it {prompt.sign}; write it as a block behind `|`",
        fixes=fixes, severity="error", consequence="promptfoo stops: there is no such file",
    )  # fmt: skip
