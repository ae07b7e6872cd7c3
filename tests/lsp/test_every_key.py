"""Enter after a key means a new line: whatever an editor does with suggestions, it has none to put in there."""

from collections.abc import Iterator
from typing import Any

import pytest
from client import VSCODE
from every_key import KeyPlace, places_of_keys
from everywhere import Direct
from thorough import sample

from rubric_core.language.value_kinds import Boolean, Choice, Integer, Kind, NodeUnion, Number, Text, usual

#: A client that asks because of a character, and one whose user asks.
COLON, SPACE = ({"triggerKind": 2, "triggerCharacter": sign} for sign in (":", " "))
ASKED = {"triggerKind": 1}


@pytest.fixture
def client() -> Iterator[Direct]:
    client = Direct()
    client.initialize(VSCODE)
    yield client
    client.end()


def uri(place: KeyPlace) -> str:
    return f"file:///project/{place.file}"


def text(place: KeyPlace, after: str) -> tuple[str, list[int]]:
    """All keys of a place below each other, each with `after` behind it; and the lines on which they are."""
    above = place.lead.count("\n")
    lines = f"\n{' ' * place.column}".join(f"{key}:{after}" for key in place.keys)
    return f"{place.lead}{lines}\n", [above + number for number in range(len(place.keys))]


def opened(client: Direct, place: KeyPlace, after: str) -> list[dict[str, int]]:
    """The ends of the lines of all keys."""
    written, lines = text(place, after)
    client.open(uri(place), written, version=1)
    every = written.split("\n")
    return [{"line": line, "character": len(every[line])} for line in lines]


def items(client: Direct, place: KeyPlace, at: dict[str, int], context: dict[str, Any]) -> list[dict[str, Any]]:
    params = {"textDocument": {"uri": uri(place)}, "position": at, "context": context}
    answer = client.answer(client.start("textDocument/completion", params))
    found: list[dict[str, Any]] = answer["result"]["items"]
    return found


def may_be_block(kind: Kind[Any]) -> bool:
    branches = kind.branches if isinstance(kind, NodeUnion) else (kind,)
    return any(not isinstance(usual(each), Boolean | Choice | Integer | Number | Text) for each in branches)


def name(place: KeyPlace, key: str) -> str:
    return f"{place.dialect.name} {place.file} {place.shape.__name__}.{key}"


def test_nothing_is_offered_right_after_the_colon(client: Direct) -> None:
    wrong, looked = [], 0
    for place in sample(list(places_of_keys()), 4):
        for key, at in zip(place.keys, opened(client, place, ""), strict=True):
            for context in (COLON, ASKED):
                wrong += [(name(place, key), each["label"]) for each in items(client, place, at, context)]
                looked += 1
        client.close(uri(place))
    assert wrong == []
    assert looked > 2_000


def test_a_space_alone_offers_nothing_where_a_block_can_follow(client: Direct) -> None:
    wrong, shown, asked = [], set(), set()
    for place in sample(list(places_of_keys()), 4):
        for (key, kind), at in zip(place.keys.items(), opened(client, place, " "), strict=True):
            found = items(client, place, at, SPACE)
            if may_be_block(kind):
                wrong += [(name(place, key), each["label"]) for each in found]
                asked |= {key for _ in items(client, place, at, ASKED)}
            elif found:
                shown.add(key)
        client.close(uri(place))
    assert wrong == []
    assert "type" in shown, "a word has to be chosen there"
    assert asked, "whoever asks is told what fits"


@pytest.mark.parametrize(
    ("file", "lead"),
    [
        ("a.eval.yaml", "tests:\n  -"),
        ("a.eval.yaml", "tests:\n  - id: a\n    assertions:\n      -"),
        ("a.eval.yaml", "tests:\n  - id: a\n  - id: b\n    depends_on:\n      - a\n      -"),
        ("promptfooconfig.yaml", "providers:\n  - openai:chat:gpt-5-mini\n  -"),
        ("promptfooconfig.yaml", "prompts: [hi]\ntests:\n  - assert:\n      -"),
    ],
)
def test_a_dash_offers_nothing_until_somebody_asks(client: Direct, file: str, lead: str) -> None:
    """Enter after an empty item ends the list."""

    def labels(after: str, context: dict[str, Any]) -> list[str]:
        target = f"file:///project/{file}"
        client.open(target, lead + after, version=1)
        at = {"line": lead.count("\n"), "character": len(lead.rpartition("\n")[2] + after)}
        params = {"textDocument": {"uri": target}, "position": at, "context": context}
        found = client.answer(client.start("textDocument/completion", params))["result"]["items"]
        client.close(target)
        return [each["label"] for each in found]

    assert labels("", {"triggerKind": 2, "triggerCharacter": "-"}) == []
    assert labels("", ASKED) == []
    assert labels(" ", SPACE) == []
    assert labels(" ", ASKED), "whoever asks is told what fits"


@pytest.mark.parametrize("before", ['tests: [{id: a, assertions: [{"type":', "tests: [{id: a, assertions: [{'type':"])
def test_after_a_quoted_key_in_brackets_no_space_is_needed(client: Direct, before: str) -> None:
    client.open("file:///project/a.eval.yaml", before, version=1)
    params = {"textDocument": {"uri": "file:///project/a.eval.yaml"}, "position": {"line": 0, "character": len(before)}}
    assert client.answer(client.start("textDocument/completion", params))["result"]["items"]
