"""promptfoo 0.121 to 0.123. It is not in AgentV's sequence of dialects, so there is no automatic migration."""

from collections.abc import Mapping

from rubric_core.families.promptfoo.language import graded_assertions as graded
from rubric_core.families.promptfoo.language import measured_assertions as measured
from rubric_core.families.promptfoo.language import text_assertions as text
from rubric_core.families.promptfoo.language.assertion import Assertion, AssertionSet
from rubric_core.families.promptfoo.language.case import CaseOptions, CaseSource, PromptfooCase, PromptfooScenario
from rubric_core.families.promptfoo.language.catalogue import JsonSchema, ModelTool, VariablesFile
from rubric_core.families.promptfoo.language.configuration import Configuration, ConfiguredPrompt, Metric
from rubric_core.families.promptfoo.language.provider import (
    ConfiguredProvider,
    Grader,
    ListedInFile,
    PromptMessage,
    ProviderInFile,
    ProviderSettings,
)
from rubric_core.families.promptfoo.language.run_options import CommandLineOptions, RunOptions
from rubric_core.language.changes import adds, adds_types, tolerates
from rubric_core.language.dialect import Dialect, SpellingStatus
from rubric_core.language.shape import Shape

__all__ = ["DIALECTS", "PROMPTFOO"]

#: In the order of their use.
_INVERTIBLE: Mapping[str, type[Assertion]] = {
    "contains": text.Contains, "icontains": text.IContains, "llm-rubric": graded.ModelRubric, "javascript": graded.JavaScriptCode,
    "equals": text.Equals, "is-json": text.IsJson, "similar": graded.SimilarText, "contains-any": text.ContainsAny,
    "contains-all": text.ContainsAll, "python": graded.PythonCode, "regex": text.Regex, "contains-json": text.ContainsJson,
    "latency": measured.Latency, "cost": measured.Cost, "factuality": graded.Factuality, "icontains-any": text.IContainsAny,
    "icontains-all": text.IContainsAll, "starts-with": text.StartsWith, "g-eval": graded.GEval,
    "answer-relevance": graded.AnswerRelevance, "context-faithfulness": graded.ContextFaithfulness, "context-recall": graded.ContextRecall,
    "context-relevance": graded.ContextRelevance, "conversation-relevance": graded.ConversationRelevance,
    "model-graded-closedqa": graded.ClosedQa, "model-graded-factuality": graded.Factuality, "classifier": graded.Classifier,
    "moderation": graded.Moderation, "webhook": graded.WebhookCall, "levenshtein": measured.Levenshtein, "rouge-n": measured.RougeN,
    "bleu": measured.Bleu, "gleu": measured.Gleu, "meteor": measured.Meteor, "word-count": measured.WordCount,
    "is-refusal": measured.IsRefusal, "guardrails": measured.Guardrails, "finish-reason": measured.FinishReason,
    "is-valid-openai-tools-call": measured.ValidOpenAiToolsCall, "is-valid-function-call": measured.ValidFunctionCall,
    "is-valid-openai-function-call": measured.ValidFunctionCall, "tool-call-f1": measured.ToolCallF1, "is-html": text.IsHtml,
    "contains-html": text.ContainsHtml, "is-xml": text.IsXml, "contains-xml": text.ContainsXml, "is-sql": text.IsSql,
    "contains-sql": text.ContainsSql, "perplexity": measured.Perplexity, "perplexity-score": measured.PerplexityScore,
    "similar:cosine": graded.SimilarText, "similar:dot": graded.SimilarText, "similar:euclidean": graded.SimilarText,
    "ruby": graded.RubyCode, "search-rubric": graded.SearchRubric, "agent-rubric": graded.AgentRubricCall, "pi": graded.PiScore,
    "skill-used": measured.SkillUsed, "trajectory:goal-success": graded.TraceGoalSuccess,
    "trajectory:tool-used": measured.TraceToolUsed, "trajectory:tool-sequence": measured.TraceToolSequence,
    "trajectory:tool-args-match": measured.TraceToolArguments, "trajectory:step-count": measured.TraceStepCount,
    "trace-span-count": measured.TraceSpanCount, "trace-span-duration": measured.TraceSpanDuration,
    "trace-error-spans": measured.TraceErrorSpans,
}  # fmt: skip
#: With `not-` in front, these are unknown types.
_OTHERS: Mapping[str, type[Assertion]] = {
    "assert-set": AssertionSet, "select-best": graded.SelectBest, "max-score": graded.MaxScore
}  # fmt: skip
_SHAPES: tuple[type[Shape], ...] = (
    Configuration, ConfiguredPrompt, ConfiguredProvider, ProviderInFile, ListedInFile, ProviderSettings, Grader, PromptMessage, PromptfooCase, CaseOptions, CaseSource,
    PromptfooScenario, RunOptions, CommandLineOptions, JsonSchema, Metric, ModelTool, VariablesFile, Assertion, AssertionSet, *dict.fromkeys(_INVERTIBLE.values()), *_OTHERS.values(),
)  # fmt: skip

PROMPTFOO = Dialect.first(
    "promptfoo",
    "0.121 – 0.123",
    [
        *(adds(shape) for shape in dict.fromkeys(_SHAPES)),
        tolerates(CaseOptions, "postprocess", "postprocess", fate=SpellingStatus.DEPRECATED, note="write `transform`"),
        adds_types(**_INVERTIBLE),
        adds_types(**{f"not-{name}": shape for name, shape in _INVERTIBLE.items()}),
        adds_types(**_OTHERS),
    ],
    engine="promptfoo",
    merges=True,
    refs=True,
    searches_upward=False,
    free_types=("promptfoo:redteam:", "not-promptfoo:redteam:"),
    interpolation=(r"\{\{.*?\}\}",),
)
DIALECTS = (PROMPTFOO,)
