"""The policy: which finding refuses, which warns, where, and what is injected.

Read from one YAML file (see `load_policy`); the defaults are those of the rule reference.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

PolicyAction = Literal["deny", "warn", "note", "off"]


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
