"""The table of functions against the dump of the real environments."""

from __future__ import annotations

from pathlib import Path

import pytest

from webhook.cel import library
from webhook.cel.dialect import Dialect
from webhook.cel.types import checker_name

_ROWS = [
    line.split("\t")
    for line in (Path(__file__).parent / "data" / "overloads.tsv").read_text("utf-8").splitlines()
]
_COLUMNS = _ROWS[0][6:]


def _declared(dialect: Dialect) -> set[tuple[str, str, str, str, str]]:
    return {
        (
            name,
            overload.id,
            "member" if overload.member else "global",
            ", ".join(checker_name(t) for t in overload.params) or "()",
            checker_name(overload.result),
        )
        for name, function in library.functions(dialect).items()
        for overload in function.overloads
    }


@pytest.mark.parametrize("gates", [False, True])
@pytest.mark.parametrize("column", _COLUMNS)
def test_the_table_is_the_environment_of_each_server_version(column: str, gates: bool) -> None:
    where = 6 + _COLUMNS.index(column)
    environment, version = column.split("-")
    wanted = {"yes", "gate"} if gates else {"yes"}
    dialect = Dialect(
        minor=int(version.split(".")[1]),
        stored=environment == "stored",
        list_type_attributes=gates,
        consumable_capacity=gates,
    )
    expected = {tuple(r[1:6]) for r in _ROWS if r[0] == "function" and r[where] in wanted}
    assert _declared(dialect) == expected


def test_no_overload_is_declared_twice() -> None:
    for name, function in library.functions(Dialect(stored=True)).items():
        ids = [overload.id for overload in function.overloads]
        assert len(ids) == len(set(ids)), name


def test_type_names_are_those_of_the_environment() -> None:
    names = {
        name: checker_name(t).replace("type(null)", "type(null)")
        for name, t in library.type_names(Dialect()).items()
    }
    assert names == {r[1]: r[5] for r in _ROWS if r[0] == "type name"}
