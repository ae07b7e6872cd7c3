"""Skeletons of `score_ranges`, in both of its forms."""

from collections.abc import Iterator

from rubric_core.language.evaluators import Band
from rubric_lsp.features.completion.context import Completion, CompletionSite

__all__ = ["band", "bands", "map_of_bands"]

#: The lowest and the highest score of each band, and its usual name.
_BANDS = ((0, 3, "poor"), (4, 7, "fair"), (8, 10, "good"))


def map_of_bands(line: str) -> str:
    """The map form, each entry after `line`."""
    return "".join(f"{line}{low}: ${{{n}:{text}}}" for n, (low, _, text) in enumerate(_BANDS, 1))


def _list_of_bands(site: CompletionSite, line: str) -> str:
    outcome = site.dialect.spelled(Band, "outcome") or "outcome"
    return "".join(
        f"{line}- score_range: [{low}, {high}]{line}  {outcome}: ${{{n}:{text}}}"
        for n, (low, high, text) in enumerate(_BANDS, 1)
    )


def bands(site: CompletionSite) -> Iterator[Completion]:
    """All bands at once, after the colon or on the line below."""
    outcome = site.dialect.spelled(Band, "outcome") or "outcome"
    mapping = "{" + ", ".join(f"{low}: {text}" for low, _, text in _BANDS) + "}"
    listed = ", ".join(f"{{score_range: [{low}, {high}], {outcome}: {text}}}" for low, high, text in _BANDS)
    inline = site.cursor.flow or site.cursor.role == "item"
    below = site.cursor.role == "value"
    as_map = "" if inline else map_of_bands(site.line(2 if below else 0)).removeprefix("" if below else site.line())
    as_list = "" if inline else _list_of_bands(site, site.line(2 if below else 0))
    if not below:
        as_list = as_list.removeprefix(site.line())
    if site.cursor.role != "item":
        yield Completion(
            "bands as a map",
            "snippet",
            site.span,
            mapping,
            as_map,
            "0–10 from each lowest score",
            sort="00",
            filter=site.cursor.typed,
        )
        yield Completion(
            "bands as a list",
            "snippet",
            site.span,
            f"[{listed}]",
            as_list,
            "0–10 with both bounds",
            sort="01",
            filter=site.cursor.typed,
        )


def band(site: CompletionSite) -> Completion:
    """One band of the list form."""
    outcome = site.dialect.spelled(Band, "outcome") or "outcome"
    if site.cursor.flow:
        text = f"{{score_range: [${{1:0}}, ${{2:10}}], {outcome}: ${{3:poor}}}}"
        return Completion(
            "band", "snippet", site.span, f"{{score_range: [0, 10], {outcome}: poor}}", text, "a band", sort="00"
        )
    body = f"score_range: [${{1:0}}, ${{2:10}}]{site.line()}{outcome}: ${{3:poor}}"
    return Completion("band", "snippet", site.span, "score_range: ", body, "a band with its bounds and text", sort="00")
