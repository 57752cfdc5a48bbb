"""Programs that run on gnomon and on PyTorch, and record what happens.

A program gets the library (``lib``), its ``nn``, and two functions: ``note`` records values as a line, and
``attempt`` the result or the error of an action.  Warnings are recorded at the end.
"""

import re
import warnings


class Programs(dict):
    """The programs of a test file by name, each with the lines that it records."""

    def add(self, expected):
        """A decorator that adds a program."""

        def register(function):
            self[function.__name__] = (function, expected)
            return function

        return register

    def expected(self, name):
        return self[name][1]

    def recorded(self, name, lib):
        """What a program records with one of the two libraries, in gnomon's names."""
        lines = []

        def shown(value):
            if isinstance(value, lib.Tensor):
                return value.tolist()
            return [shown(each) for each in value] if isinstance(value, (list, tuple)) else value

        def note(*values):
            text = " ".join(str(shown(each)) for each in values)
            text = re.sub(r" Please file an issue at \S+ .*", "", text)  # gnomon has no such page
            text = re.sub(r"https://\S+", "URL", text)
            lines.append(text.replace("torch.", "gnomon.").replace("torch Tensor", "gnomon Tensor"))

        def attempt(action):
            try:
                note("returned", action())
            except Exception as error:
                note(f"{type(error).__name__}:", str(error))

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self[name][0](lib, lib.nn, note, attempt)
        for each in caught:
            note(f"{each.category.__name__}:", str(each.message))
        return lines
