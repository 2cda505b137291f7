from __future__ import annotations

import pytest

from webhook import cel
from webhook.cel.device import Attribute
from webhook.cel.fleet import Fleet, Read, quote, value_text
from webhook.cel.nearest import distance, nearest

GPU = "gpu.nvidia.com"


def _gpu(product: str, memory: str, **more: Attribute) -> cel.Device:
    attributes = {
        "type": Attribute("string", "gpu"),
        "productName": Attribute("string", product),
        "driverVersion": Attribute("version", "570.195.3"),
        **more,
    }
    return cel.Device(GPU, attributes, {"memory": memory})


A100 = _gpu("NVIDIA A100-SXM4-40GB", "40Gi")
OTHER_A100 = _gpu("NVIDIA A100-SXM4-40GB", "40Gi", uuid=Attribute("string", "GPU-2"))
T4 = _gpu("Tesla T4", "15360Mi")
MIG = _gpu("NVIDIA A100-SXM4-40GB", "5Gi", profile=Attribute("string", "1g.5gb"))
NIC = cel.Device("dra.net", {"type": Attribute("string", "nic")})
FLEET = [(A100, 4), (OTHER_A100, 1), (T4, 2), (MIG, 7)]

PRODUCT = Read("attribute", GPU, "productName")
MEMORY = Read("capacity", GPU, "memory")


def _explain(expression: str, devices: list[tuple[cel.Device, int]]) -> cel.Explanation:
    selector = cel.compile(expression)
    assert selector.verdict in {"ok", "too_complex"}, selector.error
    return cel.explain(selector, devices)


def test_devices_are_counted_by_what_the_selector_sees() -> None:
    found = _explain(
        f'{PRODUCT.text} == "NVIDIA A100-SXM4-40GB" && '
        f'{MEMORY.text}.compareTo(quantity("40Gi")) >= 0',
        FLEET,
    )
    assert (found.total, found.matching, found.false, found.failing) == (14, 5, 9, 0)
    assert [(g.count, g.indices, g.outcome.match) for g in found.groups] == [
        (5, (0, 1), True),
        (2, (2,), False),
        (7, (3,), False),
    ]
    assert found.groups[2].values == ((PRODUCT, '"NVIDIA A100-SXM4-40GB"'), (MEMORY, "5Gi"))


def test_each_term_tells_whom_it_excludes() -> None:
    found = _explain(
        f'({PRODUCT.text} == "NVIDIA A100-SXM4-40GB" // not the T4\n && true) &&\n'
        f'{MEMORY.text}.compareTo(quantity("40Gi")) >= 0',
        FLEET,
    )
    first, second, third = found.conjuncts
    assert first.text == f'{PRODUCT.text} == "NVIDIA A100-SXM4-40GB" // not the T4'
    assert (first.matches, first.excludes, first.only_excluder) == (12, 2, 0)
    assert (second.text, second.excludes) == ("true", 0)
    assert third.text == f'{MEMORY.text}.compareTo(quantity("40Gi")) >= 0'
    assert (third.matches, third.excludes, third.only_excluder) == (5, 9, 7)


def test_wanted_values_stand_beside_those_that_are_there() -> None:
    found = _explain(f'{PRODUCT.text} == "NVIDIA A100-SXM4-80GB"', FLEET)
    (comparison,) = found.comparisons
    assert comparison.read == PRODUCT
    assert comparison.operator == "=="
    assert comparison.wanted == ('"NVIDIA A100-SXM4-80GB"',)
    assert comparison.nearest == '"NVIDIA A100-SXM4-40GB"'
    (seen,) = found.reads
    assert seen.values == (('"NVIDIA A100-SXM4-40GB"', 12), ('"Tesla T4"', 2))
    assert (seen.missing, seen.nearest) == (0, None)


