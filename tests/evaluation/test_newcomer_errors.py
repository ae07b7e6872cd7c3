"""What a newcomer meets first: each is one sentence, with the place to look at."""

import os
import shutil

import pytest
from suites import Folder
from test_http_targets import closed_port

from rubric_core.evaluation.model.result import Verdict

SUITE = "tests: [{id: a, criteria: c, input: hi, assertions: [{type: contains, value: x}]}]"
BOT = "import urllib.request\n\ndef ask():\n    urllib.request.urlopen('http://127.0.0.1:PORT/x')\n\nask()\n"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (None, "so there is no target; `rubric init` writes one; a minimal "),
        ({"provider": "openai", "model": "m", "api_key": "${{ NOPE_KEY }}"}, "the environment variable NOPE_KEY is not set (targets.yaml:1, api_key); set it where rubric or the editor is started: `export NOPE_KEY=…`"),
        ({"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:PORT/v1"}, "connection to 127.0.0.1:PORT refused. Is the server running? (targets.yaml:1, base_url)"),
        ({"provider": "http", "url": "http://127.0.0.1:PORT/x"}, "connection to 127.0.0.1:PORT refused. Is the server running? (targets.yaml:1, url)"),
        ({"provider": "cli", "command": ["nosuchcmd", "{PROMPT}"]}, "command not found: nosuchcmd (targets.yaml:1, command)"),
        ({"provider": "cli", "command": "nosuchcmd {PROMPT}"}, "nosuchcmd: not found (targets.yaml:1, command)"),
        ({"provider": "cli", "command": "python3 no.py {PROMPT}"}, "the script FOLDER/no.py does not exist (targets.yaml:1, command)"),
        ({"provider": "cli", "command": ["python3", "src/no.py"]}, "the script FOLDER/src/no.py does not exist (targets.yaml:1, command)"),
        pytest.param({"provider": "cli", "command": "node no.js"}, "the script FOLDER/no.js does not exist (targets.yaml:1, command)", marks=pytest.mark.skipif(shutil.which("node") is None, reason="node is not there")),
        ({"provider": "cli", "command": "python3 bot.py"}, "the command ended with exit code 1: FOLDER/bot.py:4: urllib.error.URLError: <urlopen error ["),
    ],
)  # fmt: skip
async def test_it_is_one_sentence(folder: Folder, target: dict[str, str] | None, words: str) -> None:
    port = str(closed_port())
    folder.environment["PATH"] = os.environ["PATH"]
    folder.write("bot.py", BOT.replace("PORT", port))
    if target is not None:
        folder.targets(
            {"name": "default", **{k: v.replace("PORT", port) if isinstance(v, str) else v for k, v in target.items()}}
        )
    result = await folder.one(SUITE)
    assert result.verdict is Verdict.UNSCORED
    assert words.replace("PORT", port).replace("FOLDER", str(folder.path.resolve())) in result.reason
    assert "\n" not in result.reason
    assert "^^" not in result.reason
