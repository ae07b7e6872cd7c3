"""agentv-0.5: `evalcases`, the word evaluator, and the types `code` and `llm_judge`."""

from rubric_core.language.changes import adds, adds_types, narrows, renames, requires, takes, tolerates, unrequires
from rubric_core.language.dialect import SpellingStatus
from rubric_core.language.dialects.agentv_0_1 import AGENTV_0_1
from rubric_core.language.dialects.other_files import AROUND_0_5
from rubric_core.language.dialects.target_files import TARGETS_0_5
from rubric_core.language.evaluators import CodeEvaluator, Evaluator, LlmJudge
from rubric_core.language.model import Case, CaseExecution, Execution, Message, Suite
from rubric_core.language.shape_kinds import Messages
from rubric_core.language.value_kinds import Text

__all__ = ["AGENTV_0_5"]

AGENTV_0_5 = AGENTV_0_1.successor(
    "agentv-0.5",
    "v0.2.1 – v0.19.0",
    [
        renames(Suite, "testcases", "evalcases", SpellingStatus.REJECTED, "agentv rejects the whole file"),
        # `grader` is read with a deprecation warning.
        renames(Suite, "grader", "evaluator", SpellingStatus.DEPRECATED, "agentv silently ignores it"),
        renames(Case, "grader", "evaluator", SpellingStatus.DEPRECATED, "agentv silently ignores it"),
        renames(Case, "messages", "input_messages", SpellingStatus.IGNORED, "agentv skips the case"),
        *(narrows(shape, "evaluator", "llm_judge", "code") for shape in (Suite, Case)),
        *(narrows(shape, "grader", "llm_judge", "code", "heuristic") for shape in (Suite, Case)),
        adds(Suite, "schema", "version", "execution", "dataset"),
        tolerates(Suite, "evaluators", "evaluators", fate=SpellingStatus.IGNORED, note="no release reads it here; write it under `execution`"),
        adds(Case, "conversation_id", "execution", "evaluators", expected_output="expected_messages"),
        takes(Case, Messages(Message), "input_messages", doc="The question: a list of messages.", example="[{role: user, content: Can I return this?}]"),
        takes(Case, Messages(Message), "expected_messages", doc="A good answer: a list of messages.", example="[{role: assistant, content: Within 30 days}]"),
        adds(Execution, "target", "evaluators"),
        # Documented for cases as well, and read there by no release.
        tolerates(CaseExecution, "target", "target", fate=SpellingStatus.IGNORED, note="the target of the suite answers all the same"),
        adds(Evaluator, "name", "type"),
        requires(Evaluator, "name"),
        unrequires(Suite, "schema"),
        adds(LlmJudge, "prompt", "model"),
        adds(CodeEvaluator, "cwd", command="script"),
        # A list of words came with release 2.
        takes(CodeEvaluator, Text(refers_to="program", beside=True), "script", doc="The program and its arguments, in one line.", example="python check.py"),
        adds_types(code=CodeEvaluator, llm_judge=LlmJudge),
        *AROUND_0_5,
        *TARGETS_0_5,
    ],
    names_required=True,
    suite_marker="agentv-eval-v2",
    bare_targets=False,
    placeholders=("PROMPT", "GUIDELINES", "EVAL_ID", "ATTEMPT", "FILES", "OUTPUT_FILE"),
    reference="first",
    # Up to v0.5.3 there were others than in v0.19.0; a prompt with any of them is shown to the judge as a whole.
    template_variables=(
        "candidate_answer", "expected_messages", "question", "expected_outcome", "reference_answer", "input_messages", "output_messages",
        "candidateAnswer", "referenceAnswer", "outcome",
    ),
    answer_variables=("candidate_answer", "expected_messages", "candidateAnswer", "output_messages"),
    message_variables=("input_messages", "expected_messages"),
    replaced_variables=(
        ("output_messages", "candidate_answer"), ("candidateAnswer", "candidate_answer"), ("referenceAnswer", "reference_answer"),
        ("outcome", "expected_outcome"),
    ),
    interpolation=(r"\$\{\{\s*\w+\s*\}\}",),
)  # fmt: skip
