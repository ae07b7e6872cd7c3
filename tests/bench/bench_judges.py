"""What 200 judges asked at once take beyond the time of one: `python tests/bench/bench_judges.py`. Prints, and never fails."""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from rubric_core.adapters import system_ports
from rubric_core.analysis import Language, analyze
from rubric_core.evaluation.cases.runnable import runnables
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import Verdict

CALLS, DELAY, LIMIT, REPEATS = 200, 0.1, 0.5, 5
#: What the judge's settings name: agentv takes neither a key nor a model that is written out.
ENVIRONMENT = {"BENCH_MODEL": "m", "BENCH_KEY": "k"}

# A process of its own, so that the judge's work is not counted: it waits, then says that all is well.
SERVER = """
import asyncio, json, sys
VERDICT = json.dumps({"checks": [{"id": "x", "satisfied": True, "reasoning": "so"}], "overall_reasoning": ""})
USAGE = {"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}

def part(kind, **choice):
    return json.dumps({"id": "x", "object": kind, "created": 0, "model": "m", "choices": [{"index": 0, **choice}], "usage": USAGE})

def reply(kind, text):
    body = text.encode()
    return f"HTTP/1.1 200 OK\\r\\nContent-Type: {kind}\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n".encode() + body

MESSAGE = {"role": "assistant", "content": VERDICT}
WHOLE = reply("application/json", part("chat.completion", message=MESSAGE, finish_reason="stop"))
# agentv asks for a reply in pieces.
PIECES = (part("chat.completion.chunk", delta=MESSAGE, finish_reason=None), part("chat.completion.chunk", delta={}, finish_reason="stop"), "[DONE]")
STREAM = reply("text/event-stream", "".join(f"data: {piece}\\n\\n" for piece in PIECES))

async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\\r\\n\\r\\n")
            length = next(int(l.split(b":")[1]) for l in head.split(b"\\r\\n") if l.lower().startswith(b"content-length"))
            asked = json.loads(await reader.readexactly(length))
            await asyncio.sleep(float(sys.argv[1]))
            writer.write(STREAM if asked.get("stream") else WHOLE)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


def suite(calls: int) -> str:
    """A case for each call, and one rubric each."""
    row = "  - {{id: c{n}, criteria: c, input: hi {n}, assertions: [{{type: rubrics, criteria: [{{id: x, outcome: It is so}}]}}]}}\n"
    return "tests:\n" + "".join(row.format(n=n) for n in range(calls))


async def once(path: Path) -> tuple[float, float]:
    """The seconds of one run, from cases that are read to results, and the seconds of this process's work in it."""
    language = Language()
    cases = runnables(path, analyze(language.document(path.read_text()), language))
    async with system_ports(ENVIRONMENT) as ports:
        began, worked = time.perf_counter(), time.process_time()
        results = await run_cases(cases, ports, workers=CALLS)
        took = time.perf_counter() - began, time.process_time() - worked
    wrong = [r.reason for r in results if r.verdict is not Verdict.PASSED]
    if wrong:
        sys.exit(f"{len(wrong)} cases did not pass: {wrong[0]}")
    return took


@contextmanager
def judged_suite(delay: float, calls: int = CALLS) -> Iterator[Path]:
    """A suite of so many calls whose judge replies to each after `delay` seconds."""
    with subprocess.Popen([sys.executable, "-c", SERVER, str(delay)], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
            with tempfile.TemporaryDirectory() as folder:
                bot = {"name": "default", "provider": "mock", "response": "ok", "grader_target": "judge"}
                judge = {
                    "name": "judge",
                    "provider": "openai",
                    "model": "${{ BENCH_MODEL }}",
                    "base_url": url,
                    "api_key": "${{ BENCH_KEY }}",
                }
                path = Path(folder, "judged.eval.yaml")
                path.write_text(suite(calls))
                Path(folder, ".agentv").mkdir()
                Path(folder, ".agentv", "targets.yaml").write_text(json.dumps({"targets": [bot, judge]}))
                yield path
        finally:
            server.kill()


def main() -> None:
    """Print the median of several runs."""
    with judged_suite(DELAY) as path:
        times = [asyncio.run(once(path)) for _ in range(REPEATS + 1)][1:]
    walls, work = [t[0] for t in times], [t[1] for t in times]
    beyond = median(walls) - DELAY
    print(f"{CALLS} judges of {DELAY * 1000:.0f} ms at once: {median(walls):.2f} s, {beyond:.2f} s beyond the ideal (may take {LIMIT} s)")  # fmt: skip
    print(
        f"  fastest {min(walls):.2f} s, slowest {max(walls):.2f} s of {REPEATS}; work of this process {median(work):.2f} s"
    )


if __name__ == "__main__":
    main()
