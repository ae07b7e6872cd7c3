"""From agentv-3: the promptfoo superset."""

import re
from collections.abc import Iterator

from rubric_core.language.file_kinds import KINDS
from rubric_core.migration.common_steps import WAKING, lists_to_the_top, with_variables
from rubric_core.migration.draft import Draft
from rubric_core.migration.prompt_variables import VARIABLES_INTO
from rubric_core.migration.step import EditGroup, MigrationNote, MigrationStep
from rubric_core.migration.to_agentv_3 import AS_MINIMUMS, AS_SHARES, PROMPT_FILES, SCALAR
from rubric_core.migration.to_agentv_5_cases import CASE_STEPS
from rubric_core.migration.to_agentv_5_evaluators import EVALUATOR_STEPS
from rubric_core.migration.to_agentv_5_suite import SUITE_STEPS
from rubric_core.syntax.edit import quoted
from rubric_core.syntax.tree import Scalar, walk
from rubric_core.text import Edit

__all__ = ["ENVIRONMENT", "TO_AGENTV_5"]

_VARIABLE = re.compile(r"\$\{\{\s*(\w+)\s*\}\}")


def _environment(draft: Draft) -> Iterator[EditGroup | MigrationNote]:
    """`${{ NAME }}` is `{{ env.NAME }}`, which cannot begin a plain scalar."""
    for node in walk(draft.tree.root):
        if isinstance(node, Scalar) and "${{" in node.text:
            written = draft.written(node.span)
            if node.style == "plain":
                new = _VARIABLE.sub(r"{{ env.\1 }}", node.text)
                plain = not new.startswith("{") and "\n" not in written
                yield EditGroup((Edit(node.span, new if plain else quoted(new)),))
            elif (new := _VARIABLE.sub(r"{{ env.\1 }}", written)) != written:
                yield EditGroup((Edit(node.span, new),))


ENVIRONMENT = MigrationStep(
    "Write `${{ NAME }}` as `{{ env.NAME }}`", _environment, frozenset(KINDS.values()), whole_only=True
)
TO_AGENTV_5 = (
    WAKING,
    *(step for step in CASE_STEPS if step.before_all),
    AS_SHARES,
    AS_MINIMUMS,
    SCALAR,
    MigrationStep("Write lists of evaluators as `assert`", lists_to_the_top),
    PROMPT_FILES,
    MigrationStep("Rename the variables of judge prompts", with_variables(VARIABLES_INTO["agentv-5"])),
    *SUITE_STEPS,
    *(step for step in CASE_STEPS if not step.before_all),
    *EVALUATOR_STEPS,
    ENVIRONMENT,
)
