"""What servers refuse, in the bodies that each of them sends, and the setting of the target that is to blame."""

import json
from typing import Any

import pytest
from judge_server import Fault, JudgeServer, Rerouted
from suites import Folder

SUITE = "tests: [{id: a, criteria: c, input: hi, assertions: [{type: contains, value: x}]}]"
#: A target of each kind, a key on each line.
TARGETS = {
    "openai": ["provider: openai", "base_url: URL", "model: judge-9", "api_key: ${{ THE_KEY }}"],
    "keyless": ["provider: openai", "base_url: URL", "model: judge-9"],
    "short": ["provider: openai:judge-9", "base_url: URL"],
    "responses": ["provider: openai", "api_format: responses", "model: judge-9", "api_key: ${{ THE_KEY }}"],
    "azure": ["provider: azure", "endpoint: https://x.openai.azure.com", "deployment: judge-9", "api_key: ${{ THE_KEY }}"],
    "anthropic": ["provider: anthropic", "model: judge-9", "api_key: ${{ THE_KEY }}"],
    "gemini": ["provider: gemini", "model: judge-9", "api_key: ${{ THE_KEY }}"],
    "openrouter": ["provider: openrouter", "model: judge-9", "api_key: ${{ THE_KEY }}"],
}  # fmt: skip


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


MODEL = [
    ("openai", 404, error("The model `judge-9` does not exist or you do not have access to it.", type="invalid_request_error", param=None, code="model_not_found")),
    ("openai", 400, error("invalid model ID", type="invalid_request_error", param=None, code=None)),
    ("openai", 403, error("Project `proj_1` does not have access to model `judge-9`", type="invalid_request_error", param=None, code="model_not_found")),
    ("responses", 400, error("The requested model 'judge-9' does not exist.", type="invalid_request_error", param="model", code="model_not_found")),
    ("azure", 404, error("The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.", code="DeploymentNotFound")),
    ("anthropic", 404, {"type": "error", "error": {"type": "not_found_error", "message": "model: judge-9"}}),
    ("gemini", 404, error("models/judge-9 is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.", code=404, status="NOT_FOUND")),
    ("openrouter", 400, {**error("judge-9 is not a valid model ID", code=400), "user_id": "user_1"}),
    ("openrouter", 404, error("No endpoints found for judge-9.", code=404)),
    ("keyless", 404, error('model "judge-9" not found, try pulling it first', type="api_error", param=None, code=None)),  # Ollama
    ("keyless", 404, error("model 'judge-9' not found", type="not_found_error", param=None, code=None)),  # Ollama
    ("short", 404, {"error": "model 'judge-9' not found, try pulling it first"}),
    ("keyless", 404, error("Model with identifier 'judge-9' not found", type="invalid_request_error", param="model", code="model_not_found")),  # LM Studio
    ("keyless", 404, error("No models loaded. Please load a model in the developer page or use the `lms load` command.", type="invalid_request_error", param="model", code="model_not_found")),
    ("keyless", 404, {"object": "error", "message": "The model `judge-9` does not exist.", "type": "NotFoundError", "param": None, "code": 404}),  # vLLM
    ("keyless", 404, error("The model `judge-9` does not exist.", type="NotFoundError", param="model", code=404)),
    ("keyless", 400, {"object": "error", "message": "Invalid model: judge-9", "type": "invalid_model", "param": None, "code": "1500"}),
    ("keyless", 400, error("Model Not Exist", type="invalid_request_error", param=None, code="invalid_request_error")),
    ("keyless", 404, error("Unable to access model judge-9. Please visit the list of supported models.", code="model_not_available")),
]  # fmt: skip
KEY = [
    ("openai", 401, error("Incorrect API key provided: sk-very-***-key.", type="invalid_request_error", param=None, code="invalid_api_key")),
    ("azure", 401, error("Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key.", code="401")),
    ("anthropic", 401, {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}),
    ("gemini", 400, error("API key not valid. Please pass a valid API key.", code=400, status="INVALID_ARGUMENT", details=[{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}])),
    ("gemini", 403, error("Method doesn't allow unregistered callers.", code=403, status="PERMISSION_DENIED")),
    ("openrouter", 401, error("No auth credentials found", code=401)),
    ("openai", 401, {"error": "Unauthorized"}),  # vLLM
]  # fmt: skip
ADDRESS = [
    ("openai", 404, error("Invalid URL (POST /v1/chat/completion)", type="invalid_request_error", param=None, code=None)),
    ("keyless", 404, "404 page not found"),  # Ollama
    ("keyless", 404, {"detail": "Not Found"}),  # vLLM
    ("keyless", 200, {"error": "Unexpected endpoint or method. (POST /chat/completions)"}),  # LM Studio
    ("keyless", 404, ""),
    ("azure", 404, error("Resource not found", code="404")),
]  # fmt: skip


