"""The texts of a spreadsheet (`.xlsx`), to search them: some engines read cases from such files, rubric does not."""

import html
import io

__all__ = ["workbook_text"]

#: The maximum number of unpacked bytes; a file of a few kilobytes may expand to gigabytes.
_LARGEST = 50_000_000


def workbook_text(content: bytes) -> str:
    """The texts of all cells, one per line; empty for an invalid workbook."""
    from zipfile import BadZipFile, ZipFile  # noqa: PLC0415  # few suites have spreadsheets

    found: list[str] = []
    left = _LARGEST
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            for part in archive.infolist():
                if part.filename.startswith("xl/") and part.filename.endswith(".xml") and left > 0:
                    with archive.open(part) as opened:
                        read = opened.read(left)
                    left -= len(read)
                    found.append(_texts(read.decode("utf-8", "replace")))
    except (BadZipFile, EOFError, NotImplementedError, OSError, RuntimeError, ValueError):
        pass  # damaged, encrypted, or compressed in another way: the text up to there counts
    return "\n".join(found)


def _texts(part: str) -> str:
    """The texts of a part. A text with several fonts is split into several elements."""
    lines = part.replace("</si>", "\n").replace("</is>", "\n").replace("</v>", "\n")
    before, *tags = lines.split("<")
    return html.unescape("".join([before, *(tag.partition(">")[2] for tag in tags)]))
