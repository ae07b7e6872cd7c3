"""The settings of OpenAI's models for embeddings and moderation."""

from collections.abc import Mapping, Sequence
from typing import Any

from rubric_core.evaluation.model.redaction import Redactor, named_variables
from rubric_core.evaluation.model.unscored import Unscored
from rubric_core.families.promptfoo.evaluators.handler import AssertionParams
from rubric_core.families.promptfoo.loading.environment_settings import fill_environment, unset_variable
from rubric_core.language.variables import unset_message

__all__ = ["openai_settings"]

_ADDRESS, _KEY = "https://api.openai.com/v1", "OPENAI_API_KEY"
#: The settings of such a model that count here, or that change nothing.
_SETTINGS = frozenset({"apiKey", "apiKeyEnvar", "apiBaseUrl", "apiHost", "cost"})
#: What follows the name of a role in a sentence.
_PLURAL: Mapping[str, str] = {"embedding": "s"}


def openai_settings(
    params: AssertionParams, role: str, vendors: Sequence[str], missing: str, usual: str = ""
) -> tuple[Mapping[str, Any], Redactor]:
    """`model`, `base_url` and `api_key` of the model that the assertion or its options name, and what of them is secret.

    Args:
        params: The assertion.
        role: The key of the model in a `provider` with one for each role.
        vendors: How the ids of such models begin.
        missing: What to do where none is named.
        usual: The model of an id that names none.

    Raises Unscored.
    """
    written = params.config.settings.get("provider") or params.config.options.get("provider")
    if isinstance(written, Mapping) and "id" not in written and role in written:
        written = written[role]
    identity, config = _parts(written)
    begin = next((each for each in vendors if f"{identity}:".startswith(each)), None)
    model = f"{identity}:".removeprefix(begin).strip(":") or usual if begin is not None else ""
    if not model:
        raise Unscored(
            f"rubric gets no {role}{_PLURAL.get(role, '')} of {identity}; {missing}" if identity else missing,
            at=params.config,
        )
    unsent = next((name for name in config if name not in _SETTINGS), "")
    if unsent:
        raise Unscored(f"rubric does not send `config.{unsent}` to {identity}", at=params.config)
    ports = params.context.ports
    known = ports.environment if ports is not None else {}
    texts = [each for each in config.values() if isinstance(each, str)]
    filled = fill_environment(config, known)
    unset = unset_variable(filled)
    if unset is not None:
        setting, variable = unset
        raise Unscored(unset_message(variable, f"`config.{setting}` of {identity}"), at=params.config)
    host = filled.get("apiHost")
    address = filled.get("apiBaseUrl") or (f"https://{host}/v1" if host else _ADDRESS)
    key = filled.get("apiKey") or known.get(str(filled.get("apiKeyEnvar") or _KEY))
    if not key:
        raise Unscored(f"{identity} needs a key: set {filled.get('apiKeyEnvar') or _KEY}", at=params.config)
    secrets = Redactor.of([("apiKey", str(key)), *named_variables(texts, known)])
    return {"model": model, "base_url": str(address), "api_key": key}, secrets


def _parts(written: Any) -> tuple[str, Mapping[str, Any]]:
    """The id of a provider, and its settings."""
    if not isinstance(written, Mapping):
        return written if isinstance(written, str) else "", {}
    identity, config = written.get("id"), written.get("config")
    return identity if isinstance(identity, str) else "", config if isinstance(config, Mapping) else {}
