"""Whatever a program starts ends with it: also what has another session, parent and environment, and hears no signal."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from suites import Folder
from waiting import alive, seen

from rubric_core.adapters import OsProcesses
from rubric_core.orphan_processes import LimitMark
from rubric_core.ports import Program

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="other systems do not tell what left its group"
)

#: Takes the name of a file that gets its process id, and stays.
DAEMON = """
import os, signal, sys, time
where = sys.argv[1]
if "double fork" in sys.argv:
    os.fork() and os._exit(0)
    os.setsid()
    os.fork() and os._exit(0)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
for number in range(3) if "closed" in sys.argv else ():
    os.close(number)
with open(where + ".new", "w") as file:
    file.write(str(os.getpid()))
os.rename(where + ".new", where)
time.sleep(600)
"""
WAYS = {
    "session": "setsid {daemon} pid &",
    "environment": "env -i {daemon} pid &",
    "session and environment": "env -i setsid {daemon} pid &",
    "environment and session": "setsid env -i {daemon} pid &",
    "double fork": "env -i {daemon} pid 'double fork'",
    "double fork, pipes closed": "env -i {daemon} pid 'double fork' closed",
    "in turn": "env -i setsid sh -c 'env -i setsid {daemon} pid closed &' &",
    "nohup": "env -i nohup setsid {daemon} pid >/dev/null 2>&1 &",
}
#: A run that kills itself as soon as its program is ready.
STARTER = """
import asyncio, os
from pathlib import Path
from rubric_core.adapters import OsProcesses
from rubric_core.ports import Program

async def main():
    running = asyncio.ensure_future(OsProcesses().run(Program(("sh", "-c", {script!r}), Path.cwd())))
    while not Path("ready").exists():
        await asyncio.sleep(0.01)
    os.kill(os.getpid(), 9)

asyncio.run(main())
"""
#: Starts another program in the moment in which the limit is set that every child inherits.
STARTS_ANOTHER = """
import subprocess
from pathlib import Path
from rubric_core.orphan_processes import LimitMark

def start_and_unset(marks, unset=LimitMark.unset):
    other = subprocess.Popen(["sleep", "600"])
    Path("other").write_text(str(other.pid))
    unset(marks)

