"""What a person is asked before a run: all of it, and again when it does something else."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, until
from running import ended, run, written

HEAD = "# rubric: dialect=agentv-5\nname: x\nproviders: [{providers}]\nprompts: [{prompts}]\n"
CASES = "tests:\n  - id: a\n    vars: {q: hi}\n    assert:\n      - {type: contains, value: hello}\n"
PROVIDERS = "providers:\n  - {id: mock, label: mocked, config: {response: hello}}\n  - {id: openai, label: hosted, config: {base_url: http://127.0.0.1:9/v1, api_key: aaaaaaaa, model: x}}\n"


def suite(cases: str = CASES, prompts: str = "'{{ q }}'", providers: str = "mocked") -> str:
    return HEAD.replace("{providers}", providers).replace("{prompts}", prompts) + cases


def asked(connect: Connect, root: Path, text: str, files: dict[str, str] | None = None) -> str:
    """The question about a suite, without the folder that could be trusted."""
    folder = written(root / "suites", {".agentv/providers.yaml": PROVIDERS, "a.eval.yaml": text, **(files or {})})
    client = connect()
    client.initialize(VSCODE, folder)
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, text)
    run(client, uri)
    return question(client).partition("\n“Trust")[0]


def questions(client: Client) -> int:
    return [m for m, _ in client.requests].count("window/showMessageRequest")


def question(client: Client, before: int = 0) -> str:
    found = until("a question", lambda: [p for m, p in client.requests if m == "window/showMessageRequest"][before:])
    return str(found[0]["message"])


CODE = "import math\n__import__('os').system('touch PWNED')\nreturn True\n"


@pytest.mark.parametrize("kind", ["python", "javascript"])
def test_a_script_is_shown_whole(connect: Connect, tmp_path: Path, kind: str) -> None:
    cases = (
        CASES
        + f"      - type: {kind}\n        value: |\n"
        + "".join(f"          {line}\n" for line in CODE.splitlines())
    )
    shown = asked(connect, tmp_path, suite(cases))
    assert [line.strip(" •") for line in shown.splitlines()][-3:] == [
        f"{'python3' if kind == 'python' else 'node'}: import math",
        *CODE.splitlines()[1:],
    ]


def test_commands_are_shown_with_their_line_breaks_and_what_is_not_seen(connect: Connect, tmp_path: Path) -> None:
    command = json.dumps(
        ["echo", "a\nrm -rf x", "\u202egpj", "\x1b[2J", "\u200b", "[ok](command:x)"], ensure_ascii=True
    )
    shown = asked(connect, tmp_path, suite(CASES + f"      - {{type: script, command: {command}}}\n"))
    assert "echo 'a\n      rm -rf x'" in shown
    assert "⟨U+202E⟩gpj" in shown
    assert "⟨U+001B⟩[2J" in shown
    assert "⟨U+200B⟩" in shown
    assert "](" not in shown


def test_no_name_looks_like_the_answer(connect: Connect, tmp_path: Path) -> None:
    name = json.dumps("a`? It will execute `nothing`.")
    shown = asked(
        connect, tmp_path, suite(CASES.replace("id: a", f"id: {name}") + "      - {type: python, value: 'False'}\n")
    )
    assert shown.count("? ") == 1
    assert shown.endswith("? It will execute `python3: False`.")


def test_more_than_fits_is_in_a_document_that_is_opened_first(connect: Connect, tmp_path: Path) -> None:
    lines = [f"x{n} = {n}" for n in range(90)]
    cases = CASES + "      - type: python\n        value: |\n" + "".join(f"          {line}\n" for line in lines)
    folder = written(tmp_path / "suites", {".agentv/providers.yaml": PROVIDERS, "a.eval.yaml": suite(cases)})
    client = connect()
    client.initialize({**VSCODE, "window": {**VSCODE["window"], "showDocument": {"support": True}}}, folder)
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, suite(cases))
    run(client, uri)
    assert "more lines, which the document has" in question(client)
    shown = until("the document", lambda: [p["uri"] for m, p in client.requests if m == "window/showDocument"])[0]
    assert "\n".join(lines) in Path(shown.removeprefix("file://")).read_text("utf-8")


def test_the_graders_of_turns_are_shown(connect: Connect, tmp_path: Path) -> None:
    text = """\
# rubric: dialect=agentv-3
tests:
  - id: a
    mode: conversation
    criteria: x
    input: hi
    turns:
      - input: Hello
        assertions: [{type: code-grader, command: [touch, x]}]
