"""Names in a suite, its files and its programs: every occurrence is found, renamed, or the reason to refuse.

In the texts, the occurrences of one name stand between `«` and `»`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, ServerError, place
from running import written

HOME = "promptfooconfig.yaml"
#: Only a file of cases refers to it, so that it is nothing by itself in an editor.
NESTED = "other.py"
#: Workspaces by what they are about: their files, and the new name.
SUITES: dict[str, tuple[dict[str, str], str]] = {
    "a case that cases in files depend on": (
        {
            "a.eval.yaml": """\
# rubric: dialect=agentv-3
name: a
tests:
  - {id: «login», criteria: c, input: i}
  - {id: second, criteria: c, input: i, depends_on: [«login», late]}
  - file://more.yaml
  - file://data.jsonl
""",
            "more.yaml": "- {id: late, criteria: c, input: i, depends_on: [«login»]}\n",
            "data.jsonl": '{"id": "third", "criteria": "c", "input": "i", "depends_on": ["«login»"]}\n',
            "b.eval.yaml": "# rubric: dialect=agentv-3\nname: b\ntests:\n  - {id: login, criteria: c, input: i}\n",
        },
        "sign-in",
    ),
    "a case of a file that several suites include": (
        {
            "a.eval.yaml": """\
# rubric: dialect=agentv-5
name: a
tests:
  - {id: first, criteria: c, input: i, depends_on: ['«login»']}
  - file://cases/more.yaml
""",
            "b.eval.yaml": """\
# rubric: dialect=agentv-5
name: b
tests:
  - file://cases/more.yaml
  - {id: other, criteria: c, input: i, depends_on: [«login»]}
""",
            "cases/more.yaml": "- {id: «login», criteria: c, input: i}\n",
        },
        "sign-in",
    ),
    "a case of a table": (
        {
            "a.eval.yaml": """\
# rubric: dialect=agentv-5
name: a
tests:
  - file://rows.csv
  - {id: first, criteria: c, input: i, depends_on: [«login»]}
""",
            "rows.csv": 'id,question,__expected\n«login»,q,"contains: a"\nother,login,contains: b\n',
        },
        "sign-in",
    ),
    "a variable that programs, tables and prompts use": (
        {
            HOME: """\
