"""Draws the pictures of docs/distributed.md: the algorithms by which ranks share a step of training.

python tools/distributed_pictures.py docs
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from html import escape
from pathlib import Path

INK, PALE, GRAY = "#24292f", "#f6f8fa", "#8c959f"
COLORS = ("#9ecae9", "#ffcf9c", "#b5dfb0", "#e6b8d7")  # of ranks, or of parts


class Picture:
    """Boxes, words and arrows, in a frame as large as what is drawn."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.parts: list[str] = []
        self.width = self.height = 0.0

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        text: str = "",
        color: str = PALE,
        dash: bool = False,
    ) -> None:
        """A rectangle with a word in it."""
        line = ' stroke-dasharray="4 3"' if dash else ""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" fill="{color}" '
            f'stroke="{INK}" stroke-width="1"{line}/>'
        )
        self._reach(x + width, y + height)
        if text:
            self.words(x + width / 2, y + height / 2 + 4, text, "middle")

    def words(
        self, x: float, y: float, text: str, anchor: str = "start", color: str = INK, size: int = 12
    ) -> None:
        """A line of text."""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{color}" '
            f'font-size="{size}">{escape(text)}</text>'
        )
        width = 0.56 * size * len(text)
        self._reach(x + {"start": width, "middle": width / 2, "end": 0}[anchor], y + 4)

    def arrow(self, x: float, y: float, to_x: float, to_y: float, bend: float = 0.0) -> None:
        """An arrow, curved if it has a ``bend``."""
        path = f"M {x:g} {y:g} Q {(x + to_x) / 2:g} {(y + to_y) / 2 + bend:g} {to_x:g} {to_y:g}"
        self.parts.append(
            f'<path d="{path}" fill="none" stroke="{INK}" stroke-width="1.3" marker-end="url(#head)"/>'
        )
        self._reach(max(x, to_x), max(y, to_y, (y + to_y) / 2 + bend / 2))

    def _reach(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)

    def svg(self) -> str:
        """The file's text."""
        width, height = self.width + 12, self.height + 12
        body = "\n".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}" '
            f'font-family="sans-serif">\n<title>{escape(self.title)}</title>\n'
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M 0 0 L 8 4 L 0 8 z" fill="{INK}"/></marker></defs>\n'
            f'<rect width="{width:g}" height="{height:g}" fill="white"/>\n{body}\n</svg>\n'
        )


def ring() -> Picture:
    """Three ranks, three parts: the parts' sums go around, then the whole sums do."""
    drawn = Picture(
        "the ring: two rounds of messages to the right neighbour, after which every rank has every sum"
    )
    known = [[{rank} for _ in range(3)] for rank in range(3)]  # whose numbers each part of each rank has
    for row in range(5):
        y = 30 + 78 * row
        label = ("at first", "summed", "summed", "copied", "copied")[row]
        drawn.words(12, y + 20, label)
        for rank in range(3):
            x = 100 + 210 * rank
            if row == 0:
                drawn.words(x + 87, 20, f"rank {rank}", "middle")
            for part in range(3):
                who = "+".join(map(str, sorted(known[rank][part])))
                is_whole = len(known[rank][part]) == 3
                drawn.box(x + 58 * part, y, 58, 30, f"{'abc'[part]}{who}", COLORS[part] if is_whole else PALE)
        if row < 4:
            before = [[set(part) for part in rank] for rank in known]
            for rank in range(3):
                part = (rank - row) % 3 if row < 2 else (rank - row + 3) % 3
                right = (rank + 1) % 3
                known[right][part] = (
                    before[right][part] | before[rank][part] if row < 2 else before[rank][part]
                )
                x, to = 100 + 210 * rank + 58 * part + 29, 100 + 210 * right + 58 * part + 29
                drawn.arrow(x, y + 31, to, y + 77)
    return drawn


