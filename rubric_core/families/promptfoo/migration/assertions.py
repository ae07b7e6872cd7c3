"""Converts assertions of promptfoo into evaluators of agentv-5; for one without an equivalent, gives the reason."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from rubric_core.families.promptfoo.migration.conversion import (
    USUAL_MINIMUM,
    Conversion,
    NotCarriedError,
    Surroundings,
    above_zero,
    share_of,
    text_of,
)
from rubric_core.families.promptfoo.migration.scripts import script, transform_code, webhook
from rubric_core.language.javascript_values import scalar_text
from rubric_core.lazy_compilation import replace
from rubric_core.loading.directory_search import URL
from rubric_core.syntax.template_syntax import NUNJUCKS_FILTERS, filters_used, loose_statements
from rubric_core.text import Span

__all__ = [
    "by_steps",
    "closed_question",
    "compared",
    "convert_assertion",
    "cost",
    "json_value",
    "latency",
    "rubric",
    "several",
    "similar",
    "trimmed",
    "word_count",
]

_WHITE_SPACE = "AgentV ignores white space around the output here; promptfoo does not"
_NO_COST = "AgentV fails it where the provider reports no cost; promptfoo makes an error of the row"


def compared(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """Types that look for one text."""
    return Conversion({"value": text_of(settings)})


def trimmed(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """Types that AgentV compares without the white space around."""
    value = text_of(settings)
    if value != value.strip():
        raise NotCarriedError("AgentV compares without the white space around this value: write a `javascript` check")
    return Conversion({"value": value}, differs=(_WHITE_SPACE,))


def several(settings: Mapping[str, Any], around: Surroundings) -> Conversion:
    """Types that look for several texts."""
    value = settings.get("value")
    if isinstance(value, str) and value.startswith(URL):
        raise NotCarriedError(f"AgentV takes no file as the value of `{settings['type']}`: write its texts as a list")
    if isinstance(value, str) and "{{" in value and "," not in value:
        raise NotCarriedError("promptfoo splits the filled-in value at its commas; for AgentV write a list of texts")
    try:
        found = around.comma_values(value) if isinstance(value, str) else value
    except ValueError as error:
        raise NotCarriedError(f"its value has {error}") from None
    if (
        not isinstance(found, list)
        or not found
        or any(isinstance(each, dict | list) or each in (None, "") for each in found)
    ):
        raise NotCarriedError(f"AgentV needs a list of texts as the value of `{settings['type']}`")
    return Conversion({"value": [scalar_text(each) for each in found]})


def json_value(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """`is-json`."""
    if settings.get("value") is not None:
        raise NotCarriedError(
            "AgentV's `is-json` takes no schema: check the fields in a `javascript` check, or with `field-accuracy`"
        )
    return Conversion({})


def word_count(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """`word-count`, as JavaScript."""
    value = settings.get("value")
    count = "output.trim().split(/\\s+/).filter(Boolean).length"
    bounds = value if isinstance(value, dict) else {"exact": value}
    signs = {"exact": "===", "min": ">=", "max": "<="}
    low, high = bounds.get("min"), bounds.get("max")
    if isinstance(low, int) and isinstance(high, int) and low > high:
        raise NotCarriedError("its `min` is above its `max`, at which promptfoo makes an error of the row")
    if not bounds or any(n not in signs or isinstance(v, bool) or not isinstance(v, int) for n, v in bounds.items()):
        raise NotCarriedError("AgentV has no `word-count`: write a `javascript` check")
    return Conversion(
        {"type": "javascript", "value": " && ".join(f"{count} {signs[n]} {v}" for n, v in bounds.items())}
    )


def latency(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """`latency`."""
    return Conversion({"threshold": _number(settings)})


def cost(settings: Mapping[str, Any], _: Surroundings) -> Conversion:
    """`cost`."""
    return Conversion({"budget": _number(settings)}, differs=(_NO_COST,))


def _number(settings: Mapping[str, Any]) -> float:
    found = settings.get("threshold")
    if isinstance(found, bool) or not isinstance(found, int | float) or found < 0:
        raise NotCarriedError(f"`{settings['type']}` has no `threshold`, which both programs need")
    return found


_NO_GRADER = "promptfoo chooses a judge by its keys; in AgentV name one, as in `defaults: {grader: judge}`"
_OWN_PROMPT = "AgentV asks the judge with a prompt of its own, so scores can differ"
_PASSES = (
    f"promptfoo passes it as the judge says, AgentV from a score of {USUAL_MINIMUM} on; write `min_score` for another"
)


def rubric(settings: Mapping[str, Any], around: Surroundings) -> Conversion:
    """`llm-rubric`."""
    return _judged(settings, around, share_of(settings))


def _judged(settings: Mapping[str, Any], around: Surroundings, least: float | None) -> Conversion:
    value = settings.get("value")
    keys: dict[str, Any] = {"type": "llm-rubric"}
    if isinstance(value, str) and value.startswith(URL):
        raise NotCarriedError(
            f"AgentV takes no file as a rubric: write the text of {value.removeprefix(URL)} under `value`"
        )
    if isinstance(value, str) and value.strip():
        keys["value"] = value.lstrip()
    elif isinstance(value, dict | list):
        keys["value"] = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    prompt = settings.get("rubricPrompt", around.options.get("rubricPrompt"))
    if prompt is not None and not isinstance(prompt, str):
        raise NotCarriedError(
            "AgentV takes one text, or a file, as the prompt of a judge, not messages: write it under `prompt`"
        )
    if prompt:
        keys["prompt"] = prompt
    if "value" not in keys and not prompt:
        raise NotCarriedError(f"`{settings['type']}` has no `value`, so there is nothing to judge by")
    name = around.grader(settings.get("provider", around.options.get("provider")))
    if name is not None:
        keys["provider"] = name
    if least is not None:
        keys["min_score"] = above_zero(least)
    differs: tuple[str, ...] = () if name is not None else (_NO_GRADER,)
    differs += (*(() if prompt else (_OWN_PROMPT,)), *((_PASSES,) if least is None else ()))
    return Conversion(keys, "score", USUAL_MINIMUM if least is None else least, differs)


def closed_question(settings: Mapping[str, Any], around: Surroundings) -> Conversion:
    """`model-graded-closedqa`, which is judged by one criterion."""
    return _judged(settings, around, None)


def by_steps(settings: Mapping[str, Any], around: Surroundings) -> Conversion:
    """`g-eval` with one criterion."""
    if not isinstance(settings.get("value"), str) or settings.get("rubricPrompt") is not None:
        raise NotCarriedError("AgentV has no `g-eval`: write an `llm-rubric` with its criteria as a list")
    least = share_of(settings)
    return _judged(settings, around, 0.7 if least is None else least)


#: The default embedding model of promptfoo.
_USUAL_EMBEDDINGS = "text-embedding-3-large"


def similar(settings: Mapping[str, Any], around: Surroundings) -> Conversion:
    """`similar`, where a model of OpenAI embeds."""
    value, least = text_of(settings), share_of(settings)
    written = settings.get("provider", around.options.get("provider"))
    written = written.get("embedding", written) if isinstance(written, dict) else written
    name, _, model = (written if isinstance(written, str) else "").rpartition(":")
    if written is None:
        name, model = "openai:embedding", _USUAL_EMBEDDINGS
    if name != "openai:embedding":
        raise NotCarriedError(
            "for `similar` AgentV needs a model of embeddings: write `similar` with `config: {embedding_provider: {model: …, base_url: …, api_key: …}}`"
        )
    above_zero(0.75 if least is None else least)
    settings_of_model = {"model": model, "base_url": "https://api.openai.com/v1", "api_key": "{{ env.OPENAI_API_KEY }}"}
    keys = {
        "value": value,
        **({} if least is None else {"threshold": least}),
        "config": {"embedding_provider": settings_of_model},
    }
    return Conversion(keys, "score", 0.75 if least is None else least)


#: What to write in place of a type without an equivalent.
_INSTEAD: Mapping[str, str] = {
    "contains-json": "write a `javascript` check that finds and parses it",
    "is-xml": "write a `javascript` or `python` check", "contains-xml": "write a `javascript` or `python` check",
    "is-html": "write a `javascript` or `python` check", "contains-html": "write a `javascript` or `python` check",
    "is-sql": "write a `python` check", "contains-sql": "write a `python` check",
    "levenshtein": "write a `javascript` or `python` check", "bleu": "write a `python` check", "gleu": "write a `python` check",
    "rouge-n": "write a `python` check", "meteor": "write a `python` check", "ruby": "write it as `python` or `javascript`",
    "is-refusal": "write `icontains-any` with the phrases, or an `llm-rubric`",
    "factuality": "write an `llm-rubric` that names the facts", "model-graded-factuality": "write an `llm-rubric` that names the facts",
    "answer-relevance": "write an `llm-rubric`", "context-recall": "write an `llm-rubric`", "context-relevance": "write an `llm-rubric`",
    "context-faithfulness": "write an `llm-rubric`", "conversation-relevance": "write an `llm-rubric`",
    "search-rubric": "write an `agent-rubric`", "classifier": "write an `llm-rubric`", "moderation": "write an `llm-rubric`",
    "tool-call-f1": "write `trajectory:tool-used`", "skill-used": "write AgentV's `skill-used` by hand",
    "select-best": "run both and compare them with `rubric compare`", "max-score": "run both and compare them with `rubric compare`",
}  # fmt: skip
_FALLBACK = "write a `javascript` or `python` check, or an `llm-rubric`"
#: Types for which promptfoo ignores `not-`.
_NEVER_INVERTED = frozenset({"model-graded-closedqa"})
_KEYS = frozenset(
    {
        "type",
        "value",
        "description",
        "threshold",
        "weight",
        "metric",
        "provider",
        "rubricPrompt",
        "transform",
        "config",
        "assert",
    }
)


def convert_assertion(settings: Mapping[str, Any], around: Surroundings) -> Conversion:
    """The evaluator for an assertion. Raises NotCarriedError."""
    written = settings.get("type")
    if not isinstance(written, str) or not written:
        raise NotCarriedError("an assertion without `type`, which promptfoo refuses")
    kind = written.removeprefix("not-")
    make = _MAKERS.get(kind)
    if make is None:
        raise NotCarriedError(f"`{written}`, which AgentV does not have; {_INSTEAD.get(kind, _FALLBACK)}")
    if "contextTransform" in settings:
        raise NotCarriedError(f"AgentV has no `contextTransform`, which `{written}` has here")
    differs = [f"`{name}` is left out: promptfoo ignores it" for name in settings if name not in _KEYS]
    metric = settings.get("metric")
    if isinstance(metric, str) and not _can_be_filled(metric):
        differs.append(f"`metric: {metric}` is left out: it cannot be filled in, and AgentV would not run the case")
    made = make(settings, around)
    if kind != written and made.grade == "score" and kind not in _NEVER_INVERTED:
        raise NotCarriedError(
            f"AgentV turns the score of `{written}` as well as its verdict: write what the output should be instead"
        )
    if kind == "assert-set" and settings.get("weight") == 0:
        raise NotCarriedError(
            "a set with weight 0 still has to pass in promptfoo; in AgentV it would not: give it a weight"
        )
    keys = {"type": kind, **made.keys, **_shared(settings)}
    if "transform" in settings:
        keys["transform"] = transform_code(settings["transform"])
    if kind != written and kind in _NEVER_INVERTED:
        differs += (
            "promptfoo ignores `not-` here, so it is carried over without: write `negate: true` if it was meant",
        )
    elif kind != written:
        keys["negate"] = True
    return replace(made, keys=keys, differs=(*made.differs, *differs))


def _shared(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that all types have."""
    found: dict[str, Any] = {}
    weight = settings.get("weight")
    if weight is not None:
        if isinstance(weight, bool) or not isinstance(weight, int | float) or weight < 0:
            raise NotCarriedError(f"AgentV takes no weight of {scalar_text(weight)}")
        found["weight"] = weight
    if isinstance(settings.get("metric"), str) and settings["metric"] and _can_be_filled(settings["metric"]):
        found["metric"] = settings["metric"]
    return found


