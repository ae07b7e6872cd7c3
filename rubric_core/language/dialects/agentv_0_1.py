"""agentv-0.1: `testcases` and a scalar `grader`. The tool was called bbeval, then agentevo."""

from rubric_core.language.changes import adds, narrows, requires, takes
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects.target_files import TARGETS_0_1
from rubric_core.language.model import Case, ContentBlock, Message, Suite
from rubric_core.language.shape_kinds import Messages
from rubric_core.language.value_kinds import Text

__all__ = ["AGENTV_0_1"]

AGENTV_0_1 = Dialect.first(
    "agentv-0.1",
    "v0.1.4 – v0.1.6",
    [
        adds(Suite, "description", "target", evaluator="grader", cases="testcases"),
        # Only the newest releases take settings in place of its name.
        takes(Suite, Text(refers_to="target"), "target", doc="The target that answers."),
        adds(Case, "id", "note", criteria="outcome", input="messages", evaluator="grader"),
        adds(Message, "role", "content"),
        adds(ContentBlock),
        narrows(ContentBlock, "type", "text", "file"),
        narrows(Suite, "grader", "heuristic", "llm_judge"),
        narrows(Case, "grader", "heuristic", "llm_judge"),
        takes(
            Case, Messages(Message), "messages", doc="The question, as messages; the first one of the assistant is the expected answer.",
            example="[{role: user, content: Can I return this?}, {role: assistant, content: Within 30 days}]",
        ),
        requires(Case, "criteria"),
        *TARGETS_0_1,
    ],
)  # fmt: skip
