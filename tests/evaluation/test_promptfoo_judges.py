"""Assertions of promptfoo that a model grades, and providers that are models."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from judge_server import Fault, JudgeServer

from rubric_core.analysis import analyze
from rubric_core.cli import main
from rubric_core.evaluation.cases.load import load_suite
from rubric_core.evaluation.cases.options import Options
from rubric_core.evaluation.cases.variations import variations
from rubric_core.evaluation.engine.run import save_recordings
from rubric_core.evaluation.engine.schedule import run_cases
from rubric_core.evaluation.model.result import CaseResult, Verdict
from rubric_core.families.promptfoo.cases.models import DEFAULT_GRADERS, default_grader, vendor_target
from rubric_core.families.promptfoo.language.file_kinds import PromptfooFile

GOOD = '{"reason": "kind enough", "pass": true, "score": 0.8}'
BAD = '{"reason": "rude", "pass": false, "score": 0.1}'
JUDGE = "import sys\nprint(open('reply.txt').read())\nopen('asked.txt', 'a').write(sys.argv[-3])\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Writes a configuration whose grader is a program that replies with a text."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "judge.py").write_text(JUDGE, encoding="utf-8")

    def written(test: str, reply: str = GOOD, *, grader: str = "") -> Path:
        (tmp_path / "reply.txt").write_text(reply, encoding="utf-8")
        named = grader or f"exec:{sys.executable} judge.py"
        path = tmp_path / "promptfooconfig.yaml"
        usual = f"defaultTest: {{options: {{provider: {named!r}}}}}\n" if named != "-" else ""
        path.write_text(
            f"prompts: ['{{{{q}}}}']\nproviders: [echo]\n{usual}tests:\n  - {{description: t, vars: {{q: hello}}, {test}}}\n",
            encoding="utf-8",
        )
        return path

    return written


async def one(path: Path, options: Options | None = None) -> CaseResult:
    cases = [each for case in load_suite(path, options=options).cases for each in variations(case)]
    (found,) = await run_cases(cases)
    save_recordings(cases)
    return found


async def test_a_rubric(folder: Callable[..., Path], tmp_path: Path) -> None:
    path = folder("assert: [{type: llm-rubric, value: Is kind}]")
    found = await one(path)
    assert (found.verdict, found.score, found.evaluators[0].reasoning) == (Verdict.PASSED, 0.8, "kind enough")
    asked = (tmp_path / "asked.txt").read_text(encoding="utf-8")
    assert "hello" in asked
    assert "Is kind" in asked
    (tmp_path / "reply.txt").write_text(BAD, encoding="utf-8")
    found = await one(path)
    assert (found.verdict, found.score, found.evaluators[0].misses) == (Verdict.FAILED, 0.1, ("rude",))


async def test_a_reply_that_cannot_be_used_is_no_score(folder: Callable[..., Path], tmp_path: Path) -> None:
    found = await one(folder("assert: [{type: llm-rubric, value: Is kind}]", "I would rather not say."))
    assert (found.verdict, found.score) == (Verdict.UNSCORED, None)
    assert "gave no usable reply in 3 tries: there is no JSON object in it" in found.reason
    assert (tmp_path / "asked.txt").read_text(encoding="utf-8").count("Is kind") == 3


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ('{"steps": ' + "[" * 5_000 + "}", "nested too deeply"),
        ('{"steps": ["Look"', 'it has no steps in the form {"steps": […]}'),
    ],
)
async def test_steps_that_cannot_be_read_are_no_score(folder: Callable[..., Path], reply: str, words: str) -> None:
    found = await one(folder("assert: [{type: g-eval, value: Flows}]", reply))
    assert (found.verdict, found.score) == (Verdict.UNSCORED, None)
    assert words in found.reason


@pytest.mark.parametrize(
    ("kind", "output", "words"),
    [
        # Calls of tools without a text: their own `arguments` are no judgement.
        ("llm-rubric", [{"id": "1", "function": {"name": "f", "arguments": "{}"}}], "it is data"),
        ("llm-rubric", "", "it is empty"),
        ("context-relevance", "", "it is empty"),
        ("context-relevance", ["The sky is blue."], "it is data"),
        ("context-faithfulness", "", "it is empty"),
        ("context-recall", "", "it is empty"),
        ("factuality", {"category": "A"}, "it is data"),
        ("model-graded-closedqa", ["Y"], "it is data"),
    ],
)
async def test_data_and_nothing_are_no_judgement(
    folder: Callable[..., Path], tmp_path: Path, kind: str, output: object, words: str
) -> None:
    code = f"def call_api(prompt, options, context):\n    return {{'output': {output!r}}}\n"
    (tmp_path / "provider.py").write_text(code, encoding="utf-8")
    test = f"vars: {{query: q, context: The sky is blue.}}, assert: [{{type: {kind}, value: v}}]"
    path = folder("threshold: 0", grader="file://provider.py")
    path.write_text(path.read_text().replace("vars: {q: hello}, threshold: 0", test), encoding="utf-8")
    found = await one(path)
    assert (found.verdict, found.score) == (Verdict.UNSCORED, None)
    assert words in found.reason


async def test_an_object_is_a_judgement(folder: Callable[..., Path], tmp_path: Path) -> None:
    code = "def call_api(prompt, options, context):\n    return {'output': {'pass': True, 'score': 0.7}}\n"
    (tmp_path / "provider.py").write_text(code, encoding="utf-8")
    found = await one(folder("assert: [{type: llm-rubric, value: v}]", grader="file://provider.py"))
    assert (found.verdict, found.score) == (Verdict.PASSED, 0.7)


@pytest.mark.parametrize("written", ['""', '" "', "null"])
async def test_a_blank_score_is_zero(folder: Callable[..., Path], written: str) -> None:
    reply = f'{{"pass": true, "score": {written}, "reason": "r"}}'
    found = await one(folder("assert: [{type: llm-rubric, value: v, threshold: 0.5}]", reply))
    assert (found.verdict, found.score) == (Verdict.FAILED, 0.0)


async def test_a_score_of_400_digits_leaves_it_to_pass(folder: Callable[..., Path]) -> None:
    reply = '{"pass": false, "reason": "rude", "score": 1' + "0" * 400 + "}"
    found = await one(folder("assert: [{type: llm-rubric, value: Is kind}]", reply))
    assert (found.verdict, found.score, found.evaluators[0].misses) == (Verdict.FAILED, 0.0, ("rude",))


async def test_without_a_grader_nothing_is_judged(folder: Callable[..., Path]) -> None:
    found = await one(folder("assert: [{type: llm-rubric, value: Is kind}]", grader="-"))
    assert found.verdict is Verdict.UNSCORED
    assert "no model grades: name one under `provider`" in found.reason


async def test_the_grader_of_promptfoo_is_chosen_by_the_keys(
    folder: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only where that is asked for, and only among the models whose keys are set."""
    for name in {key for each in DEFAULT_GRADERS for key in each.keys}:
        monkeypatch.delenv(name, raising=False)
    path = folder("assert: [{type: llm-rubric, value: Is kind}]", grader="-")
    asked = Options(grader_target="promptfoo")
    assert "no model grades: name one" in (await one(path, asked)).reason
    async with JudgeServer() as server:
        server.replies = [GOOD] * 2
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert "no model grades: name one" in (await one(path)).reason
        found = await one(path, asked)
    assert (found.verdict, found.score) == (Verdict.PASSED, 0.8)
    (body,) = server.bodies
    assert (body["model"], body["response_format"]) == ("gpt-5.5-2026-04-23", {"type": "json_object"})


