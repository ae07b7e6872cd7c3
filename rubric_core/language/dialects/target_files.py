"""The changes of each dialect in targets files: keys of an entry, kinds of providers and their settings."""

from collections.abc import Mapping

from rubric_core.language.changes import adds, drops, renames, requires, tolerates, unrequires
from rubric_core.language.dialect import Change, SpellingStatus, Tables, TypeName
from rubric_core.language.own_providers import HttpEndpoint, PythonFunction
from rubric_core.language.providers import (  # fmt: skip
    SETTINGS,
    AgentServer,
    Anthropic,
    Api,
    Azure,
    Byok,
    Claude,
    Cli,
    Codex,
    CommandAgent,
    CopilotCli,
    CopilotSdk,
    Healthcheck,
    Log,
    Mock,
    Model,
    OpenAi,
    OwnModel,
    Pi,
    Prices,
    Replay,
    Settings,
    VsCode,
)
from rubric_core.language.releases import Release
from rubric_core.language.targets import ENTRIES, Entry, Provider, Runtime, Target, TargetFile

__all__ = ["TARGETS_0_1", "TARGETS_0_5", "TARGETS_1", "TARGETS_2_7", "TARGETS_3", "TARGETS_5"]

_REFUSED = "agentv rejects the file"
_NEXT = "releases after 5.3 refuse it"


def _kinds(
    kinds: Mapping[str, type[Settings]], fate: SpellingStatus = SpellingStatus.CURRENT, note: str = ""
) -> Change:
    """Kinds of providers by the words that name them."""

    def change(tables: Tables) -> None:
        for base in (Target, Provider):
            family = tables.families.setdefault(base, {})
            for name, settings in kinds.items():
                family[name] = TypeName(name, ENTRIES[base, settings], fate, note)

    return change


def _gives_up(*names: str, instead: str, refused: bool = False) -> Change:
    """Kinds that the releases with `providers` do not know under these names, or refuse for being ambiguous."""

    def change(tables: Tables) -> None:
        for base, family in tables.families.items():
            for name in names:
                known = family[name]
                if base is Target:
                    family[name] = known._replace(fate=SpellingStatus.LEAVING, note=f"{_NEXT}{instead}")
                elif refused:
                    family[name] = known._replace(fate=SpellingStatus.REJECTED, note=f"{_REFUSED}{instead}")
                else:
                    family[name] = known._replace(
                        fate=SpellingStatus.IGNORED, note=f"agentv looks for a program of that name{instead}"
                    )

    return change


TARGETS_0_1: tuple[Change, ...] = (
    adds(Entry, "name", "provider", "settings", "requests_per_minute", "tokens_per_minute", grader_target="judge_target"),
    adds(Prices),
    adds(Api),
    adds(Model),
    adds(Anthropic),
    adds(Azure),
    adds(VsCode),
    adds(Mock),
    _kinds({
        "azure": Azure, "anthropic": Anthropic, "gemini": Model, "mock": Mock, "vscode": VsCode, "vscode-insiders": VsCode,
    }),
    # Rubric's own, in every dialect.
    adds(HttpEndpoint),
    adds(PythonFunction),
    _kinds({"http": HttpEndpoint, "python": PythonFunction}),
    _kinds({"azure-openai": Azure, "google": Model, "google-gemini": Model}, SpellingStatus.ALIAS),
)  # fmt: skip

TARGETS_0_5: tuple[Change, ...] = (
    adds(TargetFile, "schema", "version", "targets"),
    adds(Entry, "workers", "provider_batching", "workspace_template"),
    # Releases up to 0.6 read the settings only there, later ones only beside the name.
    tolerates(Entry, "settings", "settings", fate=SpellingStatus.ALIAS),
    adds(Log, "model", "cwd", "timeout_seconds", "log_dir", "log_directory", "log_format", "log_output_format", "system_prompt"),
    adds(CommandAgent),
    adds(Cli, "files_format", "cwd", "timeout_seconds", "healthcheck", "verbose", "keep_temp_files", command="command_template"),
    tolerates(Cli, "command", "command", note="only agentv 2.8 and later read it"),
    tolerates(Cli, "files_format", "attachments_format", fate=SpellingStatus.ALIAS),
    tolerates(Cli, "verbose", "cli_verbose", fate=SpellingStatus.ALIAS),
    tolerates(Cli, "keep_temp_files", "keep_output_files", fate=SpellingStatus.ALIAS),
    adds(Healthcheck, "type", "url", "cwd", "timeout_seconds", command="command_template"),
    tolerates(Healthcheck, "command", "command", note="only agentv 2.8 and later read it"),
    tolerates(VsCode, "workspace_env_var", "workspace_env_var", fate=SpellingStatus.ALIAS),
    _kinds({"cli": Cli, "codex": Codex}),
    _kinds({"codex-cli": Codex}, SpellingStatus.ALIAS),
)  # fmt: skip

