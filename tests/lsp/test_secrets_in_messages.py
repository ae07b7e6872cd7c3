"""No message to an editor has a secret in any form in which programs and servers repeat it, and neither has what a run leaves on disk."""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from client import VSCODE, Client, Connect, ServerError, until
from running import command, ended, kept, run, written
from written_secrets import FORMS, generated

from rubric_core.evaluation.results.database import ResultDatabase

#: Prints what is in a file, fails if it is to, and says nothing of its own.
REPEAT = """\
import json, pathlib, sys
said = (pathlib.Path(__file__).parent.parent / "said.txt").read_text(encoding="utf-8")
sys.stderr.write(said)
if "grade" in sys.argv:
    half = len(said) // 2
    print(json.dumps({"score": 0.5, "reasoning": said, "hits": [said[:half]], "misses": [said], "details": {said: said}}))
elif "fail" in sys.argv[1]:
    sys.exit(3)
else:
    print(said)
"""
SUITE = """\
# rubric: dialect=agentv-3
name: s
tests:
  - {id: says, criteria: c, input: say, assertions: [{type: contains, value: never}, {name: g, type: code-grader, command: [python3, repeat.py, grade]}]}
  - {id: fails, criteria: c, input: fail, assertions: [{type: contains, value: never}]}
  - {id: grader, criteria: c, input: say, assertions: [{name: g, type: code-grader, command: [python3, repeat.py, fail]}]}
  - {id: judged, criteria: c, input: say, assertions: [{name: j, type: llm-grader, target: default}]}
"""
SECRETS = 4
OPENED = ("openAnswer", "openPrompt", "openReply", "openTrace", "openReport", "diffAnswer", "copyCommand")


def texts(value: object) -> Iterator[str]:
    """Every string of a message, and its JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from (name, *texts(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)


def whatever(client: Client, method: str, params: Any) -> Any:
    """The answer to a request, also to one that is refused."""
    try:
        return client.request(method, params)
    except ServerError as error:
        return str(error)


@pytest.mark.parametrize("seed", [0, 100, 200])
def test_no_message_and_no_file_of_a_run_has_a_secret(
    connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    secrets = {f"MY_API_KEY_{number}": generated(seed + number) for number in range(SECRETS)}
    forms = [form(secret) for secret in secrets.values() for form in FORMS.values()]
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "said.txt").write_text("\n".join(f"{each} |" for each in forms), encoding="utf-8")
    target = {
        "name": "default", "provider": "cli", "command": f"{shlex.quote(sys.executable)} repeat.py {{PROMPT}}",
    }  # fmt: skip
    files = {"repeat.py": REPEAT, "a.eval.yaml": SUITE, ".agentv/targets.yaml": json.dumps({"targets": [target]})}
    folder = written(tmp_path / "open", files)
    client, path = connect(), folder / "a.eval.yaml"
    client.replies["window/showMessageRequest"] = lambda _: {"title": "Run once"}
    heard: list[Any] = [client.initialize(VSCODE, folder, initializationOptions={"trusted": True})]
    uri = path.as_uri()
    client.open(uri, SUITE)
    run(client, uri)
    ended(client)
    until("the results", lambda: kept(path))
    document, whole = (
        {"textDocument": {"uri": uri}},
        {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}},
    )
    for method, more in (
        ("textDocument/codeAction", {"range": whole, "context": {"diagnostics": []}}),
        ("textDocument/codeLens", {}), ("textDocument/inlayHint", {"range": whole}),
        *(("textDocument/hover", {"position": {"line": line, "character": 4}}) for line in range(3, 7)),
    ):  # fmt: skip
        heard.append(whatever(client, method, {**document, **more}))
    for case in ("says", "fails", "grader", "judged"):
        for name in OPENED:
            try:
                heard.append(command(client, name, uri, case))
            except ServerError as error:
                heard.append(str(error))
    heard += [client.notifications, client.requests, client.log]
    said = [text for each in heard for text in texts(each)]
    assert any("***" in each for each in said)
    found = ResultDatabase.of(path)
    stored = [repr(case.result) for case in found.cases(found.find("last"))]
    assert "".join(stored).count("***") > len(forms)
    on_disk = [
        each.read_bytes().decode("utf-8", "replace") for each in (folder / ".rubric").rglob("*") if each.is_file()
    ]
    for form in [*forms, *secrets.values()]:
        for text in (*said, *stored, *on_disk):
            assert form not in text, (form, text[max(0, text.find(form) - 80) :][:300])
