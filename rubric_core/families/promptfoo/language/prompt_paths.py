"""Recognises prompts that promptfoo treats as paths. Promptfoo 0.121 examines only the characters of a one-line text."""

__all__ = ["path_sign", "without_member"]

_EXTENSIONS = (
    ".cjs", ".cts", ".j2", ".js", ".json", ".jsonl", ".md", ".mjs", ".mts", ".py", ".ts", ".txt", ".yml", ".yaml",
)  # fmt: skip
_REMOTE = ("portkey://", "langfuse://", "helicone://")


def path_sign(text: str) -> str:
    """Why promptfoo treats a prompt as a path, for people: "contains `/`"; empty for a literal prompt."""
    if "\n" in text or any(each in text for each in _REMOTE):
        return ""
    if text.startswith("file://"):
        return "begins with `file://`"
    parts = text.split(":")[-2:]
    ending = next((e for e in _EXTENSIONS if any(part.endswith(e) for part in parts)), "")
    if ending:
        return f"ends in `{ending}`"
    if text[-3:-2] == "." or text[-4:-3] == ".":
        return f"has `.` shortly before its end: `{text[-4:]}`"
    return next((f"contains `{sign}`" for sign in ("*", "/", "\\") if sign in text), "")


def without_member(path: str) -> str:
    """The path in `file.py:function`."""
    head, colon, member = path.rpartition(":")
    is_member = bool(colon) and "/" not in member and head.endswith((*_EXTENSIONS, ".rb", ".go"))
    return head if is_member else path