@pytest.mark.parametrize(
    ("environment", "kind", "name"),
    [
        ({}, "llm-rubric", None),
        ({"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, "factuality", "default grader openai:chat:gpt-5.5-2026-04-23"),
        ({"ANTHROPIC_API_KEY": "k"}, "llm-rubric", "default grader for rubrics anthropic:messages:claude-sonnet-4-6"),
        ({"AZURE_API_KEY": "k", "GEMINI_API_KEY": "k"}, "llm-rubric", "default grader google:gemini-2.5-pro"),
        (
            {"AZURE_API_KEY": "k", "AZURE_DEPLOYMENT_NAME": "d", "AZURE_OPENAI_DEPLOYMENT_NAME": "d"},
            "g-eval", "default grader azure:chat:{{env.AZURE_OPENAI_DEPLOYMENT_NAME}}",
        ),
        ({"MISTRAL_API_KEY": "k", "GITHUB_TOKEN": "k"}, "llm-rubric", "default grader for rubrics mistral:mistral-large-latest"),
        ({"GITHUB_TOKEN": "k"}, "g-eval", "default grader github:openai/gpt-5"),
    ],
)  # fmt: skip
def test_which_grader_promptfoo_takes(environment: dict[str, str], kind: str, name: str | None) -> None:
    assert default_grader(kind, environment) == name


@pytest.mark.parametrize(
    ("assertion", "reply", "criterion"),
    [
        ("{type: llm-rubric, value: Is kind}", GOOD, "Is kind"),
        ("{type: factuality, value: The sky is blue}", '{"category": "A", "reason": "subset"}', "The sky is blue"),
        ("{type: model-graded-closedqa, value: Is short}", "It is.\nY", "Is short"),
        ("{type: g-eval, value: Flows}", '{"steps": ["Look"]} and {"x": 1}', "Flows"),
    ],
)
async def test_decisions_are_recorded_and_replayed(
    folder: Callable[..., Path], tmp_path: Path, assertion: str, reply: str, criterion: str
) -> None:
    path = folder(f"assert: [{assertion}]", reply)
    if "g-eval" in assertion:
        (tmp_path / "judge.py").write_text(
            "import sys\nprint('{\"score\": 8, \"reason\": \"flows\"}' if 'whole number' in sys.argv[-3] else '{\"steps\": [\"Look\"]}')\n", encoding="utf-8"
        )  # fmt: skip
    first = await one(path, Options(mode="record"))
    assert first.verdict is Verdict.PASSED
    recorded = (tmp_path / "promptfooconfig.recordings.yaml").read_text(encoding="utf-8")
    assert criterion in recorded
    (tmp_path / "judge.py").write_text("raise SystemExit('nobody may ask')\n", encoding="utf-8")
    again = await one(path, Options(mode="replay"))
    assert (again.verdict, again.score) == (first.verdict, first.score)
    assert again.evaluators[0].judge.startswith("recorded (")
    other = folder(f"assert: [{assertion.replace(criterion, 'Another')}]", reply)
    unknown = await one(other, Options(mode="replay"))
    assert unknown.verdict is Verdict.UNSCORED
    assert "no recording matches" in unknown.reason


def test_recordings_are_no_configuration(folder: Callable[..., Path], tmp_path: Path) -> None:
    folder("assert: [{type: llm-rubric, value: Is kind}]")
    assert main(["run", "promptfooconfig.yaml", "--record"]) == 0
    assert (tmp_path / "promptfooconfig.recordings.yaml").is_file()
    text = (tmp_path / "promptfooconfig.recordings.yaml").read_text(encoding="utf-8")
    assert analyze(text, path=tmp_path / "promptfooconfig.recordings.yaml").kind is not PromptfooFile.CONFIGURATION
    assert analyze(text, path=tmp_path / "promptfooconfig.more.yaml").kind is PromptfooFile.CONFIGURATION


async def test_a_grader_of_a_target_file(folder: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "targets.yaml").write_text(
        "targets: [{name: stern, provider: mock, response: '" + BAD + "'}]\n", encoding="utf-8"
    )
    path = folder("assert: [{type: llm-rubric, value: Is kind}]", grader="-")
    found = await one(path, Options(grader_target="stern"))
    assert (found.verdict, found.score) == (Verdict.FAILED, 0.1)


async def test_models_answer_and_judge(folder: Callable[..., Path], tmp_path: Path) -> None:
    async with JudgeServer() as server:
        server.replies = [lambda body: GOOD if "rubric" in str(body) else f"I am {body['model']}"]
        config = f"{{apiBaseUrl: '{server.url}', apiKey: sk-test-0123456789, temperature: 0.5}}"
        path = tmp_path / "promptfooconfig.yaml"
        path.write_text(
            f"prompts: ['[{{\"role\": \"system\", \"content\": \"Be brief\"}}, {{\"role\": \"user\", \"content\": \"{{{{q}}}}\"}}]']\n"
            f"providers: [{{id: 'openai:chat:gpt-x', label: small, config: {config}}}]\n"
            "tests: [{description: t, vars: {q: hello}, assert: [{type: contains, value: gpt-x}, {type: llm-rubric, value: Is kind, provider: small}]}]\n",
            encoding="utf-8",
        )  # fmt: skip
        found = await one(path)
    assert (found.verdict, found.answer) == (Verdict.PASSED, "I am gpt-x")
    asked, judged = server.bodies
    assert asked["messages"] == [{"role": "system", "content": "Be brief"}, {"role": "user", "content": "hello"}]
    assert (asked["temperature"], asked["max_tokens"]) == (0.5, 1024)
    assert server.headers[0]["authorization"] == "Bearer sk-test-0123456789"
    assert judged["messages"][0]["role"] == "system"
    assert "sk-test" not in str(found)


async def test_a_model_that_refuses_is_unscored(tmp_path: Path) -> None:
    async with JudgeServer() as server:
        server.replies = [Fault.error(401, "Incorrect API key provided")]
        path = tmp_path / "promptfooconfig.yaml"
        path.write_text(
            f"prompts: [p]\nproviders: [{{id: 'openai:chat:tiny', config: {{apiBaseUrl: '{server.url}', apiKey: wrong-key}}}}]\ntests: [{{description: t, assert: [{{type: contains, value: x}}]}}]\n",
            encoding="utf-8",
        )  # fmt: skip
        found = await one(path)
    assert found.verdict is Verdict.UNSCORED
    assert "rejected the API key" in found.reason


async def test_a_key_that_is_not_set_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(
        "prompts: [p]\nproviders: [openai:gpt-x]\ntests: [{description: t, vars: {a: b}}]\n", encoding="utf-8"
    )
    found = await one(path)
    assert found.verdict is Verdict.UNSCORED
    assert "the environment variable OPENAI_API_KEY is not set (promptfooconfig.yaml:2" in found.reason


@pytest.mark.parametrize(
    ("identity", "config", "kind", "settings"),
    [
        ("openai:gpt-4o", {}, "openai", {"model": "gpt-4o", "temperature": 0, "max_output_tokens": 1024, "api_key": "${{ OPENAI_API_KEY }}"}),
        ("openai:responses:o3", {}, "openai", {"model": "o3", "api_format": "responses", "api_key": "${{ OPENAI_API_KEY }}"}),
        ("openrouter:a/b", {"apiBaseUrl": "http://x/v1"}, "openai", {"model": "a/b", "base_url": "http://x/v1", "api_key": "${{ OPENROUTER_API_KEY }}"}),
        ("groq:m", {"apiBaseUrl": "http://x/v1"}, "openai", {"model": "m", "base_url": "https://api.groq.com/openai/v1", "api_key": "${{ GROQ_API_KEY }}"}),
        ("fireworks:accounts/a/models/m", {}, "openai", {"model": "accounts/a/models/m", "base_url": "https://api.fireworks.ai/inference/v1", "api_key": "${{ FIREWORKS_API_KEY }}"}),
        ("nvidia:a/m", {"apiBaseUrl": "http://x/v1"}, "openai", {"model": "a/m", "base_url": "http://x/v1", "api_key": "${{ NVIDIA_API_KEY }}"}),
        ("anthropic:messages:claude-x", {"max_tokens": 5}, "anthropic", {"model": "claude-x", "max_output_tokens": 5, "api_key": "${{ ANTHROPIC_API_KEY }}"}),
        ("google:gemini-x", {"apiKeyEnvar": "MY_KEY"}, "gemini", {"model": "gemini-x", "api_key": "${{ MY_KEY }}"}),
        ("openrouter:a/b:free", {}, "openrouter", {"model": "a/b:free", "api_key": "${{ OPENROUTER_API_KEY }}"}),
        ("ollama:llama3:8b", {}, "openai", {"model": "llama3:8b", "base_url": "http://localhost:11434/v1"}),
        ("azure:chat:mine", {"apiHost": "https://x.example/"}, "azure",
         {"model": "mine", "temperature": 0, "max_output_tokens": 1024, "endpoint": "https://x.example", "version": "2024-12-01-preview", "api_key": "${{ AZURE_API_KEY }}"}),
        ("azure:chat:mine", {"apiHost": "x.example", "apiVersion": "2024-10-21", "temperature": 1}, "azure",
         {"model": "mine", "temperature": 1, "max_output_tokens": 1024, "endpoint": "https://x.example", "version": "2024-10-21", "api_key": "${{ AZURE_API_KEY }}"}),
    ],
)  # fmt: skip
def test_models_as_targets(identity: str, config: dict[str, object], kind: str, settings: dict[str, object]) -> None:
    target = vendor_target(identity, config)
    assert target is not None
    assert (target.kind, dict(target.settings), target.trouble) == (kind, settings, "")


@pytest.mark.parametrize(
    ("identity", "config", "words"),
    [
        ("openai:embedding:x", {}, "which is no chat model"),
        ("openai:gpt-x", {"mcp": {}}, "rubric does not support `config.mcp`"),
        ("anthropic:claude-agent-sdk", {}, "which is no chat model"),
    ],
)
def test_unsupported_models_have_a_reason(identity: str, config: dict[str, object], words: str) -> None:
    target = vendor_target(identity, config)
    assert target is not None
    assert words in target.trouble


def test_an_unknown_vendor_is_none() -> None:
    assert vendor_target("bedrock:claude", {}) is None
    assert vendor_target("openai", {}) is None
