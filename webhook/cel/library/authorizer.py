"""Declarations of the family authorizer."""

from __future__ import annotations

from typing import Final

from webhook.cel.library.declare import Function, Overload
from webhook.cel.types import BOOL, STRING, Type

AUTHORIZER: Final = Type("object", "kubernetes.authorization.Authorizer")
PATH_CHECK: Final = Type("object", "kubernetes.authorization.PathCheck")
GROUP_CHECK: Final = Type("object", "kubernetes.authorization.GroupCheck")
RESOURCE_CHECK: Final = Type("object", "kubernetes.authorization.ResourceCheck")
DECISION: Final = Type("object", "kubernetes.authorization.Decision")


FUNCTIONS: Final = (
    Function("allowed", (Overload("decision_allowed", (DECISION,), BOOL, member=True),)),
    Function(
        "check",
        (
            Overload("pathcheck_check", (PATH_CHECK, STRING), DECISION, member=True),
            Overload("resourcecheck_check", (RESOURCE_CHECK, STRING), DECISION, member=True),
        ),
    ),
    Function("error", (Overload("decision_error", (DECISION,), STRING, member=True),)),
    Function("errored", (Overload("decision_errored", (DECISION,), BOOL, member=True),)),
    Function(
        "fieldSelector",
        (
            Overload(
                "authorizer_fieldselector", (RESOURCE_CHECK, STRING), RESOURCE_CHECK, member=True
            ),
        ),
    ),
    Function(
        "group", (Overload("authorizer_group", (AUTHORIZER, STRING), GROUP_CHECK, member=True),)
    ),
    Function(
        "labelSelector",
        (
            Overload(
                "authorizer_labelselector", (RESOURCE_CHECK, STRING), RESOURCE_CHECK, member=True
            ),
        ),
    ),
    Function(
        "name",
        (Overload("resourcecheck_name", (RESOURCE_CHECK, STRING), RESOURCE_CHECK, member=True),),
    ),
    Function(
        "namespace",
        (
            Overload(
                "resourcecheck_namespace", (RESOURCE_CHECK, STRING), RESOURCE_CHECK, member=True
            ),
        ),
    ),
    Function("path", (Overload("authorizer_path", (AUTHORIZER, STRING), PATH_CHECK, member=True),)),
    Function("reason", (Overload("decision_reason", (DECISION,), STRING, member=True),)),
    Function(
        "resource",
        (Overload("groupcheck_resource", (GROUP_CHECK, STRING), RESOURCE_CHECK, member=True),),
    ),
    Function(
        "serviceAccount",
        (
            Overload(
                "authorizer_serviceaccount", (AUTHORIZER, STRING, STRING), AUTHORIZER, member=True
            ),
        ),
    ),
    Function(
        "subresource",
        (
            Overload(
                "resourcecheck_subresource", (RESOURCE_CHECK, STRING), RESOURCE_CHECK, member=True
            ),
        ),
    ),
)
