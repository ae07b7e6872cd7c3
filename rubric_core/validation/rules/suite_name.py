"""suite-name: a name that does not fit into paths and commands."""

import re
from collections.abc import Iterator

from rubric_core.language.model import Suite
from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar
from rubric_core.text import Edit
from rubric_core.validation.rule import Context, Finding, Fix, rule

__all__ = ["SUITE_NAME"]

_GOOD = pattern(r"[a-z0-9-]+\Z")


@rule("suite-name", "warning", "A suite name with characters other than a-z, 0-9 and dashes")
def SUITE_NAME(suite: Suite, context: Context) -> Iterator[Finding]:  # noqa: N802  # a rule is a constant
    """Results are filed under the name, so it is small letters, digits and dashes; older dialects take any."""
    name = suite.name
    if not isinstance(name, str) or _GOOD.match(name) or "{{" in name or context.dialect.properties.verdicts != "two":
        return
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    place = suite.places["name"]
    fixes = (
        (Fix(f"change it to {slug}", (Edit(place.node.span, slug),), safe=False),)
        if slug and not place.borrowed and isinstance(place.node, Scalar)
        else ()
    )
    yield Finding(place.value, "a suite's name has only lowercase letters, digits and dashes", fixes=fixes)
