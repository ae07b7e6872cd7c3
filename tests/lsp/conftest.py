"""Conversations with a real server process, each with folders of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from client import Client, Connect


@pytest.fixture(autouse=True)
def one_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server, the command line and the test are the same user: results that one of them stores count for all."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "state" / "cache"))


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    """Start a server; whatever is left of it at the end of the test is ended."""
    started: list[Client] = []

    def start(*arguments: str) -> Client:
        client = Client(cwd=tmp_path, arguments=arguments)
        started.append(client)
        return client

    yield start
    for client in started:
        client.close()


@pytest.fixture
def client(connect: Connect) -> Client:
    """A server that has said hello."""
    client = connect()
    client.initialize()
    return client
