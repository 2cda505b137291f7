"""What each node can reach: its pools and devices in the allocator's order, equal nodes together.

Devices of slices bound to one node make up most of a fleet; nodes whose devices are of equal kinds
in equal order form one shape and are judged once. Devices that are reachable from several nodes
(allNodes, node selectors, per-device scopes) are looked up for each shape of labels. Built once for
a world and kept with it; requests refine it where they read what tells equal devices apart.

Order of pools and slices: kubernetes/dynamic-resource-allocation 0.36 `GatherPools`: by driver,
pool and slice name, pools with binding conditions last. It must know nothing of requests.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from webhook.allocation.features import features_of
from webhook.world.groups import base_groups
from webhook.world.nodes import includes
from webhook.world.types import InventoryDevice, Node, NodeScope, Pool, World

ANYWHERE = ""
"""Stands for a node that nothing is known of."""

Key: TypeAlias = "tuple[object, ...]"


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """The devices of one slice; `scope` None when its devices have scopes of their own."""

    pool: Pool
    devices: tuple[InventoryDevice, ...]
    scope: NodeScope | None
    slice_name: str

    def reaches(self, node: Node) -> bool:
        """Whether any device of the slice can be used on the node."""
        if self.scope is not None:
            return includes(self.scope, node)
        return any(includes(device.scope, node) for device in self.devices)


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """A device as one node sees it. `reachable` is False for a slice's devices of other nodes."""

    device: InventoryDevice
    pool: int
    reachable: bool
    kind: int
    """Equal for devices that publish the same, identifiers aside."""
    per_device: bool = False
    """Whether the slice leaves it to each device where it can be used."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Everything that a node can reach. `items` are those of pools allocated from, in order."""

    pools: tuple[Pool, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Nodes that see equal devices in equal order; `view` is that of the first.

    `bundles` are the slices of the first node.
    """

    nodes: tuple[str, ...]
    view: View


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """The shapes of a world, and how to make the view of any node."""

    shapes: tuple[Shape, ...]
    _local: dict[str, list[Bundle]]
    _shared: tuple[Bundle, ...]
    _nodes: dict[str, Node]
    _kinds: dict[int, int]
    _lenient: bool = False
    """Whether incomplete pools are allocated from (Kubernetes 1.34)."""

    def view(self, name: str) -> View:
        """Give the view of one node."""
        return _view(self._bundles(name), self._node(name), self._kinds, lenient=self._lenient)

    def _node(self, name: str) -> Node:
        return self._nodes.get(name) or Node(name)

    def _bundles(self, name: str) -> list[Bundle]:
        node = self._node(name)
        found = self._local.get(name, [])
        if self._shared:
            found = found + [bundle for bundle in self._shared if bundle.reaches(node)]
        return sorted(found, key=_order)


def layout(world: World) -> Layout:
    """Lay out the world's devices by nodes; kept with the world."""
    kept = world.cache.get("allocation layout")
    if kept is None:
        kept = _build(world)
        world.cache["allocation layout"] = kept
    return cast("Layout", kept)


def _order(bundle: Bundle) -> tuple[bool, str, str, str]:
    pool = bundle.pool
    return (_has_conditions(bundle), pool.driver, pool.name, bundle.slice_name)


def _has_conditions(bundle: Bundle) -> bool:
    return any(device.binding_conditions for device in bundle.pool.devices)


def _build(world: World) -> Layout:
    kinds = _kinds(world)
    local: dict[str, list[Bundle]] = {}
    shared: list[Bundle] = []
    names: dict[str, None] = dict.fromkeys(world.nodes or ())
    for pool in world.pools or ():
        seen: set[str] = set()
        for bundle in _bundles_of(pool):
            if bundle.scope is not None and bundle.scope.node:
                local.setdefault(bundle.scope.node, []).append(bundle)
                seen.add(bundle.scope.node)
            else:
                shared.append(bundle)
        names.update(dict.fromkeys(pool.nodes))
        for name in pool.nodes:
            if name not in seen:
                empty = Bundle(pool, (), NodeScope(node=name), "")
                local.setdefault(name, []).append(empty)
    if world.nodes is None and shared:
        # Such devices may be reachable from nodes that are not known.
        names[ANYWHERE] = None
    nodes = dict(world.nodes or {})
    lenient = features_of(world).takes_of_incomplete
    built = Layout((), local, tuple(shared), nodes, kinds, lenient)
    return replace(built, shapes=tuple(_shapes(built, names, kinds)))


def _bundles_of(pool: Pool) -> Iterator[Bundle]:
    by_slice: dict[str, list[InventoryDevice]] = {}
    for device in pool.devices:
        by_slice.setdefault(device.slice_name, []).append(device)
    for name in sorted(by_slice):
        devices = tuple(by_slice[name])
        scope: NodeScope | None = devices[0].scope
        if devices[0].per_device or any(device.scope != scope for device in devices[1:]):
            scope = None
        yield Bundle(pool, devices, scope, name)


def _shapes(found: Layout, names: dict[str, None], kinds: dict[int, int]) -> Iterator[Shape]:
    members: dict[Key, list[str]] = {}
    for name in names:
        node = found._node(name)  # noqa: SLF001 - a function of this module
        bundles = found._bundles(name)  # noqa: SLF001
        key = tuple(_bundle_key(bundle, node, kinds) for bundle in bundles)
        members.setdefault(key, []).append(name)
    for nodes in members.values():
        yield Shape(tuple(nodes), found.view(nodes[0]))


def _bundle_key(bundle: Bundle, node: Node, kinds: dict[int, int]) -> Key:
    pool = bundle.pool
    if bundle.scope is None:
        return (id(bundle), tuple(includes(device.scope, node) for device in bundle.devices))
    if not bundle.scope.node or (pool.shared_counters and len(pool.nodes) > 1):
        # Shared by nodes: counters and allocations are those of this very pool.
        return (id(bundle),)
    counters = tuple(
        (name, tuple(sorted(values.items())))
        for name, values in sorted(pool.shared_counters.items())
    )
    return (
        pool.driver,
        pool.complete,
        bool(pool.invalid),
        counters,
        tuple(kinds[id(device)] for device in bundle.devices),
    )


def _view(bundles: list[Bundle], node: Node, kinds: dict[int, int], *, lenient: bool) -> View:
    pools: list[Pool] = []
    items: list[Item] = []
    for bundle in bundles:
        if not pools or pools[-1] is not bundle.pool:
            pools.append(bundle.pool)
        if not bundle.pool.complete and not (lenient and not bundle.pool.invalid):
            continue
        items += [
            Item(
                device,
                len(pools) - 1,
                bundle.scope is not None or includes(device.scope, node),
                kinds[id(device)],
                bundle.scope is None,
            )
            for device in bundle.devices
        ]
    return View(tuple(pools), tuple(items))


def _kinds(world: World) -> dict[int, int]:
    """Give equal numbers to devices that are equal but for identifiers and names."""
    numbers: dict[Key, int] = {}
    kinds: dict[int, int] = {}
    for index, devices in enumerate(base_groups(world)):
        for device in devices:
            key: Key = (
                index,
                device.taints,
                tuple(
                    (use.counter_set, tuple(sorted(use.counters.items())))
                    for use in device.consumes
                ),
                bool(device.binding_conditions),
                repr(dict(device.capacity_policies)) if device.capacity_policies else "",
            )
            kinds[id(device)] = numbers.setdefault(key, len(numbers))
    return kinds