"""
    assert asked(connect, tmp_path, text, {".agentv/targets.yaml": targets()}).endswith(
        "execute `echo hello`, `touch x`."
    )


def test_a_program_outside_is_named_by_its_command_alone(connect: Connect, tmp_path: Path) -> None:
    command = json.dumps([sys.executable, "-c", "0"])
    shown = asked(connect, tmp_path, suite(CASES + f"      - {{type: script, command: {command}}}\n"))
    assert "outside" not in shown


READS = {
    "in a prompt": ("'{{ env.SECRET_KEY }}'", CASES),
    "by subscript": ("\"{{ env['SECRET_KEY'] }}\"", CASES),
    "by a method": ("\"{{ env.get('SECRET_KEY', 'x') }}\"", CASES),
    "in a statement": ("'{% if env.SECRET_KEY %}y{% endif %}'", CASES),
    "in a value": ("'{{ q }}'", CASES.replace("q: hi", "q: '{{ env.SECRET_KEY }}'")),
    "in the older form": ("'{{ q }}'", CASES.replace("q: hi", "q: '${{ SECRET_KEY }}'")),
    "in an assertion": ("'{{ q }}'", CASES.replace("value: hello", "value: '{{ env.SECRET_KEY }}'")),
    "in a file": ("file://prompt.txt", CASES),
}


@pytest.mark.parametrize("where", READS)
def test_variables_are_named(connect: Connect, tmp_path: Path, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "s3cret-value")
    prompts, cases = READS[where]
    shown = asked(connect, tmp_path, suite(cases, prompts, "hosted"), {"prompt.txt": "Say {{ env.SECRET_KEY }}"})
    # Where a text has it, it goes with the request.
    sends = "send requests to http://127.0.0.1:9/v1/chat/completions"
    with_it = "" if where in ("in a statement", "in an assertion") else " with SECRET_KEY"
    assert shown.endswith(f"{sends}{with_it}, and read SECRET_KEY of the environment.")


@pytest.mark.parametrize(
    "prompt",
    ["{% set e = env %}{{ e[q] }}", "{{ env.get(q) }}", "{{ env.items() }}", "{% set g = env.get %}{{ g(q) }}"],
)
def test_a_variable_whose_name_is_put_together_is_any(connect: Connect, tmp_path: Path, prompt: str) -> None:
    assert "read any variable" in asked(connect, tmp_path, suite(prompts=f"'{prompt}'", providers="hosted"))


@pytest.mark.parametrize(
    "how", ["absolute", "relative", "link", "variable", "pattern", "messages", "messages in a text"]
)
def test_files_outside_are_named(connect: Connect, tmp_path: Path, how: str) -> None:
    secret = written(tmp_path / "outside", {"secret.txt": "s"}) / "secret.txt"
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "link.txt").symlink_to(secret)
    path = {"absolute": str(secret), "link": "link.txt", "pattern": "../outside/*"}.get(how, "../outside/secret.txt")
    prompts, cases = f"file://{path}", CASES
    if how == "variable":
        prompts, cases = "'{{ q }}'", CASES.replace("q: hi", f"q: file://{path}")
    if how.startswith("messages"):  # in a file that is a prompt, where the suite itself does not say it
        prompts = f"{{label: x, path: prompt.{'txt' if 'text' in how else 'yaml'}}}"
        messages = [{"role": "user", "content": [{"type": "file", "value": path}]}]
        for name in ("prompt.txt", "prompt.yaml"):
            (tmp_path / "suites" / name).write_text(json.dumps(messages), encoding="utf-8")
    assert f"read {secret} outside of the open folder" in asked(connect, tmp_path, suite(cases, prompts, "hosted"))


@pytest.mark.parametrize("how", ["a value", "a text of JSON", "a path of two values"])
def test_a_file_outside_that_a_value_names_is_named(connect: Connect, tmp_path: Path, how: str) -> None:
    secret = written(tmp_path / "outside", {"secret.txt": "s"}) / "secret.txt"
    name = {"a value": "{{ q }}", "a path of two values": "{{ q }}/{{ vars.r.s }}"}.get(how, "")
    prompts = f"[{{role: user, content: [{{type: file, value: '{name}'}}]}}]" if name else "'{{ q }}'"
    message = json.dumps([{"role": "user", "content": [{"type": "file", "value": str(secret)}]}])
    value = {"a value": str(secret), "a path of two values": "../outside, r: {s: secret.txt}"}.get(how, f"'{message}'")
    found = asked(connect, tmp_path, suite(CASES.replace("q: hi", f"q: {value}"), prompts, "hosted"))
    assert f"read {secret} outside of the open folder" in found


def test_a_file_whose_name_is_put_together_is_any(connect: Connect, tmp_path: Path) -> None:
    prompts = "[{role: user, content: [{type: file, value: '{{ q | reverse }}'}]}]"
    found = asked(connect, tmp_path, suite(CASES, prompts, "hosted"))
    assert "read any file, by a computed name: {{ q | reverse }} outside of the open folder" in found


# -- again ---------------------------------------------------------------------------------------------------------------


def command_of(word: str) -> str:
    return json.dumps([sys.executable, "-c", f"print('{word}')"])


def targets(word: str = "hello", **more: Any) -> str:
    return json.dumps({"targets": [{"name": "default", "provider": "cli", "command": f"echo {word}", **more}]})


OLD = "# rubric: dialect=agentv-3\ntests:\n  - id: a\n    criteria: x\n    input: hi\n    assertions: [{type: contains, value: h}]\n"


def trusted(connect: Connect, folder: Path, text: str = OLD) -> tuple[Client, str]:
    """A suite that was run once in a folder that a person trusts."""
    client = connect()
    client.initialize(VSCODE, folder)
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, text)
    client.replies["window/showMessageRequest"] = lambda _: {"title": "Trust this folder"}
    run(client, uri)
    ended(client)
    return client, uri


def test_what_was_allowed_is_not_asked_about_again(connect: Connect, tmp_path: Path) -> None:
    folder = written(tmp_path / "suites", {".agentv/targets.yaml": targets(), "a.eval.yaml": OLD, ".git/HEAD": ""})
    client, uri = trusted(connect, folder)
    run(client, uri)
    ended(client, 2)
    assert questions(client) == 1


def test_another_program_of_the_same_name_is_told_by_its_path(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a terminal has the `python3` of a virtual environment, and an editor that of the system."""
    text = OLD.replace("{type: contains, value: h}", "{type: code-grader, command: [python3, check.py]}")
    files = {".agentv/targets.yaml": targets(), "a.eval.yaml": text, "check.py": "print(1)\n", ".git/HEAD": ""}
    folder = written(tmp_path / "suites", files)
    trusted(connect, folder, text)
    other = written(tmp_path / "bin", {"python3": "#!/bin/sh\necho 1\n"}) / "python3"
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{other.parent}{os.pathsep}{os.environ['PATH']}")
    client, uri = connect(), (folder / "a.eval.yaml").as_uri()
    client.initialize(VSCODE, folder)
    client.open(uri, text)
    run(client, uri)
    assert f"NEW python3 check.py ({other})" in question(client)


