"""The directory in which a target works: templates, repositories, hooks, what changed, and that nothing is left behind."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from suites import Folder
from waiting import alive, seen

from rubric_core.adapters import system_ports
from rubric_core.cli import main
from rubric_core.disk import DiskFiles
from rubric_core.disk_directories import DiskDirectories
from rubric_core.evaluation.engine.events import Answered, Noted, ignore_event
from rubric_core.evaluation.engine.fingerprint import fingerprint
from rubric_core.evaluation.engine.run import session_of
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.evaluation.targets.resolve import load_targets
from rubric_core.evaluation.workspaces.directories import restore_directory
from rubric_core.evaluation.workspaces.snapshot import changes, take

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the targets here are shell commands")

SHOW = "cat seed.txt; echo $EVAL >> log.txt; echo {EVAL_ID} >> log.txt; cat log.txt | tr '\\n' ' '"
CASE = "  - {{id: {0}, criteria: c, input: hi, assertions: [{{type: contains, value: seed}}]}}\n"
CASES = "tests:\n" + CASE.format("a") + CASE.format("b")


@pytest.fixture
def place(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """A suite with a template; temporary directories are made in a place of their own."""
    scratch = folder.path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    folder.targets({"name": "default", "provider": "cli", "command": SHOW})
    folder.write("template/seed.txt", "seed\n")
    folder.write("template/.gitignore", "build/\n")
    return folder


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def left(folder: Folder) -> list[str]:
    return names(folder.path / "scratch")


async def run(folder: Folder, text: str, **options: object) -> dict[str, CaseResult]:
    return await folder.run(text, "agentv-3", **options)


def answers(results: dict[str, CaseResult]) -> dict[str, str]:
    return {name: " ".join(result.answer.split()) for name, result in results.items()}


def notes(folder: Folder) -> list[str]:
    return [event.message for event in folder.events if isinstance(event, Noted)]


async def test_cases_share_a_copy_of_the_template_or_have_their_own(place: Folder) -> None:
    shared = await run(place, "workspace: {template: ./template}\n" + CASES)
    assert answers(shared) == {"a": "seed a", "b": "seed a b"}
    own = await run(place, "workspace: {template: ./template, isolation: per_test}\n" + CASES)
    assert answers(own) == {"a": "seed a", "b": "seed b"}
    assert left(place) == []
    assert names(place.path / "template") == [".gitignore", "seed.txt"]


async def test_results_of_earlier_runs_are_no_part_of_a_template(place: Folder) -> None:
    suite = "workspace: {template: ./template}\n" + CASES
    before = fingerprint_of(place, suite)
    place.write("template/.rubric/results.db", "answers of earlier runs")
    assert fingerprint_of(place, suite) == before
    place.targets({"name": "default", "provider": "cli", "command": "ls -A; cat seed.txt"})
    assert answers(await run(place, suite))["a"] == ".gitignore seed.txt seed"


def fingerprint_of(place: Folder, suite: str) -> str:
    (case, *_) = place.cases(suite, "agentv-3")
    return fingerprint(case, DiskFiles(), load_targets(case.directory, DiskFiles()))


async def test_changes_reach_judges_and_programs_as_a_unified_diff(place: Folder) -> None:
    place.targets(
        {
            "name": "default",
            "provider": "cli",
            "command": "echo more >> seed.txt; mkdir build; touch build/x new; rm -f gone; echo seed",
        }
    )
    place.write("template/gone", "old\n")
    place.write(
        "check.py",
        "import json, os, sys\ntold = json.load(sys.stdin)\nsame = told['workspace_path'] == os.environ['AGENTV_WORKSPACE_PATH']\nprint(json.dumps({'score': float(same), 'reasoning': told['file_changes']}))\n",
    )
    case = "tests:\n  - id: a\n    criteria: c\n    input: hi\n    assertions:\n      - {type: code-grader, command: [python3, check.py]}\n"
    result = (await run(place, "workspace: {template: ./template}\n" + case))["a"]
    assert result.score == 1.0
    told = [event.answer.file_changes for event in place.events if isinstance(event, Answered)]
    assert told == [
        (
            "diff --git a/gone b/gone\ndeleted file mode 100644\nindex 3367afd..0000000\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n"
            "diff --git a/new b/new\nnew file mode 100644\nindex 0000000..e69de29\n"
            "diff --git a/seed.txt b/seed.txt\nindex e31de1f..3fef992 100644\n--- a/seed.txt\n+++ b/seed.txt\n@@ -1 +1,2 @@\n seed\n+more"
        )
    ]
    assert (result.details or {})["file_changes"] == told[0]
    assert result.evaluators[0].reasoning == told[0]


HOOKS = """\
workspace:
  template: ./template
  hooks:
    before_all: {command: [sh, -c, 'echo all >> log.txt; cat > $AGENTV_WORKSPACE_PATH/told.json'], cwd: ./template}
    before_each: {command: "echo each >> {{workspace_path}}/log.txt"}
    after_each: {command: "cat > after.json", reset: RESET}
    after_all: {command: [sh, -c, "cp $AGENTV_WORKSPACE_PATH/log.txt ./last.txt"]}
