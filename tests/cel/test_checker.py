"""The checker: types, overloads, resolved names, and cel-go's errors."""

from __future__ import annotations

import time

import pytest

from tests.cel.test_parser import show
from webhook.cel.ast import Call, Ident
from webhook.cel.checker import CheckResult, check, check_result_type
from webhook.cel.dialect import Dialect
from webhook.cel.parser import parse
from webhook.cel.source import render_errors
from webhook.cel.types import ANY, BOOL, DYN, STRING, checker_name, output_name, wrapper_of

NEW = Dialect()
STORED = Dialect(stored=True)
LISTS = Dialect(list_type_attributes=True)
NEXT = Dialect(minor=37)


def checked(expression: str, dialect: Dialect = NEW) -> CheckResult:
    tree = parse(expression, dialect).tree
    assert tree is not None
    return check(tree, dialect)


def type_of(expression: str, dialect: Dialect = NEW) -> str:
    result = checked(expression, dialect)
    assert result.errors == ()
    assert result.result_type is not None
    return checker_name(result.result_type)


def errors_of(expression: str, dialect: Dialect = NEW) -> list[str]:
    result = checked(expression, dialect)
    assert result.result_type is None
    listing = render_errors(expression, result.errors).split("\n")
    return [line.removeprefix("ERROR: <input>:") for line in listing if line.startswith("ERROR")]


TYPES = [
    ("1", "int"),
    ("1u", "uint"),
    ("1.0", "double"),
    ("'a'", "string"),
    ("b'a'", "bytes"),
    ("null", "null"),
    ("[]", "list(dyn)"),
    ("{}", "map(dyn, dyn)"),
    ("[1, 2]", "list(int)"),
    ("[1, 'a']", "list(dyn)"),
    ("[1, dyn(1)]", "list(dyn)"),
    ("[[], [1]]", "list(list(int))"),
    ("[null, duration('1s')]", "list(duration)"),
    ("{'a': [1]}", "map(string, list(int))"),
    ("{'a': 1, 'b': 'c'}", "map(string, dyn)"),
    ("[?optional.of(1)]", "list(int)"),
    ("{?'a': optional.of(1)}", "map(string, int)"),
    ("{'a': 1}.a", "int"),
    ("{'a': 1}.?a", "optional_type(int)"),
    ("{'a': {'b': 1}}.?a.b", "optional_type(int)"),
    ("[1][0]", "int"),
    ("[1][?0]", "optional_type(int)"),
    ("optional.of([1])[0]", "optional_type(int)"),
    ("optional.none()", "optional_type(dyn)"),
    ("optional.none().orValue(1)", "int"),
    ("optional.of('a').optMap(x, x.size())", "optional_type(int)"),
    ("1 + 2", "int"),
    ("[1] + []", "list(int)"),
    ("dyn(1) + 1", "int"),
    ("dyn(1) + dyn(1)", "dyn"),
    ("dyn(1) < 1", "bool"),
    ("1 < 1.5", "bool"),
    ("timestamp(1) - timestamp(0)", "duration"),
    ("true ? 1 : 2", "int"),
    ("true ? 1 : dyn(2)", "dyn"),
    ("true ? [] : [1]", "list(int)"),
    ("true ? null : duration('1s')", "null"),
    ("[1, 2].map(x, string(x))", "list(string)"),
    ("[1, 2].filter(x, x > 1)", "list(int)"),
    ("{'a': 1}.map(k, k)", "list(string)"),
    ("{'a': 1}.exists(k, v, v == 1 && k == 'a')", "bool"),
    ("['a'].transformMap(i, v, v)", "map(int, string)"),
    ("['a'].transformMapEntry(i, v, {v: i})", "map(string, int)"),
    ("[dyn(1)].all(x, x.y.z)", "bool"),
    ("cel.bind(x, [1], x[0])", "int"),
    ("[3, 1].sortBy(x, -x)", "list(int)"),
    ("type(1)", "type(int)"),
    ("int", "type(int)"),
    ("list", "type(list(dyn))"),
    ("type", "type(type)"),
    ("net.IP", "type(net.IP)"),
    ("google.protobuf.Timestamp", "type(timestamp)"),
    ("google.protobuf.NullValue.NULL_VALUE", "int"),
    ("google.protobuf.Int64Value{value: 1}", "wrapper(int)"),
    ("google.protobuf.Int64Value{value: 1} + 1", "int"),
    ("google.protobuf.StringValue{} == null", "bool"),
    ("google.protobuf.Struct{fields: {'a': 1}}", "map(string, dyn)"),
    ("google.protobuf.Value{bool_value: true}", "dyn"),
    ("google.protobuf.Any{}", "any"),
    ("kubernetes.DRADevice{driver: 'a'}.driver", "string"),
    ("device", "kubernetes.DRADevice"),
    ("device.driver", "string"),
    ("device.attributes", "map(string, map(string, any))"),
    ("device.attributes.a.b", "any"),
    ("device.attributes['a'].?b", "optional_type(any)"),
    ("device.capacity['a'].b", "kubernetes.Quantity"),
    ("device.attributes['a'].b == 1", "bool"),
    ("device.attributes['a'].b + 1", "int"),
    ("device.attributes['a'].b.c[0]", "dyn"),
    ("has(device.attributes.a.b)", "bool"),
    ("quantity('1') == null", "bool"),
    ("optional.none() == null", "bool"),
    (".device.driver", "string"),
]


