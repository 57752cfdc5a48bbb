"""GNOMON_VERBOSE_ERRORS: what is printed after an error, and after which."""

import os
import subprocess
import sys
import threading

import pytest

import gnomon as gn
from gnomon.learn import verbose_errors


def run(program, value="1"):
    """What a program prints to standard error, and its exit status."""
    environment = {**os.environ, "GNOMON_VERBOSE_ERRORS": value, "GNOMON_BACKEND": "reference"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False
    )
    return done.stderr, done.returncode


def test_the_call_is_explained_after_the_traceback():
    shown, status = run("import gnomon as gn\ngn.ones(3, 4) + gn.ones(3)")
    assert status == 1
    traceback, mark, explanation = shown.partition("\nGNOMON_VERBOSE_ERRORS: ")
    assert mark and traceback.startswith("Traceback") and "RuntimeError: add: The size" in traceback
    assert explanation.startswith("RuntimeError in a call of add.Tensor")
    assert "dispatch keys" in explanation.lower() and "Broadcast" in explanation


@pytest.mark.parametrize("value", ["0", ""])
def test_without_it_there_is_only_the_traceback(value):
    shown, status = run("import gnomon as gn\ngn.ones(3, 4) + gn.ones(3)", value)
    assert status == 1 and "GNOMON_VERBOSE_ERRORS" not in shown and "explanation" not in shown


def test_an_error_of_another_kind_is_left_alone():
    shown, status = run("import gnomon as gn\n{}['key']")
    assert status == 1 and shown.endswith("KeyError: 'key'\n")


def test_an_error_in_a_thread():
    shown, _ = run(
        "import threading, gnomon as gn\n"
        "thread = threading.Thread(target=lambda: gn.ones(2).view(3))\n"
        "thread.start(); thread.join()"
    )
    assert "GNOMON_VERBOSE_ERRORS: RuntimeError in a call of view" in shown


def test_an_explanation_that_fails_hides_nothing(monkeypatch, capsys):
    def fails(error):
        raise ZeroDivisionError("inside")

    monkeypatch.setattr("gnomon.learn.errors.explain_error", fails)
    verbose_errors.show_explanation(RuntimeError("of a call"))
    assert capsys.readouterr().err == "gnomon: no explanation: ZeroDivisionError: inside\n"
    verbose_errors.show_explanation(None)
    assert capsys.readouterr().err == ""


def test_the_hooks_of_others_run_first(monkeypatch, capsys):
    seen = []
    monkeypatch.setattr(sys, "excepthook", lambda *arguments: seen.append(arguments))
    monkeypatch.setattr(threading, "excepthook", lambda arguments: seen.append(arguments.exc_value))
    verbose_errors.explain_errors()
    try:
        gn.ones(2).view(3)
    except RuntimeError as error:
        caught = error
    sys.excepthook(type(caught), caught, caught.__traceback__)
    assert seen == [(RuntimeError, caught, caught.__traceback__)]
    assert "in a call of view" in capsys.readouterr().err
    threading.excepthook(threading.ExceptHookArgs((RuntimeError, caught, caught.__traceback__, None)))
    assert seen[1] is caught
    assert "in a call of view" in capsys.readouterr().err


def test_a_cell_of_a_notebook():
    pytest.importorskip("IPython")
    shown, _ = run(
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "shell = InteractiveShell.instance()\n"
        "shell.run_cell('import gnomon as gn')\n"
        "shell.run_cell('gn.ones(2).view(3)')"
    )
    assert "GNOMON_VERBOSE_ERRORS: RuntimeError in a call of view" in shown
