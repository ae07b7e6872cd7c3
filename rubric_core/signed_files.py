"""Files that count only if signed by this user's rubric; those that come with a repository are ignored."""

# Paths as strings: a check without other work needs only these.

import os
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path
from typing import NamedTuple

from rubric_core.disk import read_file

__all__ = ["SignedFile"]


class SignedFile(NamedTuple):
    """A file whose first line is a signature of its content and its path."""

    path: Path
    key: bytes
    #: The maximum number of bytes read.
    largest: int

    def read(self) -> bytes:
        """The text written last. Raises OSError, and ValueError for another signature."""
        signature, _, body = read_file(self.path, self.largest).partition(b"\n")
        if not compare_digest(signature, self._signature(body)):
            raise ValueError("this was signed with another key")
        return body

    def signed(self, body: bytes) -> bytes:
        """The content of the file for a text."""
        return self._signature(body) + b"\n" + body

    def _signature(self, body: bytes) -> bytes:
        made = blake2b(os.fsencode(self.path) + b"\n", key=self.key)
        made.update(body)
        return made.hexdigest().encode()
