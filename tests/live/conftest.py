import pytest


@pytest.fixture
def postgres_pair(server):
    """The addresses of a public and a private database, with their tables and nothing else."""
    with server.databases("public", "private") as addresses:
        yield addresses


@pytest.fixture(params=["sqlite", "postgres"])
def pair(request, tmp_path):
    """The addresses of a public and a private store, on either database."""
    if request.param == "sqlite":
        return [str(tmp_path / "experiments.db"), str(tmp_path / "experiments.private.db")]
    return request.getfixturevalue("postgres_pair")


@pytest.fixture(params=["sqlite", "postgres"])
def empty_pair(request, tmp_path):
    """The addresses of two databases without a table, of either kind."""
    if request.param == "sqlite":
        yield [str(tmp_path / "experiments.db"), str(tmp_path / "experiments.private.db")]
        return
    with request.getfixturevalue("server").databases("template0", "template0") as addresses:
        yield addresses
