from __future__ import annotations

import json
import time
from typing import Any

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from tests.kube.json_values import json_values
from webhook.kube.types import Document, Duplicate
from webhook.kube.yaml import YamlError, load_documents

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: trainer
  labels: {app: "x", tier: 'y'}
spec:
  containers:
  - name: main
    command: [run,
      fast]
"""


def one(text: str | bytes) -> Document:
    documents = load_documents(text, "f.yaml")
    assert len(documents) == 1
    return documents[0]


def value_of(scalar: str) -> Any:
    return one(f"v: {scalar}\n").value["v"]


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("yes", True),
        ("Off", False),
        ("y", True),
        ("N", False),
        ("true", True),
        ("~", None),
        ("", None),
        ("null", None),
        ("1:30", "1:30"),
        ("2020-01-01", "2020-01-01"),
        ("2020-01-01T10:00:00Z", "2020-01-01T10:00:00Z"),
        ("1e3", 1000),
        ("50.0", 50),
        ("0.5", 0.5),
        (".5", 0.5),
        ("1_000", 1000),
        ("0x1F", 31),
        ("010", 8),
        ("0o17", 15),
        ("0b11", 3),
        ("08", 8),
        ("-7", -7),
        ("+7", 7),
        ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", 18446744073709552000),
        ("1e400", "1e400"),
        ("1.2.3", "1.2.3"),
        ("10Gi", "10Gi"),
        ('"yes"', "yes"),
        ("'50.0'", "50.0"),
        ("!!str 5", "5"),
        ("!!int '5'", 5),
        ("!!float 5", 5),
        ("!!binary aGFsbG8=", "hallo"),
        ("!foo 5", "5"),
        ("=", "="),
    ],
)
def test_scalars_are_read_as_kubectl_reads_them(scalar: str, value: object) -> None:
    found = value_of(scalar)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("key", "text"), [("yes", "true"), ("5", "5"), ("1.5", "1.5"), ("'~'", "~")]
)
def test_keys_become_text_as_in_json(key: str, text: str) -> None:
    assert one(f"{key}: 1\n").value == {text: 1}


def test_places_are_those_of_values_and_for_collections_of_their_keys() -> None:
    document = one(POD)
    assert document.line == 1
    assert document.positions[("kind",)] == (2, 7)
    assert document.positions[("metadata",)] == (3, 1)
    assert document.positions[("metadata", "labels")] == (5, 3)
    assert document.positions[("metadata", "labels", "tier")] == (5, 28)
    assert document.positions[("spec", "containers")] == (7, 3)
    assert document.positions[("spec", "containers", 0)] == (8, 5)
    assert document.positions[("spec", "containers", 0, "command", 1)] == (10, 7)
    assert document.position(("spec", "containers", 0, "image")) == (8, 5)
    assert document.position(("status", "x")) == (1, 1)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("e: |\n  one\n  two\n", (2, 3, 2)),
        ("e: |-   # comment\n\n      one\n", (2, 7, 6)),
        ("e: |2\n     one\n   two\n", (2, 3, 2)),
        ("e: one two\n", (1, 4, 3)),
        ("e: 'one'\n", (1, 5, 4)),
        ('e: "one"\n', (1, 5, 4)),
        ("e: >-\n  one two\n", (2, 3, 2)),
        ("{e: one}", (1, 5, 4)),
        ('{"e":"one"}', (1, 7, 6)),
    ],
)
def test_texts_start_where_their_first_character_stands(
    text: str, start: tuple[int, int, int]
) -> None:
    assert one(text).text_starts[("e",)] == start


@pytest.mark.parametrize(
    "text", ['e: "a\\"b"\n', "e: 'it''s'\n", "e: >\n  a\n  b\n", "e: one\n  two\n", '{"e":"a\\nb"}']
)
def test_no_start_is_told_where_places_in_the_text_would_be_wrong(text: str) -> None:
    assert ("e",) not in one(text).text_starts


def test_the_start_of_a_block_leads_to_every_place_in_it() -> None:
    text = "spec:\n  expression: |\n    device.a ==\n      'x'\n"
    document = one(text)
    line, column, indent = document.text_starts[("spec", "expression")]
    lines = text.split("\n")
    for number, part in enumerate(document.value["spec"]["expression"].rstrip("\n").split("\n")):
        source = lines[line - 1 + number]
        assert source[(column - 1 if number == 0 else indent) :] == part


@pytest.mark.parametrize("breaks", ["\n", "\r\n"])
def test_several_documents_empty_ones_and_marks_of_byte_order(breaks: str) -> None:
    text = breaks.join(["---", "---", "a: 1", "...", "---", "# only this", "---", "b: 2", ""])
    documents = load_documents(b"\xef\xbb\xbf" + text.encode(), "f")
    assert [(d.value, d.line) for d in documents] == [({"a": 1}, 3), ({"b": 2}, 8)]
    assert load_documents("", "f") == []
    assert load_documents(b"\xef\xbb\xbf", "f") == []


def test_lists_are_replaced_by_their_items_with_their_own_places() -> None:
    text = (
        "apiVersion: v1\nkind: List\nitems:\n- kind: Pod\n  metadata:\n    name: a\n"
        "- kind: PodList\n  apiVersion: v1\n  items:\n  - metadata: {name: b, name: c}\n- 5\n"
    )
    first, second = load_documents(text, "f")
    assert first.value["metadata"] == {"name": "a"}
    assert first.line == 4
    assert first.positions[("metadata", "name")] == (6, 11)
    assert second.value == {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "c"}}
    assert second.position(("metadata", "name")) == (10, 31)
    assert second.duplicates == (Duplicate(("metadata", "name"), ("b", "c")),)
    assert set(second.positions) >= {(), ("metadata",), ("metadata", "name")}
    assert [d.line for d in load_documents(text, "f", positions=False)] == [1, 1]


def test_json_is_read_as_json_with_places_found_when_asked_for() -> None:
    text = '{\n "a": 50.0,\n "b": [{"c": "x"}, {}],\n "a": 1\n}\n{"z": 1}'
    first, second = load_documents(text, "f.json")
    assert first.value == {"a": 1, "b": [{"c": "x"}, {}]}
    assert first.duplicates == (Duplicate(("a",), (50.0, 1)),)
    assert first.positions[("b", 0, "c")] == (3, 14)
    assert first.positions[("b",)] == (3, 2)
    assert first.positions[("a",)] == (4, 7)
    assert (second.value, second.line) == ({"z": 1}, 6)
    assert second.positions[("z",)] == (6, 7)
    assert type(one('{"a": 50.0}').value["a"]) is float


@given(st.dictionaries(st.text(max_size=5), json_values(), min_size=1))
def test_json_and_its_yaml_give_the_same_places_for_the_same_text(value: dict[str, Any]) -> None:
    text = json.dumps(value, indent=1)
    if value.get("kind") is not None:
        return
    document = one(text)
    assert document.value == value
    for path, (line, column) in document.positions.items():
        assert text.split("\n")[line - 1][column - 1] not in " \n,:]}"
        node: Any = document.value
        for step in path:
            node = node[step]


def test_repeated_keys_are_told_and_the_last_one_counts() -> None:
    document = one("a: 1\nb: {c: x, c: z}\na: [2]\na: 3\n")
    assert document.value == {"a": 3, "b": {"c": "z"}}
    assert list(document.duplicates) == [
        Duplicate(("b", "c"), ("x", "z")),
        Duplicate(("a",), (1, [2], 3)),
    ]


def test_merge_keys_lay_maps_over_each_other_and_repeat_nothing() -> None:
    document = one(
        "base: &b {k: 1, l: 2}\nother: &o {k: 5, m: 6}\n"
        "c:\n  <<: *b\n  l: 3\nd:\n  <<: [*b, *o]\n  x: 0\n"
    )
    assert document.value["c"] == {"k": 1, "l": 3}
    assert document.value["d"] == {"k": 1, "l": 2, "m": 6, "x": 0}
    assert document.duplicates == ()


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("a: 1\n b: 2\n", 2, 3, "mapping values are not allowed"),
        ("a:\n\tb: 1\n", 2, 1, "tab"),
        ("a: [1, 2\n", 2, 1, "flow sequence"),
        ("a: \x07\n", 1, 4, "U+0007"),
        ("ä: \x00\n", 1, 4, "U+0000"),
        (b"a: 1\nb: \xff\n", 2, 4, "UTF-8"),
        ("a: 1\n".encode("utf-16"), 1, 1, "UTF-16"),
        ("- a\n", 1, 1, "a list, not an object"),
        ("---\na: 1\n---\nword\n", 4, 1, "a single value"),
        ("a: *x\n", 1, 4, "has no anchor"),
        ("a: &x [*x]\n", 1, 8, "inside its own anchor"),
        ("a: .nan\n", 1, 4, "JSON"),
        ("? [a]\n: b\n", 1, 3, "a key must be text"),
        ("~: 1\n", 1, 1, "not null"),
        ("<<: 5\n", 1, 1, "merge"),
        ("a: !!int x\n", 1, 4, "!!int"),
        ("a: " + "[" * 200, 1, 103, "nests deeper"),
        ("- " * 200, 1, 201, "nests deeper"),
        ("[" * 100_000, 1, 1001, "nests deeper"),
        ("{{ .Values.x }}\n", 1, 2, "a key must be text"),
        ("a: \ud800\n", 1, 1, "surrogate"),
    ],
)
def test_text_that_cannot_be_read_is_told_with_its_place(
    text: str | bytes, line: int, column: int, words: str
) -> None:
    with pytest.raises(YamlError) as caught:
        load_documents(text, "dir/f.yaml")
    error = caught.value
    assert (error.file, error.line, error.column) == ("dir/f.yaml", line, column)
    assert words in error.text
    assert str(error) == f"dir/f.yaml:{line}:{column}: {error.text}"


def test_aliases_are_bounded_in_number_and_depth() -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} [{','.join(['*' + chr(97 + i)] * 10)}]\n" for i in range(8)
    )
    with pytest.raises(YamlError, match="aliases make the document too large"):
        load_documents(bomb)
    deep = "a: &a " + "[" * 60 + "]" * 60 + "\nb: " + "[" * 60 + "*a" + "]" * 60 + "\n"
    with pytest.raises(YamlError, match="nests deeper"):
        load_documents(deep)
    assert one("a: &a [1]\nb: *a\n").value["b"] == [1]


def read_or_refused(text: str | bytes) -> list[Document] | YamlError:
    try:
        return load_documents(text, "f")
    except YamlError as error:
        return error


@given(st.text(alphabet="abn:-[]{}&*!|>'\"# \n\t,?<~0.5y", max_size=40))
def test_any_text_is_read_or_refused_with_our_own_error(text: str) -> None:
    found = read_or_refused(text)
    if isinstance(found, YamlError):
        assert found.text
        assert found.line
    else:
        assert all(isinstance(document.value, dict) for document in found)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_with_our_own_error(data: bytes) -> None:
    found = read_or_refused(data)
    assert not isinstance(found, YamlError) or found.file == "f"


@given(st.dictionaries(st.text(max_size=5), json_values(), min_size=1))
def test_what_pyyaml_writes_is_read_back(value: dict[str, Any]) -> None:
    # Words such as `y` or `2_0` are text for PyYAML and not for kubectl: all scalars in quotes.
    quoted = pyyaml.dump(_texts(value), default_style='"', allow_unicode=False)
    if isinstance(value.get("kind"), str):
        return
    found = load_documents(quoted, "f")
    assert found[0].value == _texts(value)


def _texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _texts(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_texts(item) for item in value]
    return value if isinstance(value, str) else json.dumps(value)


def test_a_thousand_pods_take_less_than_a_second() -> None:
    text = "---\n".join([POD] * 1000)
    start = time.perf_counter()
    assert len(load_documents(text)) == 1000
    assert time.perf_counter() - start < 1