def buckets() -> Picture:
    """Parameters in the order of their gradients, copied into flat tensors that travel as one."""
    drawn = Picture(
        "gradients, last layer first, are copied into two buckets, each of which travels as one tensor"
    )
    names = ("head.bias", "head.weight", "layer2.bias", "layer2.weight", "layer1.weight")
    widths = (50, 110, 50, 120, 140)
    drawn.words(12, 34, "gradients, in the order in which backward computes them")
    x, places = 12.0, []
    for number, (name, width) in enumerate(zip(names, widths)):
        drawn.box(x, 44, width, 28, "", COLORS[number % 4])
        drawn.words(x + width / 2, 90, name, "middle", size=10)
        places.append(x + width / 2)
        x += width + 24
    drawn.words(560, 178, "buckets: flat tensors; the parts are views")
    starts = (12.0, 12 + 50 + 110 + 60.0)
    at = starts[0]
    for number, width in enumerate(widths):
        if number == 2:
            at = starts[1]
        drawn.box(at, 160, width, 28, "", COLORS[number % 4])
        drawn.arrow(places[number], 95, at + width / 2, 158)
        at += width
    drawn.words(starts[0], 206, "bucket 0: all_reduce as soon as it is full", size=10)
    drawn.words(starts[1] + 60, 206, "bucket 1: all_reduce at the end of backward", size=10)
    return drawn


def overlap() -> Picture:
    """Two time lines: communication after backward, and beside it."""
    drawn = Picture("time lines: all_reduce after backward takes longer than all_reduce beside backward")
    for row, (title, beside) in enumerate(
        (("one all_reduce, at the end", False), ("a bucket at a time", True))
    ):
        y = 22 + 120 * row
        drawn.words(12, y, title)
        drawn.words(12, y + 30, "computing", size=10, color=GRAY)
        drawn.words(12, y + 64, "messages", size=10, color=GRAY)
        drawn.box(90, y + 12, 90, 26, "forward", PALE)
        for part in range(3):
            drawn.box(180 + 70 * part, y + 12, 70, 26, f"backward {part}", COLORS[part])
        end = 390.0
        if beside:
            for part in range(3):
                drawn.box(252 + 70 * part, y + 46, 56, 26, f"bucket {part}", COLORS[part])
            end = 252 + 70 * 2 + 56
        else:
            drawn.box(390, y + 46, 168, 26, "all gradients", PALE)
            end = 558
        drawn.box(end + 4, y + 12, 40, 26, "step", PALE)
    return drawn


def sharding() -> Picture:
    """What a rank holds: everything, its part of the optimizer's state, or its part of everything."""
    drawn = Picture(
        "what four ranks hold: data parallel everything, ZeRO a part of the state, sharded a part of all"
    )
    rows = ("parameters", "gradients", "Adam's state")
    heights = (26, 26, 52)
    kinds = (
        ("DistributedDataParallel", (1, 1, 1)),
        ("+ ZeroRedundancyOptimizer", (1, 1, 0)),
        ("fully_shard", (0, 0, 0)),
    )
    for column, (name, wholes) in enumerate(kinds):
        left = 110 + 190 * column
        drawn.words(left + 80, 22, name, "middle")
        for rank in range(4):
            x, y = left + 42 * rank, 34.0
            for whole, height in zip(wholes, heights):
                if whole:
                    drawn.box(x, y, 34, height, "", COLORS[rank])
                else:
                    drawn.box(x, y, 34, height, "", "white", dash=True)
                    drawn.box(x, y + height / 4 * rank, 34, height / 4, "", COLORS[rank])
                y += height + 8
            drawn.words(x + 17, y + 10, f"rank {rank}", "middle", size=9)
    at = 34.0
    for name, height in zip(rows, heights):
        drawn.words(12, at + height / 2 + 4, name)
        at += height + 8
    return drawn


