"""What is in the stores after a load, read without Hush, and held against what was answered."""

import json
from collections import Counter, defaultdict

from tests.live.fault_check import chain, rows
from tests.service.histories import partitioned, possible_bits, wrong_answers, wrong_bits
from tests.service.loads import read

from hush.live.terms import MOST_EPOCHS

RELEASES = "SELECT experiment, body FROM journal WHERE kind = 'release' ORDER BY seq"


class Aftermath:
    """A store when all is over, and the history that led to it.

    Parameters
    ----------
    restarts
        Whether the database was restarted.
    settled
        Whether everything with a short window is released.
    """

    def __init__(self, place, load, *, restarts=False, settled=False):
        self.place, self.load, self._restarts, self._settled = place, load, restarts, settled
        names = {name: number for number, name in self._private("SELECT id, name FROM experiments")}
        made = {}
        for each in load.asked:
            if each.status in (200, 201):
                made[json.loads(each.body)["decision"]] = each.person
        self.made = {decision: read(decision) for decision in made}
        self.people = made
        self.long = [d for d, each in self.made.items() if each.experiment == names["long"]]
        self.short = [d for d, each in self.made.items() if each.experiment == names["short"]]
        self.bits = self._bits()

    def _private(self, query):
        return rows(self.place.private, query)

    def _bits(self):
        """Return the bits of decisions with a long window: every one that is learnt from."""
        found = self._private("SELECT worker, ordinal, bit FROM pending WHERE ordinal > 0")
        bits = {(worker, ordinal): bit for worker, ordinal, bit in found}
        places = {d: (self.made[d].worker, self.made[d].ordinal) for d in self.long}
        return {
            decision: bits.get(place)
            for decision, place in places.items()
            if place in bits or not self.people[decision].startswith("regular")
        }

    def complaints(self):
        """Return everything that is wrong."""
        load = self.load
        wrong = wrong_answers(load.asked, load.posted, restarts=self._restarts)
        wrong += wrong_bits(load.posted, self.bits)
        wrong += [f"a forged id: {status}" for status in load.forged if status not in (0, 404)]
        keys = {(each.key, each.body) for each in load.asked if each.status in (200, 201)}
        if len(keys) != len(self.made):
            wrong.append("two keys have one decision")
        if load.gave_up:
            wrong.append(f"{load.gave_up} requests were never answered")
        return wrong + self._chains() + self._sums()

    def _chains(self):
        private, public = chain(self.place.private), chain(self.place.public)
        return [] if private[: len(public)] == public else ["the journals differ"]

    def _sums(self):
        """Return what is wrong with releases, whose noise is 0 at this epsilon."""
        lanes = self._private("SELECT lane, experiment, segment, arm FROM lanes")
        numbers = {tuple(row[1:]): row[0] for row in lanes}
        known = self._known()
        wrong, seen = [], Counter()
        for experiment, text in self._private(RELEASES):
            body = json.loads(text)
            lane = numbers[experiment, body["segment"], body["arm"]]
            batch = lane * MOST_EPOCHS + body["epoch"]
            seen[batch] += 1
            mine = known.pop(batch, [])
            least, low, high = (
                (sum(each) for each in zip(*mine, strict=True)) if mine else (0, 0, 0)
            )
            if not low <= body["value"] <= high:
                wrong.append(f"batch {batch}: {body['value']}, not from {low} to {high}")
            if body["count"] < least:
                wrong.append(f"batch {batch} has lost decisions")
        self.releases = len(seen)
        if self._settled and any(each[0] for mine in known.values() for each in mine):
            wrong.append("decisions are not released")
        wrong += [f"batch {batch} is released twice" for batch, n in seen.items() if n > 1]
        changed = [seq for seq, values in self.load.seen.items() if len(values) > 1]
        return wrong + [f"release {seq} has changed" for seq in changed]

    def _known(self):
        """Return what each decision of a batch adds to it: to its count, and to its sum."""
        posted, known = partitioned(self.load.posted, "decision"), defaultdict(list)
        for decision in self.short:
            bits = possible_bits(posted.get(decision, []))
            learnt = not self.people[decision].startswith("regular")  # they have a bound
            known[self.made[decision].batch].append((learnt, learnt * min(bits), max(bits)))
        return known

    def figures(self):
        """Return a line about how much was looked at."""
        load, posted = self.load, partitioned(self.load.posted, "decision")
        certain = sum(len(possible_bits(posted.get(each, []))) == 1 for each in self.bits)
        statuses = Counter(each.status for each in [*load.asked, *load.posted])
        told = Counter(each.key for each in load.asked if each.status == 201)
        unheard = len(self.made) - len(told)
        return (
            f"{load.sent} requests, {load.answered} answered, faults {dict(load.faults)}, "
            f"statuses {dict(sorted(statuses.items()))}, {len(self.made)} decisions "
            f"({unheard} whose first answer was lost), "
            f"{len(self.bits)} bits of which {certain} are certain, {self.releases} releases, "
            f"at most {load.most_tries} tries"
        )
