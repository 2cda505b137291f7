"""The snapshot of a cluster, and its sources."""

from webhook.world.build import extend
from webhook.world.facts import parse_version
from webhook.world.faults import WorldError
from webhook.world.files import empty, example, load, read_documents
from webhook.world.types import World

__all__ = [
    "World",
    "WorldError",
    "empty",
    "example",
    "extend",
    "load",
    "parse_version",
    "read_documents",
]
