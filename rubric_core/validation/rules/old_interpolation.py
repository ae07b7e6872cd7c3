"""old-interpolation: `${{ NAME }}` where the newest releases only know `{{ env.NAME }}`, and the other way round."""

from collections.abc import Iterator

from rubric_core.language.model import Case, Suite
from rubric_core.language.releases import NEXT
from rubric_core.language.targets import Provider, Target
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Mapping, Scalar, walk
from rubric_core.text import Edit, Span
from rubric_core.validation.rule import TEMPLATES, Context, Finding, Fix, Severity, rule

__all__ = ["OLD_INTERPOLATION"]

_NEW = pattern(r"(?<!\$)\{\{\s*env\.(\w+)\s*\}\}")
_OLD = pattern(r"\$\{\{\s*(\w+)\s*\}\}")


@rule("old-interpolation", "error", "An environment variable in the syntax of other releases", signs=TEMPLATES)
def OLD_INTERPOLATION(shape: Suite | Case | Provider | Target, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Refused in providers; in suites nothing is put in for it any more."""
    if not context.dialect.properties.strict_keys and context.dialect.properties.interpolates == "targets":
        yield from _too_early(shape, context)
    if isinstance(shape, Target) or context.dialect.properties.interpolates == "everything":
        yield from _too_new(shape, context)
    if isinstance(shape, Target):
        return
    is_refused = isinstance(shape, Provider)  # they came with the release that refuses this in them
    if not context.dialect.properties.strict_keys or not (is_refused or context.dialect.release >= NEXT):
        return
    if not isinstance(shape.node, Mapping):
        return
    severity: Severity = "error" if is_refused else "warning"
    consequence = "they reject the file" if is_refused else "they leave it as it is"
    for span, name in _written_texts(shape, shape.node, context):
        instead = f"{{{{ env.{name} }}}}"
        yield Finding(
            span,
            f"agentv {NEXT} and later support `{instead}`, not `{context.written(span)}`",
            fixes=(Fix(f"write `{instead}`", (Edit(span, instead),)),),
            consequence=consequence,
            severity=severity,
        )


def _too_new(shape: Suite | Case | Provider | Target, context: Context) -> Iterator[Finding]:
    """Before the newest dialect `{{ env.NAME }}` stays as these very letters."""
    properties = context.dialect.properties
    if (
        properties.strict_keys
        or not properties.interpolation
        or not isinstance(shape.node, Mapping)
        or shape.borrowed
        or (isinstance(shape, Case) and "env" in (shape.vars or ()))
    ):
        return
    consequence = "the target receives it verbatim" if isinstance(shape, Target) else "it stays in the text verbatim"
    for node in walk(shape.node):
        for found in _NEW.finditer(context.text, *node.span) if isinstance(node, Scalar) else ():
            instead = f"${{{{ {found[1]} }}}}"
            span = Span(*found.span())
            yield Finding(
                span,
                f"{context.dialect.name} knows `{instead}` and not `{context.written(span)}`",
                fixes=(Fix(f"write `{instead}`", (Edit(span, instead),)),),
                consequence=consequence,
                severity="warning",
            )


def _too_early(shape: Suite | Case | Provider | Target, context: Context) -> Iterator[Finding]:
    """At first variables are put in only where they are the whole value of a setting of a target."""
    if not context.dialect.properties.interpolation or not isinstance(shape.node, Mapping):
        return
    for node in () if shape.borrowed else walk(shape.node):
        if not isinstance(node, Scalar) or node.is_block:
            continue
        for found in _OLD.finditer(context.text, *node.span):
            whole = found[0] == node.text.strip()
            if whole != isinstance(shape, Target):
                yield Finding(
                    Span(*found.span()),
                    f"{context.dialect.name} puts in `{found[0]}` only where it is the whole value of a target's setting",
                    consequence="agentv expands it everywhere from 2.17; earlier releases leave it verbatim",
                    severity="warning",
                )


def _written_texts(shape: Suite | Case | Provider, mapping: Mapping, context: Context) -> Iterator[tuple[Span, str]]:
    # Providers of the suite itself are visited by themselves.
    inner = {place.name for field, place in shape.places.items() if field == "providers"}
    for entry in mapping.entries:
        for node in walk(entry.value) if entry.name not in inner else ():
            if isinstance(node, Scalar):
                for found in _OLD.finditer(context.text, *node.span):
                    yield Span(*found.span()), found[1]
