"""Data that goes to pandas, Polars, Arrow and whatever reads columns."""

from __future__ import annotations

import sys
from abc import abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, Any

from hush.errors import HushError
from hush.extras import require

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Tabular"]

# What makes an Arrow table of columns; whoever asks for an Arrow stream has one of them.
MAKERS = {"pyarrow": "table", "polars": "DataFrame"}


class Tabular:
    """Has columns; whatever reads them needs nothing else.

    ``polars.DataFrame(it)``, ``pyarrow.table(it)`` and, from pandas 3 on,
    ``pandas.DataFrame.from_arrow(it)`` work as they stand, by the Arrow PyCapsule interface. Hush
    itself needs none of them for that.

    Examples
    --------
    >>> import hush
    >>> import polars
    >>> result = hush.simulate(hush.UCB1(), hush.paper_s1(), horizon=100, runs=3, seed=7)
    >>> polars.DataFrame(result).columns
    ['policy', 'run', 'round', 'regret']
    """

    @abstractmethod
    def to_columns(self) -> dict[str, Any]:
        """Return the data as columns of one length: NumPy arrays or lists, by name."""

    def to_pandas(self) -> pd.DataFrame:
        """Return the columns of :meth:`to_columns` as a data frame of pandas."""
        require("a pandas table")
        import pandas as pd

        return pd.DataFrame(self.to_columns())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the same as an Arrow stream, made by the Arrow library that is at hand."""
        for name in sorted(MAKERS, key=lambda each: each not in sys.modules):
            try:
                make = getattr(import_module(name), MAKERS[name])
            except ModuleNotFoundError:
                continue
            return make(self.to_columns()).__arrow_c_stream__(requested_schema)
        raise HushError(
            "an Arrow stream is made by pyarrow or polars, and neither is installed; "
            "to_columns() needs none of them"
        )
