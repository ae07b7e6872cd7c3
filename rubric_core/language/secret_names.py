"""Names of variables, settings and headers whose value is a secret."""

import re

from rubric_core.lazy_compilation import pattern

__all__ = ["NOT_SENT", "WELL_KNOWN_KEY", "looks_secret"]

#: The values of these keys of a suite are for targets and programs, which need their keys: no model receives them.
NOT_SENT = frozenset({
    "provider", "providers", "target", "targets", "config", "env", "environment", "workspace", "execution", "headers", "hooks",
})  # fmt: skip

#: Whole words where a part of one means nothing: an AUTHOR is no secret, and max_output_tokens counts tokens.
_SECRET = pattern(
    r"KEYS?(_|\d|$)|TOKEN(?!S|_USAGE|_LIMIT)|SECRET|PASSW|PASSPHRASE|(^|_)PASS(_|$)|CREDENTIAL|(^|_)AUTH(_|$|ORIZATION)|BEARER|(^|_)PAT(_|$)",
    re.IGNORECASE,
)
#: API keys of well-known services, wherever they are.
WELL_KNOWN_KEY = pattern(
    r"(?<![\w-])(?:sk-[\w-]{8}|gh[pousr]_\w{8}|github_pat_\w{8}|glpat-[\w-]{8}|hf_\w{16}|xox[abeprs]-[\w-]{8}"
    r"|AKIA[0-9A-Z]{12}|AIza[\w-]{16}|eyJ[\w-]{8,400}\.[\w-]{8})[\w.-]*"
)


def looks_secret(name: str) -> bool:
    """Whether a setting or variable of that name holds a secret."""
    return _SECRET.search(name) is not None
