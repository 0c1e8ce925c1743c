"""Tables of results: rows are dataclasses, columns are NumPy arrays."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    import numpy
    import pandas

Row = TypeVar("Row")


class Table(Sequence[Row], Generic[Row]):
    """Rows of one kind. ``table[0]`` is a row, ``table["busy_s"]`` a column."""

    def __init__(self, kind: type[Row], rows: Sequence[Row] = ()) -> None:
        self.kind = kind
        self._rows = list(rows)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return [f.name for f in dataclasses.fields(self.kind)]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> Table[Row]: ...
    @overload
    def __getitem__(self, at: str) -> numpy.ndarray[Any, Any]: ...
    def __getitem__(self, at: int | slice | str) -> Any:
        if isinstance(at, str):
            return self.column(at)
        if isinstance(at, slice):
            return Table(self.kind, self._rows[at])
        return self._rows[at]

    def column(self, name: str) -> numpy.ndarray[Any, Any]:
        """A column; numbers that do not exist are NaN where the others are floating."""
        import numpy

        if name not in self.columns:
            raise KeyError(f"no column {name!r}; there are {', '.join(self.columns)}")
        return numpy.array([getattr(row, name) for row in self._rows])

    def where(self, **wanted: Any) -> Table[Row]:
        """The rows whose columns have these values."""
        rows = [
            row for row in self._rows if all(getattr(row, k) == v for k, v in wanted.items())
        ]
        return Table(self.kind, rows)

    def to_pandas(self) -> pandas.DataFrame:
        """The same as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(
            [dataclasses.asdict(row) for row in self._rows],
            columns=self.columns,
        )

    def __repr__(self) -> str:
        return f"<{len(self)} rows of {self.kind.__name__}: {', '.join(self.columns)}>"
