"""Run-time values of CEL.

Python's own immutable types stand for CEL's wherever they behave alike: bool, int (64 bit, checked
by the operators), float, str (code points), bytes, None for null, tuple for lists. The rest is
here.
"""

from __future__ import annotations


class UInt(int):
    """A CEL uint: 64 bit, unsigned; a class of its own so that `type(x)` tells it from int."""

    __slots__ = ()
