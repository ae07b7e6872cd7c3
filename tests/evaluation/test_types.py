"""Every type that the catalogue knows is run, or says at its line that it is not."""

import json
import shutil
from typing import Any

import pytest
from suites import Folder, Lenient

from rubric_core.evaluation.engine.registry import build_evaluator_registry, kind_of
from rubric_core.evaluation.evaluators.llm_judge import LlmJudgeEvaluator
from rubric_core.evaluation.model.result import Verdict
from rubric_core.language.dialect import Dialect
from rubric_core.language.dialects import DIALECTS
from rubric_core.language.evaluators import Composite, Criterion
from rubric_core.language.model import Case
from rubric_core.ports import Http, HttpReply

#: Known, and not run.
NOT_RUN: set[str] = set()

READ = [
    pytest.param(dialect, name, id=f"{dialect.name} {name}")
    for dialect in DIALECTS
    for name, known in dialect.types.items()
    if known.fate.read
]


def runs(dialect: Dialect, name: str) -> bool:
    shape = dialect.types[name].shape
    from rubric_core.text import Span

    made = shape(Span(0, 0), None, type=name)
    made.type_name = name
    return kind_of(made) in {*build_evaluator_registry(), "code"}


@pytest.mark.parametrize(("dialect", "name"), READ)
def test_every_type_that_a_dialect_reads_is_run(dialect: Dialect, name: str) -> None:
    assert runs(dialect, name) is (name not in NOT_RUN)


def test_the_types_that_are_not_run_are_those_of_the_list() -> None:
    # Names that are kept for later, or refused, are run by nobody.
    assert {n for d in DIALECTS for n, known in d.types.items() if known.fate.read and not runs(d, n)} == NOT_RUN


async def test_a_name_that_is_kept_for_later_is_said_at_its_line(folder: Folder) -> None:
    folder.mock("x")
    result = await folder.one(
        "prompts: [hi]\ntests:\n  - id: a\n    assert: [{type: levenshtein, value: x}]", "agentv-5"
    )
    assert result.verdict is Verdict.UNSCORED
    assert result.reason.startswith("line 4 has a mistake")
    assert "levenshtein" in result.reason


#: What the target says, with its tool calls and what was measured.
SAID = '{"city": "Paris", "n": 7}'
ANSWER = {
    "output_messages": [
        {
            "role": "assistant",
            "content": SAID,
            "tool_calls": [{"tool": "search", "input": {"q": "x"}}, {"tool": "Skill", "input": {"skill": "acme"}}],
        }
    ],
    "token_usage": {"input": 9, "output": 2}, "cost_usd": 0.01, "duration_ms": 400, "text": SAID,
}  # fmt: skip
#: A check of each type, as people write it, with its score; hyphens stand for either spelling.
CHECKS: dict[str, tuple[dict[str, Any], float]] = {
    "code": ({"script": "python3 check.py"}, 0.5),
    "code-judge": ({"script": ["python3", "check.py"]}, 0.5),
    "code-grader": ({"command": ["python3", "check.py"]}, 0.5),
    "script": ({"command": ["python3", "check.py"]}, 0.5),
    "llm-judge": ({}, 0.9),
    "llm-grader": ({}, 0.9),
    "agent-judge": ({"prompt": "Is it good? {{ answer }}"}, 0.9),
    "rubric": ({"rubrics": [{"id": "a", "TEXT": "Names a city", "score_ranges": {0: "no", 5: "yes"}}]}, 0.8),
    "rubrics": ({"criteria": [{"id": "a", "outcome": "Names a city", "score_ranges": {0: "no", 5: "yes"}}]}, 0.8),
    "llm-rubric": ({"value": ["Names a city"]}, 1),
    "agent-rubric": ({"value": ["Names a city"]}, 1),
    "composite": ({"MEMBERS": [{"name": "m", "type": "cost", "budget": 1}, {"name": "n", "type": "cost", "budget": 0}], "aggregator": {"type": "weighted_average", "weights": {"m": 3}}}, 0.75),
    "assert-set": ({"assert": [{"type": "contains", "value": "Paris"}, {"type": "contains", "value": "Rome"}]}, 0.5),
    "tool-trajectory": ({"mode": "any_order", "minimums": {"search": 1, "fetch": 1}}, 0.5),
    "expected-messages": ({}, 1),
    "expected-tool-calls": ({}, 1),
    "field-accuracy": ({"fields": [{"path": "city", "match": "exact"}, {"path": "n", "match": "numeric_tolerance", "tolerance": 0.5}]}, 0.5),
    "latency": ({"threshold": 500}, 1),
    "cost": ({"budget": 0.001}, 0),
    "token-usage": ({"max_total": 10}, 0),
    "execution-metrics": ({"max_tool_calls": 2, "max_tokens": 5}, 0.5),
    "contains": ({"value": "Paris"}, 1),
    "contains-any": ({"value": ["Rome", "Paris"]}, 1),
    "contains-all": ({"value": ["Rome", "Paris"]}, 0),
    "icontains": ({"value": "PARIS"}, 1),
    "icontains-any": ({"value": ["ROME", "PARIS"]}, 1),
    "icontains-all": ({"value": ["ROME", "PARIS"]}, 0),
    "starts-with": ({"value": '{"city'}, 1),
    "ends-with": ({"value": "8}"}, 0),
    "equals": ({"value": f" {SAID} "}, 1),
    "regex": ({"value": '"N": \\d', "flags": "i"}, 1),
    "is-json": ({}, 1),
    "skill-trigger": ({"skill": "acme"}, 1),
    "skill-used": ({"value": "acme"}, 1),
    "not-skill-used": ({"value": "acme"}, 0),
    "javascript": ({"value": "JSON.parse(output).n / 10"}, 0.7),
    "python": ({"value": "json.loads(output)['n'] / 10"}, 0.7),
    "webhook": ({"value": "http://grader.test/"}, 1),
    "similar": ({"value": "x", "config": {"embedding_provider": {"model": "m", "base_url": "http://models.test/v1"}}}, 0.6),
    "trajectory:tool-used": ({"value": "sea*"}, 1),
    "trajectory:tool-args-match": ({"value": {"name": "search", "args": {"q": "x"}}}, 1),
    "trajectory:tool-sequence": ({"value": ["Skill", "search"]}, 0),
    "trajectory:step-count": ({"value": {"type": "tool", "max": 1}}, 0),
    "trajectory:goal-success": ({"value": "The person knows the city"}, 0.9),
    "not-trajectory:tool-used": ({"value": "fetch"}, 1),
    "not-trajectory:tool-args-match": ({"value": {"name": "search", "args": {"q": "y"}}}, 1),
    "not-trajectory:tool-sequence": ({"value": ["search", "Skill"]}, 0),
    "not-trajectory:step-count": ({"value": {"type": "tool", "max": 5}}, 0),
    "not-trajectory:goal-success": ({"value": "The person knows the city"}, 0.1),
}  # fmt: skip


