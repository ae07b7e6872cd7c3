"""Providers of promptfoo that are addresses and code. What promptfoo itself makes of them: `tests/parity/promptfoo`."""

import base64
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from endpoint_server import EndpointServer, Reply
from websockets.sync.server import ServerConnection, serve

from rubric_core.adapters import system_ports
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult

PYTHON = """\
def call_api(prompt, options, context):
    return {"output": f"{prompt} {options['config'].get('a')}", "cost": 0.5, "tokenUsage": {"prompt": 1, "completion": 2}}


def fails(prompt, options, context):
    return {"error": "as asked"}
"""


async def run(folder: Path, answers: Any, **test: Any) -> CaseResult:
    path = folder / "promptfooconfig.yaml"
    suite = {
        "prompts": ["Hi {{name}}"],
        "providers": [answers],
        "tests": [{"description": "t", "vars": {"name": "Ann"}, **test}],
    }
    path.write_text(json.dumps(suite), encoding="utf-8")
    (folder / "p.py").write_text(PYTHON, encoding="utf-8")
    (result,) = await run_cases([each for case in load_suite(path).cases for each in variations(case)])
    return result


@pytest.mark.parametrize("identity", ["python:p.py", "file://p.py", "file://p.py:call_api"])
async def test_a_function_in_python_answers(identity: str, tmp_path: Path) -> None:
    result = await run(tmp_path, {"id": identity, "config": {"a": 1}})
    assert (result.answer, result.cost_usd, result.tokens and result.tokens.total) == ("Hi Ann 1", 0.5, 3)


@pytest.mark.parametrize(
    ("provider", "reason"),
    [
        ("python:p.py:fails", "as asked"),
        ("python:p.py:none", "none"),
        ("file://gone.py", "gone.py"),
        ({"id": "http://127.0.0.1:9/x", "config": {"body": {"a": 1}, "tls": {}}}, "does not support `config.tls`"),
        ("http://127.0.0.1:9/x", "promptfoo stops"),
        ({"id": "http://127.0.0.1:9/x", "config": {"method": "GET"}}, "127.0.0.1"),
        # A setting that promptfoo does not know is ignored: the server is asked.
        ({"id": "http://127.0.0.1:9/x", "config": {"method": "GET", "transform": "output"}}, "connection to 127.0.0.1"),
        ("webhook:http://127.0.0.1:9/x", "127.0.0.1"),
        ("ws://127.0.0.1:9/x", "promptfoo stops: ws://127.0.0.1:9/x needs `messageTemplate`"),
        ({"id": "ws://127.0.0.1:9/x", "config": {"messageTemplate": "m"}}, "ws://127.0.0.1:9/x: "),
        ({"id": "ws", "config": {"url": "wss://127.0.0.1:9/x", "messageTemplate": "m", "streamResponse": "x"}}, "does not support `config.streamResponse`"),
        ({"id": "ws://[", "config": {"messageTemplate": "m"}}, "ws://["),
        ({"id": "http://[::1", "config": {"method": "GET", "queryParams": {"a": "b"}}}, "`url` is no address"),
        ("golang:answer.go", "start it as a program: `exec: go run provider.go`"),
    ],
)  # fmt: skip
async def test_what_gives_no_answer_is_unscored(provider: Any, reason: str, tmp_path: Path) -> None:
    result = await run(tmp_path, provider)
    assert result.verdict.value == "unscored"
    assert reason in result.reason


async def test_a_socket_that_gives_no_reply_is_unscored(tmp_path: Path) -> None:
    """The header is secret, and the time limit that of the configuration."""
    heard: list[str] = []

    def silent(socket: ServerConnection) -> None:
        assert socket.request is not None
        heard.append(socket.request.headers["authorization"])
        heard.extend(str(each) for each in socket)

    with serve(silent, "127.0.0.1", 0) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        address = f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        config = {
            "messageTemplate": "m {{prompt}}",
            "timeoutMs": 300,
            "headers": {"Authorization": "Bearer secret-1234567"},
        }
        result = await run(tmp_path, {"id": address, "config": config})
        server.shutdown()
        thread.join()
    assert heard == ["Bearer secret-1234567", "m Hi Ann"]
    assert (result.verdict.value, "no reply within 0.3 s" in result.reason) == ("unscored", True)
    assert "secret-1234567" not in repr(result)


@dataclass
class Exchanged:
    """In place of the network: WebSockets alone, of which each message comes back."""

    asked: list[tuple[str, dict[str, str], str, list[str]]] = field(default_factory=list)

    async def exchange(
        self, url: str, headers: Mapping[str, str], message: str, protocols: Sequence[str], **_: object
    ) -> str:
        self.asked.append((url, dict(headers), message, list(protocols)))
        return f"heard {message}"