@pytest.mark.parametrize(
    ("expression", "operator", "wanted"),
    [
        (f'{MEMORY.text}.compareTo(quantity("40Gi")) >= 0', ">=", ("40Gi",)),
        (f'{MEMORY.text}.isGreaterThan(quantity("40Gi"))', ">", ("40Gi",)),
        (f'{MEMORY.text} == quantity("40Gi")', "==", ("40Gi",)),
        (f'quantity("40Gi") == {MEMORY.text}', "==", ("40Gi",)),
        (f'{PRODUCT.text} in ["a", "b"]', "in", ('"a"', '"b"')),
        (f'"a" == {PRODUCT.text}', "==", ('"a"',)),
        (f'{PRODUCT.text} != "a"', "!=", ('"a"',)),
        (f'{PRODUCT.text}.startsWith("a")', "startsWith", ('"a"',)),
        (f'{PRODUCT.text}.lowerAscii().contains("a")', "contains", ('"a"',)),
        (f'{PRODUCT.text}.matches("a|b")', "matches", ('"a|b"',)),
        (f'device.attributes["{GPU}"].?productName.orValue("") == "a"', "==", ('"a"',)),
        (f'cel.bind(p, {PRODUCT.text}, p == "a")', "==", ('"a"',)),
        (f'device.attributes["{GPU}"].index < 2', "<", ("2",)),
        (f'2 > device.attributes["{GPU}"].index', "<", ("2",)),
        (
            f'device.attributes["{GPU}"].driverVersion.compareTo(semver("8.0.0")) < 0',
            "<",
            ("8.0.0",),
        ),
        (f'device.attributes["{GPU}"].healthy == true', "==", ("true",)),
        ('device.driver == "a"', "==", ('"a"',)),
    ],
)
def test_comparisons_are_found_however_they_are_written(
    expression: str, operator: str, wanted: tuple[str, ...]
) -> None:
    (comparison,) = _explain(expression, FLEET).comparisons
    assert (comparison.operator, comparison.wanted) == (operator, wanted)


def test_a_run_time_error_names_the_devices_that_raise_it() -> None:
    found = _explain(f'device.attributes["{GPU}"].profile == "1g.5gb"', [*FLEET, (NIC, 3)])
    assert (found.matching, found.failing) == (7, 10)
    (error,) = found.errors
    assert (error.text, error.count) == ("no such key: profile", 10)
    assert sorted(error.indices) == [0, 1, 2, 4]


@pytest.mark.parametrize(
    ("read", "near"),
    [
        (Read("attribute", GPU, "productname"), PRODUCT),
        (Read("attribute", GPU, "product"), PRODUCT),
        (Read("attribute", GPU, "memory"), MEMORY),
        (Read("capacity", GPU, "productName"), PRODUCT),
        (Read("attribute", "nvidia.com", "productName"), PRODUCT),
        (Read("attribute", "gpu.nvidia.io", "productNmae"), PRODUCT),
        (Read("attribute", "productName", "string"), PRODUCT),
        (Read("attribute", GPU, "entirelyUnlike"), None),
    ],
)
def test_the_nearest_thing_that_devices_have(read: Read, near: Read | None) -> None:
    assert Fleet.of(FLEET).nearest_read(read) == near


def test_a_selector_that_does_not_compile_fails_on_every_device() -> None:
    found = cel.explain(cel.compile("device.nothing"), FLEET)
    assert (found.total, found.matching, found.failing) == (14, 0, 14)
    assert found.conjuncts == ()
    assert found.errors[0].text.startswith("compilation failed: ")


def test_no_devices_give_an_empty_explanation() -> None:
    found = _explain("true && device.driver == 'x'", [])
    assert (found.total, found.groups, found.errors) == (0, (), ())
    assert [c.text for c in found.conjuncts] == ["true", "device.driver == 'x'"]


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        (Attribute("string", 'a "b"\n'), r'"a \"b\"\n"'),
        (Attribute("version", "1.2.3"), "1.2.3"),
        (Attribute("bool", True), "true"),
        (Attribute("int", 7), "7"),
        (Attribute("strings", ("a", "b")), '["a", "b"]'),
        (Attribute("ints", (1, 2)), "[1, 2]"),
    ],
)
def test_values_are_written_as_a_selector_would(attribute: Attribute, text: str) -> None:
    assert value_text(attribute) == text


@pytest.mark.parametrize("text", ["", "plain", 'a"b', "a\\b", "line\nbreak", "tab\t", "é😀"])
def test_a_quoted_text_reads_back(text: str) -> None:
    device = cel.Device(GPU, {"a": Attribute("string", text)})
    selector = cel.compile(f'device.attributes["{GPU}"].a == {quote(text)}')
    assert selector.evaluate(device).match is True


@pytest.mark.parametrize(
    ("a", "b", "steps"),
    [("", "", 0), ("abc", "", 3), ("abc", "abd", 1), ("kitten", "sitting", 3), ("ab", "ba", 2)],
)
def test_edit_distance(a: str, b: str, steps: int) -> None:
    assert distance(a, b) == distance(b, a) == steps


@pytest.mark.parametrize(
    ("word", "candidates", "found"),
    [
        ("productname", ["productName", "product"], "productName"),
        ("memry", ["memory", "cores"], "memory"),
        ("A100", ["NVIDIA A100-SXM4-40GB", "Tesla T4"], "NVIDIA A100-SXM4-40GB"),
        ("zzz", ["memory", "cores"], None),
        ("", ["memory"], None),
        ("x" * 500, ["memory"], None),
    ],
)
def test_the_nearest_word(word: str, candidates: list[str], found: str | None) -> None:
    assert nearest(word, candidates) == found
