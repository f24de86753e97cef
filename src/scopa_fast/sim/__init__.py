"""Many deals between bots: playing them, adding them up, and the statistics of the sum."""

from __future__ import annotations

from .deals import Simulation, play_deal, seat_bots
from .report import Report, mean_interval, share_interval
from .tally import Tally

__all__ = ["Report", "Simulation", "Tally", "mean_interval", "play_deal", "seat_bots", "share_interval"]
