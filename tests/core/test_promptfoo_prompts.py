"""Mistakes in a prompt file of promptfoo stand in the file, once, and at its reference only where the file is not checked."""

import json
from pathlib import Path, PurePath

import pytest

from rubric_core.analysis import analyze
from rubric_core.cli import main
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile
from rubric_core.loading.defined_names import DefinedNames
from rubric_core.text import apply_edits
from rubric_core.validation.rule import Fix

USE = DefinedNames(frozenset({"word", "name", "shelf"}), frozenset({"shout"}), mappings=frozenset({"shelf"}))
PROMPTS = [
    ("say.txt", "Say {{wrod}} to {{name}}.\n{{wrod}}!\n", ["1:7 wrod: no case has a value for `wrod`; did you mean `word`?"]),
    ("say.md", "Say {{nothing}} {{ _conversation }} {{ env.HOME }}\n", ["1:7 nothing: no case has a value for `nothing`"]),
    ("say.txt", "{% if wrod %}{{wrod}}{% endif %} {{ other | default('x') }}\n", []),
    ("say.j2", "Say {{ word | shout }} {{ word | uper }}\r\n", ["1:34 uper: there is no filter `uper`; did you mean `upper`?"]),
    ("say.txt", "Say\n{% if word %}it\n", ["2:1 {% if word %}: this statement is never closed; write `{% endif %}` after its body"]),
    ("say.txt", "Say {word}} then\n", ["1:5 {word}}: `{word}}` is no placeholder; write `{{word}}`"]),
    ("chat.json", '[{"role": "usr", "content": "{{word}}"}]\n', ['1:11 "usr": there is no role `usr`; did you mean `user`?']),
    ("chat.json", '[{"role": "user", "contnet": "{{word}}"}, {"role": "user", "content": ""}]\n', [
        '1:19 "contnet": a message has no key `contnet`; did you mean `content`?',
    ]),
    ("chat.json", '[{"role": "user" "content": "x"}]\n', ['1:16 ": this is no JSON: a comma is missing behind `"`']),
    ("chat.json", '[{"role": "user", "content": {{ word | dump }}\n "name": "x"}]\n', ["1:46 }: this is no JSON: a comma is missing behind `}`"]),
    ("chat.json", "[", ["1:1 [: this is no JSON: it ends before a bracket is closed"]),
    ("chat.yaml", "- role: 'usr'\n  content: Say {{word}}\n", ["1:9 'usr': there is no role `usr`; did you mean `user`?"]),
    ("chat.yaml", '- role: user\n  content: "Say {{word}}\n', ['2:12 ": this is no YAML: this quote is never closed']),
    ("say.txt", "{{ word }} " * 20_000 + "{{ word | uper }}", []),
    ("say.txt", "", []),
    ("say.txt", "Say {word} to {{shelf.first}}\n", ["1:5 {word}: `{word}` is no placeholder; write `{{word}}`"]),
    ("say.txt", "Say {{word}} and {word}, {nothing}\n", []),
    ("say.txt", "Say {{vars.word}}\n", ["1:7 vars.word: no case has a value for `vars.word`; write `word`"]),
    ("say.txt", "{{word}} {{ shelf }} {{ shelf | dump }}\n", ["1:13 shelf: `shelf` is a mapping: write `shelf | dump`, or one of its members"]),
    ("say.txt", "# rubric: a heading\nkey: [1, 2\n", []),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), PROMPTS)
def test_mistakes_in_a_prompt_have_places(name: str, text: str, expected: list[str]) -> None:
    def look(text: str) -> list[str]:
        analysis = analyze(text, path=PurePath("/w", name), kind=PromptfooFile.PROMPT, defined_names=USE)
        return [_shown(text, d.span.start, d.span.end, d.message) for d in analysis.diagnostics]

    found = analyze(text, path=PurePath("/w", name), kind=PromptfooFile.PROMPT, defined_names=USE).diagnostics
    assert look(text) == expected
    for fix in (fix for each in found for fix in each.fixes):
        assert len(look(apply_edits(text, fix.edits))) == len(found) - 1


def _shown(text: str, start: int, end: int, message: str) -> str:
    line = text.count("\n", 0, start)
    return f"{line + 1}:{start - text.rfind(chr(10), 0, start)} {text[start:end]}: {message}"


