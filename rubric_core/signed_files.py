"""Project files that count only if signed by this user's rubric; those that come with a repository are ignored."""

# Paths as strings: a check without other work needs only these.

import contextlib
import os
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path
from typing import NamedTuple

from rubric_core.disk import read_file
from rubric_core.user_dirs import user_directory

__all__ = ["SignedFile", "user_key"]

_KEY_BYTES = 32


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


def user_key() -> bytes:
    """The key that signs the user's caches, created if necessary. Raises OSError, and ValueError for an invalid key file."""
    file = user_directory("XDG_STATE_HOME", ".local", "state") / "rubric" / "cache.key"
    with contextlib.suppress(FileNotFoundError):
        return _whole(read_file(file, _KEY_BYTES))
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    with contextlib.suppress(FileExistsError):
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as written:
            written.write(os.urandom(_KEY_BYTES))
    # If two checks create one at the same time, the first wins.
    with contextlib.suppress(FileExistsError):
        os.link(draft, file)
    draft.unlink(missing_ok=True)
    return _whole(read_file(file, _KEY_BYTES))


def _whole(key: bytes) -> bytes:
    if len(key) != _KEY_BYTES:
        raise ValueError("this is not a key")
    return key
