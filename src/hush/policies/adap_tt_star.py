"""AdaP-TT* (Azize, Jourdan, Al Marjani & Basu)."""

from __future__ import annotations

from dataclasses import dataclass

from hush.policies.adap_tt import AdaPTT

__all__ = ["AdaPTTStar"]


@dataclass(frozen=True)
class AdaPTTStar(AdaPTT):
    """AdaP-TT with costs that know how little privacy leaves of a gap.

    As :class:`~hush.AdaPTT`, with ``W(a, b, w) = max(0, D) min(3 epsilon, D) / (2 s^2 (1/w_a +
    1/w_b))``, ``D = m_a - m_b``: where epsilon is small, a cost grows linearly with the gap. Its
    expected samples match the lower bound in order in both regimes of epsilon.

    W is never larger than AdaP-TT's, so that the same thresholds are safe; Hush uses those.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.
    threshold
        ``"stated"``: with the constants of its proof. ``"heuristic"``: what the authors' public
        code uses; nothing is proven for it.

    References
    ----------
    Azize, Jourdan, Al Marjani, Basu: Differentially Private Best-Arm Identification. JMLR 2026.
    https://arxiv.org/abs/2406.06408

    Examples
    --------
    >>> import hush
    >>> hush.AdaPTTStar(epsilon=0.01).cost(0.8, 0.3, (10.0, 10.0))
    0.15
    >>> hush.AdaPTT(epsilon=0.01).cost(0.8, 0.3, (10.0, 10.0))
    2.5
    """

    summary = "AdaP-TT with costs linear in a gap where epsilon is small"
    reference = "https://arxiv.org/abs/2406.06408"

    @property
    def most_factor(self) -> float:
        """How large the second factor of the cost may be: ``3 epsilon``."""
        return 3.0 * self.epsilon