async def reason(folder: Folder, judge: JudgeServer, kind: str, status: int, body: Any) -> str:
    """Why a target of a kind gives no answer; its keys stand on lines 3, 4 and so on."""
    keys = "\n    ".join(TARGETS[kind]).replace("URL", judge.url)
    folder.write(".agentv/targets.yaml", f"targets:\n  - name: default\n    {keys}\n    max_retries: 0\n")
    folder.environment["THE_KEY"] = "sk-very-secret-key"
    folder.network = lambda http: Rerouted(http, judge.url)
    judge.replies = [Fault(status, body.encode() if isinstance(body, str) else json.dumps(body).encode())]
    result = await folder.one(SUITE)
    assert "sk-very-secret-key" not in repr(result)
    return result.reason


def line_of(kind: str, name: str) -> int:
    return next(3 + number for number, key in enumerate(TARGETS[kind]) if key.startswith(f"{name}:"))


@pytest.mark.parametrize(("kind", "status", "body"), MODEL)
async def test_a_wrong_model_is_blamed_on_the_key_that_names_it(
    folder: Folder, judge: JudgeServer, kind: str, status: int, body: Any
) -> None:
    why = await reason(folder, judge, kind, status, body)
    setting = {"azure": "deployment", "short": "provider"}.get(kind, "model")
    what = "deployment" if setting == "deployment" else "model"
    assert why.startswith(f"target default: the server has no {what} judge-9 for this target ({status}: ")
    assert why.endswith(f" (targets.yaml:{line_of(kind, setting)}, {setting})")
    assert len(judge.bodies) == 1, "nothing is gained by asking again"


@pytest.mark.parametrize(("kind", "status", "body"), KEY)
async def test_a_wrong_key(folder: Folder, judge: JudgeServer, kind: str, status: int, body: Any) -> None:
    why = await reason(folder, judge, kind, status, body)
    assert f"the server rejected the API key ({status}: " in why
    assert why.endswith(f"; check api_key (targets.yaml:{line_of(kind, 'api_key')}, api_key)")
    assert len(judge.bodies) == 1


async def test_a_key_that_is_wanted(folder: Folder, judge: JudgeServer) -> None:
    why = await reason(folder, judge, "keyless", 401, {"error": "Unauthorized"})
    assert why == "target default: the server requires a key (401: Unauthorized); set api_key (targets.yaml:2)"


@pytest.mark.parametrize(("kind", "status", "body"), ADDRESS)
async def test_a_wrong_address(folder: Folder, judge: JudgeServer, kind: str, status: int, body: Any) -> None:
    why = await reason(folder, judge, kind, status, body)
    setting = "endpoint" if kind == "azure" else "base_url"
    assert why.startswith("target default: the server has no address http")
    assert why.endswith(f" (targets.yaml:{line_of(kind, setting)}, {setting})")
    assert ("check the API version" in why) == (kind == "azure")


async def test_an_address_without_v1(folder: Folder, judge: JudgeServer) -> None:
    folder.write(
        ".agentv/targets.yaml",
        f"targets: [{{name: default, provider: openai, model: m, base_url: '{judge.url.removesuffix('/v1')}'}}]",
    )
    judge.replies = [Fault(404, b"404 page not found")]
    assert "; most addresses end in /v1 (targets.yaml:1, base_url)" in (await folder.one(SUITE)).reason


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (403, error("Country, region, or territory not supported", code="unsupported_country_region_territory"), "the server replied 403: Country"),
        (402, error("This request requires more credits", code=402), "the server replied 402: This request requires more credits"),
        (400, error("This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"), "the server replied 400: This model's maximum"),
        (404, error("No endpoints found that support tool use.", code=404), "the server has no address"),
    ],
)  # fmt: skip
async def test_other_refusals_blame_no_setting_of_these(
    folder: Folder, judge: JudgeServer, status: int, body: Any, words: str
) -> None:
    assert words in await reason(folder, judge, "openai", status, body)
