from __future__ import annotations

import pytest

from webhook import cel
from webhook.cel.device import Attribute

GPU = "gpu.nvidia.com"
DIALECT = cel.Dialect()


def _gpu(product: str, memory: str, capability: str = "8.0.0", **more: Attribute) -> cel.Device:
    return cel.Device(
        GPU,
        {
            "type": Attribute("string", "gpu"),
            "productName": Attribute("string", product),
            "driverVersion": Attribute("version", "570.195.3"),
            "cudaComputeCapability": Attribute("version", capability),
            "index": Attribute("int", 0),
            "healthy": Attribute("bool", True),
            "resource.kubernetes.io/pcieRoot": Attribute("string", "pci0000:00"),
            **more,
        },
        {"memory": memory},
    )


A100 = _gpu("NVIDIA A100-SXM4-40GB", "40Gi")
T4 = _gpu("Tesla T4", "15360Mi", "7.5.0")
FLEET = [(A100, 8), (T4, 2)]

TUTORIAL = (
    'device.attributes["productName"].string == "NVIDIA A100" &&\n'
    'device.capacity["memory"].quantity >= quantity("40Gi")\n'
)


def test_the_tutorial_s_selector_is_mended_in_one_go() -> None:
    found = cel.doctor(TUTORIAL, DIALECT, FLEET, GPU)
    assert found is not None
    assert found.expression == (
        'device.attributes["gpu.nvidia.com"].productName == "NVIDIA A100-SXM4-40GB" &&\n'
        'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0'
    )
    selector = cel.compile(found.expression)
    assert selector.ok
    assert selector.evaluate(A100).match is True
    assert selector.evaluate(T4).match is False
    assert found.faults == (
        'productName, memory lack their domain, "gpu.nvidia.com"',
        ".string, .quantity do not exist, a value is used as it is",
        'no device has the productName "NVIDIA A100"; there is "NVIDIA A100-SXM4-40GB"',
        ">= does not exist for quantities; compareTo does",
    )


def test_without_a_cluster_the_tutorial_s_three_faults_are_named() -> None:
    found = cel.doctor(TUTORIAL, DIALECT, (), GPU)
    assert found is not None
    assert cel.compile(found.expression).ok
    assert len(found.faults) == 3


