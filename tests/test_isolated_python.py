"""No Python that rubric starts, or tells people to start, imports modules of the folder in which it is started."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

from rubric_core.cli.init_files import ci_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
#: The interpreter of a program that the suite names: its own folder is where it belongs.
OF_A_SUITE = {"rubric_core/evaluation/code/commands.py", "rubric_core/evaluation/code/interpreters.py"}
STARTS = re.compile(r"\bpython[\d.]*(?:\.exe)?[\"']?((?: +-[A-Za-z]+)*?) +-[A-Za-z]*[mc]\b")
MODULES = (
    "asyncio", "codecs", "contextlib", "distributed", "encodings", "importlib", "inspect", "json", "multiprocessing", "pickle", "pip", "re", "rubric_core",
    "rubric_lsp", "runpy", "site", "sitecustomize", "subprocess", "textwrap", "traceback", "usercustomize", "xllamacpp", "yaml",
)  # fmt: skip


def python_files() -> list[Path]:
    return [each for name in ("rubric_core", "rubric_lsp") for each in sorted((ROOT / name).rglob("*.py"))]


def unprotected(tree: ast.AST) -> Iterator[int]:
    """The lines where an interpreter of this process is started without `-I`."""
    followed = {
        id(one): ast.unparse(other)
        for node in ast.walk(tree) if isinstance(node, ast.List | ast.Tuple | ast.Call)
        for items in [node.args if isinstance(node, ast.Call) else node.elts]
        for one, other in pairwise(items)
    }  # fmt: skip
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and ast.unparse(node) == "sys.executable"
            and followed.get(id(node)) != "'-I'"
        ):
            yield node.lineno


def test_every_interpreter_in_the_code_is_isolated() -> None:
    found = {}
    for path in python_files():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        name = path.relative_to(ROOT).as_posix()
        if (lines := list(unprotected(tree))) and name not in OF_A_SUITE:
            found[name] = lines
    assert found == {}
    assert list(unprotected(ast.parse("run([sys.executable, '-m', 'pip'])\nrun(sys.executable, '-I', '-m')"))) == [1]


def texts() -> Iterator[tuple[str, str]]:
    """What people and servers run: the files of CI, those that `rubric init` writes, and the code in documents."""
    for name in ("action.yml", "Dockerfile", ".pre-commit-hooks.yaml", *(f".github/workflows/{each.name}" for each in (ROOT / ".github/workflows").iterdir())):  # fmt: skip
        yield name, (ROOT / name).read_text(encoding="utf-8")
    for server in ("github", "gitlab"):
        yield f"init --ci {server}", ci_text(server, "rubric", "evals")
    pages = [
        ROOT / "README.md",
        ROOT / "SECURITY.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "editors").rglob("*.md"),
    ]
    for page in pages:
        if "node_modules" not in page.parts:
            code = re.findall(r"```.*?^ *```|`[^`\n]+`", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
            yield page.relative_to(ROOT).as_posix(), "\n".join(code)


def test_every_command_in_actions_workflows_hooks_templates_and_documents_is_isolated() -> None:
    found = {name: [m[0] for m in STARTS.finditer(text) if "I" not in m[1]] for name, text in texts()}
    assert {name: commands for name, commands in found.items() if commands} == {
        "SECURITY.md": ["python -m"]  # which says what it does
    }
    assert STARTS.search("python3 -q -m pip")
    assert sum(bool(STARTS.search(text)) for _, text in texts()) > 3


def test_editors_start_an_isolated_python() -> None:
    found = []
    for path in (ROOT / "editors").rglob("*"):
        if path.suffix in (".ts", ".mjs", ".js", ".lua", ".el", ".toml") and "node_modules" not in path.parts:
            words = re.findall(r"'(?:-[Imc])'|\"(?:-[Imc])\"", path.read_text(encoding="utf-8"))
            plain = [word[1:-1] for word in words]
            found += [
                path.name for before, word in zip(["", *plain], plain, strict=False) if word != "-I" and before != "-I"
            ]
    assert found == []


def test_actions_are_pinned_by_commit_and_the_image_by_digest() -> None:
    used: dict[str, set[str]] = {}
    for name, text in texts():
        for action, version, note in re.findall(r"uses: *([\w./-]+)@(\S+)(.*)", text):
            if action != "RUBRIC-OWNER/rubric":
                assert re.fullmatch(r"[0-9a-f]{40}", version), (name, action, version)
                assert re.fullmatch(r" +# v\d+\.\d+\.\d+", note), (name, action, note)
                used.setdefault("/".join(action.split("/")[:2]), set()).add(f"{version}{note}")
    assert len(used) > 5
    assert {action: versions for action, versions in used.items() if len(versions) > 1} == {}
    bases = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(set(bases)) == 1
    assert re.fullmatch(r"python:3\.\d+-slim@sha256:[0-9a-f]{64}", bases[0])


# The lock


def locked() -> dict[NormalizedName, list[Requirement]]:
    """What the action installs, by name: several versions where a marker chooses."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    found: dict[NormalizedName, list[Requirement]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            words, *hashes = line.split("--hash=sha256:")
            assert hashes, f"{words} has no hash"
            each = Requirement(words)
            assert [part.operator for part in each.specifier] == ["=="], line
            found.setdefault(canonicalize_name(each.name), []).append(each)
    return found


