"""The requirements that rubric is held to, in words of its own, and the page that says which tests show each of them.

A test names what it shows with `@pytest.mark.requirement("id")`. The markers are read from the source, so that nothing has to be
collected for the page.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["DOCUMENTS", "PAGE", "page", "requirements", "shown_by"]

REPOSITORY = Path(__file__).parents[1]
PAGE = REPOSITORY / "docs/requirements.md"


@dataclass(frozen=True)
class Section:
    """A requirement of a document, with its parts: what it states, and its scenarios."""

    title: str
    #: By their ids, which are the anchors of the page.
    parts: Mapping[str, str]


@dataclass(frozen=True)
class Document:
    """One of the documents."""

    title: str
    about: str
    sections: tuple[Section, ...]


DOCUMENTS = (
    Document(
        "Document 000: the evaluator of rubrics",
        "A specification, without a release. Its keys are those of the dialect agentv-1.",
        (
            Section(
                "Checks and score ranges",
                {
                    "two-kinds-of-criteria": "A criterion is a yes-or-no check, or has score ranges: whole numbers that cover 0 to 10 without overlap, each with a text.",
                    "scores-per-criterion": "With score ranges, the judge is told to give a whole number from 0 to 10 for each criterion; it is brought to 0..1 before the mean.",
                    "minimum-fails": "A criterion below its `required_min_score` fails the case, whatever the score.",
                    "checks-still-work": "Scenario: `rubrics` with id, description, weight and required are graded check by check, and the score is within 0..1.",
                    "ranges-bind-the-judge": "Scenario: for criteria with ranges, the judge can give nothing but whole numbers from 0 to 10, and each is divided by 10.",
                    "bad-ranges-are-refused": "Scenario: ranges that overlap, leave a score out, or go beyond 0 to 10 are an error when the suite is loaded, which names the broken rule.",
                },
            ),
            Section(
                "Replies that are validated",
                {
                    "replies-are-validated": "The reply of a judge is held against a schema that fits the rubric.",
                    "schema-of-ranges": "Scenario: for ranges, a reply is `checks`, each with an id and a whole score from 0 to 10; a reasoning for each and for the whole may be there. The mean of `score / 10` is the result.",
                },
            ),
            Section(
                "Verdicts",
                {
                    "verdict-of-score": "The verdict follows from the score and the required items.",
                    "verdict-pass": "Scenario: pass from 0.8, if every required item is met.",
                    "verdict-fail": "Scenario: fail below 0.6.",
                    "verdict-borderline": "Scenario: borderline from 0.6 to below 0.8.",
                },
            ),
        ),
    ),
    Document(
        "Document 002: the page on rubrics of AgentV 1",
        "A page for authors, of the dialect agentv-1.",
        (
            Section(
                "Ways to write a rubric",
                {
                    "rubric-among-evaluators": "An evaluator of type `rubric` has a name and a list of `rubrics`. The page also prints the list at the top level, where no release reads it: rubric offers to move it under `execution`.",
                    "rubric-of-strings": "Criteria may be plain strings.",
                    "rubric-of-objects": "Criteria may be mappings with weights and options.",
                    "rubric-with-ranges": "A criterion may have `score_ranges`: a text from each score on.",
                    "criterion-keys": "Every criterion has an `id` and an `expected_outcome`. `weight` is 1 and `required` false by default, `score_ranges` may be left out.",
                    "printed-examples": "The printed suites for code review, quality of documents and safety can be run as they are.",
                },
            ),
            Section(
                "How it scores",
                {
                    "weighted-mean": "The score is the sum of score × weight, divided by the sum of the weights: 0.9, 0.8 and 0.7 with the weights 3, 1 and 2 are 0.817.",
                    "required-overrides": "A required criterion with the score 0 fails the case, whatever the mean.",
                    "ranges-are-linear": "0 to 10 become 0.0 to 1.0 linearly.",
                },
            ),
            Section(
                "Where it is written",
                {
                    "rubric-of-a-case": "`rubrics` of a case grade that case.",
                    "rubric-of-a-suite": "A rubric under `execution` grades every case.",
                    "rubrics-combined": "A case with rubrics of its own is graded by both.",
                },
            ),
            Section(
                "Advice to authors",
                {
                    "speaking-ids": "Ids say what is checked: `check1` and `r2` do not.",
                    "clear-outcomes": "An outcome says what a good answer has: “Finds the bug” does not.",
                    "weights-by-importance": "Weights follow importance, and count so.",
                    "required-for-musts": "What may not be missing is `required`.",
                    "ranges-for-consistency": "Ranges describe five steps from 0 to 10.",
                },
            ),
        ),
    ),
    Document(
        "Document 003: the evaluation API",
        "A specification of a TypeScript package; [names in Python](python.md#names-in-the-requirement-documents). Its suites are of the dialect agentv-0.5.",
        (
            Section(
                "Evaluators (REQ-EVAL-001)",
                {
                    "evaluator-interface": "Everything that grades follows one interface, `Evaluator`; nothing is called a grader.",
                    "own-evaluator": "Scenario: an evaluator of one's own has a `kind` and a method `evaluate`, which takes an `EvaluationContext` and may be asynchronous.",
                    "run-calls-evaluate": "Scenario: a run calls `evaluate` with an `EvaluationContext` and gets an `EvaluationScore`.",
                },
            ),
            Section(
                "A model that judges (REQ-EVAL-002)",
                {
                    "judge-class": "`LlmJudgeEvaluator` grades with a model.",
                    "judge-options": "Scenario: it is made with a function that gives the judge, optionally with limits of tokens and a temperature; its kind is `llm_judge`.",
                    "judge-prompt": "Scenario: a prompt of one's own takes the place of the built-in one, and is in the request that the result keeps.",
                },
            ),
            Section(
                "A program that grades (REQ-EVAL-003)",
                {
                    "code-class": "`CodeEvaluator` grades with a program.",
                    "code-options": "Scenario: it needs a script, and may have a directory and a time limit; its kind is `code`.",
                    "code-protocol": "Scenario: the program gets the payload as JSON, and prints JSON with `score`, `hits`, `misses` and `reasoning`, which become an `EvaluationScore`.",
                    "code-failure": "Scenario: one that fails scores 0, with the error among the misses. In suites, one that cannot be started leaves its case unscored: [a departure](departures.md#graders-not-run).",
                },
            ),
            Section(
                "Context (REQ-EVAL-004)",
                {
                    "context-type": "`EvaluationContext` is all that an evaluator gets.",
                    "context-fields": "Scenario: it has the case, the candidate, the target, the provider, the attempt, the inputs, the time, and optionally a judge, a system prompt, a configuration and a model.",
                },
            ),
            Section(
                "Score (REQ-EVAL-005)",
                {
                    "score-type": "`EvaluationScore` is all that an evaluator gives.",
                    "score-fields": "Scenario: it has a score from 0 to 1, hits, misses and the number of aspects, and optionally a reasoning, raw aspects and the request.",
                },
            ),
            Section(
                "Registry (REQ-EVAL-006)",
                {
                    "registry": "Evaluators are kept in a registry.",
                    "registry-is-built": "Scenario: it is built from evaluators of one's own, which come first, and a function that gives the judge; it always has an `llm_judge`.",
                    "registry-lookup": "Scenario: a kind that is not there falls back to the `llm_judge`; without that, it is an error.",
                    "registered-kinds-are-legal": "The kind of an evaluator of one's own may be named in a suite.",
                },
            ),
            Section(
                "Evaluators of a case (REQ-EVAL-007)",
                {
                    "case-is-graded": "One function grades an answer with all evaluators of a case.",
                    "which-evaluators": "Scenario: those in `evaluators`, else the one in `evaluator`, else in `grader`; it gives the mean and each result.",
                    "one-after-the-other": "Scenario: they run in sequence, judges with their own prompts and programs anew each time, and the score is the average.",
                },
            ),
            Section(
                "Rows of results (REQ-EVAL-008)",
                {
                    "names-in-rows": "Rows of results say evaluator, not grader.",
                    "row-of-one": "Scenario: with one evaluator, a row has `evaluator_raw_request`, and neither `grader_raw_request` nor `evaluator_results`.",
                    "row-of-several": "Scenario: with several, it has `evaluator_results` with name, type, score, hits, misses, reasoning and request of each; its score is the average.",
                },
            ),
            Section(
                "Suites in YAML (REQ-EVAL-009)",
                {
                    "both-keys": "`evaluator` and the deprecated `grader` are read.",
                    "evaluator-key": "Scenario: `evaluator` sets the evaluator of the case, and its grader is undefined.",
                    "grader-key": "Scenario: `grader` sets the grader of the case, is warned about, and still decides.",
                    "evaluators-key": "Scenario: in a list, each evaluator needs a name and a type; prompt and model of a judge are optional, as is the directory of a program, whose script is not.",
                },
            ),
            Section(
                "Exports and files (REQ-EVAL-010, REQ-EVAL-012)",
                {
                    "exports": "All these types can be imported from the main package.",
                    "module-of-evaluators": "The module is called after evaluators, and there is none about grading.",
                    "tests-of-evaluators": "So are its tests.",
                },
            ),
            Section(
                "The transition",
                {
                    "evaluator-is-preferred": "Of `evaluator` and `grader`, the first is preferred.",
                    "both-raw-requests": "A row can have `grader_raw_request` as well.",
                    "no-grader-kinds": "There is one check of kinds and one constant, `is_evaluator_kind` and `EVALUATOR_KINDS`.",
                },
            ),
        ),
    ),
    Document(
        "Document 004: the page on rubrics of AgentV 4",
        "A page for authors, of the dialect agentv-3.",
        (
            Section(
                "Ways to write a rubric",
                {
                    "strings-are-required": "Plain strings in `assertions` are required criteria, all of them together one rubrics grader.",
                    "type-rubrics": "`type: rubrics` has the criteria under `criteria`, which may be strings.",
                    "criteria-as-objects": "A criterion may be a mapping with id, outcome, weight and required.",
                    "criteria-defaults": "An id is generated, the weight is 1, and `required` is false.",
                    "required-fails": "A required criterion that is not met fails the case.",
                    "min-score": "`min_score` is the share, 0..1, from which a criterion passes.",
                    "criteria-with-ranges": "With `score_ranges`, the judge gives each criterion 0 to 10, with a reason for each.",
                },
            ),
            Section(
                "How it scores",
                {
                    "score-of-checks": "The score of checks is the weight of those that are met, divided by all weight.",
                    "score-of-ranges": "The score of ranges is the sum of score / 10 × weight, divided by all weight.",
                    "two-verdicts": "From 0.8 a case passes, below it fails.",
                },
            ),
            Section(
                "What a judge sees, and who else grades",
                {
                    "judge-sees-changes": "Changes of files in the workspace are in the prompt.",
                    "judge-sees-tools": "Calls of tools, with their names and main inputs, are in the prompt: a criterion may be about a skill that was used.",
                    "beside-other-graders": "Rubrics stand beside programs and models that grade.",
                    "help-with-choosing": "Whoever does not know which check to write finds help: each evaluator has a page on what it is for and how it scores.",
                },
            ),
        ),
    ),
)

_INTRODUCTION = """\
<!-- Made from tests/requirements.py and the markers of tests by `UPDATE=1 pytest tests/test_requirements.py`. -->

