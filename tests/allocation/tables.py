"""Allocation cases written shortly: worlds and claims as a few words of YAML, reasons as text.

A file has `world` (nodes, devices, what is held) and `cases`; a case may lay further devices or
nodes over the file's world. Requests are `name: count`, or `name: {class, count, all, where, …}`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import yaml

from webhook.allocation.types import Placement, Reason, RequestRef
from webhook.kube.claims import parse_claim
from webhook.kube.pods import parse_carrier
from webhook.kube.types import Claim, Constraint, DeviceRequest, PodSpec, Taint
from webhook.world import extend
from webhook.world.types import CataloguePool, DeviceTaint, InventoryDevice, World

Json = dict[str, Any]
HERE = Path(__file__).parent / "cases"
DRIVERS = {
    "gpu": "gpu.nvidia.com",
    "part": "gpu.nvidia.com",
    "nic": "nic.example.com",
    "shared": "shared.example.com",
}
GPU = 'device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == '
CLASSES = {
    "gpu": f'{GPU}"gpu"',
    "part": f'{GPU}"mig"',
    "nic": 'device.driver == "nic.example.com"',
    "shared": 'device.driver == "shared.example.com"',
    "fragile": 'device.attributes["gpu.nvidia.com"].type == "gpu"',
}


@dataclass(frozen=True)
class Case:
    """One row: the world, the claims, perhaps a pod, and what must come out."""

    name: str
    world: World
    claims: tuple[Claim, ...]
    pod: PodSpec | None
    steps: int
    expected: Mapping[str, Any]


def cases() -> Iterator[Case]:
    """Read all tables, in the order of their names."""
    for path in sorted(HERE.glob("*.yaml")):
        table = yaml.safe_load(path.read_text("utf-8"))
        for row in table["cases"]:
            yield _case(path.stem, table.get("world", {}), row)


def _case(table: str, world: Json, row: Json) -> Case:
    base = {} if row.get("alone") else copy.deepcopy(world)
    base.update(row.get("instead", {}))
    for part, more in row.get("world", {}).items():
        if isinstance(more, list):
            base[part] = [*base.get(part, []), *more]
        else:
            base[part] = {**base.get(part, {}), **more}
    raw = row["claims"] if "claims" in row else [row["claim"]]
    claims = tuple(claim_of(f"c{index}", one) for index, one in enumerate(raw))
    pod = _pod(row["pod"]) if "pod" in row else None
    return Case(
        f"{table}: {row['name']}",
        build_world(base),
        claims,
        pod,
        row.get("steps", 100_000),
        {key: row[key] for key in ("verdict", "nodes", "reasons", "certain") if key in row},
    )


def build_world(base: Json) -> World:
    """Build a world of the short form."""
    facts: Json = {
        "apiVersion": "drawbridge/v1",
        "kind": "ClusterFacts",
        "kubernetesVersion": base.get("kubernetes", "v1.36.2"),
        "kubernetesFeatureGates": base.get("gates", {}),
    }
    if "pools" in base:
        facts["nodePools"] = base["pools"]
    objects: list[Json] = [facts]
    for name in base.get("classes", CLASSES):
        selectors = [{"cel": {"expression": CLASSES[name]}}]
        objects.append(_object("resource.k8s.io/v1", "DeviceClass", name, {"selectors": selectors}))
    for name, node in (base.get("nodes") or {}).items():
        objects.append(_node(name, node or {}))
    objects += _slices(base.get("devices") or [])
    held: dict[str, list[Json]] = {}
    for entry in base.get("held") or []:
        driver, pool, device = entry["device"].split("/")
        result: Json = {
            "request": "r",
            "driver": DRIVERS.get(driver, driver),
            "pool": pool,
            "device": device,
        }
        if "takes" in entry:
            result["shareID"] = f"share-{len(held)}"
            result["consumedCapacity"] = entry["takes"]
        if entry.get("admin"):
            result["adminAccess"] = True
        held.setdefault(entry.get("by", "holder"), []).append(result)
    for name, results in held.items():
        claim = _object("resource.k8s.io/v1", "ResourceClaim", name, {"devices": {}})
        claim["metadata"]["namespace"] = "other"
        claim["status"] = {"allocation": {"devices": {"results": results}}}
        objects.append(claim)
    return extend(World(), objects)


def _object(version: str, kind: str, name: str, spec: Json) -> Json:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def _node(name: str, node: Json) -> Json:
    spec: Json = {"taints": [_taint(text) for text in node.get("taints", ())]}
    if node.get("cordoned"):
        spec["unschedulable"] = True
    made = _object("v1", "Node", name, spec)
    made["metadata"]["labels"] = {"kubernetes.io/hostname": name, **node.get("labels", {})}
    return made


def _taint(text: str) -> Json:
    rest, _, effect = text.rpartition(":")
    key, _, value = rest.partition("=")
    return {"key": key, "value": value, "effect": effect}


def _slices(entries: Iterable[Json]) -> list[Json]:
    """Make one slice of each entry; entries of one pool and driver are slices of one pool."""
    made: list[Json] = []
    totals: dict[tuple[str, str], int] = {}
    for entry in entries:
        driver = str(DRIVERS.get(entry["driver"], entry["driver"]))
        pool = str(entry.get("pool", entry.get("at", "everywhere")))
        totals[driver, pool] = totals.get((driver, pool), 0) + 1
        spec: Json = {"driver": driver, "pool": {"name": pool, "generation": 1}}
        spec["pool"]["resourceSliceCount"] = entry.get("slices", 0)
        if "at" in entry:
            spec["nodeName"] = entry["at"]
        elif "zone" in entry:
            requirement = {"key": "zone", "operator": "In", "values": [entry["zone"]]}
            spec["nodeSelector"] = {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}
        elif entry.get("each"):
            spec["perDeviceNodeSelection"] = True
        else:
            spec["allNodes"] = True
        if "counters" in entry:
            spec["sharedCounters"] = [
                {"name": name, "counters": _values(values)}
                for name, values in entry["counters"].items()
            ]
        spec["devices"] = list(_devices(entry))
        name = f"{pool}-{driver}-{len(made)}"
        made.append(_object("resource.k8s.io/v1", "ResourceSlice", name, spec))
    for one in made:
        pool_spec = one["spec"]["pool"]
        pool_spec["resourceSliceCount"] = (
            pool_spec["resourceSliceCount"] or totals[one["spec"]["driver"], pool_spec["name"]]
        )
    return made


def _values(values: Mapping[str, Any]) -> Json:
    return {name: {"value": str(value)} for name, value in values.items()}


def _devices(entry: Json) -> Iterator[Json]:
    kind = {"gpu": "gpu", "part": "mig"}.get(entry["driver"], entry["driver"])
    count = entry.get("count", 1)
    for index in range(count):
        attributes: Json = {"type": {"string": kind}}
        if "product" in entry:
            attributes["productName"] = {"string": entry["product"]}
        for name, values in entry.get("attributes", {}).items():
            value = values[index] if isinstance(values, list) else values
            if value is not None:
                attributes[name] = {"int" if isinstance(value, int) else "string": value}
        device: Json = {
            "name": f"{entry.get('name', entry['driver'])}-{index + entry.get('from', 0)}",
            "attributes": attributes,
        }
        if "capacity" in entry:
            device["capacity"] = {
                name: dict(value) if isinstance(value, dict) else {"value": str(value)}
                for name, value in entry["capacity"].items()
            }
        if entry.get("multiple"):
            device["allowMultipleAllocations"] = True
        if "taint" in entry and index in entry.get("tainted", range(count)):
            device["taints"] = [_taint(entry["taint"])]
        if "uses" in entry:
            uses = entry["uses"][index] if isinstance(entry["uses"], list) else entry["uses"]
            device["consumesCounters"] = [
                {"counterSet": name, "counters": _values(values)} for name, values in uses.items()
            ]
        if "each" in entry:
            where = entry["each"][index]
            device.update({"allNodes": True} if where == "*" else {"nodeName": where})
        if "binding" in entry:
            device["bindingConditions"] = [entry["binding"]]
            device["bindingFailureConditions"] = ["Failed"]
        yield device


def claim_of(name: str, raw: Json) -> Claim:
    devices: Json = {
        "requests": [_request(key, value) for key, value in raw.items() if key[0] not in "~="]
    }
    if "~match" in raw or "~distinct" in raw:
        devices["constraints"] = [
            *(_constraint("matchAttribute", one) for one in raw.get("~match", ())),
            *(_constraint("distinctAttribute", one) for one in raw.get("~distinct", ())),
        ]
    claim = _object("resource.k8s.io/v1", "ResourceClaim", name, {"devices": devices})
    claim["metadata"]["namespace"] = "default"
    if "=allocated" in raw:
        selector = None
        if raw["=allocated"].get("node"):
            field = {
                "key": "metadata.name",
                "operator": "In",
                "values": [raw["=allocated"]["node"]],
            }
            selector = {"nodeSelectorTerms": [{"matchFields": [field]}]}
        claim["status"] = {"allocation": {"devices": {"results": []}, "nodeSelector": selector}}
    parsed = parse_claim(claim)
    assert parsed is not None
    assert not parsed.faults, parsed.faults
    return parsed


def _constraint(kind: str, text: str) -> Json:
    """Read `attribute` or `attribute of a, b`."""
    name, _, requests = text.partition(" of ")
    made: Json = {kind: name}
    if requests:
        made["requests"] = [part.strip() for part in requests.split(",")]
    return made


def _request(name: str, value: Any) -> Json:
    if isinstance(value, dict) and "first" in value:
        subs = [{"name": sub, **_fields(sub, body)} for sub, body in value["first"].items()]
        return {"name": name, "firstAvailable": subs}
    return {"name": name, "exactly": _fields(name, value)}


def _fields(name: str, value: Any) -> Json:
    body: Json = value if isinstance(value, dict) else {"count": value}
    default = name.rstrip("0123456789")
    made: Json = {"deviceClassName": body.get("class", default if default in CLASSES else "gpu")}
    if body.get("all"):
        made["allocationMode"] = "All"
    else:
        made["allocationMode"] = "ExactCount"
        made["count"] = body.get("count", 1)
    if "where" in body:
        where = body["where"] if isinstance(body["where"], list) else [body["where"]]
        made["selectors"] = [{"cel": {"expression": _expression(text)}} for text in where]
    if body.get("admin"):
        made["adminAccess"] = True
    if "tolerates" in body:
        made["tolerations"] = [
            {"key": key, "operator": "Exists"} if key else {"operator": "Exists"}
            for key in body["tolerates"]
        ]
    if "capacity" in body:
        made["capacity"] = {"requests": body["capacity"]}
    return made


def _expression(text: str) -> str:
    """Write out `gpu.NAME` and `nic.NAME` as attributes of these drivers."""
    for short in ("gpu", "nic", "shared"):
        text = text.replace(f"{short}.", f'device.attributes["{DRIVERS[short]}"].')
    return text


def _pod(raw: Json) -> PodSpec:
    spec: Json = {"containers": [{"name": "c", "image": "i"}]}
    if "selects" in raw:
        spec["nodeSelector"] = raw["selects"]
    if "affinity" in raw:
        term = {"matchExpressions": raw["affinity"]}
        spec["affinity"] = {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}
            }
        }
    if "tolerates" in raw:
        spec["tolerations"] = raw["tolerates"]
    carrier = parse_carrier(_object("v1", "Pod", "p", spec))
    assert carrier is not None
    return carrier.pods[0]


# Answers as text.


def told(placement: Placement) -> Json:
    """Write a placement as the tables do."""
    return {
        "verdict": placement.verdict,
        "nodes": list(placement.nodes),
        "reasons": [reason_text(reason) for reason in placement.reasons],
        "certain": placement.certain,
    }


def reason_text(reason: Reason) -> str:
    """Write a reason: its name, and its fields in order."""
    parts = [_text(getattr(reason, field.name)) for field in fields(reason)]
    return f"{type(reason).__name__} {' '.join(part for part in parts if part)}".strip()


def _text(value: object) -> str:
    match value:
        case RequestRef():
            return f"c{value.claim}.{value.request.name}"
        case DeviceRequest():
            return value.name
        case Constraint():
            return value.match_attribute or value.distinct_attribute
        case Taint() | DeviceTaint():
            return f"{value.key}={value.value}:{value.effect}"
        case CataloguePool():
            return value.pool.name
        case InventoryDevice():
            return f"{value.pool}/{value.name}"
        case tuple() if value and all(isinstance(part, str) for part in value):
            return "/".join(str(part) for part in value)
        case tuple():
            return "[" + "; ".join(_text(part) for part in value) + "]" if value else ""
        case bool():
            return "yes" if value else ""
    if is_dataclass(value):
        inner = " ".join(filter(None, (_text(getattr(value, f.name)) for f in fields(value))))
        return f"({type(value).__name__} {inner})" if "Of" not in type(value).__name__ else inner
    return "" if value is None else str(value)
