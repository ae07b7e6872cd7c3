"""The dialects of eval YAML. Those of agentv are named by the first AgentV release that reads them."""

from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects.agentv_0_1 import AGENTV_0_1
from rubric_core.language.dialects.agentv_0_5 import AGENTV_0_5
from rubric_core.language.dialects.agentv_1 import AGENTV_1
from rubric_core.language.dialects.agentv_2_7 import AGENTV_2_7
from rubric_core.language.dialects.agentv_3 import AGENTV_3
from rubric_core.language.dialects.agentv_5 import AGENTV_5
from rubric_core.language.dialects.promptfoo import PROMPTFOO
from rubric_core.language.releases import Release

__all__ = ["DIALECTS", "PROMPTFOO", "dialect_named"]

#: AgentV's dialects, oldest first: each is based on the one before it. PROMPTFOO is not among them: nothing migrates to
#: or from it.
DIALECTS = (AGENTV_0_1, AGENTV_0_5, AGENTV_1, AGENTV_2_7, AGENTV_3, AGENTV_5)


def dialect_named(name: str, release: Release | None = None) -> Dialect:
    """The dialect of that name, as its newest release or the given one reads it. Raises ValueError."""
    found = next((each for each in (*DIALECTS, PROMPTFOO) if each.name == name), None)
    if found is None:
        raise ValueError(f"there is no dialect {name!r:.60}; there are {', '.join(each.name for each in DIALECTS)}")
    return found if release is None else found.at(release)