def test_without_a_configuration_only_what_is_wrong_in_any_is_reported() -> None:
    for use in (None, DefinedNames(), DefinedNames(None, frozenset({"shout"}))):
        analysis = analyze(
            "{{wrod}} {{ word | shout }} {word}}", path=PurePath("/w/say.txt"), kind=PromptfooFile.PROMPT, defined_names=use
        )  # fmt: skip
        assert [d.message for d in analysis.diagnostics] == ["`{word}}` is no placeholder; write `{{word}}`"]


JUDGES = [
    ("judge.txt", "Rate {{ ouput }} by {{rubrik}}, {{wrod}}.\n{{ouput}}\n", [
        "1:9 ouput: nothing has a value for `ouput`; did you mean `output`?",
        "1:23 rubrik: nothing has a value for `rubrik`; did you mean `rubric`?",
        "1:35 wrod: nothing has a value for `wrod`; did you mean `word`?",
    ]),
    ("judge.txt", "Rate {{ output }} by {{ criteria }}, {{ anything }} {{ outputs }} {{ shelf }} {word} $name\n", []),
    ("judge.md", "\n# Grade\nby {{rubric}} only\n", ["2:1 # Grade: this prompt does not show the judge the output; use `{{ output }}`"]),
    ("judge.md", "Grade {output} by {{rubric}}\n", ["1:7 {output}: `{output}` is no placeholder; write `{{output}}`"]),
    ("judge.md", "Grade { {output} } by {{rubric}}\n", ["1:7 { {output} }: `{ {output} }` is no placeholder; write `{{ output }}`"]),
    ("judge.md", "Grade {output}} by {{rubric}}\n", ["1:7 {output}}: `{output}}` is no placeholder; write `{{output}}`"]),
    ("judge.md", "Grade {% if rubric %}{{ text }}{% endif %}", []),
    ("judge.md", "Grade {{ env.JUDGE }}", []),
    ("judge.txt", "Rate {{ output\n", ["1:6 {{ output: `{{ output` cannot be read as a template: it has no `}}`"]),
    ("judge.txt", "{#top} Rate {{ output }}\n", ["1:1 {#top}: `{#top}` begins a comment that has no end; write `{% raw %}` around it, or leave it out"]),
    ("judge.txt", "{{ output | shout }}", ["1:13 shout: prompts for judges have no filter `shout`: promptfoo fills them in without `nunjucksFilters`"]),
    ("judge.txt", "Reply with {'pass': true, 'reason': '...'} for {{ output | uper }}", ["1:60 uper: there is no filter `uper`; did you mean `upper`?"]),
    ("judge.txt", "", []),
    ("judge.txt", "Rate " * 30_000 + "{{ ouput }}{output}", ["1:150004 ouput: nothing has a value for `ouput`; did you mean `output`?"]),
    ("judge.json", '[{"role": "usr", "content": "{{ output }} {{rubric}}"}]\n', ['1:11 "usr": there is no role `usr`; did you mean `user`?']),
    ("judge.json", '[{"role": "user" "content": "{{ output }}"}]\n', ['1:16 ": this is no JSON: a comma is missing behind `"`']),
    ("judge.json", '[{"role": "user", "content": {{ output | dump }}}]\n', []),
    ("judge.json", '[{"role": "user", "content": "{{ output | replace(\\"a\\", \\"b\\") | trimm }}"}]\n', [
        "1:67 trimm: there is no filter `trimm`; did you mean `trim`?",
    ]),
    ("judge.json", '[{"role": "user", "content": "{% if word %}{{ output }}"}, {"role": "user", "content": "{{ word }}{% endif %}"}]\n', []),
    ("judge.json", '[{"role": "user", "content": "{% if word %}{{ output }}"}]\n', [
        "1:31 {% if word %}: this statement is never closed; write `{% endif %}` after its body",
    ]),
    ("judge.yaml", "- role: user\n  content: |\n    Rate {{ ouput }} by {{rubric}}\n", [
        "3:13 ouput: nothing has a value for `ouput`; did you mean `output`?",
    ]),
    ("judge.yaml", "- role: user\n  contnet: Rate {{ output }}\n- role: user\n  content: hi\n", [
        "2:3 contnet: a message has no key `contnet`; did you mean `content`?",
    ]),
    ("judge.yaml", '- role: user\n  content: "Rate {{ output }}\n', ['2:12 ": this is no YAML: this quote is never closed']),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), JUDGES)
