"""Patterns and templates that never end, or want all memory: they are ended, and the run goes on."""

import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from suites import Folder, context, evaluator
from waiting import PATIENCE, alive, until

from rubric_core.adapters import system_ports
from rubric_core.evaluation.evaluators import regex as regex_evaluator
from rubric_core.evaluation.evaluators.regex import REGEX
from rubric_core.evaluation.model.result import Verdict
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.js_regex.nodes import UnsupportedPatternError
from rubric_core.js_regex.translate import translate
from rubric_core.sandbox.process import Sandbox, SandboxError

LONG = "took longer than"
MUCH = "needs more than 512 MB of memory"
DEEP = "is nested too deeply, or recurses without end"
BOMBS = {
    "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}": LONG,
    "{% for i in range(10**9) %}{% endfor %}": "Range too big",
    "{{ lipsum(n=100000) }}": LONG,
    "{{ q * 1000000000 }}": MUCH,
    "{{ q.center(1000000000) }}": MUCH,
    '{{ "%1000000000d" % 1 }}': MUCH,
    "{{ '{:999999999}'.format(q) }}": MUCH,
    "{{ q | indent(999999999) }}": MUCH,
    "{% set ns = namespace(x='ab') %}{% for i in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}": MUCH,
    "{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}": DEEP,
    "{{ " + "(" * 5000 + "q" + ")" * 5000 + " }}": DEEP,
    "{% if q %}" * 800 + "x" + "{% endif %}" * 800: DEEP,
    "{{ q * 20000000 }}": "returns more than 10,000,000 characters",
}


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        yield made


def suite(template: str) -> str:
    prompts = json.dumps([template])
    return (
        f"# rubric: dialect=agentv-5\nproviders: [mocked]\nprompts: {prompts}\n"
        "tests:\n  - id: a\n    vars: {q: hi}\n    assert: [{type: contains, value: hello}]\n"
    )


