"""The policy: which finding refuses, which warns, where, and what is injected.

Read from one YAML file (see `load_policy`); the defaults are those of the rule reference.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from webhook.kube.names import nearest
from webhook.kube.types import Document, path_text
from webhook.kube.types import Path as FieldPath
from webhook.kube.yaml import YamlError, load_values
from webhook.kube.yaml_builder import Built


def _off(value: object) -> object:
    """Take the bare YAML word `off`, which YAML 1.1 reads as false, for what it was meant."""
    return "off" if value is False else value


PolicyAction = Annotated[Literal["deny", "warn", "note", "off"], BeforeValidator(_off)]


class _Model(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )


class TolerationPolicy(_Model):
    """One toleration to inject."""

    key: str = "nvidia.com/gpu"
    operator: Literal["Exists", "Equal"] = "Exists"
    value: str = ""
    effect: Literal["NoSchedule", "NoExecute", "PreferNoSchedule", ""] = "NoSchedule"


class Mutation(_Model):
    """What /mutate does."""

    enabled: bool = True
    tolerations: tuple[TolerationPolicy, ...] = (TolerationPolicy(),)
    patch_workloads: bool = False


class NamespaceOverride(_Model):
    """Severities for namespaces whose name matches one of the globs in `match`."""

    match: Annotated[tuple[str, ...], Field(min_length=1)]
    rules: dict[str, PolicyAction] = Field(default_factory=dict)


class DriverPolicy(_Model):
    """What the administrator states of the driver outright."""

    version: str = ""
    feature_gates: dict[str, bool] | None = None


class Policy(_Model):
    """The whole policy file."""

    rules: dict[str, PolicyAction] = Field(default_factory=dict)
    namespaces: tuple[NamespaceOverride, ...] = ()
    exempt_namespaces: tuple[str, ...] = ()
    mutation: Mutation = Mutation()
    gpu_drivers: tuple[str, ...] = ("gpu.nvidia.com", "compute-domain.nvidia.com")
    driver: DriverPolicy | None = None
    on_internal_error: Literal["allow", "deny"] = "allow"

    def is_exempt(self, namespace: str) -> bool:
        """Whether objects of `namespace` are not judged at all."""
        return any(fnmatchcase(namespace, pattern) for pattern in self.exempt_namespaces)

    def action(self, rule: str, default: str, namespace: str) -> str:
        """Give the action for a finding of `rule` whose own severity is `default`.

        `deny` and `warn` in the policy set the *strongest* action: a rule that only warned because
        knowledge was missing is never lifted to deny, since it would refuse out of ignorance.
        """
        wanted: str | None = self.rules.get(rule)
        for override in self.namespaces:
            if rule in override.rules and any(
                fnmatchcase(namespace, pattern) for pattern in override.match
            ):
                wanted = override.rules[rule]
        if wanted is None:
            return default
        if wanted == "off":
            return "off"
        order = {"note": 0, "warn": 1, "deny": 2}
        return wanted if order[wanted] <= order[default] else default


MAX_POLICY_BYTES: Final = 1024 * 1024


class PolicyError(Exception):
    """A policy file that cannot be used: `file:line:column: text`, one line for each fault.

    `line` and `column` are those of the first fault, 0 when it has no place.
    """

    def __init__(self, faults: list[tuple[str, int, int]], file: str) -> None:
        super().__init__(
            "\n".join(
                ":".join(str(part) for part in (file, line, column) if part) + f": {text}"
                for text, line, column in faults
            )
        )
        self.file = file
        self.line = faults[0][1] if faults else 0
        self.column = faults[0][2] if faults else 0


def load_policy(path: str | Path, known_rules: Collection[str] = ()) -> Policy:
    """Read a policy file; an empty one gives the defaults.

    With `known_rules`, ids of rules that are none of them are refused: a policy that switches off
    a misspelt rule would do nothing, in silence. Raises PolicyError.
    """
    file = str(path)
    try:
        with Path(path).open("rb") as source:
            text = source.read(MAX_POLICY_BYTES + 1)
    except OSError as error:
        raise PolicyError([(f"cannot be read: {error.strerror}", 0, 0)], file) from error
    if len(text) > MAX_POLICY_BYTES:
        raise PolicyError([("is larger than 1 MiB; no policy is", 0, 0)], file)
    return parse_policy(text, file, known_rules)


def parse_policy(text: bytes, file: str = "", known_rules: Collection[str] = ()) -> Policy:
    """Read the text of a policy file; raises PolicyError, see `load_policy`."""
    try:
        documents = [found for found in load_values(text, file) if found.value is not None]
    except YamlError as error:
        raise PolicyError([(error.text, error.line, error.column)], file) from error
    if not documents:
        return Policy()
    if len(documents) > 1:
        fault = ("a second document; write one policy in one document", documents[1].line, 1)
        raise PolicyError([fault], file)
    built = documents[0]
    if not isinstance(built.value, dict):
        raise PolicyError(
            [("the policy must be an object of keys and values", built.line, 1)], file
        )
    faults = [
        _placed(built, found.path, f"{path_text(found.path)} stands twice; keep one")
        for found in built.duplicates
    ]
    policy = Policy()
    try:
        policy = Policy.model_validate(built.value)
    except ValidationError as error:
        faults += [_fault(built, dict(detail)) for detail in error.errors(include_url=False)]
    faults += _unknown_rules(built, known_rules)
    if faults:
        raise PolicyError(sorted(faults, key=lambda fault: fault[1:]), file)
    return policy


def _placed(built: Built, path: FieldPath, text: str) -> tuple[str, int, int]:
    place = Document(value={}, positions=built.positions).position(path) or (built.line, 1)
    return text, *place


def _fault(built: Built, detail: Mapping[str, Any]) -> tuple[str, int, int]:
    """Put one of pydantic's faults into our words, at its place."""
    path: FieldPath = tuple(step for step in detail["loc"] if step != "[key]")
    where = path_text(path)
    if detail["type"] == "extra_forbidden":
        known = _keys_at(path[:-1])
        near = nearest(str(path[-1]), known, 1)
        fix = f"write {near[0]}" if near else f"the keys here are {', '.join(known)}"
        return _placed(built, path, f"{where} is not a key of a policy; {fix}")
    message = str(detail["msg"])
    return _placed(built, path, f"{where}: {message[:1].lower()}{message[1:]}")