# Requirements

Four documents say what rubric has to do. This page has each of their requirements and scenarios, in words of its own, with the
tests that show it. Where the documents contradict one another, the dialect of a suite decides which of them counts.
"""


def requirements() -> dict[str, str]:
    """Every part of every document, by its id."""
    return {
        id_: words for document in DOCUMENTS for section in document.sections for id_, words in section.parts.items()
    }


def shown_by() -> dict[str, list[str]]:
    """The tests that name each id in a marker, as `file::name`, in order; known or not."""
    found: dict[str, list[str]] = {}
    for path in sorted((REPOSITORY / "tests").rglob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.requirement(" in text:
            for test, ids in _marked(ast.parse(text)):
                for id_ in ids:
                    found.setdefault(id_, []).append(f"{path.relative_to(REPOSITORY).as_posix()}::{test}")
    return found


def _marked(tree: ast.Module) -> Iterator[tuple[str, list[str]]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            calls = [each for each in node.decorator_list if isinstance(each, ast.Call)]
            for call in calls:
                if ast.unparse(call.func) == "pytest.mark.requirement":
                    yield node.name, [ast.literal_eval(argument) for argument in call.args]


def page() -> str:
    """The page, in Markdown."""
    shown = shown_by()
    lines = [_INTRODUCTION]
    for document in DOCUMENTS:
        lines += [f"## {document.title}", "", document.about, ""]
        for section in document.sections:
            lines += [f"### {section.title}", ""]
            for id_, words in section.parts.items():
                lines += [f'- <a id="{id_}"></a>{words}', *(f"    - {each}" for each in _tests(shown.get(id_, [])))]
            lines.append("")
    return "\n".join(lines)


def _tests(named: list[str]) -> Iterator[str]:
    """A line for each file."""
    by_file: dict[str, list[str]] = {}
    for each in named:
        file, _, test = each.partition("::")
        by_file.setdefault(file, []).append(test)
    for file, tests in by_file.items():
        yield f"`{file}`: {', '.join(f'`{test}`' for test in tests)}"