class Network:
    """A server of embeddings, and one that grades."""

    def __init__(self, _: Http) -> None:
        pass

    async def post(self, url: str, *_: object, **__: object) -> HttpReply:
        value = {"pass": True} if "grader" in url else {"data": [{"embedding": [1, 0]}, {"embedding": [0.6, 0.8]}]}
        return HttpReply(200, {}, json.dumps(value).encode())


def written(dialect: Dialect, name: str) -> dict[str, Any]:
    """The check of a type in the words of a dialect."""
    check = {
        **CHECKS[name.replace("_", "-")][0],
        "type": name,
        "metric" if dialect.name == "agentv-5" else "name": name,
    }
    if "rubrics" in check and isinstance(check["rubrics"], list):
        text = dialect.spelled(Criterion, "outcome")
        check["rubrics"] = [{text if k == "TEXT" else k: v for k, v in item.items()} for item in check["rubrics"]]
    if "MEMBERS" in check:
        check[dialect.spelled(Composite, "assertions") or "evaluators"] = check.pop("MEMBERS")
    return check


HEADS: dict[str, dict[str, Any]] = {
    "agentv-0.5": {"$schema": "agentv-eval-v2", "evalcases": [{"outcome": "o", "input_messages": [{"role": "user", "content": "hi"}]}]},
    "agentv-1": {"evalcases": [{"expected_outcome": "o", "input_messages": [{"role": "user", "content": "hi"}]}]},
    "agentv-2.7": {"workspace": {"template": "work"}, "tests": [{"criteria": "o", "input": "hi"}]},
    "agentv-3": {"tests": [{"criteria": "o", "input": "hi"}]},
    "agentv-5": {"providers": ["default"], "prompts": ["hi"], "environment": {"type": "host", "workdir": "work"}, "tests": [{"vars": {}}]},
}  # fmt: skip
EXPECTED = [
    {"role": "assistant", "content": {"city": "Paris", "n": 8}, "tool_calls": [{"tool": "search"}, {"tool": "Skill"}]}
]


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if d.name in HEADS], ids=lambda d: d.name)
async def test_every_type_of_a_dialect_in_one_real_run(folder: Folder, dialect: Dialect) -> None:
    types = [n for n, known in dialect.types.items() if known.fate.read]
    if shutil.which("node") is None:
        types = [name for name in types if name != "javascript"]
    folder.write("check.py", "import json, sys\njson.load(sys.stdin)\nprint(json.dumps({'score': 0.5}))\n")
    folder.write("answer.json", json.dumps(ANSWER))
    folder.write("work/readme.txt", "x")
    folder.targets({"name": "default", "provider": "cli", "command": f"cat {folder.path}/answer.json"})
    folder.network = Network
    suite = json.loads(json.dumps(HEADS[dialect.name]))
    case = suite["evalcases" if "evalcases" in suite else "tests"][0] | {"id": "all"}
    suite["evalcases" if "evalcases" in suite else "tests"][0] = case
    if dialect.name == "agentv-5":
        case["vars"] = {"expected_output": EXPECTED}
    else:
        case[dialect.spelled(Case, "expected_output") or ""] = EXPECTED
    checks = [written(dialect, name) for name in types]
    own = dialect.spelled(Case, "assertions")
    case.update({own: checks} if own else {"execution": {"evaluators": checks}})
    judge = LlmJudgeEvaluator(resolve_judge_provider=lambda _: Lenient("cli"))
    result = await folder.one(f"# rubric: dialect={dialect.name}\n{json.dumps(suite)}", evaluators={"llm_judge": judge})
    found = {
        e.name: (e.score if e.score is None else round(e.score, 3), e.reason or e.misses) for e in result.evaluators
    }
    assert result.evaluators, result.reason
    wrong = {n: found[n] for n in types if found[n][0] != CHECKS[n.replace("_", "-")][1]}
    assert wrong == {}
