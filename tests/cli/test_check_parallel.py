"""Many files on several processors: the same as on one."""

import gc
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import BROKEN, CLEAN, Run, write
from thorough import sample

from rubric_core.cli import parallel
from rubric_core.cli.parallel import parallel_map

# The threads are those of the test runner.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


@pytest.fixture(autouse=True)
def processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_processors", lambda: 3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be copied here")
class TestMapped:
    @pytest.mark.parametrize("number", [0, 1, 23, 48, 71, 72, 100])
    def test_the_order_stays(self, number: int) -> None:
        assert parallel_map(lambda n: n * n, range(number)) == [n * n for n in range(number)]

    def test_others_do_a_part_of_it(self) -> None:
        def slowly(_: int) -> int:
            time.sleep(0.01)
            return os.getpid()

        assert len(set(parallel_map(slowly, range(100)))) == 3
        assert len(set(parallel_map(slowly, range(40)))) == 1

    def test_a_slow_item_holds_up_nobody_else(self) -> None:
        def work(n: int) -> int:
            time.sleep(1 if n == 0 else 0)
            return os.getpid()

        done = parallel_map(work, range(600))
        assert done.count(done[0]) == 8

    def test_large_results_arrive(self) -> None:
        assert sum(map(len, parallel_map(lambda _: "x" * 100_000, range(100)))) == 10_000_000

    def test_what_a_helper_fails_to_do_is_done_here(self) -> None:
        here = os.getpid()

        def only_here(n: int) -> int:
            if os.getpid() != here:
                os._exit(9)
            return n

        assert parallel_map(only_here, range(100)) == list(range(100))

    def test_an_error_is_seen(self) -> None:
        with pytest.raises(ZeroDivisionError):
            parallel_map(lambda n: 1 // (n - 50), range(100))


#: Results that fill every pipe, of work that has no end, or that only the process that started it is not done with.
_WORK = """
import os, time
from rubric_core.cli import parallel
parallel._processors = lambda: 3
first = os.getpid()

def work(n):
    time.sleep(60 if {waits} and os.getpid() == first else 0.01)
    return "x" * 100_000

parallel.parallel_map(work, range({number}))
"""
_ENDLESS, _WAITING = _WORK.format(waits=False, number=100_000), _WORK.format(waits=True, number=100)


def _running_children(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [int(each) for each in listed.read_text(encoding="ascii").split()]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children of a process are listed by Linux only")
@pytest.mark.parametrize("script", [_ENDLESS, _WAITING], ids=["working", "sending"])
@pytest.mark.parametrize("number", sample([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL], 3))
def test_nobody_works_on_for_a_process_that_ended(number: signal.Signals, script: str) -> None:
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while len(helpers := _running_children(process.pid)) < 2:
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(1)  # so that they are done where the work has an end
        process.send_signal(number)  # to this one alone, as a supervisor does
        process.communicate(timeout=20)  # whoever reads what it says comes to an end
    deadline = time.monotonic() + 20
    while any(_is_running(helper) for helper in helpers):
        assert time.monotonic() < deadline, "a helper works on"
        time.sleep(0.05)


def _is_running(process: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def test_what_a_check_made_is_not_collected_once_more(rubric: Run) -> None:
    write("evals/one.eval.yaml", CLEAN)
    before = gc.get_freeze_count()
    assert rubric("check").code == 0
    assert gc.isenabled()
    assert gc.get_freeze_count() > before


def test_a_check_of_many_files_says_the_same(rubric: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(90):
        write(f"evals/{n:02}.eval.yaml", (BROKEN, CLEAN, b"\xff")[n % 3])
    several = rubric("check", "--format", "json"), rubric("check"), rubric("check", "--diff")
    monkeypatch.setattr(parallel, "_processors", lambda: 1)
    one = rubric("check", "--format", "json"), rubric("check"), rubric("check", "--diff")
    assert several[0] == one[0]
    assert len(one[0].json) == 60
    assert [(r.code, r.err.split(" · ")[0]) for r in several] == [(r.code, r.err.split(" · ")[0]) for r in one]
    assert [r.out.rsplit(" · ", 1)[0] for r in several] == [r.out.rsplit(" · ", 1)[0] for r in one]