@pytest.mark.parametrize(("template", "words"), BOMBS.items(), ids=[t[:40] for t in BOMBS])
async def test_a_template_that_wants_too_much_is_ended(
    template: str, words: str, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What wants memory gets more time than it takes to want it, on a busy machine too.
    monkeypatch.setattr("rubric_core.evaluation.templating.nunjucks._TIME_LIMIT", 0.7 if words is LONG else 20.0)
    folder.write(".agentv/providers.yaml", "providers:\n  - {id: mock, label: mocked, config: {response: hello}}\n")
    beats = 0

    async def beat() -> None:
        nonlocal beats
        while True:
            await asyncio.sleep(0.01)
            beats += 1

    beating = asyncio.create_task(beat())
    began = time.monotonic()
    (result,) = (await folder.run_all(suite(template))).values()
    beating.cancel()
    assert result.verdict is Verdict.UNSCORED
    assert words in result.reason
    assert result.reason.endswith("(suite.eval.yaml:3)")
    assert beats > (time.monotonic() - began) / 0.2, "the loop goes on meanwhile"


def test_a_process_is_reused_and_started_anew_after_its_end(sandbox: Sandbox) -> None:
    request = {"do": "render", "template": "{{ q | upper }}", "values": {"q": "a"}, "filters": []}
    assert sandbox.call(request, 5) == "A"
    began = time.process_time()
    for _ in range(50):
        assert sandbox.call(request, 5) == "A"
    assert time.process_time() - began < 0.1
    with pytest.raises(SandboxError, match=LONG):
        sandbox.call({**request, "template": "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"}, 0.2)  # fmt: skip
    assert sandbox.call(request, 5) == "A"


def test_a_template_sees_no_environment_but_what_it_names(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "x")
    told: list[object] = []

    def answer(what: str, about: object) -> object:
        told.append((what, about))
        return "value"

    request = {"do": "render", "template": "{{ env.NAME }}{{ env }}", "values": {}, "filters": []}
    assert sandbox.call(request, 5, answer) == "value(the environment)"
    assert told == [("environment", "NAME")]
    assert sandbox.call({**request, "do": "match", "pattern": "a", "engine": "re", "sticky": False, "text": "a"}, 5)
    found = children(os.getpid())
    assert found
    for pid in found if sys.platform == "linux" else ():
        assert b"SECRET" not in Path(f"/proc/{pid}/environ").read_bytes()


def children(parent: int) -> list[int]:
    """The processes of sandboxes of a process."""
    listed = subprocess.run(["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return [int(pid) for pid, of, args in rows if int(of) == parent and "sandbox/worker.py" in args]


async def grade(pattern: str, text: str, flags: str = "") -> float | None:
    async with system_ports() as ports:
        config = evaluator(json.dumps({"type": "regex", "value": pattern, "flags": flags}))
        return (await REGEX.evaluate(context(config, text, ports))).score


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("a?" * 31 + "a" * 31, "a" * 31),
        ("(?:a|a){0,10}" * 9 + "c", "a" * 90),
        ("(a+)+c", "a" * 40),
        ("(?=(a|a)*c)a", "a" * 40),
        ("a*" * 12 + "c", "a" * 200),
        (r"(\w{1,3}){20}\1!", "a" * 60),
    ],
    ids=lambda text: text[:20],
)
async def test_a_pattern_is_ended_whatever_it_is(pattern: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex_evaluator, "_TIME_LIMIT", 0.3)
    with pytest.raises(Unscored) as problem:
        await grade(pattern, text)
    assert problem.value.reason == (f"the pattern {LONG} 0.3 s on this answer; nested repetitions are the usual reason")


def pattern_of(choose: random.Random, depth: int) -> str:
    kind = choose.randrange(6) if depth else 0
    inner = [pattern_of(choose, depth - 1) for _ in range(2)] if kind else []
    if kind == 1:
        return f"(?:{inner[0]}|{inner[1]})"
    if kind == 2:
        return f"(?:{inner[0]}){choose.choice(['*', '+', '?', '{0,3}', '{2}', '{3,}', '*?', '{0,40}'])}"
    if kind == 3:
        return f"(?{choose.choice('=!')}{inner[0]})"
    return "".join(inner) or choose.choice(["a", "b", "[ab]", ".", "\\w", "", "\\b", "$"])


async def test_cancelling_one_computation_ends_no_other(sandbox: Sandbox) -> None:
    endless = {"do": "match", "engine": "re", "pattern": "(a+)+$", "sticky": False, "text": "a" * 40 + "b"}
    cancelled, other = (asyncio.ensure_future(sandbox.compute(endless, 1.0)) for _ in range(2))
    while len(sandbox._busy) < 2:
        await asyncio.sleep(0.01)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    assert not other.done()
    with pytest.raises(SandboxError, match="took longer than 1 s"):
        await other


async def test_what_waits_for_its_turn_is_cancelled_at_once_and_the_threads_of_the_loop_stay_free(
    sandbox: Sandbox,
) -> None:
    """Prompts with loops, opened one after the other, kept those who store results waiting, and no cancellation was heard."""
    held = threading.Event()
    computing = [asyncio.ensure_future(sandbox.threaded(held.wait)) for _ in range(100)]
    try:
        assert await asyncio.wait_for(asyncio.to_thread(lambda: "free"), PATIENCE) == "free"
        computing[-1].cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(computing[-1], PATIENCE)
        assert not any(each.done() for each in computing[:-1])
    finally:
        held.set()
    assert all(await asyncio.gather(*computing[:-1]))


@pytest.mark.parametrize("name", ["SIGKILL", "SIGINT", "SIGHUP"])
def test_a_process_that_somebody_ends_is_named_once_and_replaced(sandbox: Sandbox, name: str) -> None:
    def end(pid: int) -> None:
        os.kill(pid, signal.Signals[name])

    request = {"do": "render", "template": "{{ q | upper }}", "values": {"q": "a"}, "filters": []}
    assert sandbox.call(request, 5) == "A"
    idle = sandbox._idle[0]._process
    end(idle.pid)
    idle.wait()
    assert sandbox.call(request, 5) == "A", "ending an idle process costs no request"
    busy = sandbox._idle[0]._process

    def answer(_: str, __: object) -> str:
        end(busy.pid)
        busy.wait()
        return "a variable"

    with pytest.raises(SandboxError, match=f"could not be computed: the process that computes it was ended by {name}"):
        sandbox.call({**request, "template": "{{ env.X }}"}, 5, answer)
    assert sandbox.call(request, 5) == "A"


def test_what_is_taken_for_cheap_is() -> None:
    """A bound that is too low lets a pattern run where nothing can end it."""
    choose, cheap = random.Random(4), 0
    for _ in range(1000):
        try:
            found = translate(pattern_of(choose, 4))
        except UnsupportedPatternError:
            continue
        text = found.text(
            choose.choice(["a", "ab", "aab"]) * choose.choice([3, 10, 30, 200]) + choose.choice(["", "c"])
        )
        if found.most_steps(text) > regex_evaluator._CHEAP or found.engine != "re":
            continue
        cheap += 1
        compiled = re.compile(found.pattern)
        began = time.process_time()
        compiled.search(text)
        assert time.process_time() - began < 0.2, (found.pattern, text)
    assert cheap > 300


def test_common_patterns_need_no_process() -> None:
    answer = "The refund takes 30 days. " * 40
    for pattern in (
        r"\b30 days\b",
        "refund|return",
        r"^The\s+refund",
        r"\d+ days\.",
        "(?:yes|no)[.!]?$",
        "[A-Z]{2,4}-[0-9]+",
    ):
        found = translate(pattern)
        assert found.most_steps(found.text(answer)) <= regex_evaluator._CHEAP, pattern


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_run_that_is_stopped_leaves_no_match_behind(name: str, folder: Folder) -> None:
    import signal

    folder.mock("a" * 40)
    folder.suite("tests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: regex, value: '(a|a)*c'}]}\n")
    command = [sys.executable, "-m", "rubric_core.cli", "run", "suite.eval.yaml"]
    with subprocess.Popen(command, cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        (pid,) = until("a process that matches", lambda: children(running.pid), 20)
        time.sleep(0.2)
        began = time.monotonic()
        running.send_signal(getattr(signal, name))
        running.communicate(timeout=30)
        if name != "SIGKILL":
            assert running.returncode == 128 + getattr(signal, name)
            assert time.monotonic() - began < 4, "and does not wait for the limit"
    until("its end", lambda: not alive(pid))
