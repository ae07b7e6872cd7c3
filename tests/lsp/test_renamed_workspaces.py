"""Generated workspaces before and after a rename: `check` finds the same, and runs send the same prompts and give the same scores.

A rename that is refused names the file that is the reason.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, ServerError, place
from thorough import seeds

HOME = "promptfooconfig.yaml"
OLD, NEW = "who", "person"
PROMPTS = ("'Hi {{who}}'", "file://p.txt", "file://p.json", "file://make.py:make")
CHECKS = (
    "{type: contains, value: '{{who}}', metric: tone}",
    "{type: javascript, value: \"output.includes(context.vars['who'])\"}",
    "{type: javascript, value: file://check.js}",
    "{type: python, value: file://check.py:verdict}",
    '{type: python, value: \'context["vars"]["who"] in output\'}',
)
#: What no edit follows: a rename is refused.
HIDDEN = "{type: python, value: file://hidden.py}"
CASES = ("rows.csv", "lines.jsonl", "some.yaml")
FILES = {
    "p.txt": "Hello {{ who | upper }}, {% if who %}{{who}}{% endif %}\n",
    "p.json": '[{"role": "user", "content": "Hi {{who}}"}]\n',
    "make.py": "def make(context):\n    return 'Dear ' + context['vars'].get('who', 'x')\n",
    "check.js": "module.exports = (output, context) => output.includes((context.vars || {}).who);\n",
    "check.py": "def verdict(output, context):\n    given = context.get('vars', {})\n    return given['who'] in output\n",
    "hidden.py": "def get_assert(output, context):\n    key = ''.join(['w', 'ho'])\n    return context['vars'][key] in output\n",
    "rows.csv": 'who,__expected,__metric\nAnn,contains:{{who}},tone\nBob,"javascript: output.includes(context.vars[""who""])",tone\n',
    "lines.jsonl": '{"vars": {"who": "Kim"}, "assert": [{"type": "contains", "value": "{{who}}"}]}\n',
    "some.yaml": "- vars: {who: Max}\n  assert: [{type: python, value: 'file://check.py:verdict'}]\n",
}


def promptfoo(dice: random.Random) -> dict[str, str]:
    prompts = dice.sample(PROMPTS, dice.randint(1, 3))
    checks = [*dice.sample(CHECKS, dice.randint(1, 4)), *([HIDDEN] if dice.random() < 0.25 else [])]
    cases = dice.sample(CASES, dice.randint(1, 3))
    listed = "".join(f"  - file://{name}\n" for name in cases)
    asserts = "".join(f"      - {each}\n" for each in checks)
    text = f"prompts: [{', '.join(prompts)}]\nproviders: [echo]\ntests:\n{listed}  - vars: {{who: Zoe}}\n    assert:\n{asserts}"
    used = f"{text}{FILES['some.yaml'] if 'some.yaml' in text else ''}"
    return {HOME: text, **{name: each for name, each in FILES.items() if name in used}}


def agentv(dice: random.Random) -> dict[str, str]:
    head = "# rubric: dialect=agentv-5\nname: {0}\ntests:\n"
    case = "  - {{id: {0}, criteria: c, input: i{1}}}\n"
    needs = ", depends_on: [who]"
    files = {"more.yaml": "- {id: late, criteria: c, input: i, depends_on: [who]}\n", "data.jsonl": "", "rows.csv": ""}
    home = dice.choice(["suite", "more.yaml", "data.jsonl"])
    files["data.jsonl"] = '{"id": "third", "criteria": "c", "input": "i", "depends_on": ["who"]}\n'
    files["more.yaml"] += "- {id: who, criteria: c, input: i}\n" if home == "more.yaml" else ""
    files["data.jsonl"] += '{"id": "who", "criteria": "c", "input": "i"}\n' if home == "data.jsonl" else ""
    included = dict.fromkeys(
        [*([home] if home != "suite" else []), *dice.sample(["more.yaml", "data.jsonl"], dice.randint(0, 2))]
    )
    own = case.format("who", "") if home == "suite" else ""
    suite = head.format("a") + own + case.format("b", needs) + "".join(f"  - file://{name}\n" for name in included)
    other = (
        head.format("b")
        + case.format("x", needs)
        + "".join(f"  - file://{name}\n" for name in included if name == home)
    )
    other += "" if home != "suite" else case.format("who", "")
    return {"a.eval.yaml": suite, "b.eval.yaml": other, **{name: files[name] for name in included}}


def written(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def command(folder: Path, *arguments: str) -> Any:
    environment = {**os.environ, "XDG_STATE_HOME": str(folder.parent / "state")}
    done = subprocess.run(
        [sys.executable, "-m", "rubric_core.cli", *arguments, "--format", "json"],
        cwd=folder, capture_output=True, timeout=300, check=False, env=environment,
    )  # fmt: skip
    return json.loads(done.stdout)


def findings(folder: Path) -> list[tuple[str, str, int]]:
    found = command(folder, "check", ".")
    return sorted((each["path"], each["code"], each["range"]["start"]["line"]) for each in found)


def results(folder: Path) -> list[tuple[object, ...]]:
    cases = command(folder, "run", HOME, "--no-store")["cases"]
    return [(c["answer"], c["score"], [(e["type"], e["score"]) for e in c["evaluators"]]) for c in cases]


def ranges(changes: list[dict[str, Any]]) -> set[tuple[str, int, int]]:
    return {
        (c["textDocument"]["uri"], e["range"]["start"]["line"], e["range"]["start"]["character"])
        for c in changes
        for e in c["edits"]
    }


def edited(folder: Path, files: dict[str, str], changes: list[dict[str, Any]]) -> dict[str, str]:
    texts = dict(files)
    for change in changes:
        name = change["textDocument"]["uri"].removeprefix(f"{folder.as_uri()}/")
        lines = texts[name].split("\n")
        for edit in sorted(change["edits"], key=lambda e: -e["range"]["start"]["character"]):
            start, end = edit["range"]["start"], edit["range"]["end"]
            line = lines[start["line"]]
            lines[start["line"]] = line[: start["character"]] + edit["newText"] + line[end["character"] :]
        texts[name] = "\n".join(lines)
    return texts


def renamed(client: Client, folder: Path, files: dict[str, str], dice: random.Random) -> dict[str, str] | None:
    """The files after a rename from a random occurrence in the first file; None if it is refused."""
    opened = next(iter(files))
    client.initialize(VSCODE, folder)
    for name in (opened, *dice.sample(sorted(files), dice.randint(0, len(files) - 1))):
        client.open((folder / name).as_uri(), files[name], kind="yaml")
    text = files[opened]
    starts = [at for at in range(len(text)) if text.startswith(OLD, at)]
    at, uri = place(text, dice.choice(starts) + 1), (folder / opened).as_uri()
    found = client.at("references", uri, at["line"], at["character"], context={"includeDeclaration": True})
    places = {(e["uri"], e["range"]["start"]["line"], e["range"]["start"]["character"]) for e in found}
    assert places
    changes: list[dict[str, Any]] = []
    try:
        changes = client.at("rename", uri, at["line"], at["character"], newName=NEW)["documentChanges"]
    except ServerError as refused:
        reason = str(refused)
    else:
        reason = ""
    if reason:
        assert any(name in reason for name in files), reason
        return None
    assert ranges(changes) == places
    return edited(folder, files, changes)


@pytest.mark.parametrize("seed", seeds(30, 4))
def test_a_renamed_variable_changes_no_run(connect: Connect, tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    files, folder = promptfoo(dice), tmp_path / "suites"
    written(folder, files)
    after = renamed(connect(), folder, files, dice)
    assert (after is None) == ("hidden.py" in files)
    if after is not None:
        before = findings(folder), results(folder)
        written(folder, after)
        assert not any(OLD in text for text in after.values())
        assert (findings(folder), results(folder)) == before


@pytest.mark.parametrize("seed", seeds(60, 8))
def test_a_renamed_case_changes_no_finding(connect: Connect, tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    files, folder = agentv(dice), tmp_path / "suites"
    written(folder, files)
    after = renamed(connect(), folder, files, dice)
    assert after is not None
    before = findings(folder)
    written(folder, after)
    assert findings(folder) == before
