"""How values, counts and devices are written in messages; fixed sentences of several rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webhook import cel

MAX_VALUES = 4


def count_of(number: int, noun: str) -> str:
    """Write `1 device`, `5 devices`."""
    plural = noun if number == 1 else f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{number} {plural}"


def listed(words: Iterable[str], limit: int = MAX_VALUES) -> str:
    """Write up to `limit` words with commas, then how many are left."""
    words = list(words)
    text = ", ".join(words[:limit])
    return text if len(words) <= limit else f"{text} and {len(words) - limit} more"


def short_read(read: cel.Read) -> str:
    """Write a read as people call it: `productName`, `resource.kubernetes.io/pcieRoot`."""
    if read.part in {"driver", "allowMultipleAllocations"}:
        return read.part
    if read.domain and "/" not in read.name and read.domain == "resource.kubernetes.io":
        return f"{read.domain}/{read.name}"
    return read.name or read.domain


def values_seen(values: Sequence[tuple[str, int]]) -> str:
    """Write `"NVIDIA A10G" (5 devices), "Tesla T4" (1)`."""
    shown = [
        f"{value} ({count_of(count, 'device') if index == 0 else count})"
        for index, (value, count) in enumerate(values)
    ]
    return listed(shown)


def comparisons_seen(explanation: cel.Explanation) -> str:
    """Say for each comparison what the devices have and what was wanted."""
    parts: list[str] = []
    by_read = {seen.read: seen for seen in explanation.reads}
    done: set[tuple[cel.Read, tuple[str, ...]]] = set()
    for comparison in explanation.comparisons:
        seen = by_read.get(comparison.read)
        if seen is None or (comparison.read, comparison.wanted) in done:
            continue
        done.add((comparison.read, comparison.wanted))
        wanted = listed(comparison.wanted)
        if comparison.operator not in {"==", "in"}:
            wanted = f"{comparison.operator} {wanted}"
        if seen.values:
            parts.append(
                f"{short_read(comparison.read)} is {values_seen(seen.values)}, wanted {wanted}"
            )
        else:
            parts.append(f"no device has {short_read(comparison.read)}, wanted {wanted}")
    if not parts:
        parts = [
            f"{short_read(seen.read)} is {values_seen(seen.values)}"
            for seen in explanation.reads
            if seen.values
        ]
    return "; ".join(parts[:MAX_VALUES])


def correction_text(correction: cel.Correction | None) -> str:
    """Write a corrected expression, on one line."""
    if correction is None:
        return ""
    return f"write {' '.join(correction.expression.split())}"
