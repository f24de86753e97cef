"""What each experiment plays, at which size, and what was published for it.

Bots are named by their texts (:func:`scopa_fast.bots.find_bot`), which also name the rows of the tables. Figures are

=======  ==========================================================================================
H, D     deals won, in per cent, in the hand (seats 0 and 2) and in the deck (seats 1 and 3, the dealer's)
win      deals won, in per cent, over both seatings, and against all opponents if there are several
loss     deals lost likewise
tie      deals tied likewise
points   points a deal more than the opponents'
margin   points a deal of H less those of D
sd       the standard deviation of that
same     positions on which two programs agree, in per cent
=======  ==========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from scopa_fast.core.search import CONSTANTS

__all__ = ["CHECKSUM", "EXPERIMENTS", "FIGURES", "FROZEN", "NINE", "SEED", "TEN", "Claim", "Experiment", "Measured", "Part", "Published"]

SEED = 2018
FROZEN, CHECKSUM = 1000, "d2ef5cff4ad574addb7320518533ae10c713057b9ae78574ae291c521dc62ded"
"""The first deals of the seed, with nine cards, and their SHA-256 as frozen deals: so nobody deals other cards unawares."""

NINE = "scopone"
TEN = "scopone_scientifico[last_play_scopa=never]"
"""Ten cards each, an empty table, and no scopa with the last card, as with nine."""

FIGURES = {
    "H": "wins as H %", "D": "wins as D %", "win": "wins %", "loss": "losses %", "tie": "ties %", "points": "points a deal",
    "margin": "H - D, points", "sd": "sd of it", "same": "equal %",
}  # fmt: skip
"""The figures and what a table calls them."""

Rows = Mapping[str, Mapping[str, "Measured"]]
"""What was measured, by row and figure."""


@dataclass(frozen=True)
class Measured:
    """A figure with its 95 % interval."""

    value: float
    low: float
    high: float
    n: int
    """Independent observations: deals, however often each was played."""


@dataclass(frozen=True)
class Published:
    """What a source says of one row."""

    row: str
    source: str
    """``paper``, ``check`` (an earlier, independent program of the same rules), or ``wanted``."""
    values: Mapping[str, float]
    deals: int | None = None
    """On how many deals it rests, if that is known."""
    tolerance: Mapping[str, float] | None = None
    """How far from the value, in its own unit, the measured one may be; by default its interval decides."""


@dataclass(frozen=True)
class Claim:
    """What a source says in words."""

    text: str
    source: str
    holds: Callable[[Rows], bool]


@dataclass(frozen=True)
class Part:
    """Deals of one kind within an experiment.

    ``playouts``: random players by the engine alone. ``self``: each bot against itself. ``against``: each bot against the first one.
    ``pool``: everybody against everybody and itself. ``solver``: positions that are solved in two ways.
    """

    name: str
    kind: Literal["playouts", "self", "against", "pool", "solver"]
    bots: tuple[str, ...]
    deals: int
    """Deals of each pairing, or positions, unless asked otherwise: done within minutes on one core."""
    full: int
    """Those of the full size."""
    rules: str = NINE


@dataclass(frozen=True)
class Experiment:
    """One row of the list of experiments."""

    id: str
    title: str
    parts: tuple[Part, ...]
    published: tuple[Published, ...] = ()
    claims: tuple[Claim, ...] = ()
    figures: tuple[str, ...] = tuple(FIGURES)
    """Those that the table shows."""


def paper(row: str, tolerance: float | None = None, **values: float) -> Published:
    """Return figures of the study of Di Palma and Lanzi."""
    return Published(row, "paper", values, tolerance=None if tolerance is None else dict.fromkeys(values, tolerance))


def check(row: str, deals: int | None = None, **values: float) -> Published:
    """Return figures of the independent program."""
    return Published(row, "check", values, deals)


def wanted(row: str, tolerance: Mapping[str, float], **values: float) -> Published:
    """Return figures that the engine must reach."""
    return Published(row, "wanted", values, tolerance=tolerance)


def in_order(figure: str, names: Iterable[str]) -> Callable[[Rows], bool]:
    """Return whether a figure falls from each row to the next."""
    names = tuple(names)
    return lambda rows: all(rows[one][figure].value > rows[next_][figure].value for one, next_ in pairwise(names))


def best(figure: str, row: str, among: Iterable[str]) -> Callable[[Rows], bool]:
    """Return whether no other row has more of a figure."""
    names = tuple(among)
    return lambda rows: all(rows[row][figure].value >= rows[name][figure].value for name in names)


def spread(rows: Rows, names: Iterable[str]) -> float:
    """Return how far apart the wins of some rows are."""
    wins = [rows[name]["win"].value for name in names]
    return max(wins) - min(wins)


def tree(bot: str, iterations: int, **settings: object) -> str:
    """Return the text of a tree search."""
    return f"{bot}[{','.join(f'{name}={value}' for name, value in ({'iterations': iterations} | settings).items())}]"


GREEDY = "greedy"
TREES = ("mcts", "ismcts")
MCTS_1000, ISMCTS_4000 = tree("mcts", 1000), tree("ismcts", 4000)

# How much each reward explores unless told (docs/bots.md); the curves of E5 cover the same multiples of it for all of them.
REWARDS = {reward: CONSTANTS[reward] for reward in ("points", "difference", "win", "win_share")}
CONSTANTS = (0.25, 0.5, 1, 2, 5)
BUDGETS = (250, 1000, 4000)
EPSILONS = (0, 0.1, 0.3, 0.5, 0.7, 1)
LONGER = (250, 500, 1000, 2000, 4000, 8000, 16000)


def rewarded(bot: str, budget: int, reward: str) -> str:
    return tree(bot, budget, reward=reward, explore=REWARDS[reward])


def explored(bot: str, reward: str, constant: float) -> str:
    return tree(bot, 1000, reward=reward, explore=f"{constant * REWARDS[reward] / REWARDS['difference']:.4g}")


def careless(bot: str, epsilon: float) -> str:
    return tree(bot, 1000 if bot == "mcts" else 4000, playout="eps_greedy", epsilon=epsilon)


def played_out(bot: str, playout: str) -> str:
    return tree(bot, 1000 if bot == "mcts" else 4000, playout=playout)


TIMED = {"seconds": 0.01}
MANY = 1_000_000

EXPERIMENTS = (
    Experiment(
        "E1", "random against random",
        (Part("random", "playouts", ("random",), 10_000_000, 10_000_000),),
        (
            wanted("random", {"H": 0.2, "D": 0.2, "tie": 0.2}, H=41.8, D=45.4, tie=12.8),
            wanted("random", {"margin": 0.01, "sd": 0.01}, margin=-0.116, sd=2.93),
            paper("random", H=41.7, D=45.7, tie=12.6),
            check("random", 500_000, H=41.9, D=45.3, tie=12.8),
        ),
    ),
    Experiment(
        "E2", "greedy against greedy",
        (Part("greedy", "self", (GREEDY,), 20_000, 100_000),),
        (paper(GREEDY, tie=17.3), check(GREEDY, H=41.3, D=42.0, tie=16.7)),
    ),
    Experiment(
        "E3", "the traditional players and greedy",
        (Part("pool", "pool", ("cs", "cg", GREEDY), 10_000, 10_000),),
        (
            paper("cs", win=44.4, loss=41.2, tie=14.3),
            paper("cg", win=44.0, loss=42.0, tie=14.1),
            paper(GREEDY, win=39.8, loss=45.0, tie=15.2),
            paper("cs v cs", H=38.1),
            check("cs v cs", 100_000, H=38.9),
            check("cs v greedy", 100_000, win=47.9, loss=35.4, tie=16.8, points=0.42),
        ),
        (
            Claim("cs wins more than greedy", "paper", in_order("win", ("cs", GREEDY))),
            Claim("cg wins more than greedy", "paper", in_order("win", ("cg", GREEDY))),
            Claim(
                "cs and cg are alike: the interval of the points between them holds 0", "paper",
                lambda rows: rows["cs v cg"]["points"].low <= 0 <= rows["cs v cg"]["points"].high,
            ),
        ),
    ),
    Experiment(
        "E4", "rewards of the tree searches, against greedy",
        tuple(
            Part(bot, "against", (GREEDY, *(rewarded(bot, budget, reward) for budget in BUDGETS for reward in REWARDS)), 200, 1000)
            for bot in TREES
        ),
        (
            check(rewarded("mcts", 1000, "win"), 100, win=90.0),
            check(rewarded("mcts", 1000, "difference"), 100, win=87.0, points=2.8),
            check(rewarded("mcts", 1000, "points"), 100, win=83.0, points=2.2),
        ),
        (
            *(
                Claim(
                    f"{bot}: of the rewards, difference wins most deals at 250 iterations", "paper",
                    best("win", rewarded(bot, 250, "difference"), [rewarded(bot, 250, reward) for reward in REWARDS]),
                )
                for bot in TREES
            ),
            *(
                Claim(
                    f"{bot}: the rewards are less far apart in wins at 4,000 iterations than at 250", "paper",
                    lambda rows, bot=bot: spread(rows, [rewarded(bot, 4000, reward) for reward in REWARDS])
                    < spread(rows, [rewarded(bot, 250, reward) for reward in REWARDS]),
                )
                for bot in TREES
            ),
            Claim(
                "mcts: at 1,000 iterations win wins most deals", "check",
                best("win", rewarded("mcts", 1000, "win"), [rewarded("mcts", 1000, reward) for reward in REWARDS]),
            ),
            Claim(
                "mcts: at 1,000 iterations difference makes most points", "check",
                best("points", rewarded("mcts", 1000, "difference"), [rewarded("mcts", 1000, reward) for reward in REWARDS]),
            ),
        ),
        ("win", "loss", "tie", "points"),
    ),
    Experiment(
        "E5", "how much the tree searches explore, against greedy",
        tuple(
            Part(bot, "against", (GREEDY, *(explored(bot, reward, constant) for reward in REWARDS for constant in CONSTANTS)), 200, 1000)
            for bot in TREES
        ),
        tuple(
            check(explored("mcts", "difference", constant), 100, points=points) for constant, points in ((0.5, 2.0), (2, 2.8), (5, 2.9))
        ),
        figures=("win", "loss", "tie", "points"),
    ),
    Experiment(
        "E6", "how the tree searches play out, against greedy",
        tuple(
            Part(
                bot, "against",
                (GREEDY, *(played_out(bot, way) for way in ("random", "card_random")), *(careless(bot, epsilon) for epsilon in EPSILONS)),
                200, 1000,
            )
            for bot in TREES
        ),
        tuple(check(careless("mcts", epsilon), 100, points=points) for epsilon, points in ((0, 2.5), (0.3, 2.8), (1, 2.5))),
        (
            *(
                Claim(
                    f"{bot}: an epsilon of 0.3 wins most deals", "paper",
                    best("win", careless(bot, 0.3), [careless(bot, epsilon) for epsilon in EPSILONS]),
                )
                for bot in TREES
            ),
            Claim(
                "an epsilon of 0 costs mcts more wins than ismcts", "paper",
                lambda rows: rows[careless("mcts", 0.3)]["win"].value - rows[careless("mcts", 0)]["win"].value
                > rows[careless("ismcts", 0.3)]["win"].value - rows[careless("ismcts", 0)]["win"].value,
            ),
        ),
        ("win", "loss", "tie", "points"),
    ),
    Experiment(
        "E7", "how many iterations, against greedy",
        (
            *(Part(bot, "against", (GREEDY, *(tree(bot, iterations) for iterations in LONGER)), 100, 1000) for bot in TREES),
            Part("long", "against", (GREEDY, *(tree(bot, 32000) for bot in TREES)), 50, 300),
        ),
        (
            paper(tree("mcts", 4000), D=91.8, H=84.0),
            paper(tree("mcts", 32000), D=93.8, H=86.2),
            paper(tree("ismcts", 4000), D=66.6, H=53.0),
            check(tree("mcts", 1000), 200, D=91.0, H=82.5),
            check(tree("ismcts", 4000), 150, D=70.7, H=62.0),
        ),
    ),
    Experiment(
        "E8", "ismcts with and without card guessing",
        (
            Part("iterations", "against", (ISMCTS_4000, tree("ismcts", 4000, guess="true")), 200, 2000),
            Part("time", "against", (tree("ismcts", MANY, **TIMED), tree("ismcts", MANY, guess="true", **TIMED)), 100, 2000),
        ),
    ),
    Experiment(
        "E9", "the final pool",
        (Part("pool", "pool", ("random", "cs", ISMCTS_4000, MCTS_1000), 1000, 1000),),
        (
            paper("random", 3.0, win=10.3, loss=84.8, tie=4.9),
            paper("cs", 3.0, win=41.7, loss=47.9, tie=10.4),
            paper(ISMCTS_4000, 3.0, win=55.8, loss=34.1, tie=10.1),
            paper(MCTS_1000, 3.0, win=79.0, loss=12.6, tie=8.3),
        ),
        (Claim("mcts wins most, then ismcts, cs and random", "paper", in_order("win", (MCTS_1000, ISMCTS_4000, "cs", "random"))),),
    ),
    Experiment(
        "E10", "ismcts against cs",
        (
            Part("long", "against", ("cs", tree("ismcts", 32000)), 100, 1000),
            Part("short", "against", ("cs", tree("ismcts", 1000)), 1000, 1000),
        ),
        (
            paper(tree("ismcts", 32000), win=64.8, loss=23.3, tie=11.8),
            check(tree("ismcts", 32000), 60, win=62.5, loss=24.2, tie=13.3, points=1.1),
            check(tree("ismcts", 1000), 150, win=54.0, loss=29.7, tie=16.3, points=0.66),
        ),
    ),
    Experiment(
        "E11", "what the seats are worth: every bot against itself",
        (
            Part("quick", "self", ("random", "cs"), 20_000, 20_000),
            Part("trees", "self", (ISMCTS_4000, MCTS_1000), 1000, 1000),
        ),
        (
            paper("random", H=41.8),
            paper("cs", H=38.0),
            paper(ISMCTS_4000, H=34.7),
            paper(MCTS_1000, H=29.5),
            check(MCTS_1000, 400, H=28.3),
        ),
        (
            Claim(
                "the stronger the bot, the less the hand wins: random, cs, ismcts, mcts", "paper",
                in_order("H", ("random", "cs", ISMCTS_4000, MCTS_1000)),
            ),
        ),
    ),
    Experiment(
        "E12", "ten cards: random and greedy against themselves",
        (
            Part("random", "playouts", ("random",), 200_000, 200_000, TEN),
            Part("greedy", "self", (GREEDY,), 200_000, 200_000, TEN),
        ),
        (
            check("random", 200_000, H=39.9, D=48.1, tie=12.0),
            check(GREEDY, 200_000, H=16.1, D=74.9, tie=9.0),
        ),
    ),
    Experiment(
        "E13", "the solver against plain minimax, one to eight cards left",
        (Part("nine", "solver", ("nine cards",), 5000, 5000), Part("ten", "solver", ("ten cards",), 5000, 5000, TEN)),
        tuple(wanted(row, {"same": 0.0}, same=100.0) for row in ("nine cards", "ten cards")),
    ),
)  # fmt: skip
