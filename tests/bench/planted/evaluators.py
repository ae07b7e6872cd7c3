"""Evaluators with a mistake in them."""

import random

from planted.suite import Plant, Planted, Suite
from rubric_core.language.model import Case
from rubric_core.syntax.tree import Sequence

__all__ = ["KINDS"]


def insert_evaluator(item: str, line: int, *right: str, dialects: tuple[str, ...]) -> Plant:
    """Put an evaluator with a mistake on one of its lines in front of the others; `right`: as it can have been meant."""

    def plant(suite: Suite, rng: random.Random) -> Planted | None:
        if suite.analysis.dialect.name not in dialects:
            return None
        found = []
        for shape, offset in suite.shapes:
            for attribute in ("assertions", "evaluators"):
                place = shape.places.get(attribute)
                if (
                    isinstance(shape, Case)
                    and place
                    and not place.borrowed
                    and isinstance(place.node, Sequence)
                    and not place.node.flow
                    and place.node.items
                ):
                    found.append((place.node.items[0], offset))
        if not found:
            return None
        first, offset = rng.choice(found)
        dash = suite.text.rfind("-", 0, first.whole.start + offset)
        start = suite.text.rfind("\n", 0, dash) + 1
        column = dash - start

        def whole(written: str) -> str:
            added = "".join(f"{' ' * column}{each}\n" for each in written.split("\n"))
            return suite.text[:start] + added + suite.text[start:]

        text = whole(item)
        return Planted(text, text.count("\n", 0, start) + line, tuple(map(whole, right)))

    return plant


_NEW = ("agentv-2.7", "agentv-3")


