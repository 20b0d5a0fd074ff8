"""The report of an audit: text, JSON, and a page of its own."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hush.auditing.attacked_claim import Claim
from hush.auditing.finding import Finding, plain
from hush.errors import ParameterError
from hush.output.document import (
    Drawing,
    Heading,
    Paragraph,
    Part,
    Preformatted,
    TableOf,
    Verdict,
    html,
)
from hush.output.files import replaced
from hush.privacy import PERSON

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["AuditReport"]

SUFFIXES = (".html", ".json", ".txt")
# Which methods bear on what a policy does with rewards; right noise alone says nothing of that.
ATTACKS = ("replay", "exact", "statistical")


@dataclass(frozen=True)
class AuditReport:
    """What an audit found: the claim, what each method says of it, and the verdict.

    Attributes
    ----------
    policy
        The policy, readable.
    claim
        The loss that was attacked, epsilon or rho; infinite where nothing is claimed.
    neighbours
        Between which tables: ``"replace"``, or ``"add-remove"`` where a row counts as zeros.
    guarantee
        What the policy itself states.
    findings
        What each method found, in order.
    seed
        Seed of tables and samples.
    version
        Hush's version.
    person_bound
        In how many rounds the rewards are one person's; 1 where each is somebody else's.
    concentrated
        Whether the claim and all losses are concentrated ones, rho, and not pure.
    per_release
        The most of a person's rewards that may be in one release; None: all.

    Examples
    --------
    >>> import hush
    >>> report = hush.audit(hush.AnytimeLazyUCB(1.0), n_arms=2, methods=["construction", "exact"])
    >>> report.verdict, report.why, round(report.worst_loss, 2)
    ('proved', 'by construction, given its mechanism', 1.0)
    """

    policy: str
    claim: float
    neighbours: str
    guarantee: str
    n_arms: int
    findings: tuple[Finding, ...]
    seed: int
    version: str
    person_bound: int = 1
    concentrated: bool = False
    per_release: int | None = None

    @property
    def verdict(self) -> str:
        """What the findings come to.

        ``"violated"`` where any attack succeeded. ``"proved"`` by construction. ``"consistent"``
        where at least two attacks that bear on what is done with rewards applied and failed, and
        no code of the policy's own makes its private half or is handed a reward. ``"not private"``
        where nothing is claimed; else ``"inconclusive"``: :attr:`why` says what is missing.
        """
        return "not private" if math.isinf(self.claim) else self._judged()[0]

    @property
    def why(self) -> str:
        """What the verdict rests on, or what is missing."""
        return "" if math.isinf(self.claim) else self._judged()[1]

    def _judged(self) -> tuple[str, str]:
        by = {status: self._methods(status) for status in ("violated", "proved", "consistent")}
        if by["violated"]:
            return "violated", f"by {', '.join(by['violated'])}"
        if by["proved"]:
            return "proved", "by construction, given its mechanism"
        held = [method for method in by["consistent"] if method in ATTACKS]
        doubts = [each for finding in self.findings for each in finding.doubts]
        if doubts:
            return "inconclusive", "; ".join(doubts)
        if len(held) < 2:
            rests = f"only {held[0]}" if held else "no attack"
            return "inconclusive", f"{rests} applied and held: one method is not enough"
        return "consistent", f"attacked by {', '.join(held)}"

    def _methods(self, status: str) -> list[str]:
        return [finding.method for finding in self.findings if finding.status == status]

    @property
    def worst_loss(self) -> float | None:
        """The worst loss that was computed (replay, exact); ``None`` where none was."""
        return self._largest("replay", "exact")

    @property
    def observed(self) -> float | None:
        """The lower bound on the loss from samples; ``None`` where none were drawn."""
        return self._largest("statistical")

    def _largest(self, *methods: str) -> float | None:
        losses = [f.loss for f in self.findings if f.method in methods and f.loss is not None]
        return max(losses, default=None)

    @property
    def seconds(self) -> float:
        """Time used."""
        return sum(finding.seconds for finding in self.findings)

    @property
    def witness(self) -> Finding | None:
        """The finding whose witness matters most: the worst violation, or the largest loss."""
        with_one = [f for f in self.findings if f.witness is not None]
        order = {"violated": 2, "consistent": 1, "proved": 0, "inconclusive": 0}
        # Of several violations take the exact one: its arithmetic can be checked by hand.
        return max(
            with_one,
            key=lambda f: (order[f.status], f.method == "exact", f.loss or 0.0),
            default=None,
        )

    def __str__(self) -> str:
        lines = [
            f"audit of {self.policy}",
            f"  claim    {self.claim_text}",
            f"  verdict  {self.verdict.upper()}{f' ({self.why})' if self.why else ''}",
        ]
        losses = (("worst loss computed", self.worst_loss), ("loss seen at least", self.observed))
        lines += [f"  {name:<19}  {_number(loss)}" for name, loss in losses if loss is not None]
        lines.append(f"  time                 {self.seconds:.1f} s")
        for finding in self.findings:
            head = f"  {finding.method}: {finding.status} ({finding.seconds:.1f} s)"
            lines += ["", head, f"    {finding.says}"]
            if finding.witness is not None and finding.method != "noise":
                lines += [f"    {line}" for line in str(finding.witness).splitlines()]
        return "\n".join(lines)

    @property
    def claim_text(self) -> str:
        """The claim in words."""
        if math.isinf(self.claim):
            return "none: the policy is not private"
        rho = self.claim if self.concentrated else None
        return str(Claim(self.claim, self.neighbours, self.person_bound, rho, self.per_release))

    @property
    def unit(self) -> str:
        """What is protected: all rewards of a ``"person"``, or those of a ``"round"``."""
        return PERSON if self.person_bound > 1 else "round"

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dictionary."""
        return {
            "policy": self.policy,
            "claim": None if math.isinf(self.claim) else self.claim,
            "measure": "rho" if self.concentrated else "epsilon",
            "neighbours": self.neighbours,
            "unit": self.unit,
            "person_bound": self.person_bound,
            "per_release": self.per_release,
            "guarantee": self.guarantee,
            "n_arms": self.n_arms,
            "verdict": self.verdict,
            "why": self.why,
            "worst_loss": plain(self.worst_loss),
            "observed": plain(self.observed),
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            "version": self.version,
            "findings": [finding.to_dict() for finding in self.findings],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> AuditReport:
        """Read back what :meth:`to_dict` wrote.

        >>> import hush
        >>> report = hush.audit(hush.LazyDPTS(1.0), methods=["construction"])
        >>> AuditReport.from_dict(report.to_dict()).verdict
        'proved'
        """
        return cls(
            data["policy"],
            math.inf if data["claim"] is None else data["claim"],
            data["neighbours"],
            data["guarantee"],
            data["n_arms"],
            tuple(Finding.from_dict(each) for each in data["findings"]),
            data["seed"],
            data["version"],
            data.get("person_bound", 1),
            data.get("measure") == "rho",
            data.get("per_release"),
        )

    def to_json(self) -> str:
        """Return JSON text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def save(self, path: str | Path) -> None:
        """Write the report to a file: ``.html`` (a page of its own), ``.json`` or ``.txt``."""
        path = Path(path)
        if (suffix := path.suffix.lower()) not in SUFFIXES:
            raise ParameterError(f"{path}: the suffix must be one of {' '.join(SUFFIXES)}")
        texts = {".html": self.to_html, ".json": self.to_json, ".txt": self.__str__}
        with replaced(path) as temporary:
            temporary.write_text(texts[suffix]() + "\n", encoding="utf-8")

    def to_html(self) -> str:
        """Return a self-contained page with a picture."""
        return html(self._parts())

    def __repr__(self) -> str:
        return f"<audit of {self.policy}: {self.verdict}>"

    def _repr_html_(self) -> str:
        return "".join(part.html() for part in self._head())

    def _head(self) -> list[Part]:
        facts = (
            ("claim", self.claim_text),
            ("rests on", self.why or "nothing"),
            ("worst loss computed", _number(self.worst_loss)),
            ("loss seen, 99 % confidence", _number(self.observed)),
            ("the policy states", self.guarantee),
            ("arms", str(self.n_arms)),
            ("time", f"{self.seconds:.1f} s, seed {self.seed}, hush {self.version}"),
        )
        return [Heading(f"Audit of {self.policy}", 1), Verdict(self.verdict), TableOf((), facts)]

    def _parts(self) -> list[Part]:
        picture = Drawing(self.picture(), "What each method found relative to the claim")
        parts: list[Part] = [*self._head(), picture]
        for finding in self.findings:
            parts += [Heading(finding.method, 3, finding.status), Paragraph(finding.says)]
            if finding.witness is not None:
                parts.append(Preformatted(str(finding.witness)))
            parts.append(Paragraph(f"{finding.seconds:.1f} s", note=True))
        return parts

    def picture(self) -> str:
        """Return an SVG picture: what each method found relative to the claim."""
        from hush.auditing.picture import draw

        return draw(self)._repr_svg_()

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw what each method found relative to the claim.

        Parameters
        ----------
        path
            Where to save it; the suffix (``.svg``, ``.png``, ``.pdf``) is the format.

        Examples
        --------
        >>> import hush
        >>> report = hush.audit(hush.LazyDPTS(1.0), methods=["construction"])
        >>> len(report.plot().axes)
        1
        """
        from hush.auditing.picture import draw
        from hush.output.pictures import save_figure

        figure = draw(self)
        if path is not None:
            save_figure(figure, Path(path))
        return figure


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}".replace("inf", "infinite")
