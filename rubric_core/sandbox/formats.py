"""The formats of JSON Schemas that promptfoo's validator supports, without the packages around this module.

Other validators allow more: a time without an offset, or anything at all where a package is missing.
"""

import re
from collections.abc import Callable, Mapping
from ipaddress import AddressValueError, IPv6Address
from typing import Any

__all__ = ["fits_format", "is_format"]

_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME = re.compile(
    r"([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?)(z|([+-])([0-9]{2})(?::?([0-9]{2}))?)?", re.IGNORECASE
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_BETWEEN = re.compile(r"[tT\s]")
_LINE_BREAK = re.compile("\r\n|[\n\r\u2028\u2029]")
#: A URI in its five parts: scheme, authority, path, query and fragment.
_URI = re.compile(r"(?:([a-z][a-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#([^#]*))?", re.IGNORECASE)
_AUTHORITY = re.compile(r"(?:([^@\[\]]*)@)?(\[[^\]]*\]|[^:@\[\]]*)(?::[0-9]*)?")
#: The characters of the parts of a URI, of which `:@/?` are only allowed in some.
_SIGNS, _ESCAPED = r"\w.~!$&'()*+,;=", "%[0-9a-f]{2}"
_PARTS = {
    further: re.compile(f"(?:[{_SIGNS}{further}-]|{_ESCAPED})*", re.IGNORECASE | re.ASCII)
    for further in ("", ":", ":@/", ":@/?", ':@/"', ':@/?"')
}
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", re.IGNORECASE)
_ATOM = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+", re.ASCII)
_LONGEST_HOST, _LONGEST_LABEL = 253, 63
_INT32 = 2**31
_URL = re.compile(r"(?:https?|ftp)://(.*)", re.IGNORECASE | re.DOTALL)
_TOP_LEVEL = re.compile("[a-z\u00a1-\uffff]{2,}", re.IGNORECASE)

_PATTERNS = {
    "duration": r"P(?!\Z)(?:(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?(?:T(?=[0-9])(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+S)?)?|(?:[0-9]+W)?)",
    "ipv4": r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!\Z)|\Z)){4}",
    "uuid": r"(?i:(?:urn:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})",
    "json-pointer": r"(?:/(?:[^~/]|~[01])*)*",
    "json-pointer-uri-fragment": r"(?i:#(?:/(?:[a-z0-9_.!$&'()*+,;:=@-]|%[0-9a-f]{2}|~[01])*)*)",
    "relative-json-pointer": r"(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~[01])*)*)",
    "uri-template": (
        r"(?i:(?:[^\x00-\x20\"'<>%\\^`{|}]|%[0-9a-f]{2}|\{[+#./;?&=,!@|]?(?:[a-z0-9_]|%[0-9a-f]{2})+(?::[1-9][0-9]{0,3}|\*)?"
        r"(?:,(?:[a-z0-9_]|%[0-9a-f]{2})+(?::[1-9][0-9]{0,3}|\*)?)*\})*)"
    ),
}
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


def _is_date(text: str) -> bool:
    found = _DATE.fullmatch(text)
    if found is None:
        return False
    year, month, day = map(int, found.groups())
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= (29 if month == 2 and is_leap else _DAYS[month - 1])  # months


def _is_time(text: str, *, needs_offset: bool = True) -> bool:
    found = _TIME.fullmatch(text)
    if found is None or (needs_offset and not found[4]):
        return False
    hour, minute, second = int(found[1]), int(found[2]), float(found[3])
    sign = -1 if found[5] == "-" else 1
    offset_hours, offset_minutes = int(found[6] or 0), int(found[7] or 0)
    if offset_hours > 23 or offset_minutes > 59:  # of a day
        return False
    if hour <= 23 and minute <= 59 and second < 60:  # of a day
        return True
    # A leap second, which is the last of a day.
    of_utc = minute - offset_minutes * sign
    hour_of_utc = hour - offset_hours * sign - (1 if of_utc < 0 else 0)
    return hour_of_utc in (23, -1) and of_utc in (59, -1) and second < 61  # of a minute


def _is_date_time(text: str, *, needs_offset: bool = True) -> bool:
    parts = _BETWEEN.split(text)
    return len(parts) == 2 and _is_date(parts[0]) and _is_time(parts[1], needs_offset=needs_offset)  # date, time