LimitMark.unset = start_and_unset
"""
READY = "\nwhile [ ! -e pid ]; do sleep 0.01; done\n"


def script(folder: Folder, way: str) -> str:
    folder.write("daemon.py", DAEMON)
    return WAYS[way].format(daemon=f"{sys.executable} -S -E daemon.py") + READY


async def killed_run(folder: Folder, way: str, prelude: str = "") -> int:
    """Run a program in a process that kills itself once the program is ready. Gives the exit code of that process.

    Args:
        prelude: Code that the process runs before it.
    """
    script_text = script(folder, way) + "touch ready; sleep 600"
    folder.write("starter.py", prelude + STARTER.format(script=script_text))
    starter = await asyncio.create_subprocess_exec(sys.executable, "starter.py", cwd=folder.path)
    return await starter.wait()


def pid(folder: Folder, name: str = "pid") -> int:
    return int((folder.path / name).read_text())


async def gone(process: int) -> bool:
    return await seen(f"the end of {process}", lambda: not alive(process))


@pytest.mark.parametrize("way", WAYS)
async def test_what_a_program_leaves_behind_ends_with_it(folder: Folder, way: str) -> None:
    finished = await OsProcesses().run(Program(("sh", "-c", script(folder, way)), folder.path))
    assert finished.exit_code == 0
    assert await gone(pid(folder))


@pytest.mark.parametrize("way", WAYS)
async def test_what_a_program_leaves_behind_ends_when_the_program_is_ended(folder: Folder, way: str) -> None:
    argv = ("sh", "-c", f"trap '' TERM INT HUP; {script(folder, way)} touch ready; sleep 600")
    running = asyncio.ensure_future(OsProcesses().run(Program(argv, folder.path)))
    await seen("a daemon", (folder.path / "ready").exists)
    running.cancel()
    await asyncio.wait([running])
    assert await gone(pid(folder))


@pytest.mark.parametrize("way", WAYS)
async def test_what_a_program_leaves_behind_ends_with_a_run_that_is_killed(folder: Folder, way: str) -> None:
    assert await killed_run(folder, way) == -9
    assert await gone(pid(folder))


async def test_only_what_the_program_itself_left_behind_is_ended(folder: Folder) -> None:
    """Not what another program of the same run started, nor what the run itself did, nor what another run started."""
    daemon = f"env -i setsid {sys.executable} -S -E daemon.py"
    folder.write("daemon.py", DAEMON)
    ours, others = OsProcesses(), OsProcesses()
    wait = "while [ ! -e {0} ]; do sleep 0.01; done; touch {0}.ready; sleep 600"
    running = [
        asyncio.ensure_future(
            who.run(Program(("sh", "-c", f"{daemon} {name} & {wait.format(name)}"), folder.path)),
        )
        for name, who in (("first", ours), ("second", ours), ("other", others))
    ]
    alone = await asyncio.create_subprocess_exec(sys.executable, "daemon.py", "alone", cwd=folder.path)
    for name in ("first", "second", "other"):
        await seen(name, (folder.path / f"{name}.ready").exists)
    await seen("alone", (folder.path / "alone").exists)
    running[0].cancel()
    await asyncio.wait([running[0]])
    assert await gone(pid(folder, "first"))
    assert [alive(pid(folder, name)) for name in ("second", "other", "alone")] == [True] * 3
    running[1].cancel()
    await asyncio.wait([running[1]])
    assert await gone(pid(folder, "second"))
    assert [alive(pid(folder, name)) for name in ("other", "alone")] == [True] * 2
    running[2].cancel()
    await asyncio.wait([running[2]])
    assert await gone(pid(folder, "other"))
    assert alive(alone.pid)
    alone.kill()
    await alone.wait()


async def test_what_a_run_within_a_run_leaves_behind_ends_with_the_outer_one(folder: Folder) -> None:
    folder.write(
        "inner.py",
        f"""
        import asyncio
        from pathlib import Path
        from rubric_core.adapters import OsProcesses
        from rubric_core.ports import Program

        async def main():
            await OsProcesses().run(Program(("sh", "-c", {script(folder, "double fork") + "sleep 600"!r}), Path.cwd()))

        asyncio.run(main())
        """,
    )
    running = asyncio.ensure_future(OsProcesses().run(Program((sys.executable, "inner.py"), folder.path)))
    await seen("a daemon", (folder.path / "pid").exists)
    running.cancel()
    await asyncio.wait([running])
    assert await gone(pid(folder))


async def test_what_another_thread_starts_meanwhile_is_left_alone(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It gets the limit by which the program is known, when it is started in the same moment."""
    started: list[subprocess.Popen[bytes]] = []
    unset = LimitMark.unset

    def start_and_unset(marks: LimitMark) -> None:
        started.append(subprocess.Popen(["sh", "-c", "sleep 600 & wait"]))
        started.append(subprocess.Popen(["sleep", "600"], start_new_session=True))
        unset(marks)

    monkeypatch.setattr(LimitMark, "unset", start_and_unset)
    finished = await OsProcesses().run(Program(("sh", "-c", script(folder, "session and environment")), folder.path))
    assert finished.exit_code == 0
    assert await gone(pid(folder))
    assert [each.poll() for each in started] == [None, None]
    for each in started:
        each.kill()
        each.wait()


async def test_what_another_thread_started_outlives_a_run_that_is_killed(folder: Folder) -> None:
    assert await killed_run(folder, "environment and session", STARTS_ANOTHER) == -9
    assert await gone(pid(folder))
    await asyncio.sleep(1)  # the guard looks three times
    assert alive(pid(folder, "other"))
    os.kill(pid(folder, "other"), 9)


async def test_a_run_leaves_its_own_limits_as_they_were(folder: Folder) -> None:
    limits = Path("/proc/self/limits").read_text()
    processes = OsProcesses()
    program = Program(("cat", "/proc/self/limits"), folder.path)
    finished = await asyncio.gather(*(processes.run(program) for _ in range(5)))
    assert Path("/proc/self/limits").read_text() == limits
    timeouts = {line for each in finished for line in each.stdout.decode().splitlines() if "realtime timeout" in line}
    assert len(timeouts) == len(finished)  # each program has a number of its own
    # … and has nothing else that the run itself has not.
    assert {line for each in finished for line in each.stdout.decode().splitlines()} - timeouts <= set(
        limits.splitlines()
    )


async def test_where_limits_cannot_be_set_a_variable_tells(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    def refused(*_: object) -> None:
        raise PermissionError(1, os.strerror(1))

    monkeypatch.setattr(resource, "setrlimit", refused)
    finished = await OsProcesses().run(Program(("sh", "-c", script(folder, "session")), folder.path))
    assert finished.exit_code == 0
    assert await gone(pid(folder))