@pytest.mark.parametrize("minor", range(10, 15))
@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_lock_has_what_the_package_requires(minor: int, platform: str) -> None:
    """Renew it as CONTRIBUTING.md says; `make release-check` compares it with a new one."""
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    there = {
        **default_environment(),
        "python_version": f"3.{minor}",
        "python_full_version": f"3.{minor}.0",
        "sys_platform": platform,
    }
    lock = locked()
    for words in (*about["project"]["dependencies"], *about["build-system"]["requires"]):
        wanted = Requirement(words)
        if wanted.marker is None or wanted.marker.evaluate(there):
            pins = [
                each
                for each in lock.get(canonicalize_name(wanted.name), [])
                if each.marker is None or each.marker.evaluate(there)
            ]
            assert len(pins) == 1, words
            assert wanted.specifier.contains(next(iter(pins[0].specifier)).version), words


# A hostile checkout

SUITE = "tests:\n  - {id: a, criteria: c, input: hi, assertions: [{type: contains, value: hi}]}\n"
TARGETS = 'targets:\n  - {name: default, provider: cli, command: "echo hi"}\n'
PROMPTFOO = """\
prompts: [hi]
providers: [echo]
tests:
  - assert:
      - {type: python, value: "len(output) > 0"}
      - {type: contains-json}
"""
FUNCTION = 'targets:\n  - {name: default, provider: python, function: "bot:answer", cwd: code}\n'


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A checkout with modules that write down that they were imported."""
    folder = tmp_path / "checkout"
    files = {
        "a.eval.yaml": SUITE, ".agentv/targets.yaml": TARGETS, "code/bot.py": "def answer(prompt):\n    return 'hi'\n",
        "b/b.eval.yaml": SUITE, "b/.agentv/targets.yaml": FUNCTION.replace("cwd: code", "cwd: ../code"),
        "c/promptfooconfig.yaml": PROMPTFOO,
    }  # fmt: skip
    spy = f"open({str(tmp_path / 'imported')!r}, 'a').write(__file__ + '\\n')\n"
    for name in MODULES:
        package = name in ("rubric_core", "rubric_lsp", "multiprocessing", "importlib")
        files[f"{name}/__init__.py" if package else f"{name}.py"] = spy
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def rubric(folder: Path, *arguments: str, program: str = "rubric", **more: str) -> subprocess.CompletedProcess[str]:
    """A program of rubric's, as its users start it in a folder."""
    home = folder.parent / "home"
    variables = {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home),
        "XDG_DATA_HOME": str(home),
        "PIP_NO_INDEX": "1",
        **more,
    }
    command = [str(Path(sys.executable).with_name(program)), *arguments]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        timeout=300,
    )  # fmt: skip


def imported(folder: Path) -> str:
    found = folder.parent / "imported"
    return found.read_text(encoding="utf-8") if found.exists() else ""


def test_the_modules_of_the_folder_are_noticed(hostile: Path) -> None:
    """Python itself imports them with `-m`: the other tests here look for something that can happen."""
    subprocess.run([sys.executable, "-m", "pip", "--version"], cwd=hostile, capture_output=True, check=False)
    assert str(hostile) in imported(hostile)


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "."), ("check", "--format", "sarif"), ("format", "--check", "."), ("run", "a.eval.yaml"), ("run", "c/promptfooconfig.yaml"),
        ("local", "setup"), ("local", "serve", "--port", "0", "--", "true"), ("explain", "unknown-key"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_commands_import_nothing_of_the_folder(hostile: Path, arguments: tuple[str, ...]) -> None:
    done = rubric(hostile, *arguments)
    assert imported(hostile) == "", done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_function_is_called_by_a_driver_that_imports_nothing_of_the_folder(hostile: Path) -> None:
    for name in MODULES:
        for each in (hostile / f"{name}.py", hostile / name / "__init__.py"):
            if each.exists():
                (hostile / "code" / each.relative_to(hostile)).parent.mkdir(exist_ok=True)
                (hostile / "code" / each.relative_to(hostile)).write_text(
                    each.read_text(encoding="utf-8"), encoding="utf-8"
                )
    done = rubric(hostile, "run", "b/b.eval.yaml")
    assert imported(hostile) == "", done.stdout + done.stderr
    assert done.returncode == 0, done.stdout + done.stderr


def test_workers_on_this_machine_import_nothing_of_the_folder(hostile: Path) -> None:
    pytest.importorskip("distributed")
    done = rubric(hostile, "run", "a.eval.yaml", "--on", "local:2")
    assert imported(hostile) == "", done.stdout + done.stderr
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_server_imports_nothing_of_the_folder(hostile: Path) -> None:
    body = json.dumps({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"processId": None, "rootUri": hostile.as_uri(), "capabilities": {}},
    })  # fmt: skip
    program = str(Path(sys.executable).with_name("rubric-lsp"))
    done = subprocess.run(
        [program, "--stdio"], cwd=hostile, input=f"Content-Length: {len(body)}\r\n\r\n{body}", capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    assert '"capabilities"' in done.stdout
    assert imported(hostile) == "", done.stderr


def test_hooks_start_a_console_script() -> None:
    """It looks for modules beside itself and where packages are installed."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert {hook["entry"].split()[0] for hook in hooks} == {"rubric"}