"""


@pytest.mark.parametrize(
    ("reset", "second"), [("none", "seed each a each b"), ("fast", "seed each b"), ("strict", "seed each b")]
)
async def test_hooks_run_around_the_cases(place: Folder, reset: str, second: str) -> None:
    text = HOOKS.replace("RESET", reset) + CASES
    assert answers(await run(place, text)) == {"a": "seed each a", "b": second}
    assert (place.path / "template/log.txt").read_text() == "all\n"  # before_all ran where it says
    assert json.loads((place.path / "after.json").read_text())["test_id"] == "b"
    assert (place.path / "last.txt").exists() == (reset == "none")
    assert len(notes(place)) == (reset != "none")  # after_all found no log, and says so
    assert left(place) == []


async def test_what_a_case_says_replaces_what_the_suite_says(place: Folder) -> None:
    place.write("other/seed.txt", "other seed\n")
    own = "    workspace: {template: ./other}\n"
    text = (
        "workspace: {template: ./template, hooks: {before_each: {command: 'echo x >> $AGENTV_WORKSPACE_PATH/log.txt'}}}\n"
        + CASES.replace(
            "  - {id: b, criteria: c, input: hi, ", "  - id: b\n" + own + "    criteria: c\n    input: hi\n    "
        ).replace("assertions: [{type: contains, value: seed}]}\n", "assertions: [{type: contains, value: seed}]}\n", 1)
    )
    text = text[: text.rindex("}\n")] + "\n"
    assert answers(await run(place, text)) == {"a": "seed x a", "b": "other seed x b"}


async def test_a_workspace_in_a_file_of_its_own(place: Folder) -> None:
    place.write("ws/workspace.yaml", "template: ./template\nhooks:\n  before_each: {command: [sh, -c, exit 3]}\n")
    place.write("ws/template/seed.txt", "from beside the file\n")
    result = (await run(place, "workspace: ws/workspace.yaml\n" + CASES))["a"]
    assert result.reason == "the hook before_each ended with exit code 3 (workspace.yaml:3)"
    place.write("ws/workspace.yaml", "template: ./template\n")
    assert (await run(place, "workspace: ws/workspace.yaml\n" + CASES))["a"].answer.startswith("from beside the file")


def repository(path: Path) -> str:
    """A repository with two commits; gives the first."""

    def git(*arguments: str) -> str:
        environment = {
            **os.environ,
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        return subprocess.run(
            ["git", *arguments], cwd=path, env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()

    path.mkdir()
    git("init", "-q", "-b", "main")
    for number in (1, 2):
        (path / "seed.txt").write_text(f"seed {number}\n")
        git("add", ".")
        git("commit", "-q", "-m", str(number))
    return git("rev-parse", "HEAD~1")


async def test_repositories_of_this_machine(place: Folder) -> None:
    first = repository(place.path / "origin")
    place.targets(
        {"name": "default", "provider": "cli", "command": "cat repo/seed.txt repo2/seed.txt; echo x > repo/seed.txt"}
    )
    repos = f"workspace:\n  repos:\n    - {{path: ./repo, source: {{type: local, path: ./origin}}, checkout: {{ancestor: 1}}}}\n    - {{path: repo2, repo: ./origin, commit: {first}}}\n"
    # Later releases refuse `source` and `checkout`.
    case = "tests:\n" + CASE.format("a") + "requires: {agentv: 4.25.0}\n"
    result = (await run(place, repos + case))["a"]
    assert answers({"a": result}) == {"a": "seed 1 seed 1"}
    assert "a/repo/seed.txt" in (result.details or {})["file_changes"]
    for change, reason in (
        ((first, "nowhere"), "git checkout of"),
        (("path: repo2", "path: ../out"), "would be outside the workspace (line 4)"),
        (
            ("path: ./origin", "path: ./none"),
            "there is no directory ./none for the repository (line 3)",
        ),
    ):
        assert reason in (await run(place, (repos + case).replace(*change)))["a"].reason
    assert left(place) == []


async def test_an_environment_of_a_host(place: Folder) -> None:
    text = """\
        prompts: ["{{ q }}"]
        environment:
          type: host
          workdir: ./template
          setup: {command: [sh, -c, 'echo $MODE > made.txt']}
          env: {MODE: quick}
        tests:
          - {id: a, vars: {q: hi}, assert: [{type: contains, value: seed}]}
        """
    (case,) = place.cases(textwrap.dedent(text))
    async with system_ports() as ports, session_of([case], ports, ignore_event) as session:
        async with session.workspaces.lend(case) as workspace:
            assert workspace is not None
            assert names(workspace.path) == [".gitignore", "made.txt", "seed.txt"]
            assert (workspace.path / "made.txt").read_text() == "quick\n"
            assert workspace.variables["MODE"] == "quick"
        (case,) = place.cases(textwrap.dedent(text).replace("type: host", "type: docker"))
        with pytest.raises(Unscored, match=r"does not run containers: use an environment of type host .* \(line 3\)"):
            async with session.workspaces.lend(case):
                pass
    assert left(place) == []


@pytest.mark.parametrize(
    ("workspace", "reason"),
    [
        ("{docker: {image: x}}", "rubric does not run containers: remove `docker` to run this case on this machine (line 1)"),
        ("{template: ./none}", "there is no directory ./none for the template (line 1)"),
        ("{template: ./template, mode: static, path: ./template, hooks: {after_each: {reset: fast}}}", "rubric does not reset your own directory"),
        ("{env: {required_commands: [no-such-program]}}", "the workspace needs the program no-such-program, which is not installed (line 1)"),
        ("{env: {required_python_modules: [no_such_module]}}", "the workspace needs the Python module no_such_module"),
        ("{hooks: {before_all: {command: [sh, -c, 'echo because >&2; exit 7']}}}", "the hook before_all ended with exit code 7: because (line 1)"),
        ("{hooks: {before_each: {command: [no-such-program]}}}", "the hook before_each: command not found: no-such-program (line 1)"),
        ("{hooks: {before_all: {command: [sleep, '60'], timeout_ms: 50}}}", "the hook before_all: stopped: it took longer than 0.05 s (line 1)"),
        ("none.yaml", "the file none.yaml of the workspace does not exist"),
    ],
)  # fmt: skip
async def test_what_cannot_be_made_leaves_its_cases_without_a_score(place: Folder, workspace: str, reason: str) -> None:
    results = await run(place, f"workspace: {workspace}\n" + CASES)
    for result in results.values():
        assert (result.verdict.value, result.score) == ("unscored", None)
        assert reason in result.reason
    assert left(place) == []


async def test_a_directory_that_exists_is_used_as_it_is(place: Folder) -> None:
    text = "workspace: {mode: static, path: ./template}\n" + CASES
    assert answers(await run(place, text)) == {"a": "seed a", "b": "seed a b"}
    assert (place.path / "template/log.txt").exists()


async def test_workspaces_are_kept_where_asked(place: Folder) -> None:
    text = "workspace: {template: ./template, isolation: per_test}\n" + CASES.replace("seed}]}\n", "none}]}\n", 1)
    await run(place, text, keep_workspaces="failed")
    (kept,) = left(place)
    assert (place.path / "scratch" / kept / "workspace/log.txt").read_text().split() == ["a"]
    assert notes(place) == [f"the workspace is kept: {place.path / 'scratch' / kept / 'workspace'}"]
    place.events.clear()
    await run(place, "execution: {keep_workspaces: true}\n" + text)
    assert len(notes(place)) == 2


async def test_breaking_off_leaves_no_program_and_no_directory(place: Folder) -> None:
    place.targets({"name": "default", "provider": "cli", "command": "echo $$ > ../../../pid; sleep 60"})
    cases = place.cases("workspace: {template: ./template}\n" + CASES)
    async with system_ports() as ports:
        running = asyncio.ensure_future(run_cases(cases, ports))
        pid = place.path / "pid"
        await seen("a program", lambda: pid.exists() and pid.read_text().strip())
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert left(place) == []
    assert not alive(pid.read_text().strip())


def test_the_command_line_says_what_is_kept(
    place: Folder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.path)
    place.suite("workspace: {template: ./template}\n" + CASES.replace("value: seed", "value: none"))
    assert main(["run", "suite.eval.yaml", "--keep-workspaces", "failed"]) == 1
    assert "the workspace is kept: " in capsys.readouterr().err


async def test_fast_reset_leaves_what_git_ignores(tmp_path: Path) -> None:
    for name in ("was", "now"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".gitignore").write_text("built\n")
    (tmp_path / "was/kept").write_text("x")
    (tmp_path / "now/new").write_text("y")
    (tmp_path / "now/built").write_text("z")
    await restore_directory(tmp_path / "now", tmp_path / "was", DiskDirectories(), strict=False)
    assert names(tmp_path / "now") == [".gitignore", "built", "kept"]
    await restore_directory(tmp_path / "now", tmp_path / "was", DiskDirectories(), strict=True)
    assert names(tmp_path / "now") == [".gitignore", "kept"]


CHANGING = {
    "name": "default", "provider": "cli",
    "command": "echo {EVAL_ID} >> log.txt; tr '\\n' ' ' < log.txt", "cwd": "..",
}  # fmt: skip


@pytest.mark.parametrize(
    ("workspace", "second"),
    [
        ("{template: ./template}", ["+a", "+b"]),
        ("{template: ./template, hooks: {before_all: {command: 'echo all >> {{workspace_path}}/log.txt'}}}", [" all", "+a", "+b"]),
        ("{template: ./template, hooks: {before_each: {command: 'true'}}}", [" a", "+b"]),
        ("{template: ./template, hooks: {after_each: {reset: fast}}}", ["+b"]),
        ("{template: ./template, isolation: per_test}", ["+b"]),
    ],
)  # fmt: skip
async def test_changes_in_a_shared_workspace_are_those_since_the_first_case(
    place: Folder, workspace: str, second: list[str]
) -> None:
    place.targets(CHANGING)  # which works in the workspace, whatever its own directory
    await run(place, f"workspace: {workspace}\nexecution: {{workers: 1}}\n{CASES}")
    told = [event.answer.file_changes for event in place.events if isinstance(event, Answered)]
    assert told[1].splitlines()[-len(second) :] == second


def test_a_diff_is_that_of_git(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        who = ("-c", "user.email=a@b", "-c", "user.name=a")
        ran = subprocess.run(("git", *who, *arguments), cwd=tmp_path, env=environment, capture_output=True, check=True)
        return ran.stdout.decode()

    program = "".join(f"def f{n}():\n" + "".join(f"    line {n} {m}\n" for m in range(9)) for n in range(9))
    for name, content in (
        ("program.py", program),
        ("same", "same\n"),
        ("away", "a\nb\n"),
        ("made", "run me\n"),
        ("empty", ""),
    ):
        (tmp_path / name).write_text(content)
    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "before")
    before = take(tmp_path, DiskDirectories())
    changed = program.replace("line 3 4", "other").replace("line 8 8\n", "last").replace("def f0", "def first")
    (tmp_path / "program.py").write_text(changed)
    (tmp_path / "away").unlink()
    (tmp_path / "made").chmod(0o755)
    (tmp_path / "empty").write_text("no more\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "new").write_text("new\n")
    (tmp_path / "blank").write_text("")
    (tmp_path / "bytes").write_bytes(b"\0\1")
    (tmp_path / "link").symlink_to("same")
    git("add", "-A")
    assert changes(before, take(tmp_path, DiskDirectories())) == git("diff", "--no-renames", "HEAD").strip()


async def test_what_hooks_are_told(place: Folder) -> None:
    tell = "import json, sys; open(sys.argv[1], 'w').write(json.dumps([json.load(sys.stdin), *sys.argv[2:]]))"
    place.write("tell.py", tell)
    hooks = "".join(
        f"    {name}: {{command: [python3, tell.py, {name}.json, '{{{{test_id}}}}', '{{{{case_input}}}}', '{{{{case_metadata}}}}', '{{{{other}}}}']}}\n"
        for name in ("before_all", "before_each", "after_each", "after_all")
    )
    cases = "tests: [{id: one, criteria: c, input: what, metadata: {m: [1, null]}, assertions: [{type: contains, value: seed}]}]\n"
    await run(place, f"metadata: {{s: 1, m: [2]}}\nworkspace:\n  template: ./template\n  hooks:\n{hooks}{cases}")
    runs = set()
    for name in ("before_all", "before_each", "after_each", "after_all"):
        told, *words = json.loads((place.path / f"{name}.json").read_text())
        around = name.endswith("all")
        metadata = None if around else {"m": [2, 1, None], "s": 1}
        runs.add(told.pop("eval_run_id"))
        test_id, asked = (f"__{name}__", None) if around else ("one", "what")
        path = told.pop("workspace_path")
        assert Path(path).name == "workspace"
        assert told == {"test_id": test_id, "case_input": asked, "case_metadata": metadata}
        shown = "" if metadata is None else json.dumps(metadata, separators=(",", ":"))
        assert words == [test_id, asked or "", shown, "{{other}}"]
    assert len(runs) == 1


def test_a_diff_of_what_is_no_text(tmp_path: Path) -> None:
    before = take(tmp_path, DiskDirectories())
    (tmp_path / "binary").write_bytes(b"\0\xff")
    (tmp_path / "long").write_bytes(b"x" * 1_000_001)
    (tmp_path / "link").symlink_to("binary")
    (tmp_path / "open").write_text("a\nb")
    told = changes(before, take(tmp_path, DiskDirectories()))
    assert "Binary files /dev/null and b/binary differ" in told
    assert "Binary files /dev/null and b/long differ" in told
    assert "+binary\n\\ No newline at end of file\n" in told
    assert told.endswith("+a\n+b\n\\ No newline at end of file")
    assert changes(before, before) == ""


def test_a_result_depends_on_what_its_workspace_is_made_of(place: Folder) -> None:
    place.write("prepare.py", "print(1)\n")
    text = "workspace: {template: ./template, hooks: {before_each: {command: [python3, prepare.py]}}}\n" + CASES

    def now() -> str:
        case = place.cases(text)[0]
        return fingerprint(case, DiskFiles(), load_targets(case.directory, DiskFiles()))

    seen = [now(), now()]
    assert seen[0] == seen[1]
    for name, content in (("template/seed.txt", "other"), ("template/deep/new", ""), ("prepare.py", "print(2)\n")):
        place.write(name, content)
        seen.append(now())
    assert len(set(seen)) == 4


@dataclass
class RefusedDirectories:
    """Directories that may not be made: each way to touch the disk is an error of the run."""

    asked: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        def refuse(*given: object) -> None:
            self.asked.append(name)
            raise OSError(f"refused: {name} {given[0]}")

        return refuse


@pytest.mark.parametrize(
    ("workspace", "target", "first"),
    [
        ("workspace: {template: ./template}", {"provider": "cli", "command": "cat {PROMPT_FILE}"}, "create"),
        ("", {"provider": "cli", "command": "cat {PROMPT_FILE}"}, "create"),
        ("", {"provider": "cli", "command": "echo x", "keep_temp_files": True}, "create"),
        ("", {"provider": "codex"}, "create"),
    ],
)
async def test_every_directory_of_a_run_is_one_of_its_port(
    folder: Folder, workspace: str, target: dict[str, Any], first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A guard around the port can refuse each, and then nothing is on disk."""
    folder.write("template/a.txt", "a")
    temporary = folder.path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    folder.targets({"name": "default", **target})
    suite = f"{workspace}\ntests: [{{id: a, criteria: c, input: hi, assertions: [{{type: contains, value: x}}]}}]\n"
    directories = RefusedDirectories()
    async with system_ports({"PATH": os.environ["PATH"]}) as ports:
        around: Any = replace(ports, directories=directories)
        (result,) = await run_cases(folder.cases(suite), around)
    assert directories.asked[:1] == [first], result.reason
    assert not list(temporary.iterdir())
