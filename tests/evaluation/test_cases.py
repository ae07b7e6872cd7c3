"""Running cases: input, mistakes in the text, events, staleness, several at once."""

import errno
import json
import sys
import textwrap
from pathlib import Path

import pytest
from judge_server import JudgeServer
from suites import Folder, Scripted

from rubric_core.adapters import DiskFiles, system_ports
from rubric_core.evaluation.cases.messages import prompt_inputs
from rubric_core.evaluation.engine.events import Answered, CaseDone, CaseStarted, EvaluatorDone, EvaluatorStarted
from rubric_core.evaluation.engine.fill_variables import fill_variables
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.evaluation.engine.run import run_case
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.jsonable import jsonable
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.results.result_reader import case_result_of
from rubric_core.evaluation.targets.resolve import load_targets

ECHO = {"name": "default", "provider": "cli", "command": "cat {PROMPT_FILE}"}


async def asked(folder: Folder, case: str, suite: str = "") -> str:
    """What the target of a case is asked."""
    folder.targets(ECHO)
    body = "\n".join(f"    {line}" for line in case.strip().splitlines())
    result = await folder.one(
        f"# rubric: dialect=agentv-3\n{suite}\ntests:\n  - id: a\n    criteria: c\n{body}\n    assertions: [{{type: contains, value: x}}]\n"
    )
    assert result.verdict is not Verdict.UNSCORED, result.reason
    return result.answer


async def test_a_text(folder: Folder) -> None:
    assert await asked(folder, "input: Hello there") == "Hello there"


async def test_messages(folder: Folder) -> None:
    text = await asked(
        folder,
        "input:\n  - {role: system, content: Be kind}\n  - {role: user, content: Hello}\n  - {role: assistant, content: Hi}\n  - {role: user, content: Bye}",
    )
    assert text == "@[System]:\nBe kind\n\n@[User]:\nHello\n\n@[Assistant]:\nHi\n\n@[User]:\nBye"


def read_by_a_model(folder: Folder, body: str, suite: str = "") -> str:
    """What a model is asked in a case, as one text."""
    text = f"{suite}\ntests:\n  - id: a\n    criteria: c\n{textwrap.indent(body, '    ')}\n"
    (case,) = folder.cases(text, "agentv-3")
    properties = case.dialect.properties
    return prompt_inputs(case.suite, case.case, case.directory, DiskFiles(), case.anchors, properties).question


BLOCKS = """\
input:
  - role: user
    content:
      - {type: text, value: Look at this}
      - {type: file, value: order.json}
      - plain
"""


async def test_content_blocks_and_files(folder: Folder) -> None:
    file = folder.write("order.json", '{"id": 4711}\n')
    read = 'Look at this\n\n<file path="order.json">\n{"id": 4711}\n</file>\n\nplain'
    assert read_by_a_model(folder, BLOCKS) == read
    assert await asked(folder, BLOCKS) == f'Look at this\n\n<file: path="{file}">\n\nplain', "a program opens it itself"


async def test_input_of_the_suite_and_input_files(folder: Folder) -> None:
    first, second = folder.write("a.txt", "A"), folder.write("b.txt", "B")
    suite = "input: [{role: system, content: Be kind}]\ninput_files: [a.txt]"
    read = '@[System]:\nBe kind\n\n@[User]:\n<file path="a.txt">\nA\n</file>\n\nHello'
    assert read_by_a_model(folder, "input: Hello", suite) == read
    text = await asked(folder, "input: Hello", suite)
    assert text == f'@[System]:\nBe kind\n\n@[User]:\n<file: path="{first}">\nHello'
    own = "input: Hello\ninput_files: [b.txt]"
    assert await asked(folder, own, "input_files: [a.txt]") == f'<file: path="{second}">\n\nHello'
    assert '<file path="b.txt">' in read_by_a_model(folder, own, "input_files: [a.txt]")


