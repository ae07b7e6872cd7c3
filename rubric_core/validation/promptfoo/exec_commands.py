"""Commands of promptfoo with signs of a shell, which promptfoo starts without one."""

from collections.abc import Iterator

from rubric_core.lazy_compilation import pattern
from rubric_core.syntax.tree import Scalar
from rubric_core.validation.rule import Finding

__all__ = ["shell_signs"]

_COMMAND = "exec:"
_QUOTED = pattern(r"'[^'\n]{0,999}'|\"[^\"\n]{0,999}\"")
_SIGN = pattern(r"(?<=\s)(?:&&|\|\|?|>>?|<|;|2>&1|&)(?=\s|\Z)")
#: A shell that is called by its name.
_SHELL = pattern(r"exec:\s{0,9}(?:\S{0,99}/)?(?:ba|z|da|k)?sh\b|exec:\s{0,9}(?:cmd|powershell|pwsh)\b")


def shell_signs(node: Scalar) -> Iterator[Finding]:
    """`|`, `&&` and the like in the id of a provider that is a command."""
    if not node.text.startswith(_COMMAND) or _SHELL.match(node.text):
        return
    found = _SIGN.search(_QUOTED.sub(lambda quoted: "x" * len(quoted[0]), node.text))
    if found is not None:
        words = f"promptfoo starts this command without a shell: `{found[0]}` is one of its arguments"
        yield Finding(node.span, words, severity="warning", consequence="the program gets the rest as arguments")
