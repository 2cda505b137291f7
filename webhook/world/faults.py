"""The one error of this floor: a source of the world that cannot be used at all.

Odd objects are never an error: they are skipped, and `World.notes` says so. What raises is what the
user of the command line must mend before anything can be judged: a file that cannot be read, text
that is no YAML, a `ClusterFacts` document with a key that does not exist.
"""

from __future__ import annotations


class WorldError(Exception):
    """A source of the world cannot be used.

    `file` is the path as given (empty when the source is no file), `line` counts from 1 (0 when
    unknown), `problem` is one sentence with its remedy.
    """

    def __init__(self, problem: str, file: str = "", line: int = 0) -> None:
        self.problem = problem
        self.file = file
        self.line = line
        where = f"{file}:{line}" if file and line else file or (f"line {line}" if line else "")
        super().__init__(f"{where}: {problem}" if where else problem)