@pytest.mark.parametrize("dialect", ["agentv-1", "agentv-2.7"])
async def test_early_releases_name_files_as_the_suite_does_and_hand_guidelines_over_apart(
    folder: Folder, dialect: str
) -> None:
    folder.write("order.txt", "four")
    folder.write("instructions/style.txt", "Be brief.\n")
    folder.write("target.py", "import json, sys; print(json.dumps(sys.argv[1:]))")
    command = f"{sys.executable} target.py {{PROMPT}} {{GUIDELINES}}"
    folder.targets({"name": "default", "provider": "cli", "command": command, "cwd": str(folder.path)})
    cases, judged, criteria = ("evalcases", "evaluators", "expected_outcome") if dialect == "agentv-1" else ("tests", "assert", "criteria")  # fmt: skip
    result = await folder.one(
        f"""
        {cases}:
          - id: a
            {criteria}: c
            input: [{{role: user, content: [{{type: file, value: instructions/style.txt}}, {{type: text, value: Look}}, {{type: file, value: order.txt}}]}}]
            {judged}: [{{name: g, type: token_usage, max_total: 1}}]
        """,
        dialect,
    )
    prompt, guidelines = json.loads(result.answer)
    assert prompt == '<Attached: instructions/style.txt>\n\nLook\n\n<file: path="order.txt">'
    assert guidelines == '<file path="style.txt">\nBe brief.\n</file>'


async def test_messages_reach_a_model_as_messages(folder: Folder, judge: JudgeServer) -> None:
    folder.targets(judge.target("default"))
    judge.replies = ["ok"]
    await folder.one(
        "tests: [{id: a, criteria: c, input: [{role: system, content: S}, {role: user, content: U}], assertions: [{type: contains, value: ok}]}]"
    )
    assert judge.bodies[0]["messages"] == [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}]
    assert "temperature" not in judge.bodies[0]


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ("{type: file, value: gone.txt}", "the file gone.txt of the input does not exist (line 7)"),
        ("{type: image, value: cat.png}", "images"),
        ("{type: file, value: binary.bin}", "not UTF-8 text"),
    ],
)
async def test_a_file_that_cannot_be_sent(folder: Folder, block: str, words: str) -> None:
    folder.mock("x")
    (folder.path / "binary.bin").write_bytes(b"\xff\xfe")
    result = await folder.one(
        f"tests:\n  - id: a\n    criteria: c\n    input:\n      - role: user\n        content:\n          - {block}\n    assertions: [{{type: contains, value: x}}]\n"
    )
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("{id: a, criteria: c, input: hi, assertions: [{type: contains}]}", "line 2"),
        ("{id: a, criteria: c, input: hi, assertions: [{type: contains, value: x, weight: -1}]}", "line 2"),
        ("{id: a, criteria: c, input: hi, assertions: [{type: regex, value: '('}]}", ""),
    ],
)
async def test_a_case_with_a_mistake_is_not_asked(folder: Folder, case: str, words: str) -> None:
    folder.mock("x")
    results = await folder.run(
        f"tests:\n  - {case}\n  - {{id: b, criteria: c, input: hi, assertions: [{{type: contains, value: x}}]}}\n"
    )
    assert results["a"].verdict is not Verdict.PASSED
    assert words in results["a"].reason
    assert results["b"].verdict is Verdict.PASSED, "its neighbour goes on"


async def test_a_mistake_in_the_suite_concerns_every_case(folder: Folder) -> None:
    folder.mock("x")
    results = await folder.run(
        "assertions: {type: contains}\ntests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: contains, value: x}]}\n"
    )
    assert results["a"].verdict is Verdict.UNSCORED
    assert "line 1" in results["a"].reason


async def test_an_evaluator_that_rubric_does_not_run_is_unscored(folder: Folder) -> None:
    folder.mock("x")
    result = await folder.one(
        "tests: [{id: a, criteria: c, input: hi, assertions: [{type: word-counter, most: 5}, {type: contains, value: x}]}]"
    )
    assert result.verdict is Verdict.UNSCORED
    assert "there is no evaluator of type word-counter" in result.reason
    assert "(line 1)" in result.reason
    assert result.evaluators[1].verdict is Verdict.PASSED


class Crash:
    kind = "crash"

    def evaluate(self, _):
        raise ZeroDivisionError("division by zero")


class Shy:
    kind = "shy"

    async def evaluate(self, _):
        raise Unscored("I would rather not")


