"""The dialects of eval YAML. Those of agentv are named by the first AgentV release that reads them."""

from collections.abc import Sequence

from rubric_core.family import FAMILIES, part_of
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects.agentv_0_1 import AGENTV_0_1
from rubric_core.language.dialects.agentv_0_5 import AGENTV_0_5
from rubric_core.language.dialects.agentv_1 import AGENTV_1
from rubric_core.language.dialects.agentv_2_7 import AGENTV_2_7
from rubric_core.language.dialects.agentv_3 import AGENTV_3
from rubric_core.language.dialects.agentv_5 import AGENTV_5
from rubric_core.language.releases import Release

__all__ = ["DIALECTS", "dialect_named"]

#: AgentV's dialects, oldest first: each is based on the one before it. Those of other families are not among them:
#: nothing migrates to or from them.
DIALECTS = (AGENTV_0_1, AGENTV_0_5, AGENTV_1, AGENTV_2_7, AGENTV_3, AGENTV_5)


def dialect_named(name: str, release: Release | None = None) -> Dialect:
    """The dialect of that name, as its newest release or the given one reads it. Raises ValueError."""
    family = next((each.name for each in FAMILIES if name in each.dialects), None)
    part = part_of(family, "dialects") if family is not None else None
    if part is None:
        raise ValueError(f"there is no dialect {name!r:.60}; there are {', '.join(each.name for each in DIALECTS)}")
    known: Sequence[Dialect] = part.DIALECTS
    found = next(each for each in known if each.name == name)
    return found if release is None else found.at(release)
