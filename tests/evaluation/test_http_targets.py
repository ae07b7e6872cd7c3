"""Rubric's own kind `http` against a real server on a free port: requests, replies, and every error in one sentence."""

import os
import re
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from endpoint_server import EndpointServer, Reply
from suites import LANGUAGE, Folder

from rubric_core.analysis import analyze
from rubric_core.evaluation.engine.events import Answered
from rubric_core.evaluation.model.result import CaseResult, Verdict

SUITE = "tests: [{id: a, criteria: c, input: 'say \"hi\"', assertions: [{type: equals, value: hello there}]}]"
KEY = "sk-very-secret-1"


@pytest.fixture
def server() -> Iterator[EndpointServer]:
    with EndpointServer() as started:
        yield started


async def ask(
    folder: Folder, server: EndpointServer, *replies: Reply, suite: str = SUITE, **settings: Any
) -> CaseResult:
    server.replies = list(replies)
    entry = {
        "name": "default",
        "provider": "http",
        "url": f"{server.url}/chat",
        "retry_initial_delay_ms": 1,
        **settings,
    }
    folder.targets(entry)
    folder.environment["THE_KEY"] = KEY
    return await folder.one(suite)


async def test_the_prompt_is_posted_as_json_and_the_reply_is_the_answer(folder: Folder, server: EndpointServer) -> None:
    result = await ask(folder, server, Reply("hello there\n", kind="text/plain"))
    assert result.verdict is Verdict.PASSED, result.reason
    (asked,) = server.asked
    assert (asked.method, asked.path, asked.json) == ("POST", "/chat", {"prompt": 'say "hi"'})
    assert asked.headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    ("body", "sent"),
    [
        (
            {"q": "{{ prompt }}", "n": [1, "id {{ case_id }}"], "on": True},
            {"q": 'say "hi"', "n": [1, "id a"], "on": True},
        ),
        ({"messages": "{{ messages }}"}, {"messages": [{"role": "user", "content": 'say "hi"'}]}),
        ('{"q": "<{{ prompt }}>"}', {"q": '<say "hi">'}),
        (["{{ prompt }}"], ['say "hi"']),
    ],
)
async def test_a_body_is_filled_in_and_stays_json(folder: Folder, server: EndpointServer, body: Any, sent: Any) -> None:
    result = await ask(folder, server, Reply("hello there"), body=body)
    assert result.verdict is Verdict.PASSED, result.reason
    assert server.asked[0].json == sent


async def test_a_text_that_is_no_json_is_sent_as_it_is(folder: Folder, server: EndpointServer) -> None:
    await ask(folder, server, Reply("x"), body="Q: {{ prompt }}", method="PUT")
    assert (server.asked[0].method, server.asked[0].body) == ("PUT", 'Q: say "hi"')
    assert server.asked[0].headers["content-type"].startswith("text/plain")


async def test_a_query_is_escaped_and_get_has_no_body(folder: Folder, server: EndpointServer) -> None:
    await ask(folder, server, Reply("x"), url=f"{server.url}/a?q={{{{ prompt }}}}", method="GET")
    assert (server.asked[0].method, server.asked[0].path, server.asked[0].body) == ("GET", "/a?q=say%20%22hi%22", "")


async def test_variables_of_the_case_are_filled_in(folder: Folder, server: EndpointServer) -> None:
    suite = "prompts: ['{{ q }}']\ntests: [{id: a, vars: {q: hi, lang: de}, assert: [{type: equals, value: ok}]}]"
    result = await ask(folder, server, Reply("ok"), suite=suite, body={"l": "{{ vars.lang }}"})
    assert result.verdict is Verdict.PASSED, result.reason
    assert server.asked[0].json == {"l": "de"}