async def test_an_evaluator_that_crashes_is_unscored_and_the_others_go_on(folder: Folder) -> None:
    folder.mock("x")
    suite = (
        "tests: [{id: a, criteria: c, input: hi, assertions: [{type: crash}, {type: shy}, {type: contains, value: x}]}]"
    )
    result = await folder.one(suite, evaluators={"crash": Crash(), "shy": Shy()})
    assert result.verdict is Verdict.UNSCORED
    assert [e.reason for e in result.evaluators] == [
        "the evaluator crashed: ZeroDivisionError: division by zero",
        "I would rather not",
        "",
    ]
    assert result.score is None


async def test_a_mistake_of_rubric_in_one_case_keeps_no_other_from_being_run(
    folder: Folder, judge: JudgeServer
) -> None:
    def network(http):
        class Faulty:
            async def post(self, url, headers, body, **limits):
                return 1 / 0 if b"first" in body else await http.post(url, headers, body, **limits)

        return Faulty()

    folder.network = network
    folder.targets(judge.target("default"))
    judge.replies = ["fine"]
    check = "assertions: [{type: equals, value: fine}]"
    text = "\n".join(f"  - {{id: {i}, criteria: c, input: {i}, {check}}}" for i in ("first", "second"))
    results = await folder.run(f"tests:\n{text}\n")
    assert results["second"].verdict is Verdict.PASSED
    assert results["first"].verdict is Verdict.UNSCORED
    assert results["first"].reason.startswith("rubric failed: ZeroDivisionError: division by zero at test_cases.py:")
    assert results["first"].reason.endswith("; this is a mistake in rubric, please report it (line 2)")


@pytest.mark.parametrize(
    ("error", "missing"),
    [
        (RuntimeError("can't start new thread"), "processes and threads"),
        (BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), "processes and threads"),
        (OSError(errno.EMFILE, "Too many open files"), "open files"),
        (MemoryError(), "memory"),
    ],
)
async def test_a_machine_at_its_limits_is_no_mistake_of_rubric(
    folder: Folder, judge: JudgeServer, error: Exception, missing: str
) -> None:
    class Exhausted:
        async def post(self, *_, **__):
            raise error

    folder.network = lambda _: Exhausted()
    folder.targets(judge.target("default"))
    result = await folder.one("tests: [{id: a, criteria: c, input: hi, assertions: [{type: equals, value: fine}]}]")
    assert result.verdict is Verdict.UNSCORED
    assert (
        result.reason == f"this machine gave no more {missing}: run it again when there is more, or with fewer workers"
    )


async def test_events_in_their_order(folder: Folder) -> None:
    folder.mock("x")
    await folder.one(
        "tests: [{id: a, criteria: c, input: hi, assertions: [{type: contains, value: x}, {type: is-json}]}]"
    )
    assert [type(e) for e in folder.events] == [
        CaseStarted,
        Answered,
        EvaluatorStarted,
        EvaluatorDone,
        EvaluatorStarted,
        EvaluatorDone,
        CaseDone,
    ]
    assert folder.events[0] == CaseStarted("a", ("contains-x", "is-json"))
    assert folder.events[2] == EvaluatorStarted("a", "contains-x", 1, 2)


async def test_a_case_that_was_started_is_done_whatever_goes_wrong(folder: Folder) -> None:
    await folder.one("tests: [{id: a, criteria: c, input: hi, assertions: [{type: contains, value: x}]}]")
    assert [type(e) for e in folder.events] == [CaseStarted, CaseDone]


async def test_results_come_in_the_order_of_the_text(folder: Folder) -> None:
    folder.targets({"name": "default", "provider": "cli", "command": "sleep {PROMPT}; echo {PROMPT}"})
    suite = "tests:\n" + "".join(
        f"  - {{id: c{n}, criteria: c, input: '{d}', assertions: [{{type: contains, value: '0'}}]}}\n"
        for n, d in enumerate(["0.4", "0.01", "0.2"])
    )
    results = await folder.run(suite)
    assert list(results) == ["c0", "c1", "c2"]
    assert [e.case_id for e in folder.events if isinstance(e, CaseDone)] == ["c1", "c2", "c0"]


async def test_a_result_can_be_stored_and_read(folder: Folder) -> None:
    folder.mock("x")
    result = await folder.one(
        "tests: [{id: a, criteria: c, input: hi, assertions: [{type: contains, value: x}, {type: rubrics, criteria: [A, B]}]}]"
    )
    assert case_result_of(json.loads(json.dumps(jsonable(result)))) == result


