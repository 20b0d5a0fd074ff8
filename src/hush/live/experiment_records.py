"""What can be read of one live experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from hush.errors import ParameterError
from hush.live.exporting import export
from hush.live.insight import Insight
from hush.live.outlook import Outlook, outlook
from hush.live.promise import promise
from hush.live.reading import Published
from hush.live.terms import Terms
from hush.privacy import Guarantee, Releases

if TYPE_CHECKING:
    from hush.live.segments import Known
    from hush.live.store import Store

__all__ = ["ExperimentRecords"]


class ExperimentRecords:
    """An experiment, as far as reading goes: all of it is public."""

    def __init__(self, store: Store, number: int, name: str) -> None:
        self._store = store
        self._id = number
        self.name = name

    @property
    def _known(self) -> Known:
        return self._store._known(self._id)

    @property
    def state(self) -> str:
        """Where in its life it is.

        One of draft, rehearsal, running, paused, stopping, stopped and quarantined.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...              person_epsilon=1.0).state
        'draft'
        """
        return self._known.state

    @property
    def terms(self) -> Terms:
        """What is promised, and frozen from the start on; times are in milliseconds.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0, person_bound=4, window="1h")
        >>> exp.terms.epsilon, exp.terms.window
        (0.25, 3600000)
        """
        return self._known.terms

    @property
    def arms(self) -> tuple[str, ...]:
        """The names of all arms, retired ones among them.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...              person_epsilon=1.0).arms
        ('old', 'new')
        """
        return self._known.arms.names

    @property
    def retired(self) -> tuple[str, ...]:
        """The names of the arms that are shown no more; see :meth:`Experiment.retire_arm`.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...              person_epsilon=1.0).retired
        ()
        """
        known = self._known
        return tuple(known.arms.names[arm] for arm in sorted(known.arms.retired))

    @property
    def ledger(self) -> dict[str, Any]:
        """What was promised to the people of its population: limit, total, and every charge.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> [(each["experiment"], each["charge"]) for each in exp.ledger["charges"]]
        [('checkout', 1.0)]
        """
        return self._store._records.ledger(self._known.terms.population)

    @property
    def plan(self) -> dict[str, Any]:
        """The current plan: every arm's chance, and what has been released of it.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> [(arm["name"], arm["chance"], arm["count"]) for arm in exp.plan["arms"]]
        [('old', 1.0, 0.0), ('new', 0.0, 0.0)]
        """
        plans = self.plans
        if len(plans) > 1:
            raise ParameterError("this experiment has segments: each has its plan, see plans")
        return next(iter(plans.values()))

    @property
    def plans(self) -> dict[str, dict[str, Any]]:
        """The current plan of every segment.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0, segments=["phone", "desktop"])
        >>> list(exp.plans)
        ['phone', 'desktop']
        """
        return self._store._records.plans(self._id)

    @property
    def releases(self) -> Releases[Published]:
        """Everything that was released, oldest first.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...              person_epsilon=1.0).releases
        <0 releases>
        """
        return self._store._records.releases(self._id)

    @property
    def acts(self) -> list[dict[str, Any]]:
        """What operators did, oldest first.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start(by="Ada")
        >>> [(act["act"], act["by"], act["charge"]) for act in exp.acts]
        [('start', 'Ada', 1.0)]
        """
        return self._store._records.acts(self._id)

    @property
    def tallies(self) -> list[dict[str, Any]]:
        """How many decisions there were of each arm, and how many of them are learnt from.

        As of the last settlement; a function of visits alone.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> decisions = [exp.decide("u17"), exp.decide("u17")]  # the second is beyond the bound
        >>> store.settle()
        >>> sum(each["served"] for each in exp.tallies), sum(each["learnt"] for each in exp.tallies)
        (2, 1)
        """
        return self._store._records.tallies(self._id)

    @property
    def insight(self) -> dict[str, Insight]:
        """What is known, by segment: see :class:`Insight`. From the public store alone.

        >>> import hush.live
        >>> clock = hush.live.ManualClock()
        >>> store = hush.live.open(":memory:", clock=clock, noise=hush.SeededNoise(7))
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0, window="1h")
        >>> exp.start()
        >>> for n in range(400):
        ...     decision = exp.decide(f"u{n}")
        ...     exp.reward(decision, decision.arm)
        ...     clock.advance("1m")
        ...     store.settle()
        >>> known = exp.insight[""]
        >>> known.decision.leader, known.decision.decided, known.unlearnt
        ('new', True, 0.0)
        >>> low, high = known.arms[1].interval
        >>> low < 1.0, known.ratio.mismatch
        (True, False)
        """
        return self._store._insights.of(self._id, now=self._store._clock.now())

    @property
    def guarantee(self) -> Guarantee:
        """What is promised to every person, and why.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.guarantee.epsilon, exp.guarantee.unit
        (1.0, 'person')
        """
        known, store = self._known, self._store
        return promise(known, store.secure, store._records.total(known.terms.population))

    def outlook(self, *, per_day: float, learnt: float = 1.0, within: float = 0.1) -> Outlook:
        """Say when to expect the first release, and the first useful one, at a stated traffic.

        Parameters
        ----------
        per_day
            Decisions a day, over all arms and segments.
        learnt
            The share of them that is learnt from; how often people return is not known beforehand.
        within
            How much noise on an arm's mean reward, mapped to [0, 1], is called useful.

        Examples
        --------
        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0, person_bound=4, window="1d")
        >>> print(exp.outlook(per_day=5_000))
        At 5,000 decisions a day, every one learnt from (nobody comes more than 4 times):
          first release: within 1.01 days; 16 decisions of an arm in one release, noise 0.354 on ...
          first useful release: within 1.07 days; 183 decisions of an arm in 7 releases, noise 0...
          of which 1.00 days are window, grace and ticks
        """
        known = self._known
        return outlook(known.terms, known.arms, per_day=per_day, learnt=learnt, within=within)

    def export(self, path: str | Path) -> None:
        """Write what is public of the experiment to a file: .csv, .json or .parquet.

        CSV and Parquet have a row a release; JSON has terms, guarantee, arms, plans, releases,
        tallies, acts, and the ledger of its population. It is read from the public store alone,
        and the same store gives the same bytes.

        >>> import tempfile
        >>> from pathlib import Path
        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     exp.export(Path(folder) / "checkout.csv")
        ...     print((Path(folder) / "checkout.csv").read_text())
        experiment,segment,arm,epoch,count,noisy_sum,epsilon,mechanism,published_at
        """
        export(self._store._records, self._id, Path(path), secure=self._store.secure)
