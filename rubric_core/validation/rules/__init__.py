"""Every rule, one module and one page each. A test writes the table of what they visit.

The module and the constant of a rule are named after its code: `bad-weight` is BAD_WEIGHT in `bad_weight`. A module is
imported when something that its rule visits turns up: a check of most files needs fewer than half of them.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from rubric_core.validation.family_checks import family_group
from rubric_core.validation.rule import Rule

__all__ = ["VISITED", "all_rules", "load_rule", "rules_for"]

#: By the codes of all rules, the names of the classes that each visits: none if a family declares the group (`family_group`).
VISITED: Mapping[str, tuple[str, ...]] = {
    "aggregator-setting": ("Composite",),
    "all-weights-zero": ("Case", "LlmJudge", "Rubric"),
    "author-note": ("RenamedKey", "UnknownKey"),
    "bad-configuration": ("ConfigurationProblem",),
    "bad-weight": ("Case", "Criterion", "Evaluator"),
    "band-bounds": ("ScoreRanges",),
    "band-without-text": ("ScoreRanges",),
    "bands-against-outcome": ("ScoreRanges",),
    "bands-not-from-zero": ("ScoreRanges",),
    "bare-path": ("Case", "Suite"),
    "broken-cases": ("BrokenCases",),
    "broken-template": ("Case", "Entry", "LlmJudge", "PromptText", "Suite"),
    "case-entry": ("StrayEntry",),
    "composite-member": ("Composite",),
    "conflicting-keys": ("ConflictingKeys",),
    "conversation": ("Case",),
    "criteria-beside-assert": ("Case",),
    "criterion-without-bands": ("Case", "LlmJudge", "Rubric"),
    "criterion-without-id": ("Case", "LlmJudge", "Rubric"),
    "criterion-without-text": ("Criterion",),
    "cut-text": ("CutText",),
    "dependency": ("CaseList",),
    "dominant-criterion": ("Case", "LlmJudge", "Rubric"),
    "double-criterion": ("Criterion",),
    "duplicate-case-id": ("CaseList",),
    "duplicate-criterion-id": ("Case", "LlmJudge", "Rubric"),
    "duplicate-entry": (),
    "duplicate-evaluator-name": ("AssertSet", "Case", "Composite", "Execution", "Suite"),
    "duplicate-key": ("DuplicateKey",),
    "duplicate-target": ("TargetList",),
    "empty-file": ("EmptyFile",),
    "empty-rubric": ("Case", "LlmJudge", "Rubric"),
    "environment-sent": (
        "Case",
        "DefaultTest",
        "Entry",
        "LlmJudge",
        "PromptText",
        "Rubric",
        "Scenario",
        "SecretsInFile",
        "Suite",
    ),
    "extension-hook": ("Suite",),
    "foreign-key": ("ForeignKey",),
    "foreign-type": ("ForeignType",),
    "format-marker": ("Config", "Suite", "TargetFile"),
    "gapped-bands": ("ScoreRanges",),
    "gate-inside-band": ("Criterion",),
    "gate-out-of-range": ("Case", "LlmJudge", "Rubric"),
    "identical-bands": ("ScoreRanges",),
    "invalid-regex": ("Regex",),
    "invalid-value": ("OutOfRange",),
    "literal-secret": ("Byok", "Entry"),
    "malformed-band": ("ScoreRanges",),
    "merge-key": ("MergeKey",),
    "message-role": ("Message",),
    "missing-file": ("MissingFile",),
    "missing-key": ("MissingKey",),
    "nameless-criterion": ("Criterion",),
    "no-cases": ("CaseList",),
    "no-effect": (
        "AssertSet",
        "Case",
        "Composite",
        "ContentBlock",
        "DefaultTest",
        "Execution",
        "LlmJudge",
        "Rubric",
        "Suite",
        "Template",
        "Turn",
    ),
    "not-a-suite": ("NotASuite",),
    "nothing-asked": ("Case", "CaseList"),
    "nothing-asserted": ("Case",),
    "numeric-required": ("Evaluator",),
    "old-interpolation": ("Case", "Provider", "Suite", "Target"),
    "outside-file": ("OutsideFile",),
    "overlapping-bands": ("ScoreRanges",),
    "prompt-path": ("PromptText",),
    "renamed-key": ("RenamedKey",),
    "renamed-type": ("RenamedType",),
    "required-without-minimum": ("Criterion",),
    "requires-range": ("Requires",),
    "reversed-band": ("Band",),
    "role-marker": ("Case", "ContentBlock", "Message"),
    "run-option": ("EvaluateOptions", "RunSettings"),
    "same-criterion": ("Case", "LlmJudge", "Rubric"),
    "script-value": (),
    "several-documents": ("NotYaml",),
    "several-sources": ("Replay",),
    "skipped-string": ("Case", "Composite", "Execution", "LlmJudge", "Rubric", "Suite"),
    "split-item": ("CaseList", "SplitItem"),
    "stray-sign": ("StraySign",),
    "suite-name": ("Suite",),
    "suite-version": ("Suite",),
    "syntax-error": ("NotYaml",),
    "table-column": (),
    "target-circle": ("TargetList",),
    "template-variable": ("LlmJudge", "PromptText"),
    "too-few-outputs": (),
    "too-large": ("NotYaml",),
    "trajectory-setting": (
        "GoalSuccess",
        "SkillUsed",
        "StepCount",
        "ToolArgsMatch",
        "ToolSequence",
        "ToolTrajectory",
        "ToolUsed",
    ),
    "undefined-variable": ("Case", "CaseList"),
    "unknown-alias": ("UnknownAlias",),
    "unknown-key": ("UnknownKey",),
    "unknown-label": (),
    "unknown-metric": (),
    "unknown-placeholder": ("Cli",),
    "unknown-tag": ("UnknownTag",),
    "unknown-target": ("UnknownTarget",),
    "unknown-template": ("UnknownTemplate",),
    "unknown-type": ("UnknownType",),
    "unread-checks": ("Case", "LlmJudge"),
    "unrendered-template": (),
    "unstated-required": ("Case", "LlmJudge", "Rubric"),
    "unused-ignore": ("UnusedIgnore",),
    "unused-target": ("UnusedTarget",),
    "unused-variable": (),
    "vague-criterion": ("Criterion",),
    "variable-value": (),
    "workspace-setting": ("Environment", "Repo", "Workspace"),
    "wrong-root": ("WrongRoot",),
    "wrong-type": ("WrongType",),
}


@cache
def load_rule(code: str) -> Rule[Any]:
    """The rule with a code. Raises KeyError."""
    if code not in VISITED:
        raise KeyError(code)
    if not VISITED[code]:
        return family_group(code)
    name = code.replace("-", "_")
    found: Rule[Any] = getattr(import_module(f"{__name__}.{name}"), name.upper())
    return found


def all_rules() -> tuple[Rule[Any], ...]:
    """All of them, in the order of their codes."""
    return tuple(map(load_rule, VISITED))


def rules_for(classes: Iterable[type]) -> tuple[Rule[Any], ...]:
    """The rules that may visit one of these classes, in the order of their codes."""
    names = {each.__name__ for each in classes}
    return tuple(load_rule(code) for code, visited in VISITED.items() if not names.isdisjoint(visited))
