"""Assertions about the words that an output shares with texts: BLEU, GLEU and ROUGE, with promptfoo's smoothing and tokens."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from unicodedata import category

from rubric_core.families.promptfoo.evaluators.handler import AssertionParams, GradingResult, Handler, row_error

__all__ = ["OVERLAPS", "bleu", "gleu", "rouge", "treebank_tokens"]

_ENOUGH, _ENOUGH_OF_ROUGE = 0.5, 0.75
_ORDERS = (1, 2, 3, 4)
#: Replaces a precision of 0.
_SMALLEST = 1e-7


def _grams(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[at : at + order]) for at in range(len(words) - order + 1))


def _words(text: str) -> list[str]:
    return text.lower().split() or [""]


def bleu(candidate: str, references: Sequence[str]) -> float:
    """The share of n-grams of one to four words that a reference has, as their geometric mean, less for a short candidate."""
    if not candidate.strip():
        return 0.0
    words, known = _words(candidate), [_words(each) for each in references]
    closest = min((len(each) for each in known), key=lambda length: (abs(length - len(words)), length))
    logarithms = []
    for order in _ORDERS:
        grams = _grams(words, order)
        if not grams:
            continue
        shared = max(sum((grams & _grams(each, order)).values()) for each in known)
        logarithms.append(math.log(shared / grams.total() or _SMALLEST))
    penalty = 1.0 if len(words) > closest else math.exp(1 - closest / len(words))
    return penalty * math.exp(math.fsum(logarithms) / len(logarithms))


def gleu(candidate: str, references: Sequence[str]) -> float:
    """The lower of precision and recall of all n-grams of one to four words, by the best reference."""
    words = [each.rstrip(".") for each in _words(candidate)]
    return max(_gleu_of_reference(words, [each.rstrip(".") for each in _words(text)]) for text in references)


def _gleu_of_reference(words: Sequence[str], known: Sequence[str]) -> float:
    if words == known:
        return 1.0
    pairs = [(_grams(words, order), _grams(known, order)) for order in _ORDERS]
    shared = sum((one & other).total() for one, other in pairs)
    return shared / max(sum(one.total() for one, _ in pairs), sum(other.total() for _, other in pairs))


def rouge(candidate: str, reference: str) -> float:
    """The F1 of the words of two texts, each counted as often as both have it."""
    one, other = (Counter(treebank_tokens(text.lower())) for text in (candidate, reference))
    shared = (one & other).total()
    if not shared:
        return 0.0
    low, high = sorted((shared / one.total(), shared / other.total()))
    return min(
        high, low * (2 / (1 + low / high))
    )  # the F1 score; promptfoo's order of operations decides the last digit


#: The rules of the Penn Treebank tokenizer, in their order: each pattern with its replacement.
_RULES = [
    (re.compile(pattern), new)
    for pattern, new in (
        (r"\.\.\.", " ... "), (r"([:,])(?!\d)", r" \1 "),
        (r"([;@#$%&])", r" \1 "), (r"(?<![.])(?<!\b[A-Za-z]\.[A-Za-z])(?<=.)(\.)([\])}>' ]*)\Z", r" \1\2 "), (r"([?!])", r" \1 "),
        (r"([\][(){}<>])", r" \1 "), (r"--", " -- "), (r"\A|\Z", " "), (r"(?<=[^'])' ", " ' "), (r"'([sSmMdD]) ", r" '\1 "),
        (r"(?i)('ll|'re|'ve|n't) ", r" \1 "), (r"(?i)\b(can)(not)\b", r" \1 \2 "), (r"(?i)\b(d)('ye)\b", r" \1 \2 "),
        (r"(?i)\b(gim)(me)\b", r" \1 \2 "), (r"(?i)\b(gon)(na)\b", r" \1 \2 "), (r"(?i)\b(got)(ta)\b", r" \1 \2 "),
        (r"(?i)\b(lem)(me)\b", r" \1 \2 "), (r"(?i)\b(more)('n)\b", r" \1 \2 "), (r"(?i)\b(wan)(na)\b(?= )", r" \1 \2 "),
        (r"(?i)(?<!\w)('t)(is|was)\b", r" \1 \2 "),
    )
]  # fmt: skip


#: Quotes in each of their spellings.
_QUOTES = re.compile("``|''|\"")


def treebank_tokens(text: str) -> list[str]:
    """The tokens of a text by the rules of the Penn Treebank."""
    text = _with_quotes(" ".join(text.split()))
    for rule, new in _RULES:
        text = rule.sub(new, text)
    return text.split()


def _with_quotes(text: str) -> str:
    """The text with its quotes as `` where they open and as '' where they close, in turn."""
    parts, at, is_open = list[str](), 0, False
    for found in _QUOTES.finditer(text):
        is_open = found[0] == "``" or (not is_open and _opens(text, found))
        parts += [text[at : found.start()], " `` " if is_open else " '' "]
        at = found.end()
    return "".join((*parts, text[at:]))


def _opens(text: str, found: "re.Match[str]") -> bool:
    """Whether a quote may open: after a blank, an opening bracket or other punctuation than that of a sentence's end."""
    begin, end = found.span()
    before, after = text[begin - 1 : begin], text[end : end + 1]
    if end == len(text) and before and before not in " <" and category(before) != "Ps":
        return False
    if before in tuple(".!?") or (
        before and before not in " <" and not category(before).startswith("P") and text[begin - 2 : begin] != "``"
    ):
        return False
    if found[0] == '"':
        return True
    following = _QUOTES.search(text, end)
    is_word = bool(after) and (category(after)[0] in "LN" or category(after) in ("Sc", "Ps"))
    return begin > 0 and is_word and following is not None and following[0] == "''"


def _references(params: AssertionParams, name: str) -> list[str]:
    listed = params.value if isinstance(params.value, list) else [params.value]
    if not all(isinstance(each, str) for each in listed):
        raise row_error(params, f"needs a text, or a list of texts, as `value` of {name}")
    if not listed:
        raise row_error(params, "needs a text to compare with")
    return listed


def _graded(params: AssertionParams, name: str, score: float, usual: float) -> GradingResult:
    least = params.config.threshold if params.config.threshold is not None else usual
    passed = (score >= least) != params.inverse
    words = f"the {name} score is {score:.4f}, {'not below' if params.inverse else 'below'} {least:g}"
    return GradingResult(passed, 1 - score if params.inverse else score, words)


def _bleu(params: AssertionParams) -> GradingResult:
    return _graded(params, "BLEU", bleu(params.text, _references(params, "bleu")), _ENOUGH)


def _gleu(params: AssertionParams) -> GradingResult:
    references = _references(params, "gleu")
    if not params.text:
        raise row_error(params, "has nothing to compare: the output is empty")
    return _graded(params, "GLEU", gleu(params.text, references), _ENOUGH)


def _rouge(params: AssertionParams) -> GradingResult:
    if not isinstance(params.value, str):
        raise row_error(params, "needs a text as `value`")
    return _graded(params, "ROUGE", rouge(params.text, params.value), _ENOUGH_OF_ROUGE)


OVERLAPS: Mapping[str, Handler] = {"bleu": _bleu, "gleu": _gleu, "rouge-n": _rouge}
