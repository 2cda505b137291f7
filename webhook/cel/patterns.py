"""Go's regular expressions in RE2's spelling.

RE2 itself is asked, which Go's `regexp` follows. The few patterns that only RE2 takes are sorted
out, and the names of properties that only Go takes are rewritten. Source: Go 1.24 to 1.26
`regexp/syntax/parse.go` (Kubernetes 1.34 is built with 1.24, 1.35 with 1.25), compared with
google-re2 (section 13 of the dialect).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import re2

_LOOSE_NAMES_FROM: Final = 35
"""Kubernetes 1.35 is built with Go 1.25, which reads property names without regard to case."""
_TOO_LARGE: Final = b"pattern too large"
_ASSIGNED: Final = r"\pL\pM\pN\pP\pS\pZ\p{Cc}\p{Cf}\p{Co}\p{Cs}"
_CASED: Final = r"\p{Lu}\p{Ll}\p{Lt}"
_ASCII: Final = (r"\x00-\x7F", r"\x{80}-\x{10FFFF}")

# Quoted text, escapes, and the brackets of classes: enough to know what stands inside of a class.
_PART: Final = re.compile(
    r"""\\Q.*?(?:\\E|\Z)
    | \\(?P<sign>[pP])(?:\{(?P<not>\^?)(?P<name>[^}]*)\}|(?P<letter>[A-Za-z]))
    | (?P<any_byte>\\C)
    | \\.
    | (?P<odd_group>\(\?P?<[^>!=]*[^>!=\x00-\x7f])
    | \[:\^?[a-z]+:\]
    | (?P<open>\[\^?\]?)
    | (?P<close>\])
    """,
    re.DOTALL | re.VERBOSE,
)
_CATEGORIES: Final = """
    C Other, Cc Control, Cc Cntrl, Cf Format, Cn Unassigned, Co Privateuse, Cs Surrogate,
    L Letter, Lc Casedletter, Ll Lowercaseletter, Lm Modifierletter, Lo Otherletter,
    Lt Titlecaseletter, Lu Uppercaseletter, M Mark, M Combiningmark, Mc Spacingmark,
    Me Enclosingmark, Mn Nonspacingmark, N Number, Nd Decimalnumber, Nd Digit, Nl Letternumber,
    No Othernumber, P Punctuation, P Punct, Pc Connectorpunctuation, Pd Dashpunctuation,
    Pe Closepunctuation, Pf Finalpunctuation, Pi Initialpunctuation, Po Otherpunctuation,
    Ps Openpunctuation, S Symbol, Sc Currencysymbol, Sk Modifiersymbol, Sm Mathsymbol,
    So Othersymbol, Z Separator, Zl Lineseparator, Zp Paragraphseparator, Zs Spaceseparator
"""
_ALIASES: Final[Mapping[str, str]] = {
    alias: category for category, alias in (pair.split() for pair in _CATEGORIES.split(","))
}
"""Long names of categories as Go compares them: one capital letter, no underscores."""


def for_re2(text: str, minor: int) -> str | None:
    """Rewrite a pattern of Go for RE2; None if only RE2 would take it.

    `minor` is the minor version of the Kubernetes server. What is wrong for both stays as it is,
    for RE2 to refuse.
    """
    parts: list[str] = []
    position = 0
    in_class = False
    for found in _PART.finditer(text):
        parts.append(text[position : found.start()])
        position = found.end()
        part = found[0]
        if found["any_byte"] or (found["odd_group"] and not in_class):
            return None
        if found["sign"] and minor >= _LOOSE_NAMES_FROM:
            part = _property(found, in_class=in_class) or part
        elif found["open"] and not in_class:
            in_class = True
        elif found["close"]:
            in_class = False
        parts.append(part)
    return "".join([*parts, text[position:]])


def _property(found: re.Match[str], *, in_class: bool) -> str | None:
    """Spell a property for RE2; None if it has no such name."""
    name = re.sub(r"[-_ ]", "", found["name"] or found["letter"] or "").capitalize()
    name = _ALIASES.get(name, name)
    negated = (found["sign"] == "P") != bool(found["not"])
    if name == "Assigned":
        name, negated = "Cn", not negated
    inside: str | None = None
    match name, negated:
        case "Ascii", _:
            inside = _ASCII[negated]
        case ("Lc", False) | ("Cn", True):
            inside = _CASED if name == "Lc" else _ASSIGNED
        case "Lc" | "Cn", _:
            outside = _CASED if name == "Lc" else _ASSIGNED
            return None if in_class else f"[^{outside}]"
        case _:
            return f"\\{'P' if negated else 'p'}{{{name}}}" if name.isalnum() else None
    return inside if in_class else f"[{inside}]"


def is_pattern(text: str, minor: int) -> bool:
    """Whether Go's `regexp.Compile` takes the text, in a Kubernetes server of a minor version."""
    pattern = for_re2(text, minor)
    if pattern is None:
        return False
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        # RE2's limit of memory, which is not Go's.
        return bool(error.args) and _TOO_LARGE in error.args[0]
    return True
