"""Strategies: any JSON value, and objects that come close to what parsers look for."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

WORDS = (
    "adminAccess",
    "allocation",
    "allocationMode",
    "apiVersion",
    "capacity",
    "cel",
    "claims",
    "config",
    "constraints",
    "containers",
    "count",
    "deviceClassName",
    "devices",
    "driver",
    "exactly",
    "expression",
    "firstAvailable",
    "kind",
    "labels",
    "matchAttribute",
    "metadata",
    "name",
    "nodeSelector",
    "opaque",
    "parameters",
    "replicas",
    "requests",
    "resourceClaims",
    "resources",
    "results",
    "selectors",
    "source",
    "spec",
    "status",
    "template",
    "tolerations",
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 70), 1 << 70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=12),
    st.sampled_from(("All", "gpu", "gpu.nvidia.com", "a/b", "v1", "Pod", "")),
)


def json_values(max_leaves: int = 30) -> st.SearchStrategy[Any]:
    """Any JSON value; keys are often the fields of Kubernetes objects."""
    keys = st.one_of(st.sampled_from(WORDS), st.text(max_size=6))
    return st.recursive(
        SCALARS,
        lambda inner: st.one_of(
            st.lists(inner, max_size=4), st.dictionaries(keys, inner, max_size=6)
        ),
        max_leaves=max_leaves,
    )
