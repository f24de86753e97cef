"""A player of one's own in ten lines, against the greedy one on the same deals in both seatings."""

from scopa_fast.bots import find_bot
from scopa_fast.rules import find_rules
from scopa_fast.sim import Simulation


class Sevens:
    """Takes a seven if it can, lays none if it can help it, and else plays like the greedy player."""

    name = "sevens"

    def choose(self, view, rng):
        moves = view.legal_moves()
        takes = [move for move in moves if move.captured_mask >> 24 & 15]
        if takes:
            return max(takes, key=lambda move: len(move.captured))
        move = find_bot("greedy").choose(view, rng)
        others = [other for other in moves if other.captured_mask or other.card >> 2 != 6]
        return move if move in others or not others else others[0]


rules, greedy = find_rules("scopone"), find_bot("greedy")
lead = 0
for seating in ((Sevens(), greedy), (greedy, Sevens())):
    plan = Simulation(rules, deals=500, seed=1, bots=(*seating, *seating))
    for totals in plan.run():
        lead += totals.margin if seating[0].name == "sevens" else -totals.margin
print(f"sevens is {lead / 1000:+.2f} points a deal ahead of greedy")
