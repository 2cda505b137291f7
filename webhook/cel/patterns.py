"""Whether a text is a regular expression for Go.

RE2 itself is asked, which Go's `regexp` follows; the few patterns that RE2 takes and Go does not
are sorted out first. Source: Go 1.24 `regexp/syntax`, compared with google-re2 (section 13 of the
dialect).
"""

from __future__ import annotations

import re
from typing import Final

import re2

_TOO_LARGE: Final = b"pattern too large"
# Quoted text and escaped characters are skipped, so that `\\C` is not taken for `\C`.
_ONLY_RE2: Final = re.compile(
    r"\\Q.*?(?:\\E|\Z)|\\[^C]|(\\C|\(\?P?<[^>!=]*[^>!=\x00-\x7f])", re.DOTALL
)


def is_pattern(text: str) -> bool:
    """Whether Go's `regexp.Compile` takes the text."""
    if any(found[1] for found in _ONLY_RE2.finditer(text)):
        return False
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(text, options)
    except re2.error as error:
        # RE2's limit of memory, which is not Go's.
        return bool(error.args) and _TOO_LARGE in error.args[0]
    return True