@pytest.mark.parametrize(
    ("change", "new"),
    [
        (targets("other"), "NEW echo other"),
        (targets(healthcheck={"command": "touch x"}), "NEW touch x"),
        (json.dumps({"targets": [{"name": "default", "provider": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "x", "api_key": "${{ OTHER }}"}]}), "NEW http://127.0.0.1:9/v1/chat/completions with OTHER"),
    ],
)  # fmt: skip
def test_a_changed_command_host_or_variable_asks_again(
    connect: Connect, tmp_path: Path, change: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER", "0ther-value")
    folder = written(tmp_path / "suites", {".agentv/targets.yaml": targets(), "a.eval.yaml": OLD, ".git/HEAD": ""})
    client, uri = trusted(connect, folder)
    client.replies["window/showMessageRequest"] = lambda _: None
    (folder / ".agentv/targets.yaml").write_text(change)
    run(client, uri)
    shown = question(client, 1)
    assert "It does more than you allowed before." in shown
    assert new in shown
    run(client, uri)
    until("a third question, as nothing was allowed", lambda: questions(client) == 3)
    assert "/hello" not in json.dumps(client.heard("$/progress"))


MORE = """\
  - id: b
    criteria: x
    input: hi
    assertions: [{type: code-grader, command: [python3, -c, "print('{}')"]}]
"""


@pytest.mark.parametrize("does_more", [True, False])
def test_a_first_case_asks_if_it_does_something_new(connect: Connect, tmp_path: Path, does_more: bool) -> None:
    folder = written(tmp_path / "suites", {".agentv/targets.yaml": targets(), "a.eval.yaml": OLD, ".git/HEAD": ""})
    client, uri = trusted(connect, folder)
    more = OLD + (
        MORE
        if does_more
        else MORE.replace("code-grader, command: [python3, -c, \"print('{}')\"]", "contains, value: h")
    )
    (folder / "a.eval.yaml").write_text(more)
    client.change(uri, {"text": more})
    run(client, uri)
    ended(client, 2)
    assert questions(client) == (2 if does_more else 1)


@pytest.mark.parametrize(("name", "asks"), [("b.eval.yaml", False), ("inner/b.eval.yaml", True)])
def test_the_same_in_another_file_asks_nothing_unless_it_works_elsewhere(
    connect: Connect, tmp_path: Path, name: str, asks: bool
) -> None:
    """What is remembered is what is done, by content: neither the name of a suite nor that of a case.

    In another directory, the same command line may start another program: `sh script.sh`.
    """
    folder = written(tmp_path / "suites", {".agentv/targets.yaml": targets(), "a.eval.yaml": OLD, ".git/HEAD": ""})
    client, _ = trusted(connect, folder)
    other = OLD.replace("id: a", "id: other")
    written(folder, {name: other})
    uri = (folder / name).as_uri()
    client.open(uri, other)
    run(client, uri)
    ended(client, 2)
    assert questions(client) == (2 if asks else 1)


def test_an_editor_that_trusts_its_folders_remembers_their_first_run(connect: Connect, tmp_path: Path) -> None:
    folder = written(tmp_path / "suites", {".agentv/targets.yaml": targets(), "a.eval.yaml": OLD, ".git/HEAD": ""})
    client = connect()
    client.initialize(VSCODE, folder, initializationOptions={"trusted": True})
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, OLD)
    run(client, uri)
    ended(client)
    assert questions(client) == 0
    (folder / ".agentv/targets.yaml").write_text(targets("touch PWNED"))
    run(client, uri)
    assert "NEW echo touch PWNED" in question(client)
    # An editor that does not trust the folder gains nothing by that.
    other = connect()
    other.initialize(VSCODE, folder)
    other.open(uri, OLD)
    run(other, uri)
    assert question(other).startswith("Run `a`? It will execute")