TARGETS_1: tuple[Change, ...] = (
    drops(Entry, "settings", fate=SpellingStatus.REJECTED, note=f"{_REFUSED}; the settings are beside the name"),
    adds(Pi, "subprovider", "api_key", "tools", "thinking"),
    tolerates(Pi, "subprovider", "pi_provider", fate=SpellingStatus.ALIAS),
    adds(Claude, "max_turns", "max_budget_usd"),
    adds(CopilotCli),
    adds(OpenAi),
    _kinds({
        "claude-code": Claude, "pi-coding-agent": Pi, "pi-agent-sdk": Pi, "copilot-cli": CopilotCli, "openai": OpenAi,
    }),
)  # fmt: skip

TARGETS_2_7: tuple[Change, ...] = (
    renames(Cli, "command_template", "command", SpellingStatus.TOLERATED, "agentv 2.8 and later do not read it"),
    renames(
        Healthcheck, "command_template", "command", SpellingStatus.TOLERATED, "agentv 2.8 and later do not read it"
    ),
    _kinds({"claude": Claude, "copilot": CopilotCli, "openrouter": Model}),
    _kinds({"claude-code": Claude, "pi": Pi}, SpellingStatus.ALIAS),
)

TARGETS_3: tuple[Change, ...] = (
    renames(Entry, "judge_target", "grader_target", SpellingStatus.DEPRECATED, "releases from 5.1 on refuse it"),
    adds(Entry, "use_target", "fallback_targets", "subagent_mode_allowed"),
    tolerates(Entry, "workspace_template", "workspace_template", fate=SpellingStatus.IGNORED, note="removed; write `workspace: {template: …}` in the suite"),
    drops(Healthcheck, "type", fate=SpellingStatus.ALIAS),
    drops(VsCode, "workspace_env_var", fate=SpellingStatus.IGNORED, note="removed"),
    tolerates(Cli, "command", "command_template", fate=SpellingStatus.IGNORED, note=_REFUSED),
    tolerates(Healthcheck, "command", "command_template", fate=SpellingStatus.IGNORED, note=_REFUSED),
    adds(CopilotSdk),
    adds(OwnModel),
    adds(Byok),
    adds(AgentServer),
    adds(Log, "stream_log"),
    adds(Codex, "model_reasoning_effort"),
    # 4.42 refuses them; which release was the first to do so is not known.
    tolerates(
        Codex, "log_format", "log_format", "log_output_format", fate=SpellingStatus.LEAVING, note="agentv stops; write `stream_log`",
        refused_from=Release(4, 42),
    ),
    tolerates(
        Azure, "api_format", "api_format", fate=SpellingStatus.LEAVING, note="agentv stops: it always asks the API of responses",
        refused_from=Release(4, 42),
    ),
    adds(Claude, "variant", "bypass_permissions"),
    adds(Replay),
    adds(Pi, "base_url"),
    tolerates(Pi, "subprovider", "pi_provider", fate=SpellingStatus.DEPRECATED),
    tolerates(Pi, "model", "pi_model", fate=SpellingStatus.ALIAS),
    tolerates(Pi, "tools", "pi_tools", fate=SpellingStatus.ALIAS),
    tolerates(Pi, "thinking", "pi_thinking", fate=SpellingStatus.ALIAS),
    tolerates(Pi, "base_url", "endpoint", fate=SpellingStatus.ALIAS),
    _kinds({
        "copilot-sdk": CopilotSdk, "copilot-log": AgentServer, "pi-cli": Pi, "claude-cli": Claude, "claude-sdk": Claude,
        "agentv": AgentServer, "transcript": AgentServer, "replay": Replay,
    }),
    _kinds({"copilot_sdk": CopilotSdk, "cc-mirror": Claude, "bedrock": Model, "vertex": Model}, SpellingStatus.ALIAS),
)  # fmt: skip

