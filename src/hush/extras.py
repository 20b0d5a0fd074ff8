"""What needs more than the base installation, and the one line about what is missing.

Whatever needs an extra asks :func:`require` before it does any work.
"""

from __future__ import annotations

from importlib.util import find_spec

from hush.errors import MissingExtraError

__all__ = ["DISTRIBUTION", "NEEDS", "require"]

DISTRIBUTION = "hush-dp"
LIVE = ("sqlalchemy", "alembic")
SERVE = (*LIVE, "msgspec", "prometheus_client", "uvicorn", "httptools", "jinja2")

# What is used, the extra that brings what it needs, and the packages it imports from that.
NEEDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "hush.simulate": ("lab", ("numba",)),
    "hush.identify": ("lab", ("numba",)),
    "hush.actg175": ("data", ("lifelines",)),
    "hush.rand_health": ("data", ("statsmodels",)),
    "hush.studies": ("lab", ("numba",)),
    "an exact law of noisy sums": ("lab", ("numba",)),
    "a picture": ("lab", ("matplotlib",)),
    "a pandas table": ("lab", ("pandas",)),
    "the command hush": ("lab", ("typer", "rich")),
    "an adapter of gymnasium": ("adapters", ("gymnasium",)),
    "an adapter of mabwiser": ("adapters", ("mabwiser",)),
    "an adapter of river": ("adapters", ("river",)),
    "a Dask cluster": ("dask", ("distributed",)),
    "hush.live": ("live", LIVE),
    "hush.forecast": ("lab,live", ("numba", *LIVE)),
    "a postgresql:// store": ("postgres", ("psycopg",)),
    "a Parquet file": ("parquet", ("pyarrow",)),
    "hush.client": ("client", (*LIVE, "httpx", "msgspec")),
    "hush.service": ("serve", SERVE),
    "hush simulate": ("lab", ("numba",)),
    "hush compare": ("lab", ("numba", "pandas")),
    "hush identify": ("lab", ("numba",)),
    "hush reproduce": ("lab", ("numba", "pandas", "matplotlib")),
    "hush run": ("lab", ("numba", "pandas", "matplotlib")),
    "hush study": ("lab", ("numba",)),
    "hush forecast": ("lab,live", ("numba", *LIVE)),
    "hush experiment": ("live", LIVE),
    "hush store": ("live", LIVE),
    "hush token": ("live", LIVE),
    "hush serve": ("serve", SERVE),
    "hush dashboard": ("serve", SERVE),
}


def require(feature: str) -> None:
    """Raise if a package that a feature needs is not installed; import nothing.

    Parameters
    ----------
    feature
        One of :data:`NEEDS`.

    Examples
    --------
    >>> require("hush.simulate")
    >>> import sys
    >>> getfixture("monkeypatch").setitem(sys.modules, "numba", None)  # as if it were not there
    >>> require("hush.simulate")
    Traceback (most recent call last):
        ...
    hush.errors.MissingExtraError: hush.simulate needs numba: pip install 'hush-dp[lab]'
    """
    extra, packages = NEEDS[feature]
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        *others, last = missing
        listed = f"{', '.join(others)} and {last}" if others else last
        line = f"{feature} needs {listed}: pip install '{DISTRIBUTION}[{extra}]'"
        raise MissingExtraError(line, name=missing[0])