@pytest.mark.parametrize(
    ("expression", "name"),
    TYPES,
    ids=[case[0] for case in TYPES],
)
def test_expressions_have_the_type_that_cel_go_infers(expression: str, name: str) -> None:
    assert type_of(expression) == name


NO_RANGE = "cannot be range of a comprehension (must be list, map, or dynamic)"
ERRORS = [
    ("x", ["1:1: undeclared reference to 'x' (in container '')"]),
    (".x", ["1:2: undeclared reference to '.x' (in container '')"]),
    ("f(1)", ["1:2: undeclared reference to 'f' (in container '')"]),
    ("device.driver.f(1)", ["1:16: undeclared reference to 'f' (in container '')"]),
    (
        "x + y.z",
        [
            "1:1: undeclared reference to 'x' (in container '')",
            "1:5: undeclared reference to 'y' (in container '')",
        ],
    ),
    ("T{}", ["1:2: undeclared reference to 'T' (in container '')"]),
    ("_in_(1, [1])", ["1:5: undeclared reference to '_in_' (in container '')"]),
    ("1 == 1.0", ["1:3: found no matching overload for '_==_' applied to '(int, double)'"]),
    ("-'a'", ["1:1: found no matching overload for '-_' applied to '(string)'"]),
    ("1 in [1.0]", ["1:3: found no matching overload for '@in' applied to '(int, list(double))'"]),
    ("[] + 1", ["1:4: found no matching overload for '_+_' applied to '(list(dyn), int)'"]),
    (
        "true ? 1 : 'a'",
        ["1:6: found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
    ),
    (
        "'a'.startsWith(1)",
        ["1:15: found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ),
    (
        "optional.of(1, 2)",
        ["1:12: found no matching overload for 'optional.of' applied to '(int, int)'"],
    ),
    (
        "startsWith('a', 'a')",
        ["1:11: found no matching overload for 'startsWith' applied to '(string, string)'"],
    ),
    (
        "device['driver']",
        ["1:7: found no matching overload for '_[_]' applied to '(kubernetes.DRADevice, string)'"],
    ),
    (
        "1 && 'a'",
        [
            "1:1: expected type 'bool' but found 'int'",
            "1:6: expected type 'bool' but found 'string'",
        ],
    ),
    ("[?1]", ["1:3: expected type 'optional_type(int)' but found 'int'"]),
    ("{?'a': 1}", ["1:8: expected type 'optional_type(int)' but found 'int'"]),
    ("(1).a", ["1:4: type 'int' does not support field selection"]),
    ("ip('::1').a", ["1:10: type 'net.IP' does not support field selection"]),
    ("device.name", ["1:7: undefined field 'name'"]),
    ("quantity('1').value", ["1:14: unexpected failed resolution of 'kubernetes.Quantity'"]),
    (
        "(1).all(x, x)",
        [
            f"1:2: expression of type 'int' {NO_RANGE}",
        ],
    ),
    (
        "device.attributes.a.b.all(x, true)",
        [
            f"1:20: expression of type 'any' {NO_RANGE}",
        ],
    ),
    ("[1].all(x, x)", ["1:12: expected type 'bool' but found 'int'"]),
    (
        "google.protobuf.Int64Value{value: 'a', x: 1}",
        [
            "1:33: expected type of field 'value' is 'int' but provided type is 'string'",
            "1:41: undefined field 'x'",
        ],
    ),
    ("device{}", ["1:7: 'kubernetes.DRADevice' is not a type"]),
    ("int{}", ["1:4: 'int' is not a message type"]),
]


@pytest.mark.parametrize(("expression", "errors"), ERRORS, ids=[case[0] for case in ERRORS])
def test_errors_have_the_text_and_place_of_cel_go(expression: str, errors: list[str]) -> None:
    assert errors_of(expression) == errors


@pytest.mark.parametrize(
    ("dialect", "field", "name"),
    [
        (NEW, "attributes.a.b", "any"),
        (LISTS, "attributes.a.b", "dyn"),
        (STORED, "attributes.a.b", "any"),
        (Dialect(minor=37, stored=True), "attributes.a.b", "dyn"),
        (STORED, "allowMultipleAllocations", "bool"),
        (Dialect(consumable_capacity=True), "allowMultipleAllocations", "bool"),
    ],
)
def test_the_device_has_the_fields_of_its_dialect(dialect: Dialect, field: str, name: str) -> None:
    assert type_of(f"device.{field}", dialect) == name


def test_fields_behind_a_gate_are_undefined_without_it() -> None:
    assert errors_of("device.allowMultipleAllocations") == [
        "1:7: undefined field 'allowMultipleAllocations'"
    ]


def test_functions_depend_on_the_dialect() -> None:
    old = Dialect(minor=34)
    assert type_of("[1].sort()") == "list(int)"
    assert errors_of("[1].sort()", old) == ["1:9: undeclared reference to 'sort' (in container '')"]
    assert type_of("[1].sort()", Dialect(minor=34, stored=True)) == "list(int)"


def test_overloads_are_those_that_fit_in_order_of_declaration() -> None:
    one = checked("1 + 2")
    assert one.overloads[one.tree.id] == ("add_int64",)
    several = checked("dyn(1) + 2")
    assert several.overloads[several.tree.id] == ("add_int64",)
    index = checked("device.attributes['a']")
    assert index.overloads[index.tree.id] == ("index_map",)
    either = checked("size(dyn(1))")
    assert set(either.overloads[either.tree.id]) == {
        "size_bytes",
        "size_list",
        "size_map",
        "size_string",
    }


def test_qualified_names_come_back_resolved() -> None:
    call = checked("optional.of(1)").tree
    assert isinstance(call, Call)
    assert (call.function, call.target) == ("optional.of", None)
    name = checked("google.protobuf.Timestamp").tree
    assert isinstance(name, Ident)
    assert name.name == "google.protobuf.Timestamp"
    assert show(checked(".device.driver").tree) == "device.driver"


@pytest.mark.parametrize(
    ("dialect", "name"), [(NEW, "list(int)"), (NEXT, "list(kubernetes.DRADevice)")]
)
def test_a_leading_dot_skips_variables_from_cel_go_0_27_on(dialect: Dialect, name: str) -> None:
    assert type_of("[1].map(device, .device)", dialect) == name


@pytest.mark.parametrize(("dialect", "fits"), [(NEW, True), (NEXT, False)], ids=["1.36", "1.37"])
def test_a_variable_hides_qualified_names_from_cel_go_0_27_on(dialect: Dialect, fits: bool) -> None:
    expression = "[1].map(google, google.protobuf.Timestamp)"
    assert (checked(expression, dialect).errors == ()) is fits


def test_messages_are_no_variables_from_cel_go_0_27_on() -> None:
    text = "1:7: undeclared reference to 'device' (in container '')"
    assert errors_of("device{}", NEXT) == [text]


ORDER = [
    ("[].sum()", "int"),
    ("[].min()", "int"),
    ("[].map(x, x + x)", "list(bytes)"),
    ("[].map(x, -x)", "list(double)"),
    ("[].map(x, x * x)", "list(double)"),
    ("[].map(x, x % x)", "list(int)"),
]


@pytest.mark.parametrize(("expression", "name"), ORDER, ids=[case[0] for case in ORDER])
def test_an_element_of_unknown_type_takes_that_of_the_first_overload(
    expression: str, name: str
) -> None:
    assert type_of(expression) == name


def test_every_node_has_a_type() -> None:
    result = checked("device.attributes.exists(d, device.attributes[d].all(k, k != 'x'))")
    assert result.errors == ()
    assert len(result.types) > 20
    assert all(t.kind != "param" for t in result.types.values())


RESULTS = [
    (BOOL, NEW, True),
    (ANY, NEW, True),
    (DYN, NEW, False),
    (DYN, LISTS, True),
    (STRING, NEW, False),
    (wrapper_of(BOOL), NEW, False),
    (wrapper_of(BOOL), NEXT, True),
    (ANY, Dialect(minor=37, stored=True), False),
    (DYN, Dialect(minor=37, stored=True), True),
]


@pytest.mark.parametrize(("result", "dialect", "fits"), RESULTS)
def test_selectors_must_be_bool_or_of_the_type_of_attributes(
    result: object, dialect: Dialect, fits: bool
) -> None:
    assert isinstance(result, type(BOOL))
    text = check_result_type(result, dialect)
    expected = f"must evaluate to bool or the unknown type, not {output_name(result)}"
    assert text == (None if fits else expected)


def _doubling(levels: int) -> str:
    opening = "".join(f"cel.bind(a{i}, {{a{i - 1}: a{i - 1}}}, " for i in range(1, levels))
    return f"cel.bind(a0, {{1: 1}}, {opening}a{levels - 1} == 1{')' * levels}"


HOSTILE = {
    "types that double": _doubling(100),
    "nested empty lists": "[" * 249 + "]" * 249,
    "nested folds": "[1].all(x, " * 240 + "true" + ")" * 240,
    "nested maps": "[1].map(x, true, " * 240 + "x" + ")" * 240,
    "many empty lists": " && ".join(["[] == []"] * 850),
    "long sums of lists": "+".join(["[]"] * 249),
    "many errors": "[" + ",".join(["x"] * 4000) + "]",
}


@pytest.mark.parametrize("expression", HOSTILE.values(), ids=HOSTILE)
def test_hostile_trees_are_checked_in_time(expression: str) -> None:
    type_of("1 == 1")
    start = time.perf_counter()
    result = checked(expression)
    render_errors(expression, result.errors)
    assert time.perf_counter() - start < 0.25