def pipeline() -> Picture:
    """GPipe's and 1F1B's schedules of 3 stages and 4 microbatches."""
    drawn = Picture(
        "two schedules of three stages: all forwards and then all backwards; and one forward, one backward"
    )
    for row, (title, order) in enumerate(
        (("GPipe: all forwards, then all backwards", _gpipe), ("1F1B: one of each in turn", _one_each))
    ):
        y = 22 + 128 * row
        drawn.words(12, y, title)
        for (stage, time), (kind, number) in order(3, 4).items():
            drawn.box(
                80 + 34 * time,
                y + 10 + 30 * stage,
                34,
                26,
                f"{kind}{number}",
                COLORS[0] if kind == "F" else COLORS[1],
            )
        for stage in range(3):
            drawn.words(12, y + 28 + 30 * stage, f"stage {stage}", size=10, color=GRAY)
    return drawn


def _schedule(stages: int, orders: list[list[tuple[str, int]]]) -> dict[tuple[int, int], tuple[str, int]]:
    """When each stage does what, if it takes its work in order, and as soon as its neighbours have done
    theirs.
    """
    done: dict[tuple[str, int, int], int] = {}  # (kind, microbatch, stage) -> the time after it
    found, free, left = {}, [0] * stages, [list(each) for each in orders]
    while any(left):
        for stage in range(stages):
            if not left[stage]:
                continue
            kind, number = left[stage][0]
            before = (kind, number, stage - 1) if kind == "F" else (kind, number, stage + 1)
            is_first = stage == (0 if kind == "F" else stages - 1)
            if not is_first and before not in done:
                continue
            time = max(free[stage], 0 if is_first else done[before])
            found[stage, time] = (kind, number)
            free[stage] = done[kind, number, stage] = time + 1
            left[stage].pop(0)
    return found


def _gpipe(stages: int, count: int) -> dict[tuple[int, int], tuple[str, int]]:
    whole = [("F", each) for each in range(count)] + [("B", each) for each in range(count)]
    return _schedule(stages, [whole] * stages)


def _one_each(stages: int, count: int) -> dict[tuple[int, int], tuple[str, int]]:
    orders = []
    for stage in range(stages):
        ahead = min(stages - 1 - stage, count)
        order = [("F", each) for each in range(ahead)]
        for each in range(count - ahead):
            order += [("F", ahead + each), ("B", each)]
        orders.append(order + [("B", each) for each in range(count - ahead, count)])
    return _schedule(stages, orders)


def tensor_parallel() -> Picture:
    """A pair of linear layers, the first cut by columns, the second by rows."""
    drawn = Picture("a linear layer cut by its outputs, then one cut by its inputs: one all_reduce for both")
    drawn.words(12, 22, "every rank has x")
    drawn.box(12, 60, 40, 70, "x", PALE)
    for rank in range(2):
        y = 34 + 76 * rank
        drawn.box(110, y, 90, 50, f"A, half {rank}", COLORS[rank])
        drawn.box(245, y, 60, 50, "gelu", PALE)
        drawn.box(350, y, 90, 50, f"B, half {rank}", COLORS[rank])
        drawn.arrow(54, 95, 108, y + 25)
        drawn.arrow(202, y + 25, 243, y + 25)
        drawn.arrow(307, y + 25, 348, y + 25)
        drawn.arrow(442, y + 25, 500, 92)
        drawn.words(155, y - 6 if rank == 0 else y + 64, f"rank {rank}", "middle", size=10, color=GRAY)
    drawn.box(502, 70, 80, 46, "all_reduce", COLORS[2])
    drawn.arrow(584, 93, 616, 93)
    drawn.box(618, 60, 40, 70, "y", PALE)
    return drawn


PICTURES: dict[str, Callable[[], Picture]] = {
    "distributed_ring": ring,
    "distributed_buckets": buckets,
    "distributed_overlap": overlap,
    "distributed_sharding": sharding,
    "distributed_pipeline": pipeline,
    "distributed_tensor_parallel": tensor_parallel,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="output folder")
    folder = parser.parse_args().folder
    for name, draw in PICTURES.items():
        (folder / f"{name}.svg").write_text(draw().svg(), "utf-8")


if __name__ == "__main__":
    main()
