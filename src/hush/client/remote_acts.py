"""What operators do to an experiment over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from hush.client.calls import Call, Reply, Steps, as_sent, encoded
from hush.client.either_way import Asks
from hush.client.remote_records import RemoteRecords
from hush.client.understanding import changed, nothing
from hush.service.messages import Adjustment, Advance, ArmName, Operator

__all__ = ["RemoteActs"]


class RemoteActs(RemoteRecords):
    """An experiment of a service, as far as operators go.

    Every act is an entry of the public log, with ``by``: who did it. It is tried again only where
    nothing was sent: one that was lost on the way may have been done.
    """

    def _act(self, act: str, message: object) -> Steps[None]:
        return self._asked(act, message, changed)

    def _asked(self, act: str, message: object, read: Callable[[Reply], None]) -> Steps[None]:
        path = f"/v1/experiments/{self.name}/{act}"
        return self._session.ask(Call("POST", path, read, encoded(message)))

    @Asks
    def rehearse(self, *, by: str = "") -> Steps[None]:
        """Try the experiment out on made-up people, from a draft; again, to begin anew.

        It lives in the service's memory. A client with a test token decides and rewards in it, for
        people named ``hush_test_...``; :meth:`advance` lets time pass, :attr:`rehearsal` shows
        everything raw.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.rehearse()
        >>> exp.state
        'rehearsal'
        """
        return self._act("rehearse", Operator(by))

    @Asks
    def advance(self, length: str | float | timedelta) -> Steps[None]:
        """Let time pass in a rehearsal.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> store = hush.live.open(":memory:")
        >>> client = connected(store)
        >>> exp = client.create("checkout", policy="LazyDPTS", arms=["old", "new"],
        ...                     person_epsilon=1.0, window="1d")
        >>> exp.rehearse()
        >>> tester = connected(store, test=True)
        >>> _ = tester.experiment("checkout").decide("hush_test_1")
        >>> exp.advance("25h")
        >>> batch, = exp.rehearsal["released"]
        >>> batch["arm"], batch["count"], batch["true_sum"]
        ('old', 1, 0)
        """
        return self._asked("rehearsal/advance", Advance(as_sent(length)), nothing)

    @Asks
    def start(self, *, by: str = "") -> Steps[None]:
        """Reserve the promise in the population's ledger, and begin to learn.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> exp.state, exp.ledger["total"]
        ('running', 1.0)
        """
        return self._act("start", Operator(by))

    @Asks
    def pause(self, *, by: str = "") -> Steps[None]:
        """Show the control arm and learn nothing new; what waits settles as it would.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0, control="new")
        >>> exp.start()
        >>> exp.pause()
        >>> exp.state, exp.decide("u17").name
        ('paused', 'new')
        """
        return self._act("pause", Operator(by))

    @Asks
    def resume(self, *, by: str = "") -> Steps[None]:
        """Go on after a pause.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> exp.pause()
        >>> exp.resume()
        >>> exp.state
        'running'
        """
        return self._act("resume", Operator(by))

    @Asks
    def stop(self, *, by: str = "") -> Steps[None]:
        """Close all batches; when the last is shown, it has stopped.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> exp.stop()
        >>> exp.state, exp.ledger["total"]
        ('stopped', 0.0)
        """
        return self._act("stop", Operator(by))

    @Asks
    def continue_(self, *, by: str = "") -> Steps[None]:
        """Go on after a quarantine: what is known stays, and the promise is charged once more.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> exp.continue_()
        Traceback (most recent call last):
        ...
        hush.errors.LifecycleError: The state of the experiment does not allow this...
        """
        return self._act("continue", Operator(by))

    @Asks
    def add_arm(self, name: str, *, by: str = "") -> Steps[None]:
        """Add an arm; it begins without releases.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> exp.add_arm("newer")
        >>> exp.arms
        ('old', 'new', 'newer')
        """
        return self._act("arms", ArmName(name, by))

    @Asks
    def retire_arm(self, name: str, *, by: str = "") -> Steps[None]:
        """Show an arm no more; what was decided for it is learnt from all the same.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> exp.retire_arm("new")
        >>> exp.retired, exp.decide("u17").name
        (('new',), 'old')
        """
        return self._act("arms/retire", ArmName(name, by))

    @Asks
    def adjust(
        self,
        *,
        by: str = "",
        control: str | None = None,
        control_share: float | None = None,
        floor: float | None = None,
    ) -> Steps[None]:
        """Change what is shown whatever is learnt, as :meth:`hush.live.Experiment.adjust` does.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> exp.adjust(floor=0.1)
        >>> [arm["chance"] for arm in exp.plan["arms"]]
        [0.9, 0.1]
        """
        return self._act("adjust", Adjustment(control, control_share, floor, by))
