"""Programs that crash, print a gigabyte, outlive SIGTERM, leave daemons or are not there: as targets, graders and hooks."""

import json
import sys

from .processes import end, left_behind, rubric, sound, suite_folder
from .tally import Setting, Tally
from .texts import rows_of_cases

__all__ = ["run"]

_DAEMON = (
    "import os\nif os.fork(): print('hello'); os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"
    "for n in range(3): os.close(n)\nos.execvp('sleep', ['sleep', '{mark}'])"
)
_TARGETS = {
    "crashes": "kill -SEGV $$", "is not there": "/no/such/program", "exits with 3": "echo why >&2; exit 3", "hangs": "sleep {mark}",
    "ignores SIGTERM": "trap '' TERM INT HUP; while :; do sleep {mark}; done", "leaves a child": "(sleep {mark} &); echo hello",
    "leaves a child in a session of its own": "setsid sleep {mark} >/dev/null 2>&1 </dev/null & echo hello",
    "leaves a child that holds the pipe": "sleep {mark} & echo hello", "leaves a child without environment": "env -i setsid sleep {mark} >/dev/null 2>&1 </dev/null & echo hello",
    "leaves a daemon": f'{sys.executable} -c "{_DAEMON}"', "prints 1 GB": "head -c 1000000000 /dev/zero", "prints 1 GB of errors": "head -c 1000000000 /dev/zero >&2; echo hello",
    "prints without end": "yes hello", "prints a line of 40 MB": "head -c 40000000 /dev/zero | tr '\\0' x", "prints no UTF-8": "printf 'hello \\377\\376'",
    "prints NUL": "printf 'hello \\0 x'", "prints nothing": "true", "removes the folder": "rm -rf $PWD; echo hello", "prints escapes": "printf 'hello \\033[2J\\033]0;t\\007 \\342\\200\\256'",
}  # fmt: skip
#: Lines that grade, and whether a case passes by them; where there is no score, the exit code counts.
_GRADERS: dict[str, tuple[list[str], bool]] = {
    "crashes": (["sh", "-c", "kill -SEGV $$"], False), "is not there": (["/no/such"], False), "prints 1 GB": (["head", "-c", "1000000000", "/dev/zero"], False),
    "leaves a child": (["sh", "-c", "setsid sleep {mark} >/dev/null 2>&1 & echo '{\"score\": 1}'"], True), "prints no JSON": (["echo", "hello"], True),
    "prints deep JSON": ([sys.executable, "-c", "print('[' * 100000)"], True), "gives NaN": (["echo", '{"score": NaN}'], False), "gives 1e999": (["echo", '{"score": 1e999}'], False),
    "gives true": (["echo", '{"score": true}'], False), "gives null": (["echo", '{"score": null}'], False), "gives a list": (["echo", "[]"], True),
    "gives odd hits": (["echo", '{"score": 1, "hits": 5, "misses": {"a": 1}, "assertions": 7, "reasoning": []}'], True), "closes its input": (["sh", "-c", "exec 0<&-; sleep .2; echo '{\"score\": 1}'"], True),
    "ends before it reads": (["sh", "-c", "echo '{\"score\": 1}'"], True), "exits with 1 and a score": (["sh", "-c", "echo '{\"score\": 1}'; exit 1"], False), "prints nothing": (["true"], True),
}  # fmt: skip
_HOOKS = {
    "fails": "{before_all: {command: [sh, -c, 'echo no >&2; exit 4']}}", "is not there": "{before_all: {command: [/no/such]}}", "fails after each case": "{after_each: {command: ['false']}}",
    "hangs": "{before_all: {command: [sleep, '{mark}'], timeout_ms: 2000}}", "leaves a daemon": "{before_all: {command: [sh, -c, 'setsid sleep {mark} >/dev/null 2>&1 &']}}",
}  # fmt: skip
#: The most that may be kept of what a program printed, in bytes.
_KEPT = 60_000_000


def run(setting: Setting, tally: Tally) -> None:
    """Targets, graders, hooks."""
    mark = f"86400.{setting.random('mark').randrange(10**9)}"
    for name, command in setting.some(_TARGETS, 2).items():
        target = {
            "name": "default",
            "provider": "cli",
            "timeout_seconds": 3,
            "command": command.replace("{mark}", mark),
        }
        _one(setting, tally, f"a target that {name}", f"name: s\ntests:\n{rows_of_cases(1)}", mark, target)
    for name, (command, passes) in setting.some(_GRADERS, 2).items():
        grader = json.dumps([word.replace("{mark}", mark) for word in command])
        said = "x" * 3_000_000 if "input" in name or "reads" in name else "hi"
        suite = f"name: s\ntests:\n  - id: a\n    input: {said}\n    criteria: x\n    assertions: [{{type: code-grader, command: {grader}}}]\n"
        code = _one(setting, tally, f"a grader that {name}", suite, mark)
        tally.expect(passes == (code == 0), f"a grader that {name}: exit {code}")
    for name, hook in setting.some(_HOOKS, 1).items():
        suite = f"name: s\nworkspace: {{hooks: {hook.replace('{mark}', mark)}}}\ntests:\n{rows_of_cases(2)}"
        _one(setting, tally, f"a hook that {name}", suite, mark)


def _one(setting: Setting, tally: Tally, name: str, suite: str, mark: str, *targets: dict[str, object]) -> int | None:
    tally.count("programs")
    folder = suite_folder(setting.folder / name.replace(" ", "-"), suite, *targets)
    ended = rubric(folder, "run", "s.eval.yaml")
    sound(tally, name, ended)
    left = left_behind(mark)
    tally.expect(not left, f"{name}: {len(left)} programs outlive the run")
    end(left)
    kept = sum(path.stat().st_size for path in (folder / ".rubric").rglob("*") if path.is_file())
    tally.expect(kept < _KEPT, f"{name}: {kept:,} bytes are kept")
    return ended.code
