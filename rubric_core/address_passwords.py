"""Passwords in addresses, in every form in which a server that is sent them may repeat them."""

import base64
from urllib.parse import unquote, urlsplit

__all__ = ["address_passwords"]


def address_passwords(address: str) -> tuple[str, ...]:
    """The password in `http://user:password@host`: as written, decoded, and as in a header; empty without one."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return ()
    if not parts.password:
        return ()
    user, password = unquote(parts.username or ""), unquote(parts.password)
    return parts.password, password, base64.b64encode(f"{user}:{password}".encode()).decode()
