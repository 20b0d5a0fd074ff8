import pytest
from tests.client.sides import Time, opened

import hush


@pytest.fixture(params=["Client", "AsyncClient"])
def side(request):
    """One client and then the other."""
    with opened(getattr(hush, request.param)) as made:
        yield made


@pytest.fixture
def time():
    return Time()
