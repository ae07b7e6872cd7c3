"""The settings of rubric's own kinds of providers, which AgentV does not have: HTTP endpoints and Python functions."""

from typing import TypeVar

from rubric_core.language.providers import PRICES, Api, Settings
from rubric_core.language.shape import Key, key
from rubric_core.language.value_kinds import Anything, Choice, ListOf, MapOf, NodeUnion, Number, Text

__all__ = ["OWN_SETTINGS", "HttpEndpoint", "PythonFunction"]

T = TypeVar("T")


def _own(declared: Key[T]) -> Key[T]:
    """The same key in a shape that is rubric's own."""
    made = declared.taking(declared.kind)
    made.extension = True
    return made


_METHOD = Choice(
    (
        ("GET", "asks without a body"),
        ("POST", "sends the body"),
        ("PUT", "sends the body"),
        ("PATCH", "sends the body"),
    )
)


class HttpEndpoint(Settings):
    """An HTTP endpoint: any service that takes a question and replies with an answer. It is rubric's own; AgentV has no such kind."""

    url = key(
        Text(),
        "The address. `{{ prompt }}` and `{{ vars.NAME }}` stand for the case here, in `headers` and in `body`.",
        required=True,
        example="http://localhost:8000/chat",
        extension=True,
    )
    method = key(
        _METHOD,
        "The method of the request.",
        default="POST",
        shown="POST",
        example="POST",
        extension=True,
    )
    headers = key(
        MapOf(Text(blank=True)),
        "Headers of the request; keys come from the environment.",
        example='{Authorization: "Bearer ${{ API_KEY }}"}',
        extension=True,
    )
    body = key(
        NodeUnion(text=Text(blank=True), mapping=MapOf(Anything()), sequence=ListOf(Anything())),
        "The body of the request, sent as JSON unless it is a text that is none. `{{ messages }}` alone stands for the list of messages.",
        shown='{prompt: "{{ prompt }}"}',
        example='{question: "{{ prompt }}"}',
        extension=True,
    )
    output = key(
        Text(),
        "Where the answer is in the JSON of the reply, or in each event of a stream.",
        shown="the whole reply",
        example="choices[0].message.content",
        extension=True,
    )
    usage = key(
        Text(), "Where the token counts are in the JSON of the reply, if it has any.", example="usage", extension=True
    )
    timeout_seconds = _own(Api.timeout_seconds)
    max_retries = _own(Api.max_retries)
    retry_initial_delay_ms = _own(Api.retry_initial_delay_ms)
    retry_max_delay_ms = _own(Api.retry_max_delay_ms)
    retry_backoff_factor = _own(Api.retry_backoff_factor)
    retry_status_codes = _own(Api.retry_status_codes)
    prices = _own(PRICES)


class PythonFunction(Settings):
    """A Python function: it takes the prompt and returns the answer, in a process of its own. It is rubric's own; AgentV has no such kind."""

    function = key(
        Text(),
        "The function, as `module:name`; it may be `async`. It gets the prompt, and by name whichever of `messages`, `vars`, "
        "`case_id` and `files` it takes.",
        required=True,
        example="app.bot:answer",
        extension=True,
    )
    cwd = key(
        Text(refers_to="directory"),
        "Where modules are looked for, and the working directory if the suite has no workspace.",
        shown="the directory of the suite",
        example="..",
        extension=True,
    )
    python = key(Text(), "The interpreter.", shown="python3 on the PATH", example="../.venv/bin/python", extension=True)
    env = key(
        MapOf(Text(blank=True)),
        "Environment variables for it; others than the usual ones it does not get.",
        example='{OPENAI_API_KEY: "${{ OPENAI_API_KEY }}"}',
        extension=True,
    )
    timeout_seconds = key(
        Number(above=0, unit="s"),
        "The longest that it may take for a case, in seconds.",
        shown="120",
        example="30",
        extension=True,
    )
    prices = _own(PRICES)


#: Every shape of rubric's own settings.
OWN_SETTINGS: tuple[type[Settings], ...] = (HttpEndpoint, PythonFunction)
