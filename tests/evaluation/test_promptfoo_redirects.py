"""Redirects of WebSocket servers are not followed, so no header reaches another host."""

import asyncio
import json
from pathlib import Path

import pytest

from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import Verdict

pytest.importorskip("websockets")


async def test_no_redirect_is_followed(tmp_path: Path) -> None:
    asked: list[bytes] = []
    elsewhere = ""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(f"HTTP/1.1 302 Found\r\nLocation: {elsewhere}\r\nContent-Length: 0\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    async with (
        await asyncio.start_server(answer, "127.0.0.1", 0) as first,
        await asyncio.start_server(answer, "127.0.0.1", 0) as other,
    ):
        port, elsewhere = first.sockets[0].getsockname()[1], f"ws://127.0.0.1:{other.sockets[0].getsockname()[1]}/leak"
        config = {"messageTemplate": "{{prompt}}", "headers": {"Authorization": "Bearer a-key-of-somebody"}}
        provider = {"id": f"ws://127.0.0.1:{port}/x", "config": config}
        written = {
            "prompts": ["hi"],
            "providers": [provider],
            "tests": [{"assert": [{"type": "contains", "value": "h"}]}],
        }
        path = tmp_path / "promptfooconfig.yaml"
        path.write_text(json.dumps(written), encoding="utf-8")
        (found,) = await run_cases([each for case in load_suite(path).cases for each in variations(case)])
    assert found.verdict is Verdict.UNSCORED
    assert "302" in found.reason
    assert [each.partition(b" HTTP")[0] for each in asked] == [b"GET /x"]
