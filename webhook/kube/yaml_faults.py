"""What is wrong with a text that should be YAML or JSON."""

from __future__ import annotations


class YamlError(ValueError):
    """Text that cannot be read; `str()` gives `file:line:column: text`, the text its remedy."""

    def __init__(self, text: str, file: str = "", line: int = 0, column: int = 0) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part)
        super().__init__(f"{place}: {text}" if place else text)
        self.text = text
        self.file = file
        self.line = line
        self.column = column