TARGETS_5: tuple[Change, ...] = (
    adds(TargetFile, "providers", "defaults", "graders"),
    tolerates(TargetFile, "targets", "targets", fate=SpellingStatus.LEAVING, note=f"{_NEXT}; write `providers` in a file providers.yaml"),
    adds(Entry, "runtime", "transform", "delay", "env", "inputs", "prompts", "environment", "hooks", settings="config"),
    tolerates(Entry, "provider_batching", "batch_requests", fate=SpellingStatus.ALIAS),
    drops(Entry, "judge_target", fate=SpellingStatus.REJECTED, note=_REFUSED),
    tolerates(Entry, "grader_target", "judge_target", fate=SpellingStatus.REJECTED, note=_REFUSED),
    adds(Target, "extends", name="id"),
    tolerates(Target, "name", "name", fate=SpellingStatus.ALIAS),
    # Under `providers`, `id` is the former `provider`, and `label` the former `id`.
    adds(Provider, name="label", provider="id"),
    unrequires(Provider, "name"),
    tolerates(Provider, "provider", "provider", fate=SpellingStatus.REJECTED, note=_REFUSED),
    tolerates(Provider, "name", "name", fate=SpellingStatus.REJECTED, note=_REFUSED),
    drops(Provider, "use_target", "fallback_targets", "provider_batching", "batch_requests", fate=SpellingStatus.REJECTED, note=_REFUSED),
    drops(Provider, "container", "install", fate=SpellingStatus.REJECTED, note=f"{_REFUSED}; write `environment`"),
    adds(Runtime),
    requires(Target, "name"),
    tolerates(Log, "log_format", "log_format", "log_output_format", fate=SpellingStatus.LEAVING, note=f"{_NEXT}; write `stream_log`"),
    *(
        tolerates(copilot, name, name, fate=SpellingStatus.IGNORED, note="write it under `byok`")
        for copilot in (CopilotCli, CopilotSdk)
        for name in ("subprovider", "base_url", "api_key", "bearer_token", "api_version", "api_format")
    ),
    adds(
        Codex, "endpoint", "base_url", "api_key", "api_format", "reasoning_effort", "model_verbosity", "sandbox_mode", "approval_policy",
    ),
    tolerates(Azure, "api_format", "api_format", fate=SpellingStatus.LEAVING, note=_NEXT),
    _kinds({
        "codex-cli": Codex, "codex-app-server": Codex, "codex-sdk": Codex, "pi-sdk": Pi, "pi-rpc": Pi,
    }),
    _gives_up("azure-openai", instead="; write `azure`"),
    _gives_up("google", "google-gemini", instead="; write `gemini`"),
    _gives_up("codex", instead="; write `codex-cli`, `codex-app-server` or `codex-sdk`", refused=True),
    _gives_up("claude", "claude-code", "cc-mirror", instead="; write `claude-cli` or `claude-sdk`", refused=True),
    _gives_up("copilot", "copilot_sdk", instead="; write `copilot-cli` or `copilot-sdk`", refused=True),
    _gives_up("pi", "pi-agent-sdk", instead="; write `pi-cli`, `pi-sdk` or `pi-rpc`", refused=True),
    _gives_up("bedrock", "vertex", instead=""),
    *(
        tolerates(ENTRIES[Provider, settings], "log_format", "log_format", "log_output_format", fate=SpellingStatus.REJECTED, note=f"{_REFUSED}; `stream_log` took its place")
        for settings in SETTINGS
        if issubclass(settings, Log)
    ),
    tolerates(ENTRIES[Provider, Azure], "api_format", "api_format", fate=SpellingStatus.REJECTED, note=_REFUSED),
    drops(Provider, "workspace", fate=SpellingStatus.REJECTED, note=f"{_REFUSED}; write `environment`"),
)  # fmt: skip
