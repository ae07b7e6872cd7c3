"""literal-secret: a key or token that is written into a file."""

from collections.abc import Iterator

from rubric_core.language.providers import Byok
from rubric_core.language.shape import Shape
from rubric_core.language.targets import Entry
from rubric_core.language.value_kinds import Text
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["LITERAL_SECRET"]

_VARIABLE = pattern(r"[A-Z][A-Z0-9_]*\Z")
_LOCAL = pattern(r"https?://(?:localhost|127\.|0\.0\.0\.0|\[::1\]|host\.docker\.internal)")


@rule("literal-secret", "warning", "A key or token written into a file")
def LITERAL_SECRET(shape: Entry | Byok, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Secrets come from the environment. The secret itself is in no message."""
    if _is_local(shape):
        return
    for field, place in shape.places.items():
        declared = type(shape).keys.get(field)
        if declared is None or not isinstance(declared.kind, Text) or declared.kind.refers_to != "secret":
            continue
        node = place.node
        if isinstance(node, Scalar) and node.text.strip() and not _from_environment(node.text, context):
            yield Finding(
                place.key,
                f"write `{_reference(place.name, context)}`, and keep the {place.name} in the environment: it is written out here",
                fixes=() if place.borrowed else (_from_there(node, _reference(place.name, context)),),
                consequence="everyone who can read this file has it",
            )


def _is_local(shape: Shape) -> bool:
    """Whether the server is on this machine: such servers take any key."""
    addresses = (vars(shape).get(name) for name in ("base_url", "endpoint"))
    return any(isinstance(a, str) and _LOCAL.match(a) for a in addresses)


def _from_environment(text: str, context: Context) -> bool:
    return "{{" in text or (context.dialect.properties.bare_variables and _VARIABLE.match(text) is not None)


def _from_there(node: Scalar, reference: str) -> Fix:
    """The reference in its place: the secret itself has to be put into the environment by hand."""
    written = f'"{reference}"' if "{" in reference else reference
    return Fix(f"read it from the environment: {reference}", (Edit(node.span, written),), safe=False)


def _reference(key: str, context: Context) -> str:
    name = key.upper()
    if not context.dialect.properties.interpolation:
        return name
    return f"{{{{ env.{name} }}}}" if context.dialect.properties.strict_keys else f"${{{{ {name} }}}}"
