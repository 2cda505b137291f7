"""Random inventories and claims that use every feature of the allocator, as API objects."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

Json = dict[str, Any]

GPU: Final = "gpu.example.com"
NIC: Final = "nic.example.com"
SHARED: Final = "shared.example.com"
ZONE: Final = "topology.example.com/zone"
CLASSES: Final[tuple[Json, ...]] = (
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu"},
        "spec": {
            "selectors": [
                {
                    "cel": {
                        "expression": f'device.driver == "{GPU}" && '
                        f'device.attributes["{GPU}"].type == "gpu"'
                    }
                }
            ]
        },
    },
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "part"},
        "spec": {
            "selectors": [
                {"cel": {"expression": f'device.driver == "{GPU}"'}},
                {"cel": {"expression": f'device.attributes["{GPU}"].type == "part"'}},
            ]
        },
    },
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "nic"},
        "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{NIC}"'}}]},
    },
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "shared"},
        "spec": {"selectors": [{"cel": {"expression": f'device.driver == "{SHARED}"'}}]},
    },
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "any"},
        "spec": {},
    },
)
CLASS_NAMES: Final = ("gpu", "gpu", "gpu", "part", "nic", "shared", "any")
GPU_SELECTORS: Final = (
    f'device.attributes["{GPU}"].model == "A"',
    f'device.attributes["{GPU}"].model in ["A", "B"]',
    f'device.capacity["{GPU}"].memory.compareTo(quantity("40Gi")) >= 0',
    f'device.attributes["{GPU}"].slot < 2',
    f'device.attributes["{GPU}"].rare == 1',
    f'has(device.attributes["{GPU}"].rare) && device.attributes["{GPU}"].rare == 1',
    f'device.attributes["{GPU}"].uuid.endsWith("0")',
    "true",
)


def inventories(seed: int, count: int, minor: int) -> Iterator[Json]:
    """Make inventories, each with an id, its objects, and the gates of its scheduler."""
    for number in range(count):
        chance = random.Random(f"{seed}-{number}")  # noqa: S311 - not for secrets
        yield _Inventory(chance, f"i{seed}-{number}", minor).build()


class _Inventory:
    """One inventory in the making."""

    def __init__(self, chance: random.Random, name: str, minor: int) -> None:
        self._chance = chance
        self._name = name
        self._minor = minor
        self._slices: list[Json] = []
        self._uuid = 0

    def build(self) -> Json:
        chance = self._chance
        gates = {
            "DRAAdminAccess": True,
            "DRAPrioritizedList": True,
            "DRAPartitionableDevices": chance.random() < 0.8,
            "DRADeviceTaints": chance.random() < 0.8,
            # The alpha of 1.34 indexes devices wrongly and panics.
            "DRAConsumableCapacity": self._minor >= 36 and chance.random() < 0.7,
            "DRADeviceBindingConditions": chance.random() < 0.8,
            "DRAListTypeAttributes": self._minor >= 36 and chance.random() < 0.3,
        }
        nodes = [f"n{i}" for i in range(chance.randint(1, 5))]
        kinds = [self._kind() for _ in range(chance.randint(1, 2))]
        for node in nodes:
            for part in chance.choice(kinds):
                part(node)
        if chance.random() < 0.4:
            self._network(nodes)
        if chance.random() < 0.3:
            self._per_device(nodes)
        return {
            "id": self._name,
            "slices": self._slices,
            "classes": list(CLASSES),
            "nodes": [self._node(name, index) for index, name in enumerate(nodes)],
            "allocated": self._allocated(),
            "gates": gates,
        }

    def _kind(self) -> list[Any]:
        chance = self._chance
        size = chance.choice((1, 2, 2, 4, 8))
        seed = chance.random()
        parts: list[Any] = []
        if chance.random() < 0.8:
            parts.append(lambda node: self._gpus(node, size, seed))
        if chance.random() < 0.5:
            count = chance.choice((1, 2, 4))
            parts.append(lambda node: self._nics(node, count, seed))
        if chance.random() < 0.4:
            parts.append(lambda node: self._partitions(node, seed))
        if chance.random() < 0.4:
            parts.append(lambda node: self._consumable(node, seed))
        return parts

    @staticmethod
    def _node(name: str, index: int) -> Json:
        return {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {
                "name": name,
                "labels": {"kubernetes.io/hostname": name, ZONE: "ab"[index % 2]},
            },
        }

    def _slice(self, driver: str, pool: str, devices: list[Json], **where: Any) -> Json:
        total = where.pop("total", 1)
        index = where.pop("index", 0)
        made: Json = {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": f"{pool}-{driver.partition('.')[0]}-{index}"},
            "spec": {
                "driver": driver,
                "pool": {"name": pool, "generation": 1, "resourceSliceCount": total},
                **where,
            },
        }
        if devices:
            made["spec"]["devices"] = devices
        self._slices.append(made)
        return made

    def _uuid_of(self) -> str:
        self._uuid += 1
        return f"uuid-{self._uuid}"

    def _taints(self) -> list[Json]:
        chance = self._chance
        if chance.random() < 0.85:
            return []
        effect = chance.choice(("NoSchedule", "NoExecute", "None"))
        return [{"key": "example.com/sick", "value": "yes", "effect": effect}]

    def _gpus(self, node: str, size: int, seed: float) -> None:
        same = random.Random(seed)  # noqa: S311
        devices = []
        for slot in range(size):
            attributes: Json = {
                "type": {"string": "gpu"},
                "model": {"string": same.choice("AAB")},
                "slot": {"int": slot},
                "uuid": {"string": self._uuid_of()},
                "topology.example.com/root": {"string": f"root{slot // 2}"},
                "version": {"version": same.choice(("1.0.0", "1.2.0"))},
            }
            if same.random() < 0.15:
                attributes["rare"] = {"int": 1}
            if same.random() < 0.1:
                attributes.pop("topology.example.com/root")
            device: Json = {
                "name": f"gpu-{slot}",
                "attributes": attributes,
                "capacity": {"memory": {"value": same.choice(("40Gi", "80Gi"))}},
            }
            taints = self._taints()
            if taints:
                device["taints"] = taints
            if same.random() < 0.05:
                device["bindingConditions"] = ["Ready"]
                device["bindingFailureConditions"] = ["Failed"]
            devices.append(device)
        total = 2 if self._chance.random() < 0.06 else 1
        if self._chance.random() < 0.04 and len(devices) > 1:
            devices[1]["name"] = devices[0]["name"]
        self._slice(GPU, node, devices, nodeName=node, total=total)

    def _nics(self, node: str, count: int, seed: float) -> None:
        same = random.Random(seed)  # noqa: S311
        devices = [
            {
                "name": f"nic-{index}",
                "attributes": {
                    "topology.example.com/root": {"string": f"root{same.randint(0, 3)}"},
                    f"{NIC}/rail": {"int": index},
                },
            }
            for index in range(count)
        ]
        self._slice(NIC, node, devices, nodeName=node)

    def _partitions(self, node: str, seed: float) -> None:
        same = random.Random(seed)  # noqa: S311
        sets = []
        devices: list[Json] = []
        for card in range(same.randint(1, 2)):
            name = f"card-{card}"
            slots = same.choice((2, 3, 4))
            sets.append(
                {
                    "name": name,
                    "counters": {
                        "memory": {"value": f"{slots * 10}Gi"},
                        "engines": {"value": str(slots)},
                    },
                }
            )
            for index in range(same.randint(2, 5)):
                size = same.choice((1, 1, 2, slots))
                devices.append(
                    {
                        "name": f"part-{card}-{index}",
                        "attributes": {
                            "type": {"string": "part"},
                            "size": {"int": size},
                            "parent": {"string": name},
                        },
                        "consumesCounters": [
                            {
                                "counterSet": name,
                                "counters": {
                                    "memory": {"value": f"{size * 10}Gi"},
                                    "engines": {"value": str(size)},
                                },
                            }
                        ],
                    }
                )
                taints = self._taints()
                if taints:
                    devices[-1]["taints"] = taints
        pool = f"{node}-parts"
        if self._minor < 36:
            self._slice(GPU, pool, devices, nodeName=node, sharedCounters=sets)
            return
        self._slice(GPU, pool, [], nodeName=node, sharedCounters=sets, total=2)
        self._slice(GPU, pool, devices, nodeName=node, total=2, index=1)

    def _consumable(self, node: str, seed: float) -> None:
        same = random.Random(seed)  # noqa: S311
        devices = []
        for index in range(same.randint(1, 3)):
            policy = same.choice(
                (
                    None,
                    {"default": "1Gi", "validRange": {"min": "1Gi", "step": "2Gi"}},
                    {"default": "2Gi", "validValues": ["2Gi", "4Gi"]},
                    {"default": "1Gi", "validRange": {"min": "1Gi", "max": "6Gi"}},
                )
            )
            memory: Json = {"value": same.choice(("8Gi", "10Gi"))}
            if policy is not None:
                memory["requestPolicy"] = policy
            devices.append(
                {
                    "name": f"s-{index}",
                    "attributes": {"rail": {"int": index}},
                    "capacity": {"memory": memory},
                    "allowMultipleAllocations": same.random() < 0.8,
                }
            )
        self._slice(SHARED, f"{node}-s", devices, nodeName=node)

    def _network(self, nodes: list[str]) -> None:
        chance = self._chance
        devices = [
            {"name": f"net-{i}", "attributes": {"topology.example.com/root": {"string": "root0"}}}
            for i in range(chance.randint(1, 3))
        ]
        where: Json = {"allNodes": True}
        if chance.random() < 0.5:
            where = {
                "nodeSelector": {
                    "nodeSelectorTerms": [
                        {
                            "matchExpressions": [
                                {"key": ZONE, "operator": "In", "values": [chance.choice("ab")]}
                            ]
                        }
                    ]
                }
            }
        del nodes
        self._slice(NIC, "fabric", devices, **where)

    def _per_device(self, nodes: list[str]) -> None:
        chance = self._chance
        devices: list[Json] = []
        for index in range(chance.randint(2, 4)):
            device: Json = {
                "name": f"roaming-{index}",
                "attributes": {"model": {"string": "A"}, "type": {"string": "gpu"}},
                "capacity": {"memory": {"value": "40Gi"}},
            }
            if chance.random() < 0.3:
                device["allNodes"] = True
            else:
                device["nodeName"] = chance.choice(nodes)
            if chance.random() < 0.7:
                device["attributes"]["slot"] = {"int": index}
            devices.append(device)
        self._slice(GPU, "roaming", devices, perDeviceNodeSelection=True)

    def _allocated(self) -> list[Json]:
        chance = self._chance
        results: list[Json] = []
        for made in self._slices:
            spec = made["spec"]
            for device in spec.get("devices", ()):
                if chance.random() > 0.2:
                    continue
                result: Json = {
                    "request": "r",
                    "driver": spec["driver"],
                    "pool": spec["pool"]["name"],
                    "device": device["name"],
                }
                if device.get("allowMultipleAllocations"):
                    result["shareID"] = f"00000000-0000-0000-0000-{chance.randrange(10**12):012}"
                    result["consumedCapacity"] = {"memory": chance.choice(("1Gi", "4Gi"))}
                elif chance.random() < 0.1:
                    result["adminAccess"] = True
                results.append(result)
        return [
            {
                "apiVersion": "resource.k8s.io/v1",
                "kind": "ResourceClaim",
                "metadata": {"name": f"held-{index}", "namespace": "other"},
                "spec": {"devices": {"requests": [_exact("r", "any")]}},
                "status": {"allocation": {"devices": {"results": [result]}}},
            }
            for index, result in enumerate(results)
        ]


def _exact(name: str, class_name: str, **fields: Any) -> Json:
    return {
        "name": name,
        "exactly": {
            "deviceClassName": class_name,
            "allocationMode": "ExactCount",
            "count": 1,
            **fields,
        },
    }


def claim_sets(inventory: Json, count: int) -> Iterator[list[Json]]:
    """Make lists of claims (those of one pod) for an inventory."""
    for number in range(count):
        chance = random.Random(f"{inventory['id']}-{number}")  # noqa: S311
        many = chance.choice((1, 1, 1, 2, 2, 3, 4))
        # Half of the pods are modest, so that enough of them fit somewhere.
        modest = chance.random() < 0.5
        classes = _classes_of(inventory) if modest else CLASS_NAMES
        yield [
            _claim(chance, index, inventory["gates"], classes, modest=modest)
            for index in range(many)
        ]


def _classes_of(inventory: Json) -> tuple[str, ...]:
    """Name the classes of which the inventory has devices."""
    found: set[str] = set()
    for made in inventory["slices"]:
        for device in made["spec"].get("devices", ()):
            kind = device["attributes"].get("type", {}).get("string")
            found.add(kind or made["spec"]["driver"].partition(".")[0])
    return tuple(sorted(found)) or CLASS_NAMES


def _claim(
    chance: random.Random,
    index: int,
    gates: dict[str, bool],
    classes: tuple[str, ...],
    *,
    modest: bool,
) -> Json:
    requests: list[Json] = []
    names: list[str] = []
    for number in range(chance.choice((1, 1, 2, 2, 3))):
        name = f"r{number}"
        if chance.random() < 0.2:
            subs = []
            for sub in range(chance.randint(1, 3)):
                fields = _fields(chance, gates, classes, modest=modest)
                if sub and not gates["DRAConsumableCapacity"] and "count" not in fields:
                    # Up to 1.34 All counts the devices of the first alternative.
                    fields.update(allocationMode="ExactCount", count=1)
                subs.append({"name": f"s{sub}", **fields})
                if chance.random() < 0.3:
                    names.append(f"{name}/s{sub}")
            requests.append({"name": name, "firstAvailable": subs})
        else:
            fields = _fields(chance, gates, classes, modest=modest)
            if chance.random() < 0.08:
                fields["adminAccess"] = True
            requests.append({"name": name, "exactly": fields})
        names.append(name)
    devices: Json = {"requests": requests}
    constraints = []
    for _ in range(0 if modest and chance.random() < 0.7 else chance.choice((0, 0, 0, 1, 1, 2))):
        constraint: Json = {}
        kind = "matchAttribute"
        if gates["DRAConsumableCapacity"] and chance.random() < 0.4:
            kind = "distinctAttribute"
        constraint[kind] = chance.choice(
            (
                "topology.example.com/root",
                f"{GPU}/model",
                f"{GPU}/slot",
                f"{GPU}/uuid",
                f"{GPU}/parent",
                f"{SHARED}/rail",
            )
        )
        if chance.random() < 0.6:
            constraint["requests"] = chance.sample(names, chance.randint(1, len(names)))
        constraints.append(constraint)
    if constraints:
        devices["constraints"] = constraints
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": f"c{index}", "namespace": "default"},
        "spec": {"devices": devices},
    }


def _fields(
    chance: random.Random, gates: dict[str, bool], classes: tuple[str, ...], *, modest: bool
) -> Json:
    class_name = chance.choice(classes)
    fields: Json = {"deviceClassName": class_name, "allocationMode": "ExactCount", "count": 1}
    if chance.random() < 0.12:
        fields = {"deviceClassName": class_name, "allocationMode": "All"}
    else:
        fields["count"] = chance.choice((1, 1, 1, 2) if modest else (1, 1, 1, 2, 2, 3, 4, 8))
    if class_name in {"gpu", "any"} and chance.random() < (0.2 if modest else 0.6):
        picked = chance.choice(GPU_SELECTORS)
        if class_name == "any":
            picked = f'device.driver == "{GPU}" && {picked}'
        fields["selectors"] = [{"cel": {"expression": picked}}]
    if class_name == "part" and chance.random() < 0.5:
        fields["selectors"] = [
            {"cel": {"expression": f'device.attributes["{GPU}"].size == {chance.randint(1, 2)}'}}
        ]
    if class_name == "shared" and gates["DRAConsumableCapacity"] and chance.random() < 0.6:
        asked = {chance.choice(("memory", "memory", "memory", "bandwidth")): "0"}
        asked = {name: chance.choice(("1Gi", "2Gi", "3Gi", "5Gi", "9Gi")) for name in asked}
        fields["capacity"] = {"requests": asked}
    if chance.random() < 0.25:
        fields["tolerations"] = [
            chance.choice(
                (
                    {"key": "example.com/sick", "operator": "Exists"},
                    {"operator": "Exists", "effect": "NoSchedule"},
                    {"key": "example.com/sick", "operator": "Equal", "value": "no"},
                    {"key": "example.com/sick", "operator": "Equal", "value": "yes"},
                )
            )
        ]
    return fields
