from __future__ import annotations

import pytest

from webhook.kube.json_places import read_json, split_json


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (b'{"a":1,"a":2}', [b'{"a":1,"a":2}']),
        (b' {"a":1}\n\n[2] 3 "x" ', [b'{"a":1}', b"[2]", b"3", b'"x"']),
        (b'{"a":"}{"}{}', [b'{"a":"}{"}', b"{}"]),
        (b'{"a":"\\"}"}', [b'{"a":"\\"}"}']),
        (b"a: 1", None),
        (b'{"a":1', None),
        (b"{a: 1}", None),
        (b'{"a":1}]', None),
        (b'{"a":1} "', None),
        (b"\xff", None),
        (b"", None),
        (b"  ", None),
    ],
)
def test_values_one_after_the_other_keep_their_bytes(
    text: bytes, parts: list[bytes] | None
) -> None:
    assert split_json(text) == parts


def test_places_go_on_counting_over_several_values() -> None:
    found = read_json('{"a":\n1}\n\n  {"b":[true,\n null]}', positions=True)
    assert found is not None
    assert [built.line for built in found] == [1, 4]
    assert dict(found[0].positions) == {(): (1, 1), ("a",): (2, 1)}
    assert dict(found[1].positions) == {
        (): (4, 3),
        ("b",): (4, 4),
        ("b", 0): (4, 9),
        ("b", 1): (5, 2),
    }


def test_without_positions_none_are_kept() -> None:
    found = read_json('{"a":1,"a":2}', positions=False)
    assert found is not None
    assert len(found[0].positions) == 0
    assert found[0].duplicates == ()


def test_a_long_text_is_scanned_in_time_that_grows_with_it() -> None:
    text = '{"a":[' + ",".join(f'{{"k{i}":"\\u00e9{i}"}}' for i in range(20_000)) + "]}"
    found = read_json(text, positions=True)
    assert found is not None
    assert found[0].positions[("a", 19_999, "k19999")] == (1, text.rindex(":") + 2)