@pytest.mark.parametrize("answer", ["Not now", None, "Run once"])
def test_an_answer_is_not_repeated_and_lives_for_its_run_alone(
    connect: Connect, tmp_path: Path, answer: str | None
) -> None:
    folder = written(tmp_path / "suites", {".agentv/targets.yaml": targets(), "a.eval.yaml": OLD, ".git/HEAD": ""})
    client = connect()
    client.initialize(VSCODE, folder)
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, OLD)
    client.replies["window/showMessageRequest"] = lambda _: answer and {"title": answer}
    for number in (1, 2):
        run(client, uri)
        until("a question", lambda number=number: questions(client) == number)
        if answer == "Run once":
            ended(client, number)
    assert client.heard("window/showMessage") == []


@pytest.mark.parametrize("where", ["below", "outside", "both"])
def test_the_folder_that_trust_means_is_named(connect: Connect, tmp_path: Path, where: str) -> None:
    folder = written(tmp_path / "open", {".agentv/targets.yaml": targets(), "in/a.eval.yaml": OLD, ".git/HEAD": ""})
    other = written(tmp_path / "other", {".agentv/targets.yaml": targets(), "in/b.eval.yaml": OLD})
    second = written(tmp_path / "second", {".git/HEAD": ""})
    client = connect()
    client.initialize(VSCODE, folder)
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [{"uri": second.as_uri(), "name": "second"}], "removed": []}},
    )
    files = [folder / "in/a.eval.yaml"] * (where != "outside") + [other / "in/b.eval.yaml"] * (where != "below")
    for file in files:
        client.open(file.as_uri(), OLD)
    client.request("rubric/runTests", {"include": [file.as_uri() for file in files]})
    means = " and ".join(map(str, [folder] * (where != "outside") + [other / "in"] * (where != "below")))
    one = len(files) == 1
    assert question(client).endswith(f"\n“Trust {'this folder' if one else 'these folders'}” means {means}.")


def test_a_script_that_was_edited_asks_nothing(connect: Connect, tmp_path: Path) -> None:
    """People edit their graders between two runs: a question each time would be answered unread. SECURITY.md says so."""
    script = json.dumps({"targets": [{"name": "default", "provider": "cli", "command": "sh script.sh"}]})
    files = {".agentv/targets.yaml": script, "script.sh": "echo hello", "a.eval.yaml": OLD, ".git/HEAD": ""}
    folder = written(tmp_path / "suites", files)
    client, uri = trusted(connect, folder)
    (folder / "script.sh").write_text("echo other")
    run(client, uri)
    ended(client, 2)
    assert questions(client) == 1