# Interpolation


async def test_variables_of_the_environment_and_of_the_case(folder: Folder) -> None:
    folder.environment.update(WHO="Ada", MOST="1")
    folder.targets(ECHO)
    result = await folder.one(
        """
        execution: {threshold: "${{ MOST }}"}
        tests:
          - id: a
            criteria: c
            vars: {tone: kind, words: [Ada, kind]}
            input: Hello ${{ WHO }}, be {{ tone }} and {{ vars.tone }} and {{ unknown }} {{ words }}
            assertions:
              - {type: contains, value: "${{ WHO }}, be kind"}
              - {type: contains, value: "{{ tone }}", negate: true}
        """
    )
    assert result.answer == 'Hello Ada, be kind and {{ vars.tone }} and {{ unknown }} ["Ada", "kind"]'
    assert (result.verdict, result.threshold) == (Verdict.PASSED, 1)


@pytest.mark.parametrize(
    ("value", "read"),
    [("true", True), ("false", False), ("0.5", 0.5), ("-3", -3), ("0", 0), ("007", "007"), ("1e3", "1e3"), ("True", "True"), ("", "")],
)  # fmt: skip
async def test_a_variable_that_is_a_whole_value_is_one_of_json(folder: Folder, value: str, read: object) -> None:
    folder.environment["VALUE"] = value
    (case,) = folder.cases(
        'tests: [{id: a, criteria: c, input: hi, metadata: {whole: "${{ VALUE }}", part: "x ${{ VALUE }}"}}]'
    )
    filled = fill_variables(case, folder.environment).case.metadata
    assert isinstance(filled, dict)
    assert (filled["whole"], type(filled["whole"]), filled["part"]) == (read, type(read), f"x {value}")


TOLD = """
input: [{role: user, content: "suite {{ a }}"}]
input_files: ["{{ file }}"]
metadata: {s: "{{ a }}"}
tests:
  - id: one
    vars: {a: value, file: notes.md}
    criteria: "crit {{ a }}"
    input: [{role: user, content: [{type: text, value: "case {{ a }}"}]}]
    expected_output: "good {{ a }}"
    metadata: {c: "{{ a }}"}
    assertions:
      - {type: code-grader, name: "g {{ a }}", command: [python3, told.py, "{{ a }}"], config: {k: "{{ a }}"}}
"""


async def test_values_of_a_case_are_filled_in_where_agentv_fills_them_in(folder: Folder) -> None:
    folder.mock("hi")
    folder.write("notes.md", "notes\n")
    folder.write(
        "told.py",
        "import json, sys; print(json.dumps({'score': 1, 'details': {'word': sys.argv[1], **json.load(sys.stdin)}}))",
    )
    (grader,) = (await folder.one(TOLD)).evaluators
    told = grader.details or {}
    assert (grader.name, told["word"]) == ("g {{ a }}", "{{ a }}")
    assert told["criteria"] == "crit value"
    assert "suite value" in str(told["input"])
    assert "case value" in str(told["input"])
    assert told["expected_output"] == [{"role": "assistant", "content": "good value"}]
    assert (told["metadata"], told["config"]["k"]) == ({"c": "{{ a }}", "s": "{{ a }}"}, "{{ a }}")


async def test_values_of_turns(folder: Folder) -> None:
    folder.targets(ECHO)
    result = await folder.one(
        """
        tests:
          - id: a
            criteria: c
            mode: conversation
            vars: {a: value}
            input: hello
            turns: [{input: "say {{ a }}", assertions: [{type: contains, value: say value}, {type: contains, value: "{{ a }}"}]}]
        """
    )
    assert [m.score for m in result.evaluators[0].members] == [1, 0]


async def test_a_variable_that_is_not_set_names_its_line(folder: Folder) -> None:
    folder.mock("x")
    result = await folder.one(
        "tests:\n  - id: a\n    criteria: c\n    input: Hello ${{ NOBODY }}\n    assertions: [{type: contains, value: x}]\n"
    )
    assert result.reason == "the environment variable NOBODY is not set (suite.eval.yaml:4)"


