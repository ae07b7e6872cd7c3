"""Configurations of promptfoo, run by rubric. What promptfoo itself makes of them: `tests/parity/promptfoo`."""

import csv
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from suites import stored_cases

from rubric_core.analysis import analyze
from rubric_core.cli import main
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.target_choice import shared_targets
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.families.promptfoo.evaluators.text_checks import levenshtein_distance

NAME = "promptfooconfig.yaml"
CONFIG = """\
prompts: ["Hello {{name}}", {raw: "Bye {{name}}", label: bye}]
providers: [echo]
defaultTest:
  assert: [{type: not-contains, value: xyz}]
tests:
  - description: greets
    vars: {name: [Ann, Bob]}
    assert: [{type: contains, value: "{{name}}"}]
  - vars: {name: Zoe}
    assert: [{type: equals, value: Hello Zoe, metric: exact}, {type: javascript, value: output.length > 3}]
"""
Run = Callable[..., "dict[str, CaseResult]"]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    monkeypatch.chdir(tmp_path)

    def written(text: str) -> Path:
        path = tmp_path / NAME
        path.write_text(text, encoding="utf-8")
        return path

    return written


async def results(path: Path) -> dict[str, CaseResult]:
    """The result of each row, by its id and target."""
    cases = [each for case in load_suite(path).cases for each in variations(case)]
    found = await run_cases(cases)
    return {f"{each.id} @{each.target}": each for each in found}


def one(test: str, *, output: str = "hello", more: str = "") -> str:
    """A configuration with one test whose output is stored."""
    return f"prompts: ['p']\nproviders: [echo]\n{more}tests:\n  - {{description: t, providerOutput: {json.dumps(output)}, {test}}}\n"


async def test_a_provider_that_is_listed_twice_runs_once(write: Callable[[str], Path]) -> None:
    """As `promptfoo eval -c` does; one that is written in another way is another one."""
    listed = "providers: [echo, echo, {id: echo}, {id: echo, label: other}, {id: echo, config: {a: 1}}, {id: echo, config: {a: 1}}]"
    found = await results(write(f"prompts: [p]\n{listed}\ntests: [{{vars: {{a: 1}}}}]\n"))
    assert list(found) == ["a=1 @echo", "a=1 @echo~2", "a=1 @other", "a=1 @echo~3"]


async def test_prompts_times_values(write: Callable[[str], Path]) -> None:
    found = await results(write(CONFIG))
    assert {name: each.answer for name, each in found.items()} == {
        "greets[prompt-1,name=Ann] @echo": "Hello Ann",
        "greets[prompt-1,name=Bob] @echo": "Hello Bob",
        "greets[bye,name=Ann] @echo": "Bye Ann",
        "greets[bye,name=Bob] @echo": "Bye Bob",
        "name=Zoe[prompt-1] @echo": "Hello Zoe",
        "name=Zoe[bye] @echo": "Bye Zoe",
    }
    failed = found["name=Zoe[bye] @echo"]
    assert [each.verdict for each in found.values() if each is not failed] == [Verdict.PASSED] * 5
    assert (failed.verdict, failed.score) == (Verdict.FAILED, pytest.approx(2 / 3))
    assert failed.evaluators[1].misses == ('does not equal "Hello Zoe"',)
    details = dict(failed.details or {})
    row = details.pop("row")
    assert details == {"named_scores": {"exact": 0.0}}
    assert (row["prompt"], row["vars"]) == ({"raw": "Bye {{name}}", "label": "bye"}, {"name": "Zoe"})


