"""Random selectors from a grammar of types: most compile, some are broken on purpose."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random

# <kind> is an expression of that kind; {a|b} is a choice. What a kind's leaves and its composed
# forms are stands in the two tables.
LEAVES = {
    "bool": ["true", "false", "<bool attribute>", "has(<path>)", '"{type|ecc|x}" in <domain>'],
    "int": ["<number>", "<number>", "<int attribute>"],
    "number": ["0", "1", "-1", "2", "7", "40", "9223372036854775807", "-9223372036854775808"],
    "uint": ["0u", "1u", "7u", "18446744073709551615u"],
    "double": ["0.0", "1.5", "-2.25", "1e10", "8.0", "1e308", "0.1"],
    "string": ["<text>", "<text>", "<string attribute>", "device.driver"],
    "text": ['"{|a|gpu|Ampere|1.2.3|40Gi|é|10.0.0.1|x/y|true|12|1.5}"', '"NVIDIA A100-SXM4-40GB"'],
    "pattern": [r'"{A100|^a|[|a*|(x|y)+|\\d+||\\bA|$}"'],
    "bytes": ['b"{|a|gpu|\\xff}"', "bytes(<string>)"],
    "version": [
        'semver("{1.2.3|570.195.3|8.0.0|1.0.0-rc.1|1.0.0+b|8.0|01.2.3}")',
        "<version attribute>",
    ],
    "quantity": [
        'quantity("{1|40Gi|0|100m|1.5Gi|1e3|12E|-5|0.1|x|5Pi|80Gi|1k}")',
        "<capacity>.memory",
        '<capacity>["memory"]',
    ],
    "list": ['["a", "gpu"]', '["Ampere", "Hopper"]', "[]", '"a,b,c".split(",")', "[<text>]"],
    "ints": ["[1, 2, 3]", "[]", "[7]", "[3, 1, 2]", "lists.range(4)"],
    "map": ['{"a": 1, "b": 2}', '{"x": <int>}', '{"a": 0}'],
    "duration": ['duration("{1h|90s|-1m|x}")'],
    "timestamp": ['timestamp("{2024-02-29T12:00:00Z|1970-01-01T00:00:00Z|x}")'],
    "ip": ['ip("{10.0.0.1|::1|x}")'],
    "cidr": ['cidr("{10.0.0.0/8|::/0|10.1.2.3/24}")'],
    "optional": ["<domain>.?<name>", "<domain>[?<text>]", "optional.none()", "optional.of(<int>)"],
    "any": ["<string attribute>", "<version attribute>", "<int attribute>", "<bool attribute>"],
    "string attribute": [
        "<domain>.{productName|architecture|type|brand|uuid|profile}",
        '<domain>["{productName|type}"]',
        "<domain>.?{productName|type|profile}.orValue(<text>)",
    ],
    "version attribute": ["<domain>.{driverVersion|cudaComputeCapability|cudaDriverVersion}"],
    "int attribute": ["<domain>.{index|minor|count|numaNode}", "<domain>.?index.orValue(<number>)"],
    "bool attribute": ["<domain>.{healthy|ecc}", "<domain>.?healthy.orValue(false)"],
    "path": ["<domain>.<name>", "<capacity>.memory", "device.attributes.gpu", "device.driver"],
    "name": ["{productName|type|index|driverVersion|healthy|nothing|size}"],
    "domain": ['device.attributes["gpu.nvidia.com"]'] * 8 + ["device.attributes.gpu"],
    "capacity": ['device.capacity["gpu.nvidia.com"]'],
    "scalar": ["<int>", "<string>", "<double>", "<bool>", "<uint>"],
}

FORMS = {
    "bool": [
        "<bool> && <bool>",
        "<bool> || <bool>",
        "!(<bool>)",
        "(<bool> ? <bool> : <bool>)",
        "<int> {==|!=} <int>",
        "<string> {==|!=} <string>",
        "<double> {==|!=} <double>",
        "<version> {==|!=} <version>",
        "<quantity> {==|!=} <quantity>",
        "<bytes> == <bytes>",
        "<ints> == <ints>",
        "<map> == <map>",
        "<optional> == <optional>",
        "<any> {==|!=} <any>",
        "<any> {==|!=} <scalar>",
        "<scalar> == <any>",
        "<scalar> == <scalar>",
        "<any> {<|>=} <scalar>",
        "dyn(<scalar>) {==|!=|<} dyn(<scalar>)",
        "<int> {<|<=|>|>=} <int>",
        "<int> {<|<=|>|>=} <double>",
        "<uint> {<|>} <double>",
        "<string> {<|>=} <string>",
        "<string>.{startsWith|endsWith|contains}(<string>)",
        "<string>.matches(<pattern>)",
        "matches(<string>, <pattern>)",
        "<string> in <list>",
        "<int> in <ints>",
        "<any> in [1, 2]",
        "<version>.{isGreaterThan|isLessThan}(<version>)",
        "<quantity>.{isGreaterThan|isLessThan}(<quantity>)",
        "<quantity>.compareTo(<quantity>) {>=|==|<} 0",
        "<quantity>.isInteger()",
        "{isQuantity|isSemver|isIP|isURL|isCIDR}(<string>)",
        "<ip> == <ip>",
        "<cidr>.containsIP(<ip>)",
        "<cidr>.containsCIDR(<text>)",
        "<list>.{all|exists|exists_one}(@string)",
        "<ints>.{all|exists|exists_one}(@int)",
        "<domain>.{all|exists}(k, k.size() > 2)",
        "<domain>.exists(k, v, k == <text>)",
        "<map>.{all|exists}(k, v, v > <int>)",
        "sets.{contains|intersects|equivalent}(<ints>, <ints>)",
        "{<ints>|<list>}.isSorted()",
        "cel.bind(~string)",
        "cel.bind(~int)",
        "cel.bind(~any)",
        "<duration> < <duration>",
        "<timestamp> + <duration> > <timestamp>",
        "format.dns1123Label().validate(<string>).hasValue()",
        "<optional>.hasValue()",
        "{bool|dyn}(<text>)",
        "type(<scalar>) == type(<scalar>)",
    ],
    "int": [
        "(<int> {+|-|*|/|%} <int>)",
        "<string>.size()",
        "size({<list>|<map>|<ints>})",
        "int({<double>|<string>|<int>|<uint>})",
        "<version>.{major|minor|patch}()",
        "<string>.{indexOf|lastIndexOf}(<string>)",
        "<ints>[{0|1|-1|5}]",
        "<ints>.{min|max|sum}()",
        "<ints>.{indexOf|lastIndexOf}(<int>)",
        "<quantity>.asInteger()",
        "<map>.{a|b}",
        '<map>["a"]',
        "<timestamp>.{getFullYear|getDayOfYear|getHours}()",
        "<duration>.getMinutes()",
        "{<ip>|<ip>}.family()",
        "<optional>.orValue(<int>)",
        "<ints>.first().orValue(3)",
        "-(<int>)",
    ],
    "double": [
        "(<double> {+|-|*|/} <double>)",
        "double({<int>|<string>})",
        "<quantity>.asApproximateFloat()",
    ],
    "uint": ["uint({<int>|<double>})", "(<uint> {+|-|*} <uint>)"],
    "string": [
        "(<string> + <string>)",
        "<string>.{lowerAscii|upperAscii|trim}()",
        "<string>.replace(<string>, <string>)",
        "<string>.substring({0|1|2})",
        "<string>.substring(0, {1|4})",
        "<list>.join(<string>)",
        "<list>.join()",
        "string({<int>|<double>|<bool>|<ip>|<duration>})",
        "<list>[{0|1|3}]",
        '"{%s-%d|%d%s|%s}".format([<string>, <int>])',
        '"{%s|%x|%.2f}".format([<scalar>])',
        "<string>.charAt({0|1})",
        "(<bool> ? <string> : <string>)",
        "<string>.find(<pattern>)",
        "strings.quote(<string>)",
        "url(<string>).getHost()",
    ],
    "version": ["semver(<string>, true)", "(<bool> ? <version> : <version>)"],
    "quantity": ["<quantity>.{add|sub}({<quantity>|<int>})", "quantity(<string>)"],
    "list": [
        "[<string>, <string>]",
        "(<list> + <list>)",
        "<string>.split(<string>)",
        "<string>.split(<string>, 2)",
        "<list>.filter(f, f != <string>)",
        "<list>.map(m, m + <string>)",
        "<list>.{reverse|distinct|sort}()",
        "<string>.findAll(<pattern>)",
    ],
    "ints": [
        "[<int>, <int>]",
        "<ints>.map(i, i * <int>)",
        "<ints>.map(i, i > 1, i)",
        "<ints>.transformList(i, v, i + v)",
        "<ints>.slice(0, {0|1|2})",
        "[<ints>, <ints>].flatten()",
        "<ints>.sortBy(s, -s)",
    ],
    "map": ["<map>.transformMap(k, v, v + 1)", "<list>.transformMapEntry(i, v, {v: i})"],
    "optional": ["<optional>.optMap(o, o)", "optional.ofNonZeroValue(<int>)", "<ints>.last()"],
    "any": ["(<bool> ? <any> : <any>)", "dyn(<scalar>)", "<domain>[<text>]"],
}

_HOLE = re.compile(r"<([a-z ]+)>|\{((?:[^{}\"]|\"(?!:))*\|[^{}]*)\}|([@~])(\w+)")


@dataclass
class Grammar:
    """Makes expressions of a wanted kind; `random` alone decides, so a seed is a corpus."""

    random: Random
    variables: list[tuple[str, str]] = field(default_factory=list)

    def selector(self) -> str:
        """Return one expression, in one of eight cases with a token changed."""
        text = self.make("bool", self.random.choice([2, 3, 3, 4]))
        return self._broken(text) if self.random.random() < 0.12 else text

    def make(self, kind: str, depth: int) -> str:
        """Return an expression of a kind (or of any, whose type is known at run time only)."""
        named = [name for name, of in self.variables if of in {kind, "any"}]
        if named and self.random.random() < 0.35:
            return self.random.choice(named)
        if kind in FORMS and depth > 0:
            if self.random.random() < 0.03:
                return f"dyn({self.make(kind, depth - 1)})"
            if self.random.random() < 0.8:
                return self._filled(self.random.choice(FORMS[kind]), depth - 1)
        return self._filled(self.random.choice(LEAVES[kind]), depth - 1)

    def _filled(self, template: str, depth: int) -> str:
        def fill(hole: re.Match[str]) -> str:
            if hole[1] is not None:
                return self.make(hole[1], depth)
            if hole[2] is not None:
                return self._filled(self.random.choice(hole[2].split("|")), depth)
            return self._scoped(hole[4], depth, bound=hole[3] == "~")

        return _HOLE.sub(fill, template)

    def _scoped(self, kind: str, depth: int, *, bound: bool) -> str:
        """Return `x, <bool>` with x known in it, or `x, <kind>, <bool>` for a bind."""
        name = self.random.choice(["b", "c"] if bound else ["x", "y", "z"])
        value = f"{self.make(kind, depth)}, " if bound else ""
        self.variables.append((name, kind))
        body = self.make("bool", depth)
        self.variables.pop()
        return f"{name}, {value}{body}"

    def _broken(self, text: str) -> str:
        """Change, drop or double one piece, so that parser and checker have something to say."""
        places = [i for i, c in enumerate(text) if not c.isalnum()]
        if not places:
            return text
        place = self.random.choice(places)
        changes = ["", text[place] * 2, " ", "(", ")", '"', ".", "[", "?", "&", "1", "é"]
        return text[:place] + self.random.choice(changes) + text[place + 1 :]


def expressions(seed: int, count: int) -> list[str]:
    """Return `count` expressions, always the same ones for a seed."""
    grammar = Grammar(Random(seed))  # noqa: S311 - a corpus, no secret
    return [grammar.selector() for _ in range(count)]