# Staleness

CASE = """
name: n
execution: {target: default}
tests:
  - id: a
    criteria: c
    input: [{role: user, content: [{type: file, value: order.json}]}]
    assertions:
      - {type: code-grader, command: [python3, check.py]}
      - {type: llm-grader, prompt: file://judge.md, target: judge}
  - {id: b, criteria: c, input: hi, assertions: [{type: contains, value: x}]}
"""
TARGETS = [
    {"name": "default", "provider": "cli", "command": "python3 bot.py", "api_key": "sk-literal"},
    {"name": "judge", "provider": "openai", "model": "m", "api_key": "${{ KEY }}"},
]


def prints(folder: Folder, text: str = CASE) -> tuple[str, str]:
    first, second = folder.cases(text)
    targets = load_targets(folder.path, DiskFiles())
    return fingerprint(first, DiskFiles(), targets), fingerprint(second, DiskFiles(), targets)


@pytest.fixture
def whole(folder: Folder) -> Folder:
    for name in ("order.json", "check.py", "judge.md", "bot.py"):
        folder.write(name, name)
    folder.targets(*TARGETS)
    return folder


@pytest.mark.parametrize("name", ["order.json", "check.py", "judge.md"])
def test_a_changed_file_of_a_case_makes_it_stale_and_not_its_neighbour(whole: Folder, name: str) -> None:
    first, second = prints(whole)
    whole.write(name, "changed")
    assert prints(whole)[0] != first
    assert prints(whole)[1] == second


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("content: [{type: file", "content: [{type: text, value: x}, {type: file"),
        ("prompt: file://judge.md", "prompt: file://judge.md, weight: 2"),
        ("id: a", "id: c"),
    ],
)
def test_an_edited_case_is_stale_and_its_neighbour_is_not(whole: Folder, old: str, new: str) -> None:
    first, second = prints(whole)
    changed = prints(whole, CASE.replace(old, new))
    assert changed[0] != first
    assert changed[1] == second


def test_a_key_that_the_dialect_ignores_makes_nothing_stale(whole: Folder) -> None:
    whole.write("notes.md", "read")
    noted = CASE.replace("name: n", "name: n\nmy_notes: {see: file://notes.md}")
    before = prints(whole)
    assert prints(whole, noted) == before
    whole.write("notes.md", "changed")
    assert prints(whole, noted) == before
    assert prints(whole, CASE.replace("name: n", "name: n\nworkspace: {template: notes.md}"))[0] != before[0]


SCRIPTS = """
prompts: ["file://prompt.py:main"]
providers: [own]
tests:
  - vars: {id: a}
    assert:
      - {type: python, value: "file://grade.py:check"}
      - {type: javascript, value: "file://grade.js"}
      - {type: contains, value: x, transform: "file://shape.mjs"}
      - {type: code-grader, command: [sh, run.sh]}
      - {type: code-grader, command: [python3, -m, tool.main], cwd: other}
      - {type: counted}
"""
MODULES = {
    "grade.py": "import helper\nfrom pack import part\nimport json, grade", "helper.py": "", "pack/__init__.py": "", "pack/part.py": "from . import deep",
    "pack/deep.py": "from ..helper2 import x", "helper2.py": "", "grade.js": "const a = require('./lib');\nimport('./late.mjs')", "lib/index.js": "", "late.mjs": "",
    "shape.mjs": "export { b } from './b.js'", "b.ts": "import type {C} from './c'", "c.ts": "", "run.sh": ". ./common.sh\n", "common.sh": "",
    "other/tool/main.py": "import tool.inner", "other/tool/inner.py": "", "prompt.py": "import words", "words.py": "",
    ".agentv/evaluators/counted.py": "def broken(:", ".agentv/providers/mine.py": "import brain", ".agentv/providers/brain.py": "",
}  # fmt: skip
OTHERS = {"unused.py": "", "json.txt": "", "other/grade.py": "", "other/common.sh": ""}


@pytest.fixture
def scripted(folder: Folder) -> Folder:
    for name, text in {**MODULES, **OTHERS}.items():
        folder.write(name, text)
    folder.targets({"name": "own", "provider": "mine"})
    return folder


