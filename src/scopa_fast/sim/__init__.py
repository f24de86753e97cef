"""Many deals between bots: playing them, adding them up, tournaments on the same cards, and the statistics of it all.

The statistics of tournaments are in :mod:`scopa_fast.sim.standings`, which needs the extra ``arena``.
"""

from __future__ import annotations

from .arena import DealResult, Entrant, Results, Tournament
from .deal_file import FrozenDeals, InvalidDealsError
from .deals import Simulation, play_deal, seat_bots
from .report import Report, mean_interval, share_interval
from .result_file import InvalidResultsError, ResultFile
from .sequential import SequentialTest
from .tally import Tally

__all__ = [
    "DealResult", "Entrant", "FrozenDeals", "InvalidDealsError", "InvalidResultsError", "Report", "ResultFile", "Results", "SequentialTest",
    "Simulation", "Tally", "Tournament", "mean_interval", "play_deal", "seat_bots", "share_interval",
]
