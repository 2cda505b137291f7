"""URLs as Go's net/url reads them (Go 1.26 `url.ParseRequestURI` and `url.Parse`)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from webhook.cel.gotext import quote

_HEX: Final = frozenset("0123456789abcdefABCDEF")
_UNRESERVED: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~")
_HOST: Final = _UNRESERVED | frozenset("!$&'()*+,;=:[]<>\"")
_PATH: Final = _UNRESERVED | frozenset("$&+,/:;=@")
_VALID_PATH: Final = _UNRESERVED | frozenset("!$&'()*+,;=:@[]/%")
_USER: Final = frozenset("-._:~!$&'()*+,;=%@")


class URLError(ValueError):
    """A text that is no URL; the message is Go's."""


@dataclass(frozen=True, slots=True)
class URL:
    """A parsed URL; `text` is what Go prints, by which URLs are equal."""

    text: str
    scheme: str = ""
    opaque: str = ""
    host: str = ""
    escaped_path: str = ""
    raw_query: str = ""

    @property
    def hostname(self) -> str:
        """The host without port and brackets."""
        host = self.host
        port = _port_start(host)
        if port >= 0:
            host = host[:port]
        return host[1:-1] if host[:1] == "[" and host[-1:] == "]" else host

    @property
    def port(self) -> str:
        """The port, or nothing."""
        port = _port_start(self.host)
        return self.host[port + 1 :] if port >= 0 else ""

    def query(self) -> dict[str, list[str]]:
        """Return the parameters; what cannot be unescaped is left out, as Go's Query does."""
        found: dict[str, list[str]] = {}
        for pair in self.raw_query.split("&"):
            if not pair or ";" in pair:
                continue
            key, _, value = pair.partition("=")
            try:
                name = _unescape(key, "query")
                found.setdefault(name, []).append(_unescape(value, "query"))
            except URLError:
                continue
        return {name: values for name, values in found.items() if values}


def _port_start(host: str) -> int:
    colon = host.rfind(":")
    if colon >= 0 and all(c in "0123456789" for c in host[colon + 1 :]) and "]" not in host[colon:]:
        return colon
    return -1


def parse_request_uri(text: str) -> URL:
    """Parse an absolute URI or an absolute path; a fragment is part of the path here."""
    return _parse(text, via_request=True)


def parse(text: str) -> URL:
    """Parse as `url()` does: as a request first, then with its fragment."""
    parse_request_uri(text)
    before, mark, fragment = text.partition("#")
    url = _parse(before, via_request=False, whole=text)
    if not mark or not fragment:
        return url
    _checked(fragment, "fragment", text)
    return URL(
        f"{url.text}#{_escape(_unescape(fragment, 'fragment'), _PATH | frozenset('!()*?'))}",
        url.scheme,
        url.opaque,
        url.host,
        url.escaped_path,
        url.raw_query,
    )


def _fail(text: str, reason: str) -> URLError:
    return URLError(f"parse {quote(text)}: {reason}")


def _checked(part: str, mode: str, whole: str) -> str:
    try:
        return _unescape(part, mode)
    except URLError as error:
        raise _fail(whole, str(error)) from error


def _unescape(text: str, mode: str) -> str:
    data = bytearray()
    index = 0
    raw = text.encode("utf-8", "surrogatepass")
    while index < len(raw):
        byte = raw[index]
        if byte == 0x25:
            part = raw[index : index + 3].decode("utf-8", "replace")
            if len(raw) < index + 3 or not (
                chr(raw[index + 1]) in _HEX and chr(raw[index + 2]) in _HEX
            ):
                raise URLError(f"invalid URL escape {quote(part)}")
            value = int(raw[index + 1 : index + 3], 16)
            if mode == "host" and value < 0x80 and part != "%25":
                raise URLError(f"invalid URL escape {quote(part)}")
            if mode == "zone" and part != "%25" and value != 0x20 and chr(value) not in _HOST:
                raise URLError(f"invalid URL escape {quote(part)}")
            data.append(value)
            index += 3
            continue
        if mode in {"host", "zone"} and byte < 0x80 and chr(byte) not in _HOST:
            raise URLError(f"invalid character {quote(chr(byte))} in host name")
        data.append(0x20 if byte == 0x2B and mode == "query" else byte)
        index += 1
    return data.decode("utf-8", "replace")


