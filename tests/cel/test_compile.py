from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from webhook import cel

GPU = "gpu.nvidia.com"
NAME = f'device.attributes["{GPU}"].productName'
A100 = cel.Device(GPU, {"productName": cel.Attribute("string", "NVIDIA A100-SXM4-40GB")})


@pytest.mark.parametrize(
    ("expression", "verdict", "error"),
    [
        (f'{NAME} == "x"', "ok", None),
        ("", "invalid", "compilation failed: ERROR: <input>:1:0: Syntax error: "),
        (
            "device.nothing",
            "invalid",
            "compilation failed: ERROR: <input>:1:7: undefined field 'nothing'",
        ),
        ('duration("x") == duration("1s")', "invalid", "invalid duration argument"),
        ("1", "invalid", "must evaluate to bool or the unknown type, not int"),
        ("[1]", "invalid", "must evaluate to bool or the unknown type, not list(int)"),
        (
            'device.attributes["a"]',
            "invalid",
            "must evaluate to bool or the unknown type, not map(string, google.protobuf.Any)",
        ),
        (
            'true || int("x") == 1',
            "internal",
            "program instantiation failed: type conversion error from 'string' to 'int'",
        ),
        ("type(1) == int", "too_complex", "too complex, exceeds cost limit"),
        (f'"{"x" * 10_300}" == ""', "invalid", "may not be more than 10240 bytes"),
        (f'"{"é" * 5_200}" == ""', "invalid", "may not be more than 10240 bytes"),
    ],
)
def test_verdict_and_detail(expression: str, verdict: str, error: str | None) -> None:
    selector = cel.compile(expression)
    assert selector.verdict == verdict
    assert selector.ok is (verdict == "ok")
    if error is None:
        assert selector.error is None
    else:
        assert error in (selector.error or "")


def test_a_parse_error_hides_type_errors_and_these_hide_validators() -> None:
    assert "Syntax error" in (cel.compile('device.nothing && duration("x") &').error or "")
    error = cel.compile('device.nothing && duration("x") == duration("y")').error or ""
    assert "undefined field" in error
    assert "invalid duration" not in error


def test_the_first_error_has_a_place() -> None:
    selector = cel.compile("true &&\n  device.nothing")
    assert (selector.error_line, selector.error_column) == (2, 9)
    assert cel.compile("true").error_line is None
    assert cel.compile("1").error_line is None


def test_a_selector_that_is_too_complex_still_evaluates_as_if_it_were_stored() -> None:
    selector = cel.compile(f'device.attributes["{GPU}"].?productName.orValue("").contains("A100")')
    assert selector.verdict == "too_complex"
    assert selector.max_cost is not None
    assert selector.max_cost > cel.COST_LIMIT
    assert selector.evaluate(A100).match is True


def test_a_selector_that_does_not_compile_answers_its_error_for_every_device() -> None:
    selector = cel.compile("device.nothing")
    assert selector.evaluate(A100) == cel.Outcome(None, selector.error, 0)


@pytest.mark.parametrize(
    ("expression", "new", "stored"),
    [
        ("[2, 1].sort() == [1, 2]", {34: False, 35: True, 36: True}, {34: True}),
        ("device.allowMultipleAllocations", {36: False}, {34: True, 36: True}),
        (f'{NAME}.includes("x")', {36: False}, {36: True}),
    ],
)
def test_servers_admit_less_than_schedulers_understand(
    expression: str, new: dict[int, bool], stored: dict[int, bool]
) -> None:
    for minor, ok in new.items():
        assert cel.compile(expression, cel.Dialect(minor=minor)).ok is ok
    for minor, ok in stored.items():
        assert cel.compile(expression, cel.Dialect(minor=minor, stored=True)).ok is ok


def test_a_feature_gate_adds_to_what_is_admitted() -> None:
    dialect = cel.Dialect(consumable_capacity=True, list_type_attributes=True)
    assert cel.compile("device.allowMultipleAllocations", dialect).ok
    assert cel.compile(f"{NAME}.includes('x')", dialect).ok


def test_equal_texts_are_compiled_once() -> None:
    assert cel.compile(f'{NAME} == "once"') is cel.compile(f'{NAME} == "once"')


def test_threads_may_compile_and_evaluate_the_same_selectors() -> None:
    def work(number: int) -> bool | None:
        selector = cel.compile(f'{NAME} == "NVIDIA A100-SXM4-40GB" && {number % 7} >= 0')
        return selector.evaluate(A100).match

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(work, range(200))) == {True}
