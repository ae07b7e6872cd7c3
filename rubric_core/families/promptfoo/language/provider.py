"""The providers of promptfoo: what answers prompts, and what grades."""

from collections.abc import Mapping
from typing import ClassVar

from rubric_core.language.shape import Shape, key
from rubric_core.language.shape_kinds import Shaped, Shorthand
from rubric_core.language.value_kinds import Anything, Choice, ListOf, MapOf, NodeUnion, Number, Text

__all__ = [
    "GRADER",
    "JUDGE_PROMPT",
    "LISTED_IN_FILE",
    "ConfiguredProvider",
    "Grader",
    "ListedInFile",
    "PromptMessage",
    "ProviderInFile",
    "ProviderSettings",
]


class ProviderSettings(Shape):
    """A block of provider settings: what the provider takes."""

    open: ClassVar[bool] = True
    temperature = key(Anything(), "How random the answers are.", example="0")
    max_tokens = key(Anything(), "The longest answer, in tokens.", example="1024")
    max_completion_tokens = key(Anything(), "The longest answer of reasoning models, in tokens.", example="1024")
    top_p = key(Anything(), "The share of likely tokens to choose from.")
    stop = key(Anything(), "Texts that end an answer.")
    seed = key(Anything(), "Makes answers repeatable where the vendor can.")
    response_format = key(Anything(), "The format of answers.")
    tools = key(Anything(), "The tools that the model may call.")
    tool_choice = key(Anything(), "Which tool it has to call.")
    functions = key(Anything(), "The functions that the model may call.")
    reasoning_effort = key(Anything(), "How long a reasoning model thinks.")
    passthrough = key(Anything(), "Further fields of the request.")
    api_key = key(Anything(), "The key of the vendor.", name="apiKey")
    api_key_name = key(Anything(), "The environment variable with the key.", name="apiKeyEnvar")
    api_base = key(Anything(), "The address of the vendor.", name="apiBaseUrl", example="http://localhost:8080/v1")
    api_host = key(Anything(), "The host of the vendor.", name="apiHost")
    headers = key(Anything(), "Headers of every request.")
    method = key(Anything(), "The method of an HTTP provider.")
    body = key(Anything(), "The body of an HTTP provider.")
    url = key(Anything(), "The address of an HTTP provider.")
    transform_response = key(
        Anything(), "Takes the answer out of the response of an HTTP provider.", name="transformResponse"
    )


class ConfiguredProvider(Shape):
    """A promptfoo provider: what answers the prompts."""

    keyed: ClassVar[bool] = True
    nullable: ClassVar[bool] = True
    settings_blocks: ClassVar[Mapping[str, type[Shape]]] = {"config": ProviderSettings}
    id = key(Text(), "Which provider: a vendor and a model, a file, or an address.", example="openai:chat:gpt-5-mini")
    label = key(Text(), "Its name in results, and the one that cases refer to.", example="small")
    config = key(
        NodeUnion(text=Anything(), mapping=Shaped(ProviderSettings), sequence=Anything()),
        "Its settings.",
        example="{temperature: 0}",
    )
    prompts = key(
        NodeUnion(text=Anything(), sequence=ListOf(Anything())),
        "The prompts that it gets, by label or id.",
        example="[short]",
    )
    transform = key(
        NodeUnion(text=Text(blank=True), mapping=MapOf(Anything())),
        "JavaScript over `output`, or a file, that changes each answer.",
        example="output.trim()",
    )
    delay = key(Number(), "How long to wait after each call, in milliseconds.", example="500")
    env = key(Anything(), "Environment variables of the provider.")
    inputs = key(Anything(), "What the target takes, for the red team.")


class ProviderInFile(ConfiguredProvider):
    """A promptfoo provider in a file: what answers the prompts, or grades."""

    keyed: ClassVar[bool] = False
    nullable: ClassVar[bool] = False
    id = key(
        Text(),
        "Which provider: a vendor and a model, a program, or an address.",
        required=True,
        example="openai:chat:gpt-5-mini",
    )


class ListedInFile(ProviderInFile):
    """A promptfoo provider in a file: one of the list that answers the prompts."""

    keyed: ClassVar[bool] = True
    id = ProviderInFile.id


class Grader(Shape):
    """A promptfoo grader: a provider, or one for each of what assertions need."""

    id = ConfiguredProvider.id
    label = key(Text(), "Its name in results.")
    config = ConfiguredProvider.config
    env = ConfiguredProvider.env
    text = key(Anything(), "The model that grades by prompts.", example="openai:chat:gpt-5-mini")
    embedding = key(
        Anything(), "The model that embeds, for `similar`.", example="openai:embedding:text-embedding-3-small"
    )
    classification = key(Anything(), "The model that labels, for `classifier`.")
    moderation = key(Anything(), "The model that flags what is harmful, for `moderation`.", example="openai:moderation")


class PromptMessage(Shape):
    """A message of a prompt: who speaks, and what is said."""

    open: ClassVar[bool] = True
    role = key(
        Choice((("system", "the instructions"), ("user", "what is asked"), ("assistant", "an answer before"))),
        "Who speaks.",
        example="user",
    )
    content = key(Anything(), "What is said.", example="Greet {{name}}.")


#: A model that grades: its id or label, its settings, or one for each role. Rules read its node.
GRADER = NodeUnion(text=Text(blank=True), mapping=MapOf(Anything(), usually=Shaped(Grader)))
#: An entry of a list in a file of providers: an id, the name of a file with one provider, or settings.
LISTED_IN_FILE = NodeUnion(text=Shorthand(ListedInFile, "id"), mapping=Shaped(ListedInFile))
#: The prompt for a judge: a text, or the messages of a chat.
JUDGE_PROMPT = Anything(usually=ListOf(Shaped(PromptMessage)))