ATTRIBUTES = f'device.attributes["{GPU}"]'
MEMORY = f'device.capacity["{GPU}"].memory'


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        # The domain.
        ('device.attributes["productName"] == "Tesla T4"', '{a}.productName == "Tesla T4"'),
        ('device.attributes.productName == "Tesla T4"', '{a}.productName == "Tesla T4"'),
        ('device.attributes.gpu.nvidia.com.type == "gpu"', '{a}.type == "gpu"'),
        ('device.attributes["gpu.nvidia.com/type"] == "gpu"', '{a}.type == "gpu"'),
        ('device.attributes["nvidia.com"].type == "gpu"', '{a}.type == "gpu"'),
        ('device.attributes[gpu.nvidia.com].type == "gpu"', '{a}.type == "gpu"'),
        (
            'device.attributes["pcieRoot"] == "pci0000:00"',
            'device.attributes["resource.kubernetes.io"].pcieRoot == "pci0000:00"',
        ),
        ('device.capacity.memory == quantity("40Gi")', '{m} == quantity("40Gi")'),
        # Names.
        ('{a}.productname == "Tesla T4"', '{a}.productName == "Tesla T4"'),
        ('{a}.product == "Tesla T4"', '{a}.productName == "Tesla T4"'),
        ('productName == "Tesla T4"', '{a}.productName == "Tesla T4"'),
        ('devices.driver == "gpu.nvidia.com"', 'device.driver == "gpu.nvidia.com"'),
        ('device["driver"] == "gpu.nvidia.com"', 'device.driver == "gpu.nvidia.com"'),
        ('{a}.memory == quantity("40Gi")', '{m} == quantity("40Gi")'),
        (
            'device.capacity["gpu.nvidia.com"].productName == "Tesla T4"',
            '{a}.productName == "Tesla T4"',
        ),
        # Suffixes.
        ('{a}.type.string == "gpu"', '{a}.type == "gpu"'),
        ("{a}.index.int == 0", "{a}.index == 0"),
        ("{a}.healthy.bool", "{a}.healthy"),
        (
            '{a}.driverVersion.version == semver("570.195.3")',
            '{a}.driverVersion == semver("570.195.3")',
        ),
        ('{m}.quantity == quantity("40Gi")', '{m} == quantity("40Gi")'),
        ('{m}.value == quantity("40Gi")', '{m} == quantity("40Gi")'),
        # Quantities.
        ('{m} >= quantity("40Gi")', '{m}.compareTo(quantity("40Gi")) >= 0'),
        ('{m} > quantity("39Gi")', '{m}.isGreaterThan(quantity("39Gi"))'),
        ('{m} < quantity("40Gi")', '{m}.isLessThan(quantity("40Gi"))'),
        ('{m} <= quantity("40Gi")', '{m}.compareTo(quantity("40Gi")) <= 0'),
        ('{m} != quantity("40Gi")', '!({m} == quantity("40Gi"))'),
        ('{m} >= "40Gi"', '{m}.compareTo(quantity("40Gi")) >= 0'),
        ('{m} == "40Gi"', '{m} == quantity("40Gi")'),
        ("{m} == 42949672960", '{m} == quantity("40Gi")'),
        ("{m} >= 40 * 1024 * 1024 * 1024", '{m}.compareTo(quantity("40Gi")) >= 0'),
        ("{m} >= 40", '{m}.compareTo(quantity("40Gi")) >= 0'),
        ('quantity("40Gi") <= {m}', 'quantity("40Gi").compareTo({m}) <= 0'),
        ('{m}.isGreaterThan("39Gi")', '{m}.isGreaterThan(quantity("39Gi"))'),
        ('{m}.isGreaterThan(quantity("39GB"))', '{m}.isGreaterThan(quantity("39G"))'),
        ('{m}.isGreaterThan(quantity("39gi"))', '{m}.isGreaterThan(quantity("39Gi"))'),
        (
            '{m}.isGreaterThanOrEqual(quantity("40Gi"))',
            '{m}.compareTo(quantity("40Gi")) >= 0',
        ),
        ('string({m}) == "40Gi"', '{m} == quantity("40Gi")'),
        ('quantity({m}) == quantity("40Gi")', '{m} == quantity("40Gi")'),
        # Versions.
        (
            '{a}.driverVersion >= "570.0.0"',
            '{a}.driverVersion.compareTo(semver("570.0.0")) >= 0',
        ),
        (
            '{a}.driverVersion >= semver("570")',
            '{a}.driverVersion.compareTo(semver("570.0.0")) >= 0',
        ),
        ('{a}.driverVersion == "570.195.3"', '{a}.driverVersion == semver("570.195.3")'),
        (
            "{a}.cudaComputeCapability >= 8.0",
            '{a}.cudaComputeCapability.compareTo(semver("8.0.0")) >= 0',
        ),
        (
            '{a}.cudaComputeCapability.compareTo(semver("8.0")) >= 0',
            '{a}.cudaComputeCapability.compareTo(semver("8.0.0")) >= 0',
        ),
        (
            '{a}.driverVersion.isGreaterThan(semver("v550.0.0"))',
            '{a}.driverVersion.isGreaterThan(semver("550.0.0"))',
        ),
        ('{a}.driverVersion.startsWith("570")', "{a}.driverVersion.major() == 570"),
        ("{a}.driverVersion.major >= 570", "{a}.driverVersion.major() >= 570"),
        (
            '{a}.driverVersion in ["570.195.3"]',
            '{a}.driverVersion in [semver("570.195.3")]',
        ),
        # Values.
        ('{a}.productName == "NVIDIA A100"', '{a}.productName == "NVIDIA A100-SXM4-40GB"'),
        ('{a}.productName == "tesla t4"', '{a}.productName == "Tesla T4"'),
        ('{a}.productName == "A100 40GB"', '{a}.productName == "NVIDIA A100-SXM4-40GB"'),
        (
            '{a}.productName in ["A100", "H100"]',
            '{a}.productName in ["NVIDIA A100-SXM4-40GB", "H100"]',
        ),
        ('{a}.productName.startsWith("A100")', '{a}.productName.contains("A100")'),
        ('{a}.index == "0"', "{a}.index == 0"),
        ('{a}.healthy == "true"', "{a}.healthy == true"),
        # Habits of other languages.
        ('{a}.type = "gpu"', '{a}.type == "gpu"'),
        ('{a}.type === "gpu"', '{a}.type == "gpu"'),
        ('{a}.type == "gpu" and {a}.healthy', '{a}.type == "gpu" && {a}.healthy'),
        ('{a}.type == "gpu" & {a}.healthy', '{a}.type == "gpu" && {a}.healthy'),
        ('{a}.type == "nic" or {a}.healthy', '{a}.type == "nic" || {a}.healthy'),
        ('not {a}.type == "nic"', '!({a}.type == "nic")'),
        ("{a}.healthy == True", "{a}.healthy == true"),
        ('"A100" in {a}.productName', '{a}.productName.contains("A100")'),
        ('{a}.type in ("gpu", "mig")', '{a}.type in ["gpu", "mig"]'),
        ('{a}.type not in ["nic"]', '!({a}.type in ["nic"])'),
        ('{a}.productName.startswith("Tesla")', '{a}.productName.startsWith("Tesla")'),
        (
            '{a}.productName.toLowerCase() == "tesla t4"',
            '{a}.productName.lowerAscii() == "tesla t4"',
        ),
        ("len({a}.productName) > 3", "size({a}.productName) > 3"),
        ("{a}.type == ‘gpu’", '{a}.type == "gpu"'),
        (r'{a}.productName.matches("T\d")', r'{a}.productName.matches("T\\d")'),
        ("{a}.type == gpu", '{a}.type == "gpu"'),
        ("${{a}.type == 'gpu'}", "{a}.type == 'gpu'"),
        # Presence and optionals.
        ('has({a}["type"])', "has({a}.type)"),
        ("{a}.type != null", "has({a}.type)"),
        ('{a}.?type == "gpu"', '{a}.?type.orValue("") == "gpu"'),
        ("{a}.?healthy", "{a}.?healthy.orValue(false)"),
        ('{a}.has("type")', '"type" in {a}'),
        # Too complex.
        (
            '{a}.?productName.orValue("").contains("A100")',
            '(has({a}.productName) && {a}.productName.contains("A100"))',
        ),
    ],
)
def test_common_mistakes_are_mended(written: str, mended: str) -> None:
    fill = {"{a}": ATTRIBUTES, "{m}": MEMORY}
    for name, text in fill.items():
        written, mended = written.replace(name, text), mended.replace(name, text)
    found = cel.doctor(written, DIALECT, FLEET, GPU)
    assert found is not None
    assert found.expression == mended
    assert found.faults
    selector = cel.compile(found.expression)
    assert selector.ok
    assert all(selector.evaluate(device).error is None for device, _ in FLEET)


