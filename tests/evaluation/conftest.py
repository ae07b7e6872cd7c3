from pathlib import Path

import pytest
from judge_server import JudgeServer
from suites import Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture
async def judge():
    """A judge behind HTTP on this machine."""
    async with JudgeServer() as server:
        yield server
