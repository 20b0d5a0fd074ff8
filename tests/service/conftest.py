import pytest
from tests.service.sites import opened


@pytest.fixture
def site():
    with opened() as made:
        yield made
