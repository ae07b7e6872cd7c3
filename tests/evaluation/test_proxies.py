"""Proxies are those of the user's environment: the plan names them, and no suite changes them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from greeting_server import greeting_server

from rubric_core.adapters import system_ports
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.guard import guarded
from rubric_core.evaluation.engine.run_plan import plan_run
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.proxies import Proxies

NAMES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


async def run(folder: Path, url: str, variables: Mapping[str, str], **further: Any) -> tuple[str, str]:
    """What is shown of the requests of a promptfoo configuration, and the reason of its case, which is held to that."""
    config = {"url": url, "method": "POST", "body": {"q": "{{prompt}}"}, "transformResponse": "json.output"}
    written = {
        "prompts": ["hi"], "providers": [{"id": "http", "config": config}],
        "tests": [{"assert": [{"type": "contains", "value": "hello"}]}], **further,
    }  # fmt: skip
    path = folder / "promptfooconfig.yaml"
    path.write_text(json.dumps(written), encoding="utf-8")
    async with system_ports({"PATH": "/usr/bin:/bin", **variables}) as ports:
        cases = [each for case in load_suite(path).cases for each in variations(case)]
        plan = await plan_run(cases, ports, [folder])
        (found,) = await run_cases(cases, guarded(ports, plan))
    return next(line for line in plan.words() if line.startswith("send")), found.reason


@pytest.mark.parametrize("name", ["http_proxy", "HTTP_PROXY", "ALL_PROXY"])
async def test_the_plan_names_the_proxy_that_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    async with greeting_server() as (proxy, heard):
        monkeypatch.setenv(name, f"http://someone:a-long-password@{proxy}")
        shown, reason = await run(tmp_path, "http://models.invalid/ask?a=b", {})
    assert (shown, reason) == (
        f"send requests to: http://models.invalid/ask?a=b (through the proxy http://{proxy})",
        "",
    )
    assert [each.partition(" HTTP/")[0] for each in heard] == ["POST http://models.invalid/ask?a=b"]


@pytest.mark.parametrize("further", [{}, {"env": {name.upper(): "@" for name in NAMES[:3]}}])
@pytest.mark.parametrize("variables", [{}, dict.fromkeys(NAMES[:3], "@")])
async def test_no_suite_and_no_variable_of_a_run_changes_a_proxy(
    tmp_path: Path, variables: Mapping[str, str], further: Mapping[str, Any]
) -> None:
    async with greeting_server() as (asked, heard), greeting_server() as (other, stolen):
        there = json.loads(json.dumps([variables, further]).replace("@", f"http://{other}"))
        (tmp_path / ".env").write_text(f"HTTP_PROXY=http://{other}\nALL_PROXY=http://{other}\n")
        shown, reason = await run(tmp_path, f"http://{asked}/ask", there[0], **there[1])
    assert (shown, reason) == (f"send requests to: http://{asked}/ask", "")
    assert [each.partition(" HTTP/")[0] for each in heard] == ["POST /ask"]
    assert not stolen


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://a.example/x", "http://one:1"),
        ("https://a.example/x", "http://two:2"),
        ("http://direct.example/x", ""),
        ("http://under.direct.example:8080/x", ""),
        ("http://indirect.example/x", "http://one:1"),
        ("http://10.0.0.1:8080/", ""),
        ("http://10.0.0.1:8081/", "http://one:1"),
        ("http://[::1]:8080/", ""),
        ("ws://a.example/x", ""),
        ("http://a.example:port/", ""),
    ],
)
def test_a_proxy_is_found_as_usual(monkeypatch: pytest.MonkeyPatch, url: str, proxy: str) -> None:
    from urllib.request import proxy_bypass

    monkeypatch.setenv("no_proxy", ".direct.example, 10.0.0.1:8080,::1")
    assert Proxies({"http": "one:1", "all": "http://two:2"}, proxy_bypass).of(url) == proxy
