"""Conversations with a real server process, each with folders of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from client import Client, Connect


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Connect]:
    """Start a server; whatever is left of it at the end of the test is ended."""
    started: list[Client] = []

    def start(*arguments: str) -> Client:
        client = Client(cwd=tmp_path, arguments=arguments, state=tmp_path / "state")
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