KINDS: dict[str, Plant] = {
    "trajectory without mode": insert_evaluator(
        "- name: t1\n  type: tool_trajectory\n  minimums: {a: 1}",
        0,
        "- name: t1\n  mode: any_order\n  type: tool_trajectory\n  minimums: {a: 1}",
        "- name: t1\n  type: tool_trajectory\n  mode: any_order\n  minimums: {a: 1}",
        "- name: t1\n  type: tool_trajectory\n  minimums: {a: 1}\n  mode: any_order",
        dialects=("agentv-1", *_NEW),
    ),
    "trajectory mode misspelt": insert_evaluator(
        "- name: t1\n  type: tool_trajectory\n  mode: anyorder\n  minimums: {a: 1}",
        2,
        "- name: t1\n  type: tool_trajectory\n  mode: any_order\n  minimums: {a: 1}",
        dialects=("agentv-1", *_NEW),
    ),
    "trajectory without expected": insert_evaluator(
        "- name: t1\n  type: tool_trajectory\n  mode: in_order", 2, dialects=("agentv-1", *_NEW)
    ),
    "latency without threshold": insert_evaluator("- name: l1\n  type: latency", 0, dialects=("agentv-1", *_NEW)),
    "cost budget is negative": insert_evaluator(
        "- name: c1\n  type: cost\n  budget: -1",
        2,
        "- name: c1\n  type: cost\n  budget: 1",
        dialects=("agentv-1", *_NEW),
    ),
    "field match misspelt": insert_evaluator(
        "- name: f1\n  type: field_accuracy\n  fields:\n    - {path: a, match: exactly}",
        3,
        "- name: f1\n  type: field_accuracy\n  fields:\n    - {path: a, match: exact}",
        dialects=("agentv-1", *_NEW),
    ),
    "fields are empty": insert_evaluator(
        "- name: f1\n  type: field_accuracy\n  fields: []", 2, dialects=("agentv-1", *_NEW)
    ),
    "token limit missing": insert_evaluator("- name: k1\n  type: token_usage", 0, dialects=("agentv-1", *_NEW)),
    "aggregator type misspelt": insert_evaluator(
        "- name: m1\n  type: composite\n  aggregator: {type: weighted_avg}\n  evaluators:\n    - {name: a, type: latency, threshold: 5}",
        2,
        "- name: m1\n  type: composite\n  aggregator: {type: weighted_average}\n  evaluators:\n    - {name: a, type: latency, threshold: 5}",
        dialects=("agentv-1",),
    ),
    "aggregator weight for nobody": insert_evaluator(
        "- name: m1\n  type: composite\n  aggregator: {type: weighted_average, weights: {b: 2}}\n  assertions:\n    - {name: a, type: is-json}",
        2,
        dialects=("agentv-3",),
    ),
    "threshold aggregator without threshold": insert_evaluator(
        "- name: m1\n  type: composite\n  aggregator: {type: threshold}\n  assertions:\n    - {name: a, type: is-json}",
        2,
        dialects=("agentv-3",),
    ),
    "composite member without name": insert_evaluator(
        "- name: m1\n  type: composite\n  aggregator: {type: weighted_average}\n  assertions:\n    - {type: is-json}",
        4,
        dialects=("agentv-3",),
    ),
    "regex not closed": insert_evaluator(
        "- type: regex\n  value: '(a'",
        1,
        "- type: regex\n  value: '\\(a'",
        "- type: regex\n  value: '(a)'",
        dialects=("agentv-3", "agentv-5"),
    ),
    "regex flag unknown": insert_evaluator(
        "- type: regex\n  value: a\n  flags: iq", 2, dialects=("agentv-3", "agentv-5")
    ),
    "regex matches everything": insert_evaluator("- type: regex\n  value: .*", 1, dialects=("agentv-3", "agentv-5")),
    "contains-any is a string": insert_evaluator(
        "- type: contains-any\n  value: refund",
        1,
        "- type: contains-any\n  value: [refund]",
        dialects=("agentv-3", "agentv-5"),
    ),
    "contains-all is empty": insert_evaluator(
        "- type: contains-all\n  value: []", 1, dialects=("agentv-3", "agentv-5")
    ),
    "numeric required": insert_evaluator(
        "- type: is-json\n  required: 0.7",
        1,
        "- type: is-json\n  required: true\n  min_score: 0.7",
        "- type: is-json\n  min_score: 0.7\n  required: true",
        dialects=("agentv-3", "agentv-5"),
    ),
    "grader min_score on the wrong scale": insert_evaluator(
        "- type: is-json\n  min_score: 7", 1, "- type: is-json\n  min_score: 0.7", dialects=("agentv-3", "agentv-5")
    ),
    "negate is a word": insert_evaluator(
        "- type: is-json\n  negate: 'no'", 1, "- type: is-json\n  negate: false", dialects=("agentv-3", "agentv-5")
    ),
    "old judge type": insert_evaluator(
        "- type: code-judge\n  command: [a]",
        0,
        "- type: code-grader\n  command: [a]",
        dialects=("agentv-3", "agentv-5"),
    ),
    "type of an older dialect": insert_evaluator(
        "- name: x1\n  type: code\n  script: a", 1, dialects=("agentv-1", "agentv-2.7", "agentv-3")
    ),
    "type of a newer dialect": insert_evaluator(
        "- type: llm-rubric\n  value: [says hi]", 0, "- type: rubrics\n  criteria: [says hi]", dialects=("agentv-3",)
    ),
    "composite is gone": insert_evaluator(
        "- metric: m1\n  type: composite\n  aggregator: {type: weighted_average}", 1, dialects=("agentv-5",)
    ),
    "rubrics type is gone": insert_evaluator(
        "- type: rubrics\n  criteria: [says hi]", 0, "- type: llm-rubric\n  value: [says hi]", dialects=("agentv-5",)
    ),
    "script is old": insert_evaluator(
        "- type: code-grader\n  script: [python, a.py]",
        1,
        "- type: code-grader\n  command: [python, a.py]",
        dialects=("agentv-3",),
    ),
    "skill without a name": insert_evaluator("- type: skill-trigger", 0, dialects=("agentv-3",)),
    "unknown template variable": insert_evaluator(
        '- type: llm-grader\n  prompt: "Is {{ outptu }} right?"',
        1,
        '- type: llm-grader\n  prompt: "Is {{ output }} right?"',
        dialects=("agentv-3",),
    ),
    "prompt without the answer": insert_evaluator(
        '- type: llm-grader\n  prompt: "Is {{ input }} right?"', 1, dialects=("agentv-3",)
    ),
    "empty rubric": insert_evaluator("- type: rubrics\n  criteria: []", 1, dialects=("agentv-3",)),
    "criterion twice": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - Says hello\n    - Says hello.",
        3,
        "- type: rubrics\n  criteria:\n    - Says hello",
        dialects=("agentv-3",),
    ),
    "two bands with one text": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, score_ranges: {0: poor, 5: poor}}",
        2,
        dialects=("agentv-3",),
    ),
    "all weights zero": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, weight: 0}", 1, dialects=("agentv-3",)
    ),
    "unknown key of a criterion": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, wieght: 2}",
        2,
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, weight: 2}",
        dialects=("agentv-3",),
    ),
    "score_rubric for score_ranges": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, score_rubric: {0: x}}",
        2,
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, score_ranges: {0: x}}",
        dialects=("agentv-3",),
    ),
    "operator misspelt": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, operator: contradicts}",
        2,
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, operator: contradiction}",
        dialects=("agentv-3",),
    ),
    "required_min_score is old": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, required_min_score: 6}",
        2,
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b, min_score: 0.6}",
        dialects=("agentv-3",),
    ),
    "description for outcome": insert_evaluator(
        "- type: rubrics\n  criteria:\n    - {id: a, description: b}",
        2,
        "- type: rubrics\n  criteria:\n    - {id: a, outcome: b}",
        dialects=("agentv-3",),
    ),
}
