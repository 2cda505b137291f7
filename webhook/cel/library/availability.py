"""Which dialects have an overload.

New expressions of a server of minor version m hold what was introduced up to m - 1; stored ones
hold everything of version m. What carries a feature gate is in new expressions exactly when the
gate is on, and in stored ones always. Source: kubernetes/apiserver pkg/cel/environment 1.36.
"""

from __future__ import annotations

from webhook.cel.dialect import Dialect


def lists_version_3(dialect: Dialect) -> bool:
    """Whether cel-go's lists library is there (introduced in 1.34)."""
    return dialect.stored or dialect.minor > 34


def before_1_37(dialect: Dialect) -> bool:
    """Whether cel-go is older than 0.28, which no longer declares duration(int)."""
    return dialect.minor < 37


def includes_of_dra(dialect: Dialect) -> bool:
    """Whether `includes` is the DRA package's own (1.36, gate DRAListTypeAttributes)."""
    return dialect.minor == 36 and (dialect.stored or dialect.list_type_attributes)


def includes_of_lists(dialect: Dialect) -> bool:
    """Whether `includes` is in the lists library (from 1.37, gate DRAListTypeAttributes)."""
    return dialect.minor >= 37 and (dialect.stored or dialect.list_type_attributes)
