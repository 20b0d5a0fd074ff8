"""The registered policies: one line each.

A new policy is a file in this folder and a line below. Exports, the command line, engines, audits,
conformance tests and the table of the docs follow. The order is that of every list of policies.
"""

# ruff: noqa: I001, PLC0414  the order is meant, and "as" exports

from typing import TYPE_CHECKING

from hush.policies.core.policy import Policy as _Policy

from hush.policies.anytime_lazy_ucb import AnytimeLazyUCB as AnytimeLazyUCB
from hush.policies.lazy_kl_ucb import LazyKLUCB as LazyKLUCB
from hush.policies.lazy_ucb_v import LazyUCBV as LazyUCBV
from hush.policies.lazy_dp_ts import LazyDPTS as LazyDPTS
from hush.policies.noise_aware_imed import NoiseAwareIMED as NoiseAwareIMED
from hush.policies.noise_aware_ts import NoiseAwareTS as NoiseAwareTS
from hush.policies.noise_aware_ucb import NoiseAwareUCB as NoiseAwareUCB
from hush.policies.dp_se import DPSE as DPSE
from hush.policies.dist_dp_se import DistDPSE as DistDPSE
from hush.policies.adap_ucb import AdaPUCB as AdaPUCB
from hush.policies.adac_ucb import AdaCUCB as AdaCUCB
from hush.policies.adap_kl_ucb import AdaPKLUCB as AdaPKLUCB
from hush.policies.dp_kl_ucb import DPKLUCB as DPKLUCB
from hush.policies.dp_imed import DPIMED as DPIMED
from hush.policies.dp_ts import DPTS as DPTS
from hush.policies.mishra_thakurta_ts import MishraThakurtaTS as MishraThakurtaTS
from hush.policies.tree_dp_ucb import TreeDPUCB as TreeDPUCB
from hush.policies.dp_ucb_bound import DPUCBBound as DPUCBBound
from hush.policies.batched_htinf import BatchedHTINF as BatchedHTINF
from hush.policies.ucb1 import UCB1 as UCB1
from hush.policies.ucb_v import UCBV as UCBV
from hush.policies.kl_ucb import KLUCB as KLUCB
from hush.policies.improved_ucb import ImprovedUCB as ImprovedUCB
from hush.policies.bayes_ucb import BayesUCB as BayesUCB
from hush.policies.moss import MOSS as MOSS
from hush.policies.ada_ucb import AdaUCB as AdaUCB
from hush.policies.maillard_sampling import MaillardSampling as MaillardSampling
from hush.policies.thompson_sampling import ThompsonSampling as ThompsonSampling
from hush.policies.gaussian_ts import GaussianTS as GaussianTS
from hush.policies.dp_ts_ucb import DPTSUCB as DPTSUCB
from hush.policies.mots import MOTS as MOTS
from hush.policies.exp_ts import ExpTS as ExpTS
from hush.policies.person import Person as Person
from hush.policies.local import Local as Local
from hush.policies.ldp_ucb_l import LDPUCBL as LDPUCBL
from hush.policies.noise_aware_bai import NoiseAwareBAI as NoiseAwareBAI
from hush.policies.dp_tt import DPTT as DPTT
from hush.policies.adap_tt import AdaPTT as AdaPTT
from hush.policies.adap_tt_star import AdaPTTStar as AdaPTTStar
from hush.policies.sequential_halving import PrivateSequentialHalving as PrivateSequentialHalving
from hush.policies.median_elimination import MedianElimination as MedianElimination
from hush.policies.rnm_ftnl import RNMFTNL as RNMFTNL
from hush.policies.naive_ftnl import NaiveFTNL as NaiveFTNL
from hush.policies.wu_wang import WuWang as WuWang
from hush.policies.random_prefix_em import RandomPrefixEM as RandomPrefixEM
from hush.policies.shrinking_dartboard import ShrinkingDartboard as ShrinkingDartboard
from hush.policies.tree_ftrl import TreeFTRL as TreeFTRL
from hush.policies.tree_ftal import TreeFTAL as TreeFTAL
from hush.policies.ftl import FTL as FTL
from hush.policies.decreasing_hedge import DecreasingHedge as DecreasingHedge

REGISTERED: tuple[type[_Policy], ...] = tuple(
    value
    for name, value in list(globals().items())
    if not name.startswith("_") and isinstance(value, type) and issubclass(value, _Policy)
)
"""Every registered policy's class, in the order of every list of policies."""

if not TYPE_CHECKING:  # type checkers read the lines above, which export what they import
    __all__ = [cls.__name__ for cls in REGISTERED]