def test_another_folder_in_its_place_is_asked_about(connect: Connect, tmp_path: Path) -> None:
    folder = written(tmp_path / "suites", {".agentv/targets.yaml": targets(), "a.eval.yaml": OLD, ".git/HEAD": ""})
    client, uri = trusted(connect, folder)
    client.replies["window/showMessageRequest"] = lambda _: None
    folder.rename(tmp_path / "aside")
    written(folder, {".agentv/targets.yaml": targets(), "a.eval.yaml": OLD, ".git/HEAD": ""})
    run(client, uri)
    assert question(client, 1).startswith("Run `a`? It will execute `echo hello`")


def test_targets_of_an_untrusted_parent_are_told_of_and_ask_when_they_do_something_else(
    connect: Connect, tmp_path: Path
) -> None:
    files = {".agentv/targets.yaml": targets(), "inner/a.eval.yaml": OLD, ".git/HEAD": "ref: x"}
    folder = written(tmp_path / "suites", files) / "inner"
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    import subprocess

    told = subprocess.run(
        [sys.executable, "-m", "rubric_core", "trust", str(folder)], env=environment, check=True, capture_output=True
    )
    assert f"read outside of the open folder: {folder.parent}/.agentv/targets.yaml" in told.stdout.decode()
    (folder.parent / ".agentv/targets.yaml").write_text(targets("other"))
    client = connect()
    client.initialize(VSCODE, folder)
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, OLD)
    run(client, uri)
    assert "NEW echo other" in question(client)


def test_the_command_remembers_what_the_suites_do(connect: Connect, tmp_path: Path) -> None:
    """As `rubric trust` does: a first run that does something else asks, although nothing has run before."""
    folder = written(tmp_path / "suites", {".agentv/targets.yaml": targets(), "a.eval.yaml": OLD, ".git/HEAD": ""})
    client = connect()
    client.initialize(VSCODE, folder)
    client.request("workspace/executeCommand", {"command": "rubric.trust", "arguments": [folder.as_uri()]})
    (folder / ".agentv/targets.yaml").write_text(targets("other"))
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, OLD)
    run(client, uri)
    assert "NEW echo other" in question(client)


@pytest.mark.parametrize("answer", ["Run once", "Trust this folder"])
def test_what_changes_while_the_question_is_open_is_not_run_unseen(
    connect: Connect, tmp_path: Path, answer: str
) -> None:
    """Somebody pulls, or a program writes files, while the question is on the screen: the answer does not cover that."""
    folder = written(tmp_path / "suites", {".agentv/targets.yaml": targets(), "a.eval.yaml": OLD, ".git/HEAD": ""})
    other = json.dumps({"targets": [{"name": "default", "provider": "cli", "command": "touch PWNED; echo hello"}]})
    client = connect()
    client.initialize(VSCODE, folder)
    uri = (folder / "a.eval.yaml").as_uri()
    client.open(uri, OLD)
    questions: list[str] = []

    def answered(asked: dict[str, Any]) -> dict[str, str] | None:
        questions.append(asked["message"])
        if len(questions) > 1:
            return None  # to the new question, nobody says yes
        (folder / ".agentv/targets.yaml").write_text(other)
        return {"title": answer}

    client.replies["window/showMessageRequest"] = answered
    run(client, uri)
    until("a second question", lambda: len(questions) > 1)
    assert ("touch PWNED" in questions[0], "touch PWNED" in questions[1]) == (False, True)
    assert not (folder / "PWNED").exists()
    assert client.heard("$/progress") == []
    # Nor was it allowed for later.
    run(client, uri)
    until("a third question", lambda: len(questions) > 2)
    assert "touch PWNED" in questions[2]


def test_trust_that_cannot_be_saved_is_told_and_allows_one_run(connect: Connect, tmp_path: Path) -> None:
    listed = tmp_path / "state/rubric/trust.json"
    listed.parent.mkdir(parents=True)
    listed.write_text("a later version may write this")
    client, _ = trusted(connect, written(tmp_path / "suites", {".agentv/targets.yaml": targets(), "a.eval.yaml": OLD}))
    said = [shown["message"] for shown in client.heard("window/showMessage")]
    assert [each for each in said if "cannot be saved, so this run is allowed once" in each], said
    assert listed.read_text() == "a later version may write this"
