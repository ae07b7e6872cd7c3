"""The proxies of the user: those of the environment in which this process was started, and those of macOS and Windows."""

from collections.abc import Callable
from urllib.parse import urlsplit

from rubric_core.lazy_compilation import dataclass

__all__ = ["Proxies", "system_proxies"]


@dataclass(slots=True)
class Proxies:
    """The proxies through which requests go. No suite changes them.

    Args:
        by_scheme: Addresses by the scheme of the requests that go through them, `all` for any.
        is_direct: Whether nothing goes through a proxy to a host.
    """

    by_scheme: dict[str, str]
    is_direct: Callable[[str], object]

    def of(self, url: str) -> str:
        """The address of the proxy for a URL, with its password; empty without one, and for a URL that is not valid."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError:
            return ""
        found = self.by_scheme.get(parts.scheme) or (
            self.by_scheme.get("all", "") if parts.scheme in ("http", "https") else ""
        )
        if not found or self.is_direct(host) or self.is_direct(f"{host}:{port}"):
            return ""
        return found if "://" in found else f"http://{found}"


def system_proxies() -> Proxies:
    """The proxies of this process."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415  # 20 ms, for those who send something

    return Proxies(getproxies(), proxy_bypass)