def test_the_command_line_runs_it(write: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    path = write(CONFIG)
    assert main(["run", NAME]) == 1
    out = capsys.readouterr().out
    assert '      - {type: contains, value: "{{name}}"}' not in out  # it is a flow list here
    assert "greets" in out
    assert "5 passed, 1 failed" in out
    assert path.read_text(encoding="utf-8") == CONFIG
    assert len(stored_cases(path)) == 6
    assert main(["run", f"{NAME}::greets"]) == 0
    assert "4 passed" in capsys.readouterr().out
    assert main(["run", f"{NAME}::greets[bye,name=Bob]", "--format", "json"]) == 0
    (case,) = json.loads(capsys.readouterr().out)["cases"]
    assert (case["id"], case["score"], case["answer"]) == ("greets[bye,name=Bob]", 1.0, "Bye Bob")


#: A row that passes, one that fails, one that is an error, and a configuration that cannot be read.
PASSES, FAILS, ERROR = (one(f"assert: [{each}]") for each in ("{type: contains, value: hello}", "{type: contains, value: bye}", "{type: latency}"))  # fmt: skip


@pytest.mark.parametrize(
    ("text", "options", "code"),
    [
        (PASSES, (), 0), (FAILS, (), 100), (ERROR, (), 100), (FAILS, ("-k", "nothing"), 2), (FAILS, ("--format", "json"), 100),
        (FAILS, ("--baseline", "none-such"), 2), (PASSES, ("--max-seconds", "0.000001"), 4),
    ],
)  # fmt: skip
def test_the_exit_code_of_promptfoo(
    write: Callable[[str], Path], text: str, options: tuple[str, ...], code: int
) -> None:
    """Those of promptfoo 0.121.20 for the same rows: 0, 100, 100; `tests/parity/promptfoo` asks it."""
    write(text)
    assert main(["run", NAME, "--promptfoo-exit-code", *options]) == code
    assert main(["run", NAME, *options]) == {100: 3 if text is ERROR else 1}.get(code, code)


@pytest.mark.parametrize(
    ("test", "options", "words"),
    [
        ("assert: [{type: contains, value: bye}]", (), ""),
        ("threshold: 0.9, assert: [{type: contains, value: bye}]", (), "needs 0.90"),
        ("threshold: 1, assert: [{type: contains, value: bye}]", (), "needs 1.00"),
        ("assert: [{type: contains, value: bye}]", ("--threshold", "0.7"), "needs 0.70"),
    ],
)
def test_only_a_written_threshold_is_shown(
    write: Callable[[str], Path], capsys: pytest.CaptureFixture[str], test: str, options: tuple[str, ...], words: str
) -> None:
    """Without a threshold of its own a test of promptfoo needs every assertion, and no score decides."""
    write(one(test))
    outputs = ("out.xml", "out.md", "out.csv", "out.jsonl")
    assert main(["run", NAME, "--explain", *options, *(word for name in outputs for word in ("-o", name))]) == 1
    out = capsys.readouterr().out
    written = [out, *(Path(name).read_text(encoding="utf-8") for name in outputs[:2])]
    for text in written:
        assert ("needs" in text) == bool(words)
        assert words in text
        assert 'does not contain "bye"' in text or "does not contain &quot;bye&quot;" in text
    (row,) = csv.DictReader(Path("out.csv").read_text(encoding="utf-8").splitlines())
    assert (f"needs {float(row['threshold']):.2f}" if row["threshold"] else "") == words
    (data,) = map(json.loads, Path("out.jsonl").read_text(encoding="utf-8").splitlines())
    assert (f"needs {data['threshold']:.2f}" if data["threshold"] is not None else "") == words


@pytest.mark.parametrize("ending", ["xml", "html", "md", "csv", "json"])
def test_results_go_to_every_format(write: Callable[[str], Path], ending: str, tmp_path: Path) -> None:
    write(CONFIG)
    assert main(["run", NAME, "-o", f"out.{ending}"]) == 1
    written = (tmp_path / f"out.{ending}").read_text(encoding="utf-8")
    assert ("<!DOCTYPE html>" if ending == "html" else "name=Zoe") in written


def test_cases_are_selected_as_everywhere(write: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    write(CONFIG.replace("    vars: {name: [Ann, Bob]}", "    vars: {name: [Ann, Bob]}\n    metadata: {team: red}"))
    assert main(["run", NAME, "--where", "metadata.team=red"]) == 0
    assert "4 passed" in capsys.readouterr().out
    assert main(["run", NAME, "--failed"]) in (0, 1)


async def test_an_error_is_unscored_and_never_passes(write: Callable[[str], Path]) -> None:
    (found,) = (await results(write(one("assert: [{type: contains, value: hello}, {type: latency}]")))).values()
    assert (found.verdict, found.score) == (Verdict.UNSCORED, None)
    assert found.reason == "latency: needs a `threshold`"
    assert found.evaluators[0].verdict is Verdict.PASSED


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("assert: [{type: meteor, value: a}]", "rubric does not run assertions of the type meteor of promptfoo: promptfoo does not either"),
        ("assert: [{type: select-best, value: x}]", "its output is compared with those of other rows, and the test has none"),
        ("options: {transform: output.nope.deeper}", "`transform`: the javascript code failed: TypeError"),
        ("options: {transform: 'context.vars.nothing'}", "`transform` returned nothing"),
        ("options: {transformVars: 'Object.keys(vars).length'}", "`transformVars` returned no mapping of variables"),
        ("options: {transformVars: 'vars.nothing'}", "`transformVars` returned nothing"),
        ("options: {transformVars: '{a: 1}.b.c'}", "`transformVars`: the javascript code failed"),
        ("vars: {a: x}, options: {transformVars: '({a: [`x`, `y`]})'}", "`transformVars` makes 2 rows of the 1"),
        ("assertScoringFunction: file://x.js", "there is no file `x.js`"),
        ("assert: [{type: contian, value: h}]", "promptfoo has no assertion type contian"),
        ("vars: {x: file://x.py}", "there is no file `x.py`"),
        ("vars: {x: file://none.txt}", "there is no file `none.txt`"),
        ("assert: [{type: contains, value: '{{ x | nofilter }}'}]", "No filter named 'nofilter'"),
    ],
)  # fmt: skip
async def test_what_is_not_run_says_so(write: Callable[[str], Path], test: str, words: str) -> None:
    (found,) = (await results(write(one(test)))).values()
    assert found.verdict is Verdict.UNSCORED
    assert words in found.reason


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prompts: [p]\nproviders: [bedrock:x]\ntests: [{vars: {a: b}}]\n", "rubric does not call the provider bedrock:x of promptfoo"),
        ("prompts: [p]\nproviders: []\ntests: [{vars: {a: b}}]\n", "`providers` names no provider"),
        ("prompts: []\nproviders: [echo]\ntests: [{vars: {a: b}}]\n", "`prompts` is empty"),
        ("prompts: [none.txt]\nproviders: [echo]\ntests: [{vars: {a: b}}]\n", "there is no file `none.txt`"),
        ("prompts: ['exec:make.sh']\nproviders: [echo]\ntests: [{vars: {a: b}}]\n", "command not found: make.sh"),
        ("prompts: [p]\nproviders: [echo]\ntests: file://cases.yaml\n", "there is no file `cases.yaml`"),
        ("prompts: [p]\nproviders: [echo]\nscenarios: [{config: [{}], tests: file://x.yaml}]\n", "there is no file `x.yaml`"),
        ("prompts: [p]\nproviders: [echo]\nextensions: ['file://x.js:beforeAll']\ntests: [{vars: {a: b}}]\n", "there is no file `x.js`"),
        ("prompts: [p]\nproviders: [echo]\ntests: [{$ref: '#/nothing'}]\n", "promptfoo/unknown-pointer: there is nothing at `#/nothing`"),
        ("prompts: [p]\nproviders: [echo]\ntests: [{vars: {a: b}, prompts: [q]}]\n", "there is no prompt `q`"),
    ],
)  # fmt: skip
async def test_a_configuration_that_cannot_be_run_is_never_a_pass(
    write: Callable[[str], Path], text: str, words: str
) -> None:
    (found,) = (await results(write(text))).values()
    assert found.verdict is Verdict.UNSCORED
    assert words in found.reason


