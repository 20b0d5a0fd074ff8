"""The desk: groups form, errors are everybody's own, and nobody waits for whoever is gone."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from hush.service.desk import ENOUGH, MOST, Desk


@pytest.fixture(params=["loop", "thread"])
def made(request):
    """What makes a desk, and the sizes of the groups that it ran."""
    sizes = []

    def run(asked):
        sizes.append(len(asked))
        if "bad" in asked:
            raise ValueError("as if the store were gone")
        return [each * 2 for each in asked]

    if request.param == "loop":
        yield lambda: Desk(run, None), sizes
        return
    with ThreadPoolExecutor(1) as thread:
        yield lambda: Desk(run, thread), sizes


def test_what_comes_together_is_one_group(made):
    make, sizes = made

    async def example():
        desk = make()
        found = await asyncio.gather(*(desk.answer([n, n + 1]) for n in range(10)))
        again = await desk.answer([7])
        return found, again

    found, again = asyncio.run(example())
    assert found == [[2 * n, 2 * n + 2] for n in range(10)]
    assert again == [14]
    assert sizes == [20, 1]


def test_a_group_has_its_limit_and_a_large_request_is_alone(made):
    make, sizes = made

    async def example():
        desk = make()
        return await asyncio.gather(*(desk.answer(list(range(600))) for _ in range(3)))

    assert asyncio.run(example()) == [[2 * n for n in range(600)]] * 3
    assert sizes == [600, 600, 600]
    assert MOST == 1_000


def test_an_error_reaches_all_who_asked_and_the_desk_goes_on(made):
    make, _ = made

    async def example():
        desk = make()
        asked = (desk.answer(["bad"]), desk.answer([1]))
        failed = await asyncio.gather(*asked, return_exceptions=True)
        return failed, await desk.answer([2])

    failed, later = asyncio.run(example())
    assert [type(each) for each in failed] == [ValueError, ValueError]
    assert later == [4]


def test_whoever_is_gone_changes_nothing_for_others(made):
    make, sizes = made

    async def example():
        desk = make()
        leaving = desk.answer([1])
        staying = desk.answer([2])
        await asyncio.sleep(0)
        leaving.cancel()
        return await staying

    assert asyncio.run(example()) == [4]
    assert sizes == [2]


def test_while_more_keep_coming_they_are_one_group_and_then_nobody_waits_longer():
    sizes = []
    desk = Desk(lambda asked: sizes.append(len(asked)) or asked, None)

    async def example():
        late = []

        async def follow(left):
            late.append(desk.answer([left]))
            if left:
                await asyncio.sleep(0)
                await follow(left - 1)

        await asyncio.gather(follow(5), follow(200))
        await asyncio.gather(*late)

    asyncio.run(example())
    assert max(sizes) >= ENOUGH > 6
    assert sum(sizes) == 207
    assert len(sizes) <= 5
