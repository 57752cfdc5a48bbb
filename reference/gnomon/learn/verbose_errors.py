"""GNOMON_VERBOSE_ERRORS: an error that ends a program is followed by the explanation of its call."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import Any


def explain_errors() -> None:
    """Explain the errors that end this program, a thread of it, or a cell of the notebook that it is."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None:
        shell.set_custom_exc((Exception,), _after_cell)
    sys.excepthook = _after(sys.excepthook, lambda arguments: arguments[1])
    threading.excepthook = _after(threading.excepthook, lambda arguments: arguments[0].exc_value)


def _after(hook: Callable[..., Any], error_of: Callable[[tuple[Any, ...]], Any]) -> Callable[..., Any]:
    """A hook that runs ``hook`` first."""

    @functools.wraps(hook)
    def both(*arguments: Any) -> None:
        hook(*arguments)
        show_explanation(error_of(arguments))

    return both


def _after_cell(shell: Any, kind: Any, error: BaseException, trace: Any, tb_offset: Any = None) -> None:
    """IPython's hook: the traceback as always, then the explanation."""
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    show_explanation(error)


def show_explanation(error: BaseException | None) -> None:
    """Print to standard error the explanation of an error, if a call of an operator raised it.

    It never raises: the error itself has been shown, and is not to be hidden by another one.
    """
    from .errors import explain_error

    if error is None:
        return
    try:
        report = explain_error(error)
    except ValueError:
        return  # it did not come from a call
    except Exception as other:
        print(f"gnomon: no explanation: {type(other).__name__}: {other}", file=sys.stderr)
        return
    print(f"\nGNOMON_VERBOSE_ERRORS: {report}", file=sys.stderr)