async def test_a_broken_prompt_keeps_no_other_from_running(write: Callable[[str], Path]) -> None:
    """As in promptfoo, where the rows of that prompt are errors; and a template that nothing refers to does no harm."""
    prompts = ["Say {{word}}", "Say {{word | uper}}", "Say {% if word %}hi"]
    text = f"""prompts: {json.dumps(prompts)}
providers: [echo]
assertionTemplates: {{unused: {{type: contain}}}}
tests: [{{vars: {{word: hi}}, assert: [{{type: contains, value: Say}}]}}]
"""
    found = await results(write(text))
    assert [each.verdict for each in found.values()] == [Verdict.PASSED, *[Verdict.UNSCORED] * 2]


async def test_references_anchors_and_merge_keys(write: Callable[[str], Path]) -> None:
    text = """\
x-checks: {polite: {type: contains, value: please}}
x-shared: &shared {vars: {word: please}}
prompts: ["{{word}}"]
providers: [echo]
tests:
  - {<<: *shared, description: merged, assert: [{$ref: "#/x-checks/polite"}]}
  - {description: not, vars: {word: now}, assert: [{$ref: "#/x-checks/polite"}]}
"""
    found = await results(write(text))
    assert {name: each.verdict for name, each in found.items()} == {
        "merged @echo": Verdict.PASSED,
        "not @echo": Verdict.FAILED,
    }


