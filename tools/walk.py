"""Shows the path of one call: every Python function that an expression calls, in order.

    python tools/walk.py "a + b"                              # of two elements on the reference, third call
    python tools/walk.py "a + b" --call 1                     # the first call, when nothing is cached
    python tools/walk.py "grad(y, a, g)" --before "y = a + b" --grad
    python tools/walk.py "a.mul_(b)" --elements 6 --counts
    python tools/walk.py --write docs/life_of_a_call.md       # updates the output that a page shows

``a``, ``b`` and ``g`` are tensors of --elements numbers; ``gn`` is gnomon and ``grad`` its autograd.grad.
Each line is a call, indented by its depth, with its file and line; a line marked with ``>`` is the operator's
kernel.  The last lines are counts: of calls up to the first kernel and in total, and of files.

A page shows commands in blocks that begin with ```console and ``$ python tools/walk.py``; --write puts the
output of each below it.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any


@dataclass(frozen=True)
class Call:
    """A call of a Python function: its name, its file (relative to gnomon's folder), line and depth."""

    name: str
    file: str
    line: int
    depth: int
    is_kernel: bool


@dataclass(frozen=True)
class Walk:
    """All calls of one expression, in order."""

    calls: list[Call]

    @property
    def to_kernel(self) -> int | None:
        """The number of calls up to and including the first kernel; None if none ran."""
        return next((count for count, each in enumerate(self.calls, 1) if each.is_kernel), None)

    @property
    def files(self) -> set[str]:
        """The files that the calls are in."""
        return {each.file for each in self.calls}

    def counts(self) -> str:
        """The counts, one per line."""
        to_kernel = "no kernel ran" if self.to_kernel is None else f"{self.to_kernel} up to the kernel"
        return f"{len(self.calls)} Python calls, {to_kernel}\n{len(self.files)} files"

    def returns(self, floor_of: Callable[[str], int]) -> list[Call]:
        """The calls on a floor that was left upwards before.

        ``floor_of`` maps the name of a module to its floor.  The rule applies to chains of callers: a call,
        its caller, and so on out to the expression.  In a chain, a floor is left upwards when a call on it
        makes a call on a higher floor; no call further in may be on that floor again.  A call that returns
        before the next one is made belongs to another chain, and does not count.  A kernel starts a new
        chain: it is on the floor of the operators, and computes with the floors below.
        """
        found: list[Call] = []
        chain: list[Call] = []
        for each in self.calls:
            del chain[each.depth :]
            chain.append(each)
            start = max((place for place, call in enumerate(chain) if call.is_kernel), default=0)
            ours = [call for call in chain[start:] if not call.file.startswith(STDLIB)]
            floors = [floor_of(call.file.removesuffix(".py").replace("/", ".")) for call in ours]
            left = {here for here, there in itertools.pairwise(floors) if there > here}
            if ours[-1:] == [each] and floors[-1] in left:
                found.append(each)
        return found

    def text(self, with_lines: bool = True) -> str:
        """One line per call, and the counts; line numbers, which change with every edit, are optional."""
        lines = []
        for each in self.calls:
            place = f"{each.file}:{each.line}" if with_lines else each.file
            lines.append(f"{'>' if each.is_kernel else ' '} {'  ' * each.depth}{each.name}  {place}")
        return "\n".join([*lines, "", self.counts()])


STDLIB = "<stdlib>/"


def _kernel_codes() -> set[Any]:
    """The code objects of all reference kernels."""
    from gnomon.backends.listing import kernel_operators

    kernels = (each.record.kernel for each in kernel_operators())
    return {each.__code__ for each in kernels if hasattr(each, "__code__")}


def walk(
    expression: str,
    *,
    before: str = "",
    call: int = 3,
    elements: int = 2,
    requires_grad: bool = False,
    device: str = "reference",
) -> Walk:
    """The calls of the ``call``-th evaluation of an expression, each after the statements ``before`` it.

    Raises what the expression raises.
    """
    import gnomon as gn

    root = str(Path(gn.__file__).parent) + os.sep
    stdlib = sysconfig.get_path("stdlib") + os.sep
    kernels = _kernel_codes()
    names: dict[str, Any] = {"gn": gn, "grad": gn.autograd.grad}
    for name in "abg":
        names[name] = gn.ones(elements, device=device)
    if requires_grad:
        names["a"].requires_grad_()
    code = compile(expression, "<expression>", "eval")
    calls: list[Call] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_code is code:
            return
        depth, outer = 0, frame.f_back
        while outer is not None and outer.f_code is not code:
            depth, outer = depth + 1, outer.f_back
        if outer is None:
            return  # a function that ran outside of the expression
        function = frame.f_code
        file = function.co_filename.removeprefix(root).replace(stdlib, STDLIB).replace(os.sep, "/")
        name = getattr(function, "co_qualname", function.co_name)  # Python 3.10 has only the last part
        calls.append(Call(name, file, function.co_firstlineno, depth, function in kernels))

    for _ in range(call):
        exec(before, names)
        calls.clear()
        sys.setprofile(note)
        try:
            eval(code, names)
        finally:
            sys.setprofile(None)
    return Walk(calls)


_BLOCK = re.compile(r"^```console\n\$ (python tools/walk\.py .*)\n((?:.*\n)*?)```$", re.MULTILINE)


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """Each command in a page's blocks, with the lines that the page shows below it."""
    for found in _BLOCK.finditer(page):
        yield found[1], found[2]


def printed(command: str) -> str:
    """The output of a command of a page, run in a new process, where nothing is cached.

    Raises RuntimeError if it fails.
    """
    environment = {**os.environ, "GNOMON_SPEEDUPS": "none"}
    done = subprocess.run(
        [sys.executable, str(Path(__file__)), *shlex.split(command)[2:]],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr}")
    return done.stdout


def write(page: Path) -> None:
    """Update the output below each command of a page."""
    new = _BLOCK.sub(
        lambda found: f"```console\n$ {found[1]}\n{printed(found[1])}```", page.read_text("utf-8")
    )
    page.write_text(new, "utf-8")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("expression", nargs="?", help="a Python expression of a, b and g")
    parser.add_argument("--before", default="", help="statements that are run before each evaluation")
    parser.add_argument("--call", type=int, default=3, help="which evaluation to show, from 1 on (default 3)")
    parser.add_argument("--elements", type=int, default=2, help="elements of each tensor (default 2)")
    parser.add_argument("--grad", action="store_true", help="a requires grad")
    parser.add_argument("--device", default="reference", help="device of the tensors (default reference)")
    parser.add_argument("--counts", action="store_true", help="print only the counts")
    parser.add_argument("--places", choices=["line", "file"], default="line", help="of calls (default line)")
    parser.add_argument("--write", metavar="PAGE", type=Path, help="update the blocks of this page")
    options = parser.parse_args()
    if options.write is not None:
        write(options.write)
        return
    if options.expression is None:
        parser.error("expected an expression, or --write PAGE")
    if options.call < 1:
        parser.error(f"--call: expected a number from 1 on, got {options.call}")
    os.environ.setdefault("GNOMON_SPEEDUPS", "none")  # calls that run in C would not be seen
    found = walk(
        options.expression,
        before=options.before,
        call=options.call,
        elements=options.elements,
        requires_grad=options.grad,
        device=options.device,
    )
    print(found.counts() if options.counts else found.text(options.places == "line"))


if __name__ == "__main__":
    main()