def test_mistakes_in_a_prompt_for_judges_have_places(name: str, text: str, expected: list[str]) -> None:
    def look(text: str) -> list[str]:
        kind = PromptfooFile.JUDGE_PROMPT
        found = analyze(text, path=PurePath("/w", name), kind=kind, defined_names=USE).diagnostics
        fixes.extend(fix for each in found for fix in each.fixes)
        return [_shown(text, d.span.start, d.span.end, d.message) for d in found]

    fixes: list[Fix] = []
    assert look(text) == expected
    for fix in (*fixes,):
        assert len(look(apply_edits(text, fix.edits))) == len(expected) - 1


@pytest.mark.parametrize("use", [None, DefinedNames(), DefinedNames(None, frozenset({"shout"}))])
def test_slips_in_a_prompt_for_judges_may_be_variables_that_are_not_known(use: DefinedNames | None) -> None:
    text, kind = "{{ ouput }} {{ answer | trimm }}", PromptfooFile.JUDGE_PROMPT
    found = analyze(text, path=PurePath("/w/judge.txt"), kind=kind, defined_names=use).diagnostics
    assert [d.message for d in found] == ["there is no filter `trimm`; did you mean `trim`?"]


CONFIG = """\
prompts: [file://prompts/say.txt]
providers: [echo]
tests: [{vars: {word: hi}}]
"""


def checked(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    main(["check", *arguments, "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    return [f"{each['path']}:{each['range']['start']['line'] + 1} {each['code']}" for each in found]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "evals/promptfooconfig.yaml": CONFIG,
        "evals/prompts/say.txt": "Say\n{{ wrod | uper }}\n",
        "shared/say.txt": "Say\n{{ wrod | uper }}\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


THERE = ["evals/prompts/say.txt:2 promptfoo/undefined-variable", "evals/prompts/say.txt:2 promptfoo/prompt-file"]
AT_REFERENCE = [
    "evals/promptfooconfig.yaml:1 promptfoo/prompt-file",
    "evals/promptfooconfig.yaml:1 promptfoo/undefined-variable",
]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["."], THERE),
        (["evals"], THERE),
        (["evals/promptfooconfig.yaml"], THERE),
        (["evals/prompts/say.txt"], THERE),
        (["evals/prompts/say.txt", "evals/promptfooconfig.yaml"], THERE),
        (["evals/*.yaml", "evals/prompts/*.txt"], THERE),
        (["evals", "evals/prompts/say.txt"], THERE),
        (["evals/*.yaml"], THERE),
        (["shared/say.txt", "evals/promptfooconfig.yaml"], THERE),
        (["shared/say.txt"], []),
    ],
)
def test_it_is_said_once(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: list[str]
) -> None:
    assert sorted(checked(capsys, *arguments)) == sorted(expected)


