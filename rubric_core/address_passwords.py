"""Passwords in addresses, as they are written and as they are sent."""

import base64
from urllib.parse import unquote, urlsplit

__all__ = ["address_passwords"]

#: A shorter password may be a part of any word: it is looked for with its user alone.
_SHORTEST = 6


def address_passwords(address: str) -> tuple[str, ...]:
    """The password in `http://user:password@host`: as written, decoded, and as in a header; empty without one."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return ()
    if not parts.password:
        return ()
    user, password = unquote(parts.username or ""), unquote(parts.password)
    both = f"{user}:{password}"
    header = base64.b64encode(both.encode()).decode()
    return (parts.password, password, header) if len(password) >= _SHORTEST else (both, header)