def test_several_like_products_are_all_taken() -> None:
    fleet = [*FLEET, (_gpu("NVIDIA A100-SXM4-80GB", "80Gi"), 1)]
    found = cel.doctor(f'{ATTRIBUTES}.productName == "NVIDIA A100"', DIALECT, fleet, GPU)
    assert found is not None
    assert found.expression == f'{ATTRIBUTES}.productName.startsWith("NVIDIA A100")'
    found = cel.doctor(f'{ATTRIBUTES}.productName == "A100"', DIALECT, fleet, GPU)
    assert found is not None
    assert found.expression == (
        f'{ATTRIBUTES}.productName in ["NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB"]'
    )


def test_what_some_devices_lack_is_asked_for_first() -> None:
    fleet = [*FLEET, (_gpu("NVIDIA H100", "80Gi", profile=Attribute("string", "1g.5gb")), 1)]
    found = cel.doctor(f'{ATTRIBUTES}.profile == "1g.5gb"', DIALECT, fleet, GPU)
    assert found is not None
    assert found.expression == (f'has({ATTRIBUTES}.profile) && {ATTRIBUTES}.profile == "1g.5gb"')


def test_a_correction_that_matches_nothing_says_so() -> None:
    found = cel.doctor(f'{MEMORY} >= quantity("500Gi")', DIALECT, FLEET, GPU)
    assert found is not None
    assert found.faults[-1] == "mended, it still matches no device"


@pytest.mark.parametrize(
    "expression",
    [
        f'{ATTRIBUTES}.type == "gpu"',
        'device.driver == "gpu.nvidia.com" // all of them',
        "",
        "(",
        "1",
        "gpu",
        "device.attributes",
        f"{ATTRIBUTES}.productName.matches(",
        "if x then y",
        "device.name == 'gpu-0'",
        "(" * 5000,
        "a" * 20_000,
        "true && " * 500 + "true",
    ],
)
def test_nothing_is_offered_where_nothing_is_known_to_be_wrong(expression: str) -> None:
    assert cel.doctor(expression, DIALECT, FLEET, GPU) is None


def test_devices_of_other_drivers_do_not_count_as_failing() -> None:
    nic = cel.Device("dra.cpu", {"numa": Attribute("int", 0)})
    found = cel.doctor(f'{ATTRIBUTES}.type.string == "gpu"', DIALECT, [*FLEET, (nic, 3)], GPU)
    assert found is not None
    assert found.expression == f'{ATTRIBUTES}.type == "gpu"'


def test_devices_that_fail_whatever_is_asked_do_not_stand_in_the_way() -> None:
    broken = cel.Device(GPU, {"driverVersion": Attribute("version", "570")})
    found = cel.doctor(TUTORIAL, DIALECT, [*FLEET, (broken, 1)], GPU)
    assert found is not None
    assert found == cel.doctor(TUTORIAL, DIALECT, FLEET, GPU)
