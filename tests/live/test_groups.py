"""Group commit: together, in order, and each by itself where the group fails."""

import threading

import pytest

from hush.errors import ParameterError, StoreError
from hush.live.groups import Groups


def test_answers_come_in_the_order_of_requests():
    seen = []
    groups = Groups(lambda asked: seen.append(list(asked)) or [10 * each for each in asked])
    assert groups.answer([3, 1, 2]) == [30, 10, 20]
    assert seen == [[3, 1, 2]]


def test_a_group_that_fails_is_run_one_by_one():
    def run(asked):
        if 2 in asked:
            raise ParameterError("two")
        return [each for each in asked]

    first, bad, last = Groups(run).answer([1, 2, 3])
    assert (first, last) == (1, 3)
    assert isinstance(bad, ParameterError)


def test_an_exception_is_an_answer_of_its_own():
    one = StoreError("x")
    assert Groups(lambda asked: [one if each == 2 else each for each in asked]).answer([1, 2]) == [
        1, one,
    ]  # fmt: skip


def test_threads_that_wait_share_a_transaction():
    sizes, begun, go = [], threading.Event(), threading.Event()

    def run(asked):
        sizes.append(len(asked))
        begun.set()
        go.wait(10)
        return [-each for each in asked]

    groups = Groups(run)
    answers = {}

    def ask(number):
        answers[number] = groups.answer([number])

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(20)]
    threads[0].start()
    begun.wait(10)
    for thread in threads[1:]:
        thread.start()
    while len(groups._queue) < 19:
        pass
    go.set()
    for thread in threads:
        thread.join()
    assert sizes == [1, 19]
    assert answers == {n: [-n] for n in range(20)}


def test_no_group_is_larger_than_said_but_for_one_request():
    sizes = []
    groups = Groups(lambda asked: sizes.append(len(asked)) or list(asked), most=5)
    with groups._running:
        threads = [
            threading.Thread(target=groups.answer, args=([n] * size,))
            for n, size in enumerate((3, 2, 4, 9))
        ]
        for n, thread in enumerate(threads):
            thread.start()
            while len(groups._queue) <= n:
                pass
    for thread in threads:
        thread.join()
    assert sizes == [5, 4, 9]


@pytest.mark.parametrize("place", ["gathering", "running"])
def test_an_interrupt_is_one_threads_and_nobody_waits_for_ever(place):
    """The others are told to ask again; none is left without an answer."""

    class Interrupting(list):
        armed = place == "gathering"

        def __delitem__(self, index):
            super().__delitem__(index)
            if self.armed:
                Interrupting.armed = False
                raise KeyboardInterrupt

    armed = [place == "running"]

    def run(asked):
        if armed.pop() if armed else False:
            raise KeyboardInterrupt
        return list(asked)

    groups = Groups(run)
    groups._queue = Interrupting()
    results = {}

    def ask(number):
        try:
            results[number] = groups.answer([number])
        except KeyboardInterrupt:
            results[number] = "interrupted"

    with groups._running:
        threads = [threading.Thread(target=ask, args=(n,), daemon=True) for n in range(3)]
        for n, thread in enumerate(threads):
            thread.start()
            while len(groups._queue) <= n:
                pass
    for thread in threads:
        thread.join(5)
    assert len(results) == 3
    assert list(results.values()).count("interrupted") == 1
    assert groups.answer([7]) == [7]