@pytest.mark.parametrize("arguments", [["evals"], ["evals/promptfooconfig.yaml"]])
def test_a_prompt_outside_of_every_checked_folder_is_told_of_at_its_reference(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    config = folder / "evals/promptfooconfig.yaml"
    config.write_text(CONFIG.replace("prompts/say.txt", "../shared/say.txt"), encoding="utf-8")
    assert sorted(checked(capsys, *arguments)) == AT_REFERENCE
    for named in (["."], [*arguments, "shared/say.txt"]):
        assert [each.partition(" ")[0] for each in checked(capsys, *named)] == ["shared/say.txt:2"] * 2


@pytest.mark.parametrize(
    ("name", "text"), [(".gitignore", "prompts/\n"), (".rubric.toml", 'exclude = ["evals/prompts"]\n')]
)
def test_a_prompt_that_a_folder_hides_is_told_of_at_its_reference(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    (folder / ".git").mkdir()
    (folder / name).write_text(text, encoding="utf-8")
    assert sorted(checked(capsys, ".")) == AT_REFERENCE


def test_a_variable_is_defined_if_any_configuration_defines_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    second = folder / "evals/promptfooconfig.b.yaml"
    second.write_text(CONFIG.replace("word", "wrod"), encoding="utf-8")
    assert checked(capsys, ".") == THERE[1:]
    assert checked(capsys, "evals/prompts/say.txt") == THERE[1:]
    second.write_text(CONFIG + "nunjucksFilters: {uper: ./upper.js}\n", encoding="utf-8")
    (folder / "evals/upper.js").write_text("module.exports = (text) => text;\n", encoding="utf-8")
    assert checked(capsys, ".") == THERE[:1]


@pytest.mark.parametrize(
    ("more", "used", "expected"),
    [
        ("extensions: [file://hook.js:all]\n", "wrod", THERE),  # a slip of a known one
        ("extensions: [file://hook.js:all]\n", "made", THERE[1:]),
        ("tests: file://cases.py\n", "wrod", THERE[1:]),
    ],
)
def test_only_slips_are_told_where_a_program_may_define_variables(
    folder: Path, capsys: pytest.CaptureFixture[str], more: str, used: str, expected: list[str]
) -> None:
    config = folder / "evals/promptfooconfig.yaml"
    config.write_text((CONFIG.rpartition("tests")[0] if "tests" in more else CONFIG) + more, encoding="utf-8")
    for name in ("hook.js", "cases.py"):
        (folder / "evals" / name).write_text("", encoding="utf-8")
    prompt = folder / "evals/prompts/say.txt"
    prompt.write_text(prompt.read_text(encoding="utf-8").replace("wrod", used), encoding="utf-8")
    assert [each for each in checked(capsys, ".") if "say.txt" in each] == expected


def test_safe_fixes_mend_prompts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "evals", "--fix"]) == 0
    assert (folder / "evals/prompts/say.txt").read_text(encoding="utf-8") == "Say\n{{ word | upper }}\n"
    capsys.readouterr()


JUDGED = """\
prompts: ["Say {{word}}"]
providers: [echo]
tests:
  - {vars: {word: hi}, assert: [{type: llm-rubric, value: good, rubricPrompt: file://prompts/judge.txt}]}
"""
JUDGE = "Rate\n{{ ouput }} {{ wrod | trimm }}\n"
IN_JUDGE = [
    "evals/prompts/judge.txt:2 promptfoo/prompt-file",
    *["evals/prompts/judge.txt:2 promptfoo/undefined-variable"] * 2,
]


@pytest.fixture
def judged(folder: Path) -> Path:
    (folder / "evals/promptfooconfig.yaml").write_text(JUDGED, encoding="utf-8")
    for name in ("evals/prompts/judge.txt", "shared/judge.txt"):
        (folder / name).write_text(JUDGE, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ["."],
        ["evals/promptfooconfig.yaml"],
        ["evals/prompts/judge.txt"],
        ["evals/prompts/judge.txt", "evals/promptfooconfig.yaml"],
        ["evals", "evals/prompts/judge.txt"],
    ],
)
@pytest.mark.parametrize("place", ["assertion", "options", "defaults", "list", "reference"])
def test_it_is_said_once_of_a_prompt_for_judges(
    judged: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], place: str
) -> None:
    config, named = judged / "evals/promptfooconfig.yaml", "rubricPrompt: file://prompts/judge.txt"
    config.write_text({
        "assertion": JUDGED,
        "options": JUDGED.replace(f", {named}}}]", f"}}], options: {{{named}}}"),
        "defaults": f"{JUDGED.replace(f', {named}', '')}defaultTest: {{options: {{{named}}}}}\n",
        "list": JUDGED.replace("file://prompts/judge.txt", "[file://prompts/judge.txt, '{{answer}}']"),
        "reference": JUDGED.replace("{type: llm-rubric, value: good, " + named, "{$ref: '#/assertionTemplates/a'")
        + f"assertionTemplates: {{a: {{type: llm-rubric, value: good, {named}}}}}\n",
    }[place], encoding="utf-8")  # fmt: skip
    assert sorted(checked(capsys, *arguments)) == IN_JUDGE
    assert main(["check", *arguments, "--fix"]) == 0
    assert (judged / "evals/prompts/judge.txt").read_text(encoding="utf-8") == "Rate\n{{ output }} {{ word | trim }}\n"
    capsys.readouterr()