async def test_a_program_answers(write: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "answer.py").write_text(
        "import json, sys\ncontext = json.loads(sys.argv[3])\nprint(sys.argv[1], context['vars'], context['test']['metadata'], context['prompt']['raw'], context['repeatIndex'])\n",
        encoding="utf-8",
    )
    text = f"prompts: ['Hi {{{{n}}}}']\nproviders: ['exec: {sys.executable} answer.py', {{id: 'exec: none-such', label: gone}}]\n"
    found = await results(
        write(
            f"{text}tests: [{{description: t, metadata: {{m: 1}}, vars: {{n: Ann}}, assert: [{{type: contains, value: Hi Ann}}]}}]\n"
        )
    )
    answered, gone = found.values()
    told = "{'n': 'Ann', '__evalId': 'eval-rubric', '__evalStepId': 'test-0-prompt-0-repeat-0', '__repeatIndex': 0}"
    assert (answered.verdict, answered.answer) == (Verdict.PASSED, f"Hi Ann {told} {{'m': 1}} Hi {{{{n}}}} 0")
    assert gone.verdict is Verdict.UNSCORED
    assert "command not found: none-such" in gone.reason


async def test_templates_see_the_environment(write: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PF_GREETING", "Hi")
    text = "env: {PF_NAME: Ann}\nprompts: ['{{env.PF_GREETING}} {{env.PF_NAME}}{{env.PF_NONE}}!']\nproviders: [echo]\ntests: [{description: t, assert: [{type: equals, value: Hi Ann!}]}]\n"
    (found,) = (await results(write(text))).values()
    assert (found.verdict, found.answer) == (Verdict.PASSED, "Hi Ann!")


async def test_repeats_have_to_pass_all(write: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "count.py").write_text(
        "import pathlib\np = pathlib.Path('n')\nn = int(p.read_text()) if p.exists() else 0\np.write_text(str(n + 1))\nprint(n)\n", encoding="utf-8"
    )  # fmt: skip
    text = f"prompts: [p]\nproviders: ['exec: {sys.executable} count.py']\ntests: [{{description: t, options: {{repeat: 3}}, assert: [{{type: equals, value: 0}}]}}]\n"
    (found,) = (await results(write(text))).values()
    assert (tmp_path / "n").read_text(encoding="utf-8") == "3"
    assert found.verdict is Verdict.FAILED


async def test_filters_of_the_configuration(write: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "shout.js").write_text("module.exports = text => text + '!';\n", encoding="utf-8")
    text = "nunjucksFilters: {shout: shout.js}\nprompts: ['{{ n | shout }}']\nproviders: [echo]\ntests: [{description: t, vars: {n: Hey}, assert: [{type: equals, value: Hey!}]}]\n"
    (found,) = (await results(write(text))).values()
    assert (found.verdict, found.reason) == (Verdict.PASSED, "")


async def test_javascript_members_are_refused_not_left_empty(write: Callable[[str], Path]) -> None:
    text = "prompts: ['{{ n.toUpperCase() }}']\nproviders: [echo]\ntests: [{description: t, vars: {n: Hey}}]\n"
    (found,) = (await results(write(text))).values()
    assert found.verdict is Verdict.UNSCORED
    assert "rubric does not have JavaScript's `toUpperCase` in templates" in found.reason


@pytest.mark.parametrize(
    ("tag", "file"),
    [
        ("{% include 'rules.md' %}", "the file `rules.md`"),
        ("{% extends file %}", "the file of a computed name"),
        ("{% import 'm.njk' as m %}", "the file `m.njk`"),
    ],
)
async def test_templates_that_read_files_are_refused(
    write: Callable[[str], Path], tmp_path: Path, tag: str, file: str
) -> None:
    for name in ("rules.md", "m.njk"):  # one that is missing is a mistake of its own
        (tmp_path / name).write_text("text", encoding="utf-8")
    text = f'prompts: ["Answer. {tag}"]\nproviders: [echo]\ntests: [{{description: t, vars: {{file: x}}}}]\n'
    (found,) = (await results(write(text))).values()
    assert found.verdict is Verdict.UNSCORED
    assert f"rubric reads no other file into a template; write the text of {file} here" in found.reason


async def test_code_reads_the_test_as_it_is_written(write: Callable[[str], Path]) -> None:
    text = one(
        "vars: {q: '{{w}}!', w: [a, b]}, metadata: {k: '{{q}}'}, assert: [{type: python, value: file://judge.py}]",
        more="defaultTest: {metadata: {d: 1}}\n",
    )
    path = write(text)
    code = "import json\ndef get_assert(output, context):\n    return {'pass': False, 'score': 0, 'reason': json.dumps(context['test'])}\n"
    (path.parent / "judge.py").write_text(code, encoding="utf-8")
    for number, row in enumerate((await results(path)).values()):
        (reason,) = row.evaluators[0].misses
        told = json.loads(reason)
        assert told["vars"] == {"q": "{{w}}!", "w": "ab"[number]}
        assert (told["description"], told["metadata"]) == ("t", {"d": 1, "k": "{{q}}"})
        assert told["assert"] == [{"type": "python", "value": "file://judge.py"}]


async def test_equal_descriptions_are_told_apart(write: Callable[[str], Path]) -> None:
    text = "prompts: [p]\nproviders: [echo]\ntests: [{description: 'a [b]', vars: {x: 1}}, {description: 'a [b]', vars: {x: 2}}]\n"
    assert list(await results(write(text))) == ["a (b) @echo", "a (b)~2 @echo"]


def test_a_change_makes_a_result_stale(write: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "check.js").write_text("module.exports = () => true;\n", encoding="utf-8")
    text = one("assert: [{type: javascript, value: 'file://check.js'}]")

    def mark(text: str) -> str:
        case = variations(load_suite(write(text)).cases[0])[0]
        return fingerprint(case, case.files, shared_targets(case, case.files))

    before = mark(text)
    assert mark(text) == before
    assert mark(text.replace("prompts: ['p']", "prompts: ['q']")) != before
    assert mark(text.replace("hello", "bye")) != before
    assert mark(f"{text}\nevaluateOptions: {{repeat: 1}}\n") != before
    (tmp_path / "check.js").write_text("module.exports = () => false;\n", encoding="utf-8")
    assert mark(text) != before


@pytest.mark.parametrize(
    ("one_text", "other", "edits"),
    [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("a😀b", "ab", 2), ("é", "e", 1)],
)
def test_edits_between_texts(one_text: str, other: str, edits: int) -> None:
    assert levenshtein_distance(one_text, other) == levenshtein_distance(other, one_text) == edits


async def test_a_schema_without_its_package_is_unscored(
    write: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    (found,) = (await results(write(one("assert: [{type: is-json, value: {type: object}}]", output="{}")))).values()
    assert found.verdict is Verdict.UNSCORED
    assert "its extra `promptfoo`" in found.reason


async def test_outputs_are_transformed_in_order(write: Callable[[str], Path], tmp_path: Path) -> None:
    """That of the provider, of the options, and of the assertion, which alone sees its own."""
    (tmp_path / "twice.py").write_text("def get_transform(output, context):\n    return output * 2\n", encoding="utf-8")
    text = """\
prompts: ["{{n}}"]
providers: [{id: echo, transform: output + '!'}]
tests:
  - description: t
    vars: {n: hey}
    options: {transform: file://twice.py}
    assert: [{type: equals, value: HEY!HEY!, transform: output.toUpperCase()}, {type: equals, value: hey!hey!}]
"""
    (found,) = (await results(write(text))).values()
    assert (found.verdict, found.answer) == (Verdict.PASSED, "hey!hey!")


async def test_an_output_may_become_data(write: Callable[[str], Path]) -> None:
    text = one(
        "options: {transform: 'JSON.parse(output)'}, assert: [{type: javascript, value: output.a === 5}, {type: contains, value: '\"a\":5'}]",
        output='{"a": 5}',
    )
    (found,) = (await results(write(text))).values()
    assert (found.verdict, found.answer) == (Verdict.PASSED, '{"a":5}')


async def test_a_mistake_in_a_test_of_a_scenario_counts_in_every_round(write: Callable[[str], Path]) -> None:
    text = """\
prompts: ["{{n}}"]
providers: [echo]
scenarios:
  - config: [{vars: {n: a}}, {vars: {n: b}}]
    tests: [{description: t, vars: {m: x}, threshold: high}, {description: right, vars: {m: x}}]
"""
    found = await results(write(text))
    assert {name: each.verdict for name, each in found.items()} == {
        "t @echo": Verdict.UNSCORED,
        "right @echo": Verdict.PASSED,
        "t~2 @echo": Verdict.UNSCORED,
        "right~2 @echo": Verdict.PASSED,
    }


async def test_scenarios_are_rounds_of_tests(write: Callable[[str], Path]) -> None:
    """The values of the round come before those of the default, those of the test before both; all assertions count."""
    text = """\
prompts: ["{{greeting}} {{name}}"]
providers: [echo]
defaultTest: {vars: {greeting: Hello}, assert: [{type: not-contains, value: xyz}]}
scenarios:
  - config: [{vars: {greeting: Hola}, assert: [{type: starts-with, value: Hola}]}, {vars: {name: nobody}}]
    tests: [{description: t, vars: {name: Ann}, assert: [{type: contains, value: Ann}]}]
"""
    found = await results(write(text))
    assert {name: (each.answer, len(each.evaluators)) for name, each in found.items()} == {
        "t @echo": ("Hola Ann", 3),
        "t~2 @echo": ("Hello Ann", 2),
    }
    assert {each.verdict for each in found.values()} == {Verdict.PASSED}


@pytest.mark.parametrize(
    ("output", "verdict"),
    [
        ('Here: {"a": 1}, and {b: [1, 2]}.', Verdict.PASSED),
        ("if (x) { return { y; }; } {c: 3}", Verdict.PASSED),
        ("no object: }{[ and {a: [}", Verdict.FAILED),
        ("{" * 60_000, Verdict.UNSCORED),
        ('{"a": ' * 20_000, Verdict.UNSCORED),
    ],
)
async def test_objects_are_looked_for_with_bounded_work(
    write: Callable[[str], Path], output: str, verdict: Verdict
) -> None:
    (found,) = (await results(write(one("assert: [{type: contains-json}]", output=output)))).values()
    assert found.verdict is verdict
    assert ("too many braces" in found.reason) is (verdict is Verdict.UNSCORED)


async def test_code_gets_numbers_that_json_has_not(write: Callable[[str], Path]) -> None:
    code = "vars: {a: .inf, b: .nan}, assert: [{type: javascript, value: context.vars.a === Infinity && context.vars.b !== context.vars.b}]"
    (result,) = (await results(write(one(code)))).values()
    assert result.verdict is Verdict.PASSED, result.reason


async def test_an_output_that_json_has_not_is_no_score(write: Callable[[str], Path]) -> None:
    """promptfoo makes `null` of it, which a test for the text `NaN` must not find."""
    code = "options: {transform: parseFloat(output)}, assert: [{type: equals, value: NaN}]"
    (result,) = (await results(write(one(code)))).values()
    assert result.verdict is Verdict.UNSCORED
    assert "NaN, which is no JSON" in result.reason


async def test_a_key_in_the_address_of_a_provider_is_not_kept(
    write: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other ids are filled in where the configuration is read."""
    monkeypatch.setenv("MY_KEY", "sk-very-secret-key")
    monkeypatch.setenv("MY_KIND", "echo")
    text = (
        "prompts: [p]\nproviders:\n  - {id: 'https://host.invalid/{{env.MY_KEY}}', config: {method: GET}}\n"
        "  - '{{env.MY_KIND}}'\ntests: [{assert: [{type: equals, value: p}]}]\n"
    )
    found = await results(write(text))
    assert [each.verdict for each in found.values()] == [Verdict.UNSCORED, Verdict.PASSED]
    assert "sk-very" not in repr(found)


@pytest.mark.parametrize(
    ("template", "verdict", "words"),
    [
        ("{{ q | replace(r/l+/g, '_') }}", Verdict.UNSCORED, "regular expressions"),
        ("{{ q[1:] }}", Verdict.UNSCORED, "no slices"),
        ("{{ 'r/l/' }} {{ 8 / 2 }} {{ r / 2 }} {{ q[0] }}", Verdict.PASSED, ""),
    ],
)
async def test_templates_that_jinja_reads_otherwise(
    write: Callable[[str], Path], template: str, verdict: Verdict, words: str
) -> None:
    test = f'vars: {{q: hello, r: 4, made: "{template}"}}, assert: [{{type: not-contains, value: _}}]'
    text = f'prompts: ["{{{{made}}}}"]\nproviders: [echo]\ntests:\n  - {{{test}}}\n'
    (result,) = (await results(write(text))).values()
    assert result.verdict is verdict, result.reason
    assert words in result.reason


@pytest.mark.parametrize("wrong", ["outputPath: ./output", "outputPath: [a.json, b.jsn]", "sharing: 3"])
async def test_a_mistake_where_no_run_looks_stops_none(wrong: str, write: Callable[[str], Path]) -> None:
    path = write(f"{CONFIG}{wrong}\n")
    assert analyze(path.read_text(encoding="utf-8"), path=path).diagnostics
    assert Verdict.UNSCORED not in {each.verdict for each in (await results(path)).values()}
