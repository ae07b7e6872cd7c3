"""The settings of models behind an API."""

from rubric_core.language.providers.base import PRICES, SECONDS, SECRET, Settings
from rubric_core.language.shape import key
from rubric_core.language.value_kinds import Integer, ListOf, Number, Text

__all__ = ["Anthropic", "Api", "Azure", "Model", "OpenAi"]


class Api(Settings):
    """A model behind an API."""

    model = key(Text(), "The name of the model.", example="gpt-5-mini")
    deployment = key(Text(), "The same as model.")
    api_key = key(SECRET, "The key of the API, from the environment.", example="${{ OPENAI_API_KEY }}")
    temperature = key(Number(0, 2), "The sampling temperature.", example="0")
    max_output_tokens = key(Integer(at_least=1), "The most tokens of an answer.", example="2000")
    timeout_seconds = key(SECONDS, "The longest that a request may take, in seconds.", example="120")
    max_retries = key(Integer(at_least=0), "The number of retries after an error.", shown="3", example="3")
    retry_initial_delay_ms = key(
        Number(at_least=0, unit="ms"), "The pause before the first retry, in milliseconds.", example="500"
    )
    retry_max_delay_ms = key(
        Number(at_least=0, unit="ms"), "The longest pause before a retry, in milliseconds.", example="30000"
    )
    retry_backoff_factor = key(Number(at_least=1), "The factor between one pause and the next.", example="2")
    retry_status_codes = key(ListOf(Integer(100, 599)), "The HTTP status codes that are retried.", example="[429, 503]")
    prices = PRICES.taking(PRICES.kind)


class Model(Api):
    """A model: Gemini, or any model that OpenRouter knows."""

    model = Api.model.taking(Text(), example="gemini-2.5-flash")
    api_key = Api.api_key.taking(SECRET, example="${{ GEMINI_API_KEY }}")
    variant = key(Text(), "A variant of the model, such as its reasoning effort.")


class Anthropic(Model):
    """An Anthropic model: Claude behind Anthropic's API."""

    model = Api.model.taking(Text(), example="claude-sonnet-4-5")
    api_key = Api.api_key.taking(SECRET, example="${{ ANTHROPIC_API_KEY }}")
    thinking_budget = key(Integer(at_least=0), "The maximum number of reasoning tokens.", example="4000")


class Azure(Api):
    """An Azure model: a deployment of Azure OpenAI."""

    api_key = Api.api_key.taking(SECRET, example="${{ AZURE_OPENAI_API_KEY }}")
    endpoint = key(Text(), "The address of the resource.", example="${{ AZURE_OPENAI_ENDPOINT }}")
    resource = key(Text(), "The name of the resource, in place of its address.")
    version = key(Text(), "The version of the API.", example="2024-10-21")
    api_version = key(Text(), "The version of the API.")
    api_format = key(Text(), "The API: chat or responses.")


class OpenAi(Model):
    """An OpenAI model: or any server that speaks its API, such as Ollama, LM Studio or vLLM."""

    model = Api.model.taking(Text())
    api_key = Api.api_key.taking(SECRET)
    endpoint = key(Text(), "The address of the server.")
    base_url = key(
        Text(), "The address of the server.", shown="https://api.openai.com/v1", example="http://localhost:11434/v1"
    )
    api_format = key(Text(), "The API: chat or responses.", example="chat")