def test_a_prompt_for_judges_outside_is_told_of_at_its_reference(
    judged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = judged / "evals/promptfooconfig.yaml"
    config.write_text(JUDGED.replace("prompts/judge", "../shared/judge"), encoding="utf-8")
    assert checked(capsys, "evals") == ["evals/promptfooconfig.yaml:4 promptfoo/prompt-file"]
    assert sorted(checked(capsys, ".")) == [each.replace("evals/prompts", "shared") for each in IN_JUDGE]


@pytest.mark.parametrize("both", [False, True])
def test_a_prompt_for_judges_that_a_file_of_cases_names_is_checked_once(
    judged: Path, capsys: pytest.CaptureFixture[str], both: bool
) -> None:
    config = judged / "evals/promptfooconfig.yaml"
    head, _, case = JUDGED.partition("tests:\n")
    (judged / "evals/cases.yaml").write_text(case[2:], encoding="utf-8")
    config.write_text(f"{head}tests:\n{case if both else ''}  - file://cases.yaml\n", encoding="utf-8")
    assert sorted(checked(capsys, ".")) == IN_JUDGE
    assert sorted(checked(capsys, "evals/promptfooconfig.yaml")) == IN_JUDGE


def test_a_variable_that_only_a_prompt_for_judges_reads_is_used(
    judged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = judged / "evals/promptfooconfig.yaml"
    (judged / "evals/prompts/judge.txt").write_text("{{output}} {{tone}}\n", encoding="utf-8")
    for named in ("file://prompts/judge.txt", "[file://prompts/judge.txt]", "'{{output}} {{tone}}'", "'{{output}}'"):
        written = JUDGED.replace("word: hi", "word: hi, tone: kind").replace("file://prompts/judge.txt", named)
        config.write_text(written, encoding="utf-8")
        unused = [each for each in checked(capsys, ".") if each.endswith("promptfoo/unused-variable")]
        assert len(unused) == (named == "'{{output}}'")


def test_a_prompt_that_judges_get_as_well_is_a_prompt(judged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = judged / "evals/promptfooconfig.yaml"
    config.write_text(JUDGED.replace('"Say', 'file://prompts/judge.txt, "Say'), encoding="utf-8")
    (judged / "evals/prompts/judge.txt").write_text("Say {{ output }} {{word}}\n", encoding="utf-8")
    assert sorted(checked(capsys, ".")) == ["evals/prompts/judge.txt:1 promptfoo/undefined-variable"]
    assert checked(capsys, "evals/prompts/judge.txt") == checked(capsys, ".")


def test_the_content_of_a_message_for_judges_is_no_whole_prompt(
    judged: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = judged / "evals/promptfooconfig.yaml"
    message = "[{role: system, content: file://prompts/judge.txt}, {role: user, content: '{{output}}'}]"
    config.write_text(JUDGED.replace("file://prompts/judge.txt", message), encoding="utf-8")
    (judged / "evals/prompts/judge.txt").write_text("You are strict.\n", encoding="utf-8")
    assert checked(capsys, ".") == []


def test_a_prompt_that_is_named_asks_every_configuration_above_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "promptfooconfig.yaml").write_text(
        CONFIG.replace("prompts/", "evals/prompts/").replace("word", "other"), encoding="utf-8"
    )
    (folder / "evals/prompts/say.txt").write_text("{{word}} {{other}} {{wrod}}\n", encoding="utf-8")
    assert checked(capsys, "evals/prompts/say.txt") == ["evals/prompts/say.txt:1 promptfoo/undefined-variable"]


PROGRAMS = [
    ("grade.js", "module.exports = (output) => {\n  const least = 3;\n  return output.length > lest || lest;\n};\n", [
        "3:26 lest: nothing defines `lest`; did you mean `least`?",
    ]),
    ("grade.mjs", "export default (output, context) => context.promt;\n", ["1:45 promt: `context` has no `promt`; did you mean `prompt`?"]),
    ("grade.cjs", "module.exports = (output) => output.trim(;\n", ["1:42 ;: this is no JavaScript: `;` is not expected here"]),
    ("grade.py", "def get_assert(output, context):\n    return {'pass': lne(output) > 3, 'score': 1, 'reson': 'x'}\n", [
        "2:21 lne: nothing defines `lne`; did you mean `len`?", "2:51 reson: a result has no `reson`; did you mean `reason`?",
    ]),
    ("call.py", "def call_api(prompt, options, context):\n    {'error': 'x'}\n    return {'output': prompt}\n", [
        "2:5 {: this mapping is dropped; `return` is missing before it",
    ]),
    ("grade.py", "def get_assert(output, context:\n", ["1:15 (: this is no Python: '(' was never closed"]),
    ("grade.js", "", []),
    ("grade.py", "# rubric: {{ a }} [1\nkey = [1, 2]\n", []),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), PROGRAMS)
def test_mistakes_in_a_program_have_places(name: str, text: str, expected: list[str]) -> None:
    def look(text: str) -> list[str]:
        analysis = analyze(text, path=PurePath("/w", name), kind=PromptfooFile.PROGRAM)
        return [_shown(text, d.span.start, d.span.end, d.message) for d in analysis.diagnostics]

    found = analyze(text, path=PurePath("/w", name), kind=PromptfooFile.PROGRAM).diagnostics
    assert look(text) == expected
    for fix in (fix for each in found for fix in each.fixes):
        assert not fix.safe, "rubric does not rewrite programs by itself"
        assert len(look(apply_edits(text, fix.edits))) == len(found) - 1


PROGRAM = "module.exports = (output) => {\n  const least = 3;\n  return output.length > lest;\n};\n"
RUNS = """\
prompts: ["Say {{word}}"]
providers: [echo]
tests:
  - {vars: {word: hi}, assert: [{type: javascript, value: file://code/grade.js}]}
"""


@pytest.fixture
def programs(folder: Path) -> Path:
    (folder / "evals/code").mkdir()
    (folder / "evals/promptfooconfig.yaml").write_text(RUNS, encoding="utf-8")
    for name in ("evals/code/grade.js", "evals/code/other.js", "shared/grade.js"):
        (folder / name).write_text(PROGRAM, encoding="utf-8")
    return folder


IN_PROGRAM = ["evals/code/grade.js:3 promptfoo/program"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["."], IN_PROGRAM),
        (["evals/promptfooconfig.yaml"], IN_PROGRAM),
        (["evals/code/grade.js"], IN_PROGRAM),
        (["evals/promptfooconfig.yaml", "evals/code/grade.js"], IN_PROGRAM),
    ],
)
def test_it_is_said_once_of_a_program(
    programs: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], expected: list[str]
) -> None:
    assert checked(capsys, *arguments) == expected
    assert main(["check", *arguments, "--fix"]) == 0
    assert (programs / "evals/code/grade.js").read_text(encoding="utf-8") == PROGRAM
    capsys.readouterr()


