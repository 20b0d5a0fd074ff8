import pytest
from tests.service.site import opened


@pytest.fixture
def site():
    with opened() as made:
        yield made