def _can_be_filled(template: str) -> bool:
    """Whether the template of a metric can be rendered. If not, AgentV does not run the case, and promptfoo uses the text verbatim."""
    whole = Span(0, len(template))
    if template.count("{{") != template.count("}}") or any(loose_statements(template, whole)):
        return False
    return all(name in NUNJUCKS_FILTERS for name, _ in filters_used(template, whole))


def _set(settings: Mapping[str, Any], around: Surroundings) -> Conversion:
    listed, least = settings.get("assert"), share_of(settings)
    if not isinstance(listed, list) or not listed:
        raise NotCarriedError("an empty `assert-set`, which always passes in promptfoo")
    if settings["type"] != "assert-set":
        raise NotCarriedError("promptfoo does not know `not-assert-set`")
    members, lost, differs = [], [], list[str]()
    grades: set[str] = set()
    for each in listed:
        kind = str(each.get("type")) if isinstance(each, dict) else "assertion"
        try:
            made = _member(each, around)
        except NotCarriedError as error:
            lost.append((kind, str(error)))
            continue
        members.append(dict(made.keys))
        differs += made.differs
        grades.add(made.grade)
    if not members:
        raise NotCarriedError(
            f"no member of the set has an equivalent in AgentV: {'; '.join(words for _, words in lost)}"
        )
    keys: dict[str, Any] = {**({} if least is None else {"threshold": least}), "assert": members}
    if isinstance(settings.get("config"), dict):
        keys["config"] = settings["config"]
    if least is not None:
        return Conversion(keys, "score", above_zero(least), tuple(differs), tuple(lost))
    if "score" in grades:
        differs.append("in promptfoo each member has to pass; in AgentV the mean of the set decides")
        return Conversion(keys, "score", USUAL_MINIMUM, tuple(differs), tuple(lost))
    return Conversion(keys, "check", 1.0, tuple(differs), tuple(lost))


def _member(settings: Any, around: Surroundings) -> Conversion:
    if not isinstance(settings, dict) or settings.get("type") == "assert-set":
        raise NotCarriedError("promptfoo takes no such member of a set")
    return convert_assertion(settings, around)


_MAKERS: Mapping[str, Callable[[Mapping[str, Any], Surroundings], Conversion]] = {
    "equals": trimmed, "starts-with": trimmed, "contains": compared, "icontains": compared, "regex": compared,
    "contains-any": several, "contains-all": several, "icontains-any": several, "icontains-all": several, "is-json": json_value,
    "word-count": word_count, "latency": latency, "cost": cost, "javascript": script, "python": script, "webhook": webhook,
    "llm-rubric": rubric, "model-graded-closedqa": closed_question, "g-eval": by_steps, "similar": similar, "assert-set": _set,
}  # fmt: skip
