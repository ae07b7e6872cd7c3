"""CPU of every request that editors send, in suites of 1,000, 10,000 and 100,000 lines, each right behind an edit; and memory after many edits.

    python tests/bench/bench_latency.py [LINES …] [--edits 50000]

The server runs in this process, without a wire: what is measured is its work, the writing of the answer included. Prints the
median and the largest of the samples, in milliseconds of CPU, beside the budget; with `--edits`, the memory of a server
process before and after so many edits. Nothing fails.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

for _folder in ("", "lsp", "core"):
    sys.path.insert(0, str(Path(__file__).parents[1] / _folder))

from client import VSCODE, Client  # noqa: E402
from everywhere import WHOLE, Direct, params_at  # noqa: E402

from rubric_lsp.protocol.transport import encoded  # noqa: E402

LINES = (1_000, 10_000, 100_000)
#: Milliseconds for the median at each number of lines: what a person does not notice while typing, and for answers about the
#: whole file, which editors ask for behind a pause, ten times that.
BUDGET = {1_000: 20, 10_000: 30, 100_000: 100}
_WHOLE_FILE = 10
SAMPLES = {1_000: 100, 10_000: 25, 100_000: 8}
#: Of a request that takes longer, in seconds of CPU, so many samples are enough.
_LONG, _FEW = 0.4, 4
_CASE = """\
  - id: case-{0}
    criteria: Names day {0}
    input: When is day {0}?
    assertions:
      - type: contains
        value: day {0}
      - type: rubrics
        criteria:
          - id: c{0}
            outcome: Is polite
"""
_AT = (
    "completion", "hover", "codeAction", "definition", "references", "documentHighlight", "prepareRename", "rename", "selectionRange", "inlayHint",
    "semanticTokens/range", "rangeFormatting", "onTypeFormatting",
)  # fmt: skip
URI = "file:///bench/a.eval.yaml"


def suite(lines: int) -> str:
    """A suite without mistakes."""
    return "# rubric: dialect=agentv-3\ntests:\n" + "".join(_CASE.format(n) for n in range(lines // 10))


def latencies(lines: int, samples: int) -> dict[str, list[float]]:
    """Milliseconds of CPU by request, the diagnostics behind an edit among them."""
    server, text, rng = Direct(), suite(lines), random.Random(1)
    # As VS Code and Neovim say: the edits of an action are worked out when it is chosen.
    resolved = {"dataSupport": True, "resolveSupport": {"properties": ["edit"]}}
    actions = {**VSCODE["textDocument"]["codeAction"], **resolved}
    server.initialize({**VSCODE, "textDocument": {**VSCODE["textDocument"], "diagnostic": {}, "codeAction": actions}})
    server.open(URI, text, 0)
    document = {"textDocument": {"uri": URI}}
    tokens = _asked(server, "semanticTokens/full", document)["result"]["resultId"]
    spent: dict[str, list[float]] = defaultdict(list)
    for number in range(samples + 2):
        first = 2 + 10 * rng.randrange(lines // 10)
        where = {"line": first + 2, "character": 11}
        begun = time.process_time()
        server.change(URI, number + 1, [{"range": {"start": where, "end": where}, "text": "x"}])
        _asked(server, "diagnostic", document)
        spent["didChange and diagnostics"].append(time.process_time() - begun)
        asked: dict[str, Any] = {"semanticTokens/full/delta": {**document, "previousResultId": tokens}}
        asked |= dict.fromkeys((name for name in WHOLE if name != "diagnostic"), document)
        asked |= {"formatting": {**document, "options": {"tabSize": 2, "insertSpaces": True}}}
        asked |= {name: params_at(name, {"line": first, "character": 10}, URI) for name in _AT}
        for method, params in asked.items():
            if len(spent[method]) >= _FEW and spent[method][-1] > _LONG:
                continue
            begun = time.process_time()
            answer = _asked(server, method, params)
            spent[method].append(time.process_time() - begun)
            if method.startswith("semanticTokens/full"):
                tokens = answer["result"]["resultId"]
    server.end()
    # The first time, modules are imported.
    return {name: [1_000 * each for each in every[2:]] for name, every in spent.items()}


def _asked(server: Direct, method: str, params: Any) -> Any:
    answer = server.answer(server.start(f"textDocument/{method}", params))
    encoded(answer)
    return answer


def memory(edits: int) -> tuple[int, int]:
    """Resident megabytes of a server after 1,000 edits of a suite, and after all of them."""
    text, rng = suite(500), random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        client = Client(cwd=Path(folder), state=Path(folder))
        try:
            client.initialize(VSCODE, Path(folder))
            client.open(URI, text)
            sizes: list[int] = []
            for number in range(edits):
                place = {"line": 4 + 10 * rng.randrange(49), "character": 11}
                undo = number % 40 == 39
                client.change(URI, {"text": text} if undo else {"range": {"start": place, "end": place}, "text": "x"})
                if number % 25 == 0:
                    client.at("completion", URI, place["line"], 4)
                if number in (1_000, edits - 1):
                    client.diagnostics(URI)
                    sizes.append(_resident(client.process.pid))
                client.notifications.clear()
            return sizes[0], sizes[-1]
        finally:
            client.close()


def _resident(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lines", nargs="*", type=int, default=LINES)
    parser.add_argument("--edits", type=int, default=0)
    options = parser.parse_args()
    found = {lines: latencies(lines, SAMPLES.get(lines, 20)) for lines in options.lines}
    print("| ms of CPU, median / largest | " + " | ".join(f"{lines:,} lines" for lines in found) + " |")
    print("|---|" + "---|" * len(found))
    for name in found[options.lines[0]]:
        whole = name in WHOLE or name in ("semanticTokens/full/delta", "formatting")
        cells = []
        for lines, spent in found.items():
            most = BUDGET.get(lines, 0) * (_WHOLE_FILE if whole else 1)
            over = " !" if most and median(spent[name]) > most else ""
            cells.append(f"{median(spent[name]):.1f} / {max(spent[name]):.1f}{over}")
        print(f"| {name} | " + " | ".join(cells) + " |")
    if options.edits:
        before, after = memory(options.edits)
        print(f"memory: {before} MB after 1,000 edits, {after} MB after {options.edits:,}")


if __name__ == "__main__":
    main()