def _escape(text: str, allowed: frozenset[str]) -> str:
    return "".join(
        chr(b) if b < 0x80 and chr(b) in allowed else f"%{b:02X}"
        for b in text.encode("utf-8", "surrogatepass")
    )


def _scheme(text: str, whole: str) -> tuple[str, str]:
    for index, char in enumerate(text):
        if "a" <= char.lower() <= "z" and char.isascii():
            continue
        if char in "0123456789+-.":
            if index == 0:
                return "", text
        elif char == ":":
            if index == 0:
                raise _fail(whole, "missing protocol scheme")
            return text[:index], text[index + 1 :]
        else:
            return "", text
    return "", text


def _parse(text: str, *, via_request: bool, whole: str | None = None) -> URL:
    whole = text if whole is None else whole
    if any(ord(char) < 0x20 or ord(char) == 0x7F for char in text):
        raise _fail(whole, "net/url: invalid control character in URL")
    if not text and via_request:
        raise _fail(whole, "empty url")
    if text == "*":
        return URL("*", escaped_path="*")
    scheme, rest = _scheme(text, whole)
    scheme = scheme.lower()
    rest, has_query, query = rest.partition("?")
    if not rest.startswith("/"):
        if scheme:
            return _joined(scheme, rest, "", "", query, has_query)
        if via_request:
            raise _fail(whole, "invalid URI for request")
        if ":" in rest.split("/", 1)[0]:
            raise _fail(whole, "first path segment in URL cannot contain colon")
    authority, host = "", ""
    has_authority = False
    if (scheme or (not via_request and not rest.startswith("///"))) and rest.startswith("//"):
        has_authority = True
        authority, slash, rest = rest[2:].partition("/")
        rest = slash + rest
        host = _authority(authority, whole)
    path = _checked(rest, "path", whole)
    escaped = _escaped_path(path, rest)
    user = authority.rpartition("@")[0]
    return _joined(
        scheme, "", host, escaped, query, has_query, has_authority=has_authority, user=user
    )


def _joined(
    scheme: str,
    opaque: str,
    host: str,
    path: str,
    query: str,
    has_query: str,
    *,
    has_authority: bool = False,
    user: str = "",
) -> URL:
    text = f"{scheme}:" if scheme else ""
    if opaque:
        text += opaque
    else:
        if has_authority and (scheme or host or user) and (host or user or path):
            text += "//" if host or path or user else ""
            text += f"{user}@" if user else ""
            text += _escape(host, _HOST)
        text += path
    if has_query:
        text += f"?{query}"
    return URL(text, scheme, opaque, host, path, query)


def _escaped_path(path: str, raw: str) -> str:
    if path == "*":
        return "*"
    if all(char in _VALID_PATH for char in raw):
        return raw
    return _escape(path, _PATH)


def _authority(authority: str, whole: str) -> str:
    user, at, host_text = authority.rpartition("@")
    host = _host(host_text, whole)
    if at:
        if not all((char.isalnum() and char.isascii()) or char in _USER for char in user):
            raise _fail(whole, "net/url: invalid userinfo")
        for part in user.split(":", 1):
            _checked(part, "user", whole)
    return host


def _host(host: str, whole: str) -> str:
    if host.startswith("["):
        end = host.rfind("]")
        if end < 0:
            raise _fail(whole, "missing ']' in host")
        _port(host[end + 1 :], whole)
        zone = host[:end].find("%25")
        if zone >= 0:
            first = _checked(host[:zone], "host", whole)
            return (
                first
                + _checked(host[zone:end], "zone", whole)
                + _checked(host[end:], "host", whole)
            )
    else:
        colon = host.find(":")
        if colon >= 0:
            _port(host[colon:], whole)
    return _checked(host, "host", whole)


def _port(text: str, whole: str) -> None:
    if text and not re.fullmatch(r":[0-9]*", text):
        raise _fail(whole, f"invalid port {quote(text)} after host")
