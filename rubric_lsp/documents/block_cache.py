"""The cache of a document across versions."""

from rubric_core.language.usage_counts import count
from rubric_core.text import Encoding
from rubric_lsp.documents.block_answers import BlockAnswer, Write
from rubric_lsp.features.block_memo import BlockMemo
from rubric_lsp.features.names import names_in
from rubric_lsp.features.suite_marks import SharedMarks
from rubric_lsp.features.tokens import Coloring, Colors

__all__ = ["BlockCache"]


class BlockCache:
    """Results of features per block, kept across versions."""

    def __init__(self, encoding: Encoding) -> None:
        self.names = BlockMemo(names_in)
        self.usage = BlockMemo(lambda local: count(local.every))
        #: Answers about the whole file, by the function that computes the part of a block.
        self.answers: dict[Write, BlockAnswer] = {}
        self.colors = Colors(encoding)
        self.shared = SharedMarks()
        #: The same for the YAML documents after the first one.
        self.parts: list[BlockCache] = []
        #: The tokens that the client has, and their result id.
        self.sent_tokens: tuple[str, Coloring] = ("", Coloring())