def test_everything_that_scripts_take_in_makes_a_case_stale(scripted: Folder) -> None:
    def now() -> str:
        return fingerprint(
            scripted.cases(SCRIPTS, "agentv-5")[0], DiskFiles(), load_targets(scripted.path, DiskFiles())
        )

    before = now()
    fresh = []
    for name, text in {**MODULES, **OTHERS}.items():
        scripted.write(name, f"{text}\n# changed")
        if now() == before:
            fresh.append(name)
        scripted.write(name, text)
    assert fresh == list(OTHERS)
    assert now() == before


def test_recorded_answers_make_a_case_stale(whole: Folder) -> None:
    whole.write("answers.jsonl", "")
    whole.targets(
        {"name": "default", "provider": "replay", "fixtures": "answers.jsonl", "source_target": "x"}, TARGETS[1]
    )
    before = prints(whole)
    whole.write("answers.jsonl", "{}")
    assert prints(whole)[1] != before[1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: n", "name: m"),
        ("    criteria: c\n    input", "    # a comment\n    criteria:   'c'\n    input"),
        ("name: n", "name: n\ndescription: d"),
    ],
)
def test_talk_and_layout_change_nothing(whole: Folder, old: str, new: str) -> None:
    assert prints(whole) == prints(whole, CASE.replace(old, new))


def test_the_suite_its_target_and_its_judge_matter(whole: Folder) -> None:
    before = prints(whole)
    assert prints(whole, CASE.replace("{target: default}", "{target: default, threshold: 0.5}")) != before
    whole.write("bot.py", "changed")
    assert prints(whole)[1] != before[1]
    whole.write("bot.py", "bot.py")
    whole.targets(TARGETS[0], {**TARGETS[1], "model": "other"})
    assert prints(whole)[0] != before[0]
    assert prints(whole)[1] == before[1], "only the first case asks the judge"


def test_secrets_do_not_matter(whole: Folder) -> None:
    before = prints(whole)
    whole.targets({**TARGETS[0], "api_key": "sk-another"}, TARGETS[1])
    assert prints(whole) == before


async def test_the_result_has_the_fingerprint_of_its_case(folder: Folder) -> None:
    folder.mock("x")
    text = "tests: [{id: a, criteria: c, input: hi, assertions: [{type: contains, value: x}]}]"
    result = await folder.one(text)
    (case,) = folder.cases(text)
    assert result.fingerprint == fingerprint(case, DiskFiles(), load_targets(folder.path, DiskFiles()))


async def test_one_case_can_be_run_alone(folder: Folder) -> None:
    folder.mock("x")
    case = folder.cases("tests: [{id: a, criteria: c, input: hi, assertions: [{type: contains, value: x}]}]")[0]
    async with system_ports({}) as ports:
        result = await run_case(case, ports)
        assert await run_cases([], ports) == []
    assert result.verdict is Verdict.PASSED
    assert Path(case.path).name == "suite.eval.yaml"
    assert Scripted(["x"]).identity


OLD = """
# rubric: dialect=agentv-0.1
grader: {kind}
testcases:
  - id: null-check
    outcome: Points out the missing null check
    messages:
      - {{role: system, content: You review Python.}}
      - {{role: user, content: Review this}}
      - {{role: assistant, content: "- Avoid dereferencing x when it may be None"}}
"""


async def test_the_first_releases_kept_the_answer_in_the_input(folder: Folder) -> None:
    folder.targets(ECHO)
    result = await folder.one(OLD.format(kind="heuristic"))
    assert result.answer == "@[System]:\nYou review Python.\n\n@[User]:\nReview this"
    assert (result.evaluators[0].name, result.score, result.evaluators[0].misses) == (
        "heuristic",
        0.0,
        ("Avoid dereferencing x when it may be None",),
    )
    result = await folder.one(OLD.format(kind="llm_judge"))
    assert result.reason.startswith("llm_judge: no judge is configured")


async def test_a_case_that_names_code_and_no_program(folder: Folder) -> None:
    folder.mock("x")
    text = "# rubric: dialect=agentv-0.5\nevalcases: [{id: a, outcome: o, input_messages: [{role: user, content: hi}], evaluator: code}]"
    assert (await folder.one(text)).reason == "code: a code evaluator needs a command"