def _keys_at(path: FieldPath) -> list[str]:
    """Name the keys that the policy has at `path`."""
    model: type[BaseModel] = Policy
    for step in path:
        model = _INNER.get(step, model) if isinstance(step, str) else model
    return [field.alias or name for name, field in model.model_fields.items()]


_INNER: Final[Mapping[str, type[BaseModel]]] = {
    "mutation": Mutation,
    "tolerations": TolerationPolicy,
    "namespaces": NamespaceOverride,
    "driver": DriverPolicy,
}


def _unknown_rules(built: Built, known: Collection[str]) -> list[tuple[str, int, int]]:
    """Report rule ids, at the top and in overrides, that name no rule."""
    if not known:
        return []
    sections: list[tuple[FieldPath, object]] = [(("rules",), built.value.get("rules"))]
    overrides = built.value.get("namespaces")
    for index, item in enumerate(overrides if isinstance(overrides, list) else ()):
        if isinstance(item, dict):
            sections.append((("namespaces", index, "rules"), item.get("rules")))
    faults: list[tuple[str, int, int]] = []
    for path, section in sections:
        for rule in section if isinstance(section, dict) else ():
            if rule in known:
                continue
            near = nearest(rule, sorted(known), 1)
            fix = f"write {near[0]}" if near else "`drawbridge rules` lists them"
            text = f'{path_text(path)} names "{rule}", which is no rule; {fix}'
            faults.append(_placed(built, (*path, rule), text))
    return faults
