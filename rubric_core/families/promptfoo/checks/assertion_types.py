"""Unknown types of assertions."""

from collections.abc import Iterator

from rubric_core.families.promptfoo.language.assertion import Assertion
from rubric_core.families.promptfoo.language.configuration import Configuration
from rubric_core.language.closest_name import is_typo
from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.misnomers import types_called
from rubric_core.lazy_compilation import pattern
from rubric_core.loading.issues import UnknownType
from rubric_core.syntax.tree import Mapping, Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, checks
from rubric_core.validation.wording import closest

_WORDS = pattern(r"(?<=[a-z])(?=[A-Z])|[_\s]+")


@checks("promptfoo/assertion-type", "unknown-type", "warning", about_name=True)
def types_in_templates(shape: Configuration, context: Context) -> Iterator[Finding]:
    """An assertion type that promptfoo does not have.

    Here in assertions under `assertionTemplates`, which `$ref` leads to. What else they lack may stand beside the `$ref`.
    """
    place = shape.places.get("assertion_templates")
    if place is None or place.borrowed or not isinstance(place.node, Mapping):
        return
    known = tuple(t.name for t in context.dialect.types_of(Assertion).values() if t.fate is SpellingStatus.CURRENT)
    for mapping in (entry.value for entry in place.node.entries if isinstance(entry.value, Mapping)):
        node = mapping.get("type")
        is_type = isinstance(node, Scalar) and isinstance(node.value, str) and "{{" not in node.text
        if isinstance(node, Scalar) and is_type and context.dialect.type_of(node.text, Assertion) is None:
            found = UnknownType(
                span=node.span, node=node, mapping=mapping, name=node.text, known=known, custom=False, base=Assertion
            )
            yield from unknown_assertion_type.check(found, context)


@checks("promptfoo/assertion-type", "unknown-type", "warning", about_name=True)
def unknown_assertion_type(issue: UnknownType, context: Context) -> Iterator[Finding]:
    """Types of promptfoo are a closed set: an unknown one makes the row an error, and its other assertions are lost."""
    bare = issue.name[len("not-") :] if issue.name.startswith("not-") else ""
    plain = _WORDS.sub("-", issue.name).lower()
    elsewhere = list(types_called(context.dialect, issue.name))
    known = [name for name in issue.known if not name.startswith("not-") or plain.startswith("not-")]
    meant = plain if plain in issue.known else elsewhere[0] if elsewhere else closest(plain, known)
    if bare in issue.known:
        words, meant = f"promptfoo cannot invert `{bare}`", None
    else:
        advice = f"; did you mean `{meant}`?" if meant else ""
        words = f"{context.dialect.name} has no assertion type `{issue.name}`{advice}"
    fixes: tuple[Fix, ...] = ()
    if meant and not issue.borrowed:
        fixes = (Fix(f"change it to `{meant}`", (Edit(issue.span, meant),), safe=is_typo(issue.name, meant)),)
    yield Finding(
        issue.span,
        words,
        fixes=fixes,
        severity="error",
        consequence="promptfoo makes the row an error: Unknown assertion type",
    )