def _is_uri(text: str, *, is_reference: bool = False) -> bool:
    found = _URI.fullmatch(text)
    if found is None:
        return False
    scheme, authority, path, query, fragment = found.groups()
    if not is_reference and (scheme is None or (not path and authority is None)):
        return False
    quote = '"' if is_reference else ""
    signs = _PARTS[f":@/{quote}"], _PARTS[f":@/?{quote}"]
    return (
        (authority is None or _is_authority(authority))
        and signs[0].fullmatch(path) is not None
        and all(part is None or signs[1].fullmatch(part) is not None for part in (query, fragment))
    )


def _is_authority(text: str) -> bool:
    found = _AUTHORITY.fullmatch(text)
    if found is None or (found[1] is not None and _PARTS[":"].fullmatch(found[1]) is None):
        return False
    host = found[2]
    return _is_ipv6(host[1:-1]) if host.startswith("[") else _PARTS[""].fullmatch(host) is not None


def _is_ipv6(text: str) -> bool:
    try:
        return IPv6Address(text).scope_id is None
    except AddressValueError:
        return False


def _is_hostname(text: str) -> bool:
    name = text.removesuffix(".")
    labels = name.split(".")
    return len(name) <= _LONGEST_HOST and all(len(each) <= _LONGEST_LABEL and _LABEL.fullmatch(each) for each in labels)


def _is_email(text: str) -> bool:
    local, at, domain = text.rpartition("@")
    labels = domain.split(".")
    return (
        bool(at) and len(labels) > 1 and all(map(_ATOM.fullmatch, local.split("."))) and all(map(_LABEL.fullmatch, labels))
    )  # fmt: skip


def _is_url(text: str) -> bool:
    found = _URL.fullmatch(text)
    if found is None or any(sign.isspace() for sign in text):
        return False
    place = found[1].partition("/")[0].rpartition("@")[2]
    host, _, port = place.partition(":")
    labels = host.split(".")
    is_named = len(labels) > 1 and _TOP_LEVEL.fullmatch(labels[-1]) is not None and all(labels)
    is_address = re.fullmatch(_PATTERNS["ipv4"], host) is not None and not host.startswith(("0.", "10.", "127."))
    return (is_named or is_address) and (not port or (port.isdecimal() and 2 <= len(port) <= 5))  # digits


def _is_pattern(text: str) -> bool:
    """An approximation of valid JavaScript patterns: named groups are converted, the rest is taken as Python's."""
    try:
        re.compile(re.sub(r"\(\?<(?=[A-Za-z_$])", "(?P<", text))
    except (re.error, RecursionError, OverflowError):
        return False
    return re.search(r"[^\\]\\Z", text) is None


def _is_base64(text: str) -> bool:
    return any(map(_BASE64.fullmatch, _LINE_BREAK.split(text)))


_OF_TEXTS: Mapping[str, Callable[[str], bool]] = {
    "date": _is_date, "time": _is_time, "date-time": _is_date_time,
    "iso-time": lambda text: _is_time(text, needs_offset=False), "iso-date-time": lambda text: _is_date_time(text, needs_offset=False),
    "uri": _is_uri, "uri-reference": lambda text: _is_uri(text, is_reference=True), "url": _is_url, "email": _is_email,
    "hostname": _is_hostname, "ipv6": _is_ipv6, "regex": _is_pattern, "byte": _is_base64, "password": lambda _: True,
    "binary": lambda _: True,
}  # fmt: skip
_OF_NUMBERS: Mapping[str, Callable[[float], bool]] = {
    "int32": lambda number: float(number).is_integer() and -_INT32 <= number < _INT32, "int64": lambda number: float(number).is_integer(),
    "float": lambda _: True, "double": lambda _: True,
}  # fmt: skip


def is_format(name: object) -> bool:
    """Whether promptfoo's validator knows a format."""
    return isinstance(name, str) and (name in _OF_TEXTS or name in _OF_NUMBERS or name in _PATTERNS)


def fits_format(name: str, value: Any) -> bool:
    """Whether a value has a format; formats of texts do not apply to other values, nor those of numbers to texts."""
    if isinstance(value, str):
        if name in _PATTERNS:
            return re.fullmatch(_PATTERNS[name], value) is not None
        return name not in _OF_TEXTS or _OF_TEXTS[name](value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return not is_number or name not in _OF_NUMBERS or _OF_NUMBERS[name](value)