prompts: ['Hi {{«who»}}', file://prompts/hello.txt, file://prompts/make.py:make]
providers: [file://ask.py]
defaultTest: file://defaults.yaml
tests:
  - file://rows.csv
  - file://lines.jsonl
  - file://cases/some.yaml
  - vars: {«who»: Zoe}
    assert:
      - {type: python, value: file://check.py:verdict}
      - {type: javascript, value: file://check.js}
      - {type: javascript, value: "output.includes(context.vars['«who»'])"}
      - type: python
        value: |
          context["vars"]["«who»"] in output
""",
            "prompts/hello.txt": "Hello {{ «who» | upper }}, who are you?\n",
            "prompts/make.py": "def make(context):\n    return 'Hi ' + context['vars'].get('«who»', 'who')\n",
            "ask.py": """\
def call_api(prompt, options, context):
    given = context.get("vars", {})
    return {"output": given["«who»"] + given.get("«who»")}
""",
            "defaults.yaml": "vars: {«who»: nobody}\n",
            "rows.csv": """\
«who»,__expected,__metric
Ann,contains:{{«who»}},who
Bob,"javascript: output === context.vars[""«who»""]",who
""",
            "lines.jsonl": '{"vars": {"«who»": "Kim"}, "assert": [{"type": "contains", "value": "{{«who»}}"}]}\n',
            "cases/some.yaml": """\
- vars: {«who»: Max}
  assert: [{type: python, value: 'file://other.py'}]
""",
            "other.py": 'def get_assert(output, context):\n    return context.get("vars", {}).get("«who»") in output\n',
            "check.py": """\
def verdict(output, context):
    who = context["vars"]["«who»"]
    return {"pass": who in output, "score": 1.0, "reason": "who"}
""",
            "check.js": """\
module.exports = (output, context) => {
  const given = context.vars;
  return output.includes(context.vars.«who») && given.«who» === (context.vars || {}).«who»;
};
""",
        },
        "name",
    ),
    "a metric of cases, tables and formulas": (
        {
            HOME: """\
prompts: ['Hi {{who}}']
providers: [echo]
derivedMetrics: [{name: both, value: «tone» * 2}]
tests:
  - file://rows.csv
  - file://quoted.csv
  - file://some.yaml
  - vars: {who: Zoe}
    assert: [{type: contains, value: Zoe, metric: «tone»}]
""",
            "rows.csv": "who,__expected,__metric\nAnn,contains:Ann,«tone»\nBob,contains:tone,other\n",
            "quoted.csv": 'who,__expected,__metric\nAnn,contains:Ann,"«tone»"\n',
            "some.yaml": "- vars: {who: Max}\n  assert: [{type: contains, value: Max, metric: '«tone»'}]\n",
        },
        "voice",
    ),
}


def unmarked(text: str) -> str:
    return text.replace("«", "").replace("»", "")


def spans(text: str) -> Iterator[tuple[int, int]]:
    """The marked occurrences, as offsets of the text without marks."""
    at = 0
    for part in text.split("«")[:-1]:
        at += len(unmarked(part))
        begin = at
        yield begin, begin + len(text.split("«")[1].partition("»")[0])


def marked_ranges(files: Mapping[str, str]) -> list[tuple[str, int, int, int]]:
    found = []
    for name, text in files.items():
        for start, end in spans(text):
            at = place(unmarked(text), start)
            found.append((name, at["line"], at["character"], at["character"] + end - start))
    return sorted(found)


def answered(folder: Path, locations: list[dict[str, Any]]) -> list[tuple[str, int, int, int]]:
    return sorted((relative(folder, each["uri"]), *_range(each["range"])) for each in locations)


def relative(folder: Path, uri: str) -> str:
    return uri.removeprefix(f"{folder.as_uri()}/")


def _range(found: dict[str, Any]) -> tuple[int, int, int]:
    return found["start"]["line"], found["start"]["character"], found["end"]["character"]


def renamed(folder: Path, files: Mapping[str, str], answer: dict[str, Any]) -> dict[str, str]:
    """The files after the edits of a rename."""
    texts = dict(files)
    for change in answer["documentChanges"]:
        name = relative(folder, change["textDocument"]["uri"])
        lines = texts[name].split("\n")
        for edit in sorted(change["edits"], key=lambda e: _range(e["range"]), reverse=True):
            line, start, end = _range(edit["range"])
            lines[line] = lines[line][:start] + edit["newText"] + lines[line][end:]
        texts[name] = "\n".join(lines)
    return texts


def started(connect: Connect, folder: Path, files: Mapping[str, str], opened: str) -> Client:
    client = connect()
    client.initialize(VSCODE, folder)
    for name in dict.fromkeys((next(iter(files)), opened)):
        client.open((folder / name).as_uri(), files[name], kind="yaml")
    return client


@pytest.mark.parametrize("about", SUITES)
def test_every_occurrence_leads_to_all_others(connect: Connect, tmp_path: Path, about: str) -> None:
    """From each file that has it, which is open beside the suite while the others are closed."""
    marked, new = SUITES[about]
    files = {name: unmarked(text) for name, text in marked.items()}
    folder = written(tmp_path / "suites", files)
    expected = marked_ranges(marked)
    for opened, text in marked.items():
        if "«" not in text or opened == NESTED:
            continue
        client = started(connect, folder, files, opened)
        for start, _ in spans(text):
            at = place(files[opened], start + 1)
            uri = (folder / opened).as_uri()
            found = client.at("references", uri, at["line"], at["character"], context={"includeDeclaration": True})
            assert answered(folder, found) == expected, (opened, at)
            lights = client.at("documentHighlight", uri, at["line"], at["character"])
            here = [span for name, *span in expected if name == opened]
            assert sorted(list(_range(each["range"])) for each in lights) == here, (opened, at)
            answer = client.at("rename", uri, at["line"], at["character"], newName=new)
            after = renamed(folder, files, answer)
            assert after == {name: _replaced(each, new) for name, each in marked.items()}, (opened, at)


def _replaced(marked: str, new: str) -> str:
    first, *others = marked.split("«")
    return first + "".join(new + each.partition("»")[2] for each in others)


PROMPT = "prompts: ['Hi {{who}}']\nproviders: [echo]\n"
CHECK = "    assert: [{type: python, value: 'file://check.py'}]\n"
CASE = f"{PROMPT}tests:\n  - vars: {{who: Zoe}}\n{CHECK}"
AGENTV = "# rubric: dialect=agentv-5\nname: a\ntests:\n  - {id: who, criteria: c, input: i}\n"


@pytest.mark.parametrize(
    ("files", "new", "why"),
    [
        ({HOME: CASE, "check.py": "def get_assert(o, context):\n    return context['vars']['w' + o] in o\n"}, "x", r"check\.py, line 2"),
        ({HOME: CASE, "check.py": "def get_assert(o, context):\n    return context['vars'][o] in o\n"}, "x", r"check\.py, line 2"),
        (
            {HOME: CASE, "check.py": "def get_assert(o, context):\n    key = ''.join(['w', 'ho'])\n    return context['vars'][key] in o\n"},
            "x",
            r"check\.py, line 3",
        ),
        (
            {HOME: CASE, "check.py": "def get_assert(o, context):\n    key = 'w'\n    key += 'ho'\n    return context['vars'][key] in o\n"},
            "x",
            r"check\.py, line 4",
        ),
        ({HOME: CASE.replace("'file://check.py'", "'key = ''who''; context[\"vars\"][key]'")}, "x", "line 5"),
        (
            {HOME: CASE, "check.py": "def get_assert(o, context):\n    return f(context['vars'])\ndef f(v):\n    return v['who']\n"},
            "x",
            r"check\.py, line 4",
        ),
        (
            {HOME: CASE.replace("check.py", "check.js"), "check.js": "module.exports = (o, {vars}) =>\n  vars[`${o}ho`];\n"},
            "x",
            r"check\.js, line 2",
        ),
        ({HOME: f"{PROMPT}tests:\n  - file://rows.xlsx\n  - vars: {{who: Zoe}}\n", "rows.xlsx": "broken"}, "x", r"rows\.xlsx"),
        (
            {HOME: f"{PROMPT}tests: file://make.py\n", "make.py": "def generate_tests():\n    return [{'vars': {'who': 'x'}}]\n"},
            "x",
            r"make\.py, line 2, has `who`",
        ),
        ({HOME: f"{PROMPT}tests: https://docs.google.com/spreadsheets/d/x\n"}, "x", r"docs\.google\.com"),
        ({HOME: f"{PROMPT}tests: ../outside.yaml\n", "../outside.yaml": "- vars: {who: Zoe}\n"}, "x", r"outside\.yaml, line 1"),
        ({HOME: f"{PROMPT}tests: file://binary.yaml\n", "binary.yaml": "- vars: {who: \udcff}\n"}, "x", r"binary\.yaml.* cannot be read"),
        ({HOME: CASE.replace("who: Zoe", "who: Zoe, other: 1"), "check.py": "\n"}, "other", r"already a variable other \(promptfooconfig\.yaml, line 4\)"),
        ({HOME: CASE, "check.py": "\n"}, "loop", "meaning of its own"),
        ({HOME: CASE.replace("'Hi {{who}}'", '"Hi {{who}} {% raw %}{{x}}{% endraw %}"'), "check.py": "\n"}, "x", r"line 1 has a `raw` part"),
        ({"a.eval.yaml": f"{AGENTV}  - file://more.yaml\n", "more.yaml": "- {id: second, criteria: c, input: i}\n"}, "second", r"already a case second \(more\.yaml, line 1\)"),
        ({"a.eval.yaml": f"{AGENTV}  - file://make.py\n", "make.py": "print([{'depends_on': ['who']}])\n"}, "x", r"make\.py, line 1, has `who`"),
    ],
)  # fmt: skip
def test_a_place_that_cannot_be_edited_is_the_reason_to_refuse(
    connect: Connect, tmp_path: Path, files: dict[str, str], new: str, why: str
) -> None:
    folder = tmp_path / "suites"
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    opened = next(iter(files))
    client = started(connect, folder, files, opened)
    text = files[opened]
    word = "who: Zoe" if "who: Zoe" in text else "who"
    at = place(text, text.index(word) + 1)
    with pytest.raises(ServerError, match=why):
        client.at("rename", (folder / opened).as_uri(), at["line"], at["character"], newName=new)


@pytest.mark.parametrize(
    ("reads", "why"),
    [
        ("return {'pass': True, 'score': 1, 'named_scores': {'tone': 1}}", r"check\.py, line 2"),
        ("return {'pass': True, 'score': 1, 'reason': 'tone'}", ""),
    ],
)
def test_a_metric_that_a_program_gives_keeps_its_name(connect: Connect, tmp_path: Path, reads: str, why: str) -> None:
    text = f"derivedMetrics: [{{name: both, value: tone * 2}}]\n{CASE}".replace("py'}", "py', metric: tone}")
    files = {HOME: text, "check.py": f"def get_assert(o, context):\n    {reads}\n"}
    folder = written(tmp_path / "suites", files)
    client = started(connect, folder, files, HOME)
    at = place(text, text.index("tone") + 1)
    ask = lambda: client.at("rename", (folder / HOME).as_uri(), at["line"], at["character"], newName="x")  # noqa: E731
    if why:
        with pytest.raises(ServerError, match=why):
            ask()
    else:
        assert renamed(folder, files, ask())[HOME] == text.replace("tone", "x")


PROGRAMS = {
    "check.py": "import re\n\n\ndef «verdict»(output, context):\n    return True\n",
    "check.js": "function «verdict»(output) {\n  return true;\n}\nmodule.exports = { verdict, other: (output) => true };\n",
    "check.mjs": "export const helper = 1;\nexport function «verdict»(output) {\n  return true;\n}\n",
    "check.cjs": "exports.«verdict» = (output) => true;\n",
    "check.rb": "def «verdict»(output, context)\n  true\nend\n",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_path_with_a_function_leads_to_it_and_its_functions_are_offered(
    connect: Connect, tmp_path: Path, name: str
) -> None:
    kind = {".py": "python", ".rb": "ruby"}.get(Path(name).suffix, "javascript")
    text = f"{PROMPT}tests:\n  - assert:\n      - type: {kind}\n        value: file://{name}:verdict\n"
    files = {HOME: text, name: unmarked(PROGRAMS[name])}
    folder = written(tmp_path / "suites", files)
    client = started(connect, folder, files, HOME)
    uri, at = (folder / HOME).as_uri(), place(text, text.index(name) + 1)
    found = client.at("definition", uri, at["line"], at["character"])
    assert answered(folder, found) == marked_ranges({name: PROGRAMS[name]})
    half = text.replace(":verdict", ":")
    client.change(uri, {"text": half})
    at = place(half, half.index(name) + len(name) + 1)
    offered = client.at("completion", uri, at["line"], at["character"])["items"]
    assert "verdict" in {each["label"] for each in offered}


OFFERED = {
    HOME: f"{PROMPT}nunjucksFilters: {{shout: ./shout.js}}\ntests:\n  - file://rows.csv\n  - vars: {{who: Zoe, age: 3}}\n"
    "    assert: [{type: contains, value: a, metric: tone}]\n",
    "shout.js": "module.exports = (x) => x;\n",
    "check.py": "",
}


@pytest.mark.parametrize(
    ("name", "text", "expected", "foreign"),
    [
        (HOME, "{HOME}  - assert: [{type: contains, value: '{{ who | <|>'}]\n", {"shout", "upper"}, "who"),
        (HOME, "{HOME}  - assert: [{type: javascript, value: context.vars.<|>}]\n", {"who", "age"}, "upper"),
        (HOME, "{HOME}  - assert:\n      - type: python\n        value: |\n          context['vars']['<|>\n", {"who", "age"}, "upper"),
        (HOME, "{HOME}  - assert: [{type: python, value: 'context.get(\"vars\", {}).get(\"w<|>'}]\n", {"who", "age"}, "upper"),
        ("rows.csv", "who,__e<|>\n", {"__expected", "__metric", "age"}, "contains:"),
        ("rows.csv", "who,__expected\nAnn,<|>\n", {"contains:", "javascript:", "not-equals:", "grade:", "latency()"}, "__metric"),
        ("rows.csv", "who,__metric\nAnn,<|>\n", {"tone"}, "contains:"),
    ],
)  # fmt: skip
def test_names_are_offered_inside_of_texts_and_tables(
    connect: Connect, tmp_path: Path, name: str, text: str, expected: set[str], foreign: str
) -> None:
    marked = text.replace("{HOME}", OFFERED[HOME])
    files = {**OFFERED, "rows.csv": "who,__expected\nAnn,contains:a\n"}
    folder = written(tmp_path / "suites", files)
    client = started(connect, folder, files, HOME)
    client.diagnostics((folder / HOME).as_uri())  # so that it is known what it names
    uri, at = (folder / name).as_uri(), place(marked, marked.index("<|>"))
    if name == HOME:
        client.change(uri, {"text": marked.replace("<|>", "")})
    else:
        client.open(uri, marked.replace("<|>", ""), kind="csv")
    offered = {each["label"] for each in client.at("completion", uri, at["line"], at["character"])["items"]}
    assert expected <= offered
    assert foreign not in offered


def test_a_character_of_code_offers_nothing_elsewhere(connect: Connect, tmp_path: Path) -> None:
    """`.` and `|` are typed in sentences and for blocks of text, too."""
    text = f"{PROMPT}tests:\n  - assert:\n      - type: contains.\n        value: |\n"
    folder = written(tmp_path / "suites", {HOME: text})
    client = started(connect, folder, {HOME: text}, HOME)
    for line, character, sign in ((4, 23, "."), (5, 16, "|")):
        context = {"triggerKind": 2, "triggerCharacter": sign}
        assert client.at("completion", (folder / HOME).as_uri(), line, character, context=context)["items"] == []


def test_cases_in_files_are_symbols_of_the_workspace(connect: Connect, tmp_path: Path) -> None:
    files = {
        HOME: f"{PROMPT}tests:\n  - {{description: greets all, vars: {{who: x}}}}\n  - file://rows.csv\n  - file://some.yaml\n",
        "rows.csv": "who,__description\nAnn,greets Ann\n",
        "some.yaml": "- {description: greets Max, vars: {who: Max}}\n",
        "a.eval.yaml": "# rubric: dialect=agentv-5\nname: a\ntests: [file://cases.yaml, file://data.jsonl]\n",
        "cases.yaml": "- {id: greets-one, criteria: c, input: i}\n",
        "data.jsonl": '{"id": "greets-two", "criteria": "c", "input": "i"}\n',
    }
    folder = written(tmp_path / "suites", files)
    client = started(connect, folder, files, HOME)
    client.open((folder / "a.eval.yaml").as_uri(), files["a.eval.yaml"])
    client.diagnostics((folder / HOME).as_uri())
    found = client.request("workspace/symbol", {"query": "greets"})
    assert sorted((each["name"], relative(folder, each["location"]["uri"])) for each in found) == [
        ("greets Ann", "rows.csv"), ("greets Max", "some.yaml"), ("greets all", HOME),
        ("greets-one", "cases.yaml"), ("greets-two", "data.jsonl"),
    ]  # fmt: skip
