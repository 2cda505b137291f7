"""Node selectors, of pods and of allocations, as tuples of requirements."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webhook.kube.types import NodeRequirement


def node_terms(selector: object) -> tuple[tuple[NodeRequirement, ...], ...] | None:
    """Read a NodeSelector (`nodeSelectorTerms`); None when it is no selector at all.

    Terms are alternatives, the requirements of one term hold together. A term without requirements
    matches no node and is kept as an empty tuple.
    """
    if not isinstance(selector, Mapping):
        return None
    terms = selector.get("nodeSelectorTerms")
    if not isinstance(terms, list):
        return None
    return tuple(_term(term) for term in terms)


def _term(term: object) -> tuple[NodeRequirement, ...]:
    if not isinstance(term, Mapping):
        return ()
    return (
        *_requirements(term.get("matchExpressions"), on_field=False),
        *_requirements(term.get("matchFields"), on_field=True),
    )


def _requirements(items: object, *, on_field: bool) -> tuple[NodeRequirement, ...]:
    if not isinstance(items, list):
        return ()
    return tuple(_requirement(item, on_field) for item in items if isinstance(item, Mapping))


def _requirement(item: Mapping[str, Any], on_field: bool) -> NodeRequirement:
    values = item.get("values")
    return NodeRequirement(
        key=_text(item.get("key")),
        operator=_text(item.get("operator")),
        values=tuple(v for v in values if isinstance(v, str)) if isinstance(values, list) else (),
        on_field=on_field,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def named_nodes(selector: object) -> tuple[str, ...]:
    """Name the nodes to which a NodeSelector pins; empty when it names none in some term."""
    names: list[str] = []
    for term in node_terms(selector) or ():
        pinned = next(
            (
                requirement.values
                for requirement in term
                if requirement.operator == "In"
                and requirement.key
                == ("metadata.name" if requirement.on_field else "kubernetes.io/hostname")
            ),
            None,
        )
        if pinned is None:
            return ()
        names += pinned
    return tuple(dict.fromkeys(names))
