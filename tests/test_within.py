"""What `.ci/run` starts is over when its time is, whatever it has started itself."""

import subprocess
import sys
from pathlib import Path

import pytest

WITHIN = Path(__file__).with_name("within.py")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a process that adopts orphans")

#: Starts a process that belongs to no group of ours, has lost its parent, and ignores every request to end.
LEAVES_ONE_BEHIND = """
setsid sh -c 'trap "" INT TERM HUP; echo $$ >pid; while :; do sleep 1; done' >/dev/null 2>&1 &
while [ ! -s pid ]; do sleep 0.05; done
"""


@pytest.mark.parametrize(
    ("seconds", "rest", "code", "said"),
    [
        ("60", "exit 7", 7, ""),
        ("3", "trap 'echo the last words; exit' INT; while :; do sleep 0.1; done", 124, "the last words\n"),
    ],
    ids=["ended by itself", "its time was over"],
)
def test_nothing_is_left_behind(tmp_path: Path, seconds: str, rest: str, code: int, said: str) -> None:
    command = ["sh", "-c", LEAVES_ONE_BEHIND + rest]
    done = subprocess.run(
        [sys.executable, WITHIN, seconds, *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, said)
    assert not Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists()
