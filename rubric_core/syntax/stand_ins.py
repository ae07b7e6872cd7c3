"""Characters that libyaml rejects or misreads, and the private-use characters that replace them while it reads."""

from rubric_core.lazy_compilation import pattern

__all__ = ["BACKSLASH", "COLON", "FOREIGN", "HARMLESS", "HOLE", "QUOTE", "RESERVED", "STAND_IN", "TAB"]

#: Stands for a colon inside a value.
COLON = "\ue0fe"
#: Stands for a character that cannot begin a plain value.
RESERVED = "\ue0fd"
#: Stands for a quote inside a quoted value.
QUOTE = "\ue0fc"
#: Stands for a backslash that begins no escape.
BACKSLASH = "\ue0fb"
#: Stands for a value that could not be read.
HOLE = "\ue0fa"
#: Stands for a tab with which the text of a block begins.
TAB = "\ue0f9"
#: Stands for a character that libyaml refuses. It has the same length, which keeps every offset right; the real character
#: is put back into the scalars.
STAND_IN = "\ue0ff"
_OTHERS = COLON + RESERVED + QUOTE + BACKSLASH + HOLE + TAB
#: Characters that libyaml refuses, or takes for line breaks as YAML 1.1 did.
FOREIGN = pattern(
    f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff{STAND_IN}{_OTHERS}]"
)
#: Those of them that YAML allows.
HARMLESS = f"\x85\u2028\u2029\x0c\x0b{STAND_IN}{_OTHERS}"