async def test_answer_and_tokens_are_found_by_their_paths(folder: Folder, server: EndpointServer) -> None:
    told = {"choices": [{"message": {"content": "hello there"}}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
    result = await ask(folder, server, Reply(told), output="$.choices[0].message.content", usage="usage")
    assert result.verdict is Verdict.PASSED, result.reason
    answer = next(event for event in folder.events if isinstance(event, Answered)).answer
    assert answer.tokens is not None
    assert (answer.tokens.input, answer.tokens.output) == (7, 2)


async def test_the_pieces_of_a_stream_are_joined(folder: Folder, server: EndpointServer) -> None:
    stream = (
        ': keep-alive\n\nevent: x\ndata: {"delta": "hello "}\n\ndata: {"other": 1}\r\n\r\n'
        'data: {"delta":\ndata: "there"}\n\ndata: {"usage": {"input": 3, "output": 4}}\n\ndata: [DONE]\n\n'
    )
    result = await ask(
        folder, server, Reply(stream, kind="text/event-stream; charset=utf-8"), output="delta", usage="usage"
    )
    assert result.verdict is Verdict.PASSED, result.reason
    answer = next(event for event in folder.events if isinstance(event, Answered)).answer
    assert answer.tokens is not None
    assert (answer.tokens.input, answer.tokens.output) == (3, 4)


async def test_a_stream_of_plain_texts_needs_no_path(folder: Folder, server: EndpointServer) -> None:
    result = await ask(
        folder, server, Reply("data: hello \n\ndata: there\n\ndata: [DONE]\n\n", kind="text/event-stream")
    )
    assert result.verdict is Verdict.PASSED, result.reason


async def test_a_busy_server_is_asked_again(folder: Folder, server: EndpointServer) -> None:
    result = await ask(folder, server, Reply(status=503), Reply(status=429), Reply("hello there"))
    assert result.verdict is Verdict.PASSED, result.reason
    assert len(server.asked) == 3
    await ask(folder, server, Reply(status=503), max_retries=0)
    assert len(server.asked) == 4


async def test_a_redirect_to_the_same_host_is_followed_with_its_body(folder: Folder, server: EndpointServer) -> None:
    moved = Reply(status=307, headers={"Location": "/chat/"})
    result = await ask(folder, server, moved, Reply("hello there"), headers={"X-Api-Key": "${{ THE_KEY }}"})
    assert result.verdict is Verdict.PASSED, result.reason
    assert [(each.path, each.headers["x-api-key"], each.json) for each in server.asked] == [
        (path, KEY, {"prompt": 'say "hi"'}) for path in ("/chat", "/chat/")
    ]


async def test_a_redirect_in_a_circle_ends(folder: Folder, server: EndpointServer) -> None:
    result = await ask(folder, server, Reply(status=307, headers={"Location": "/chat"}))
    assert "the server redirects (307 to /chat); set the final address (targets.yaml:1, url)" in result.reason
    assert len(server.asked) == 6


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_no_redirect_carries_a_secret_to_another_host(
    folder: Folder, server: EndpointServer, status: int, method: str
) -> None:
    with EndpointServer(Reply("hello there")) as other:
        moved = Reply(status=status, headers={"Location": f"{other.url}/steal"})
        result = await ask(folder, server, moved, headers={"Authorization": "Bearer ${{ THE_KEY }}"}, method=method)
        assert f"the server redirects ({status} to {other.url}/steal); set the final address" in result.reason
        assert other.asked == []
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("header", ["Bearer ${{ THE_KEY }}", f"Bearer {KEY}"])
async def test_a_secret_that_the_server_repeats_is_not_shown(
    folder: Folder, server: EndpointServer, header: str
) -> None:
    result = await ask(
        folder, server, Reply({"error": f"bad key {KEY}"}, status=401), headers={"Authorization": header}
    )
    assert (
        "the server rejected the API key (401: bad key ***); check headers (targets.yaml:1, headers)" in result.reason
    )
    assert KEY not in repr(folder.events) + repr(result)


def closed_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@pytest.mark.parametrize(
    ("reply", "settings", "words"),
    [
        (Reply("<html>"), {"output": "a"}, "the server's reply is not JSON: '<html>' (targets.yaml:1, output)"),
        (Reply({"a": {"b": 1}}), {"output": "a.c"}, "the reply has nothing at a.c; it begins '{\"a\": {\"b\": 1}}' (targets.yaml:1, output)"),
        (Reply('data: {"x": 1}\n\n', kind="text/event-stream"), {"output": "y"}, "the reply has nothing at y; it begins"),
        (Reply(), {"url": "localhost:80/x"}, "localhost:80/x is not an HTTP address (targets.yaml:1, url)"),
        (Reply(), {"url": "http://[::1"}, "http://[::1 is not an HTTP address (targets.yaml:1, url)"),
        (Reply(), {"body": {"a": "{{ promt }}"}}, "{{ promt }} stands for nothing: there are {{ prompt }}, {{ messages }}, {{ case_id }}, {{ vars.NAME }} (targets.yaml:1, body)"),
        (Reply(), {"body": {"a": "{{ vars.x }}"}}, "{{ vars.x }} stands for nothing: the case has no such variable (targets.yaml:1, body)"),
        (Reply(), {"method": "DELETE"}, "method"),
        (Reply("no", status=401), {}, "the server requires a key (401"),
        (Reply("no", status=500), {"max_retries": 0}, "the server replied 500"),
        (Reply(), {"headers": {"X-Api-Key": "${{ NOT_SET }}"}}, "the environment variable NOT_SET is not set (targets.yaml:1, X-Api-Key)"),
        (Reply(), {"headers": {"X": "ä"}}, "a value contains characters that are not allowed in a header; check headers (targets.yaml:1, headers)"),
    ],
)  # fmt: skip
async def test_an_error_says_what_to_do(
    folder: Folder, server: EndpointServer, reply: Reply, settings: dict[str, Any], words: str
) -> None:
    result = await ask(folder, server, reply, **settings)
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason


async def test_a_server_that_is_down_is_named_with_its_port(folder: Folder, server: EndpointServer) -> None:
    host = f"127.0.0.1:{closed_port()}"
    result = await ask(folder, server, Reply(), url=f"http://{host}/chat")
    assert f"connection to {host} refused. Is the server running? (targets.yaml:1, url)" in result.reason


@pytest.mark.parametrize("number", [0, 1])
async def test_the_examples_of_the_documentation_are_sound_and_answer(
    folder: Folder, server: EndpointServer, number: int
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "http-and-python.md").read_text(encoding="utf-8")
    text = re.findall(r"^```yaml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[number].replace(
        "127.0.0.1:8000", server.host
    )
    file = folder.write("evals/targets.yaml", text)
    assert not analyze(LANGUAGE.document(text, file), LANGUAGE, path=file).diagnostics
    folder.write("app/bot.py", "async def answer(question):\n    return 'hello there'\n")
    server.replies = [Reply({"answer": {"text": "hello there"}, "usage": {"input_tokens": 1, "output_tokens": 2}})]
    folder.environment.update(BOT_KEY=KEY, PATH=os.environ["PATH"])
    result = await replace(folder, path=folder.path / "evals").one(SUITE)
    assert result.verdict is Verdict.PASSED, result.reason
    assert [asked.json for asked in server.asked] == [{"question": 'say "hi"', "session": "a"}][number:]
