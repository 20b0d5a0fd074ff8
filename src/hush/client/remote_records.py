"""What can be read of an experiment over HTTP: all of it is public."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar, cast

import msgspec

from hush import privacy
from hush.client.calls import Call, Reply, Steps
from hush.client.either_way import Asks, Reads
from hush.client.remembered import Remembered
from hush.client.session import Session
from hush.client.understanding import decoded
from hush.errors import ParameterError
from hush.live import Insight, Published
from hush.live.exporting import SUFFIXES
from hush.output.files import replaced
from hush.privacy import Guarantee, Neighbours
from hush.service.answers import (
    Acts,
    Experiment,
    GuaranteeAnswer,
    InsightAnswer,
    Ledger,
    PlanAnswer,
    Releases,
)

__all__ = ["RemoteRecords"]

Found = TypeVar("Found")


class RemoteRecords:
    """An experiment of a service, as far as reading goes."""

    name: str
    _session: Session

    @property
    def _remembered(self) -> Remembered:
        return self._session.remembered(self.name)

    def _get(self, what: str, kind: type[Found]) -> Steps[Found]:
        path = f"/v1/experiments/{self.name}{what}"
        return self._session.ask(Call("GET", path, decoded(kind), idempotent=True))

    @Reads
    def state(self) -> Steps[str]:
        """Where in its life it is.

        One of draft, rehearsal, running, paused, stopping, stopped and quarantined.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...               person_epsilon=1.0).state
        'draft'
        """
        return (yield from self._get("", Experiment)).state

    @Reads
    def terms(self) -> Steps[dict[str, Any]]:
        """What is promised, and frozen from the start on; times are in milliseconds.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0, person_bound=4, window="1h")
        >>> exp.terms["person_bound"], exp.terms["window"]
        (4, 3600000)
        """
        return (yield from self._get("", Experiment)).terms

    @Reads
    def arms(self) -> Steps[tuple[str, ...]]:
        """The names of all arms, retired ones among them.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...               person_epsilon=1.0).arms
        ('old', 'new')
        """
        return tuple(each.name for each in (yield from self._get("", Experiment)).arms)

    @Reads
    def retired(self) -> Steps[tuple[str, ...]]:
        """The names of the arms that are shown no more.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...               person_epsilon=1.0).retired
        ()
        """
        found = yield from self._get("", Experiment)
        return tuple(each.name for each in found.arms if each.retired)

    @Reads
    def plan(self) -> Steps[dict[str, Any]]:
        """The current plan: every arm's chance, and what has been released of it.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> [(arm["name"], arm["chance"], arm["count"]) for arm in exp.plan["arms"]]
        [('old', 1.0, 0.0), ('new', 0.0, 0.0)]
        """
        plans = yield from self._plans()
        if len(plans) > 1:
            raise ParameterError("this experiment has segments: each has its plan, see plans")
        return next(iter(plans.values()))

    @Reads
    def plans(self) -> Steps[dict[str, dict[str, Any]]]:
        """The current plan of every segment.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0, segments=["phone", "desktop"])
        >>> list(exp.plans)
        ['phone', 'desktop']
        """
        return self._plans()

    def _plans(self) -> Steps[dict[str, dict[str, Any]]]:
        found = yield from self._get("/plan", PlanAnswer)
        return {name: msgspec.to_builtins(each) for name, each in found.plans.items()}

    @Reads
    def releases(self) -> Steps[privacy.Releases[Published]]:
        """Everything that was released, oldest first.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...               person_epsilon=1.0).releases
        <0 releases>
        """
        return privacy.Releases(
            Published(
                segment=each.segment,
                arm=each.number,
                name=each.arm,
                epoch=each.epoch,
                count=each.count,
                value=each.noisy_sum,
                mechanism=each.mechanism,
                epsilon=each.epsilon,
                at=each.published_at,
                seq=each.seq,
            )
            for each in (yield from self._get("/releases", Releases)).releases
        )

    @Reads
    def acts(self) -> Steps[list[dict[str, Any]]]:
        """What operators did, oldest first.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start(by="Ada")
        >>> [(act["act"], act["by"], act["charge"]) for act in exp.acts]
        [('start', 'Ada', 1.0)]
        """
        return (yield from self._get("/acts", Acts)).acts

    @Reads
    def ledger(self) -> Steps[dict[str, Any]]:
        """What was promised to the people of its population: limit, total, and every charge.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> [(each["experiment"], each["charge"]) for each in exp.ledger["charges"]]
        [('checkout', 1.0)]
        """
        found: dict[str, Any] = msgspec.to_builtins((yield from self._get("/ledger", Ledger)))
        return found

    @Reads
    def insight(self) -> Steps[dict[str, Insight]]:
        """What is known, by segment: see :class:`hush.live.Insight`.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...               person_epsilon=1.0).insight[""]
        <insight: 2 arms, 0 releases; no arm leads: nothing was released yet>
        """
        return (yield from self._get("/insight", InsightAnswer)).insight

    @Reads
    def guarantee(self) -> Steps[Guarantee]:
        """What is promised to every person, and why.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.guarantee.epsilon, exp.guarantee.unit
        (1.0, 'person')
        """
        found = yield from self._get("/guarantee", GuaranteeAnswer)
        neighbours = cast("Neighbours", found.neighbours)
        return Guarantee(found.epsilon, neighbours, found.unit, found.sentence, found.epsilon)

    @Reads
    def rehearsal(self) -> Steps[dict[str, Any]]:
        """Everything of the rehearsal that is under way: pending bits, batches, and releases.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.rehearse()
        >>> exp.rehearsal
        {'pending': [], 'batches': [], 'released': []}
        """
        return self._get("/rehearsal", dict[str, Any])

    @Asks
    def export(self, path: str | Path) -> Steps[None]:
        """Write what is public of the experiment to a file: .csv, .json or .parquet.

        >>> import tempfile
        >>> from pathlib import Path
        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     exp.export(Path(folder) / "checkout.csv")
        ...     print((Path(folder) / "checkout.csv").read_text())
        experiment,segment,arm,epoch,count,noisy_sum,epsilon,mechanism,published_at
        """
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            raise ParameterError(
                f"an export's suffix must be one of {' '.join(SUFFIXES)}; got {suffix!r}"
            )
        where = f"/v1/experiments/{self.name}/export{suffix}"
        body = yield from self._session.ask(Call("GET", where, _body, idempotent=True))
        with replaced(path) as temporary:
            temporary.write_bytes(body)


def _body(reply: Reply) -> bytes:
    return reply.body