async def test_a_socket_goes_through_the_network_of_the_run(tmp_path: Path) -> None:
    """Whoever stands around the network sees the address as it is opened, and everything that is sent."""
    path, network = tmp_path / "promptfooconfig.yaml", Exchanged()
    config = {"messageTemplate": "m {{prompt}}", "headers": {"X-A": "b"}, "protocols": "one, two"}
    provider = {"id": "ws://host.example/{{prompt}}", "config": config}
    path.write_text(
        json.dumps({"prompts": ["h i"], "providers": [provider], "tests": [{"vars": {"a": "b"}}]}), encoding="utf-8"
    )
    async with system_ports() as ports:
        around: Any = replace(ports, http=network)
        (result,) = await run_cases([each for case in load_suite(path).cases for each in variations(case)], around)
    assert result.answer == "heard m h i", result.reason
    assert network.asked == [("ws://host.example/h%20i", {"X-A": "b"}, "m h i", ["one", "two"])]


async def test_without_the_library_a_socket_is_unscored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "websockets.asyncio.client", None)
    result = await run(tmp_path, {"id": "ws://127.0.0.1:9/x", "config": {"messageTemplate": "m"}})
    assert (result.verdict.value, "rubric has with its extra `ws`" in result.reason) == ("unscored", True)


async def test_an_error_in_one_provider_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text("prompts: [p]\nproviders: ['file://gone.py', echo]\ntests: [{vars: {a: b}}]\n", encoding="utf-8")
    found = await run_cases([each for case in load_suite(path).cases for each in variations(case)])
    assert [each.verdict.value for each in found] == ["unscored", "passed"]


async def verdicts(path: Path, text: str) -> list[tuple[str, str]]:
    path.write_text(text, encoding="utf-8")
    found = await run_cases([each for case in load_suite(path).cases for each in variations(case)])
    return [(each.verdict.value, each.reason) for each in found]


async def test_a_mistake_in_one_provider_leaves_the_others(tmp_path: Path) -> None:
    text = "prompts: [p]\nproviders: [{id: echo, label: a, delay: soon}, echo]\ntests: [{vars: {a: b}}]\n"
    (broken, reason), (whole, _) = await verdicts(tmp_path / "promptfooconfig.yaml", text)
    assert (broken, whole) == ("unscored", "passed")
    assert "wrong-type" in reason


async def test_mistakes_elsewhere_count_where_providers_are_merged_in(tmp_path: Path) -> None:
    text = "x: &x {providers: [echo]}\n<<: *x\nprompts: [p]\ntests: [{vars: {a: b}, options: 3}, {vars: {a: c}}]\n"
    (broken, reason), (whole, _) = await verdicts(tmp_path / "promptfooconfig.yaml", text)
    assert (broken, whole) == ("unscored", "passed")
    assert "wrong-type" in reason


async def test_a_provider_of_a_test_answers_in_place_of_others(tmp_path: Path) -> None:
    result = await run(tmp_path, "echo", provider={"id": "python:p.py", "config": {"a": 2}})
    assert (result.target, result.answer) == ("echo", "Hi Ann 2")
    (case,) = load_suite(tmp_path / "promptfooconfig.yaml").cases
    assert case.further_targets == ("python:p.py",)


async def test_a_password_in_an_address_reaches_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the wire it is a header, which the server repeats."""
    monkeypatch.setenv("PF_TOKEN", "tok-12345-secret")
    credentials = base64.b64encode(b"user:tok-12345-secret").decode()
    with EndpointServer(Reply(f"got Basic {credentials}", kind="text/plain")) as server:
        url = server.url.replace("//", "//user:{{env.PF_TOKEN}}@")
        result = await run(tmp_path, {"id": f"{url}/x", "config": {"method": "GET"}})
    assert server.asked[0].headers["authorization"] == f"Basic {credentials}"
    assert result.answer == "got Basic ***"
    assert credentials not in repr(result)


async def test_a_secret_in_a_header_reaches_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PF_TOKEN", "tok-12345-secret")
    provider = {"id": "http://127.0.0.1:9/x", "config": {"method": "GET", "headers": {"Authorization": "{{env.PF_TOKEN}}"}, "url": "http://127.0.0.1:9/{{env.PF_TOKEN}}"}}  # fmt: skip
    result = await run(tmp_path, provider)
    assert "tok-12345-secret" not in repr(result)


@pytest.mark.parametrize(
    "reference",
    ["{{env.PF_TOKEN}}", "{{ env['PF_TOKEN'] }}", "{{ env.PF_TOKEN | trim }}", "{{ env['PF_' + 'TOKEN'] }}"],
)
async def test_a_secret_that_a_server_repeats_reaches_no_result(
    reference: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PF_TOKEN", "tok-12345-secret")
    headers = {"Authorization": f"Bearer {reference}"}
    with EndpointServer(Reply("got tok-12345-secret", kind="text/plain")) as server:
        provider = {"id": f"{server.url}/x", "config": {"method": "GET", "headers": headers}}
        (tmp_path / "provider.yaml").write_text(json.dumps(provider), encoding="utf-8")
        result = await run(tmp_path, "file://provider.yaml")
    assert server.asked[0].headers["authorization"] == "Bearer tok-12345-secret"
    assert result.answer == "got ***"
    assert "tok-12345-secret" not in repr(result)