def test_a_program_outside_is_told_of_at_its_reference(programs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = programs / "evals/promptfooconfig.yaml"
    config.write_text(RUNS.replace("code/", "../shared/"), encoding="utf-8")
    assert checked(capsys, "evals") == ["evals/promptfooconfig.yaml:4 promptfoo/program"]
    assert checked(capsys, ".") == ["shared/grade.js:3 promptfoo/program"]


@pytest.mark.parametrize("both", [False, True])
def test_a_program_that_a_file_of_cases_names_is_checked_once(
    programs: Path, capsys: pytest.CaptureFixture[str], both: bool
) -> None:
    config = programs / "evals/promptfooconfig.yaml"
    head, _, case = RUNS.partition("tests:\n")
    (programs / "evals/cases.yaml").write_text(case[2:], encoding="utf-8")
    config.write_text(f"{head}tests:\n{case if both else ''}  - file://cases.yaml\n", encoding="utf-8")
    assert checked(capsys, ".") == IN_PROGRAM
    assert checked(capsys, "evals/promptfooconfig.yaml") == IN_PROGRAM


def test_a_program_that_nothing_names_is_no_suite(programs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not [each for each in checked(capsys, ".") if "other.js" in each or "shared" in each]
    assert main(["format", "evals/code/grade.js"]) in (0, 1, 2)
    assert main(["migrate", "evals", "--to", "agentv-5"]) in (0, 1, 2)
    assert (programs / "evals/code/grade.js").read_text(encoding="utf-8") == PROGRAM
    capsys.readouterr()
