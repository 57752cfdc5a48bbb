"""The process in which a library is tested: it writes each test and its result to a file (apart.py).

python -m gnomon_conformance.libraries.worker FILE REQUEST
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from ..comparison.expectations import ExpectationsError, read
from ..reporting.outcomes import FAIL
from . import checks, command


def main(arguments: Sequence[str]) -> int:
    """Run the tests of a request from number ``first`` on; returns 0.

    A line of the file is a JSON object: first the library or an ``error``, then for each test its ``test``
    before it runs and its ``result`` afterwards, and at last ``done``.
    """
    path, text = arguments
    request = json.loads(text)
    with open(path, "a", encoding="utf-8", buffering=1) as file:

        def say(**line: Any) -> None:
            file.write(json.dumps(line) + "\n")

        try:
            library = command.load(request["library"])
            expectations = read(request["expectations"] or library.expectations)
        except (command.LibraryError, ExpectationsError, OSError) as error:
            say(error=str(error))
            return 0
        chosen = command.chosen(library, request["tiers"], request["operators"], request["dtypes"])
        described = {
            "name": library.name,
            "functions": list(library.functions),
            "dtypes": list(library.dtypes),
        }
        say(**described, tests=len(chosen))
        for each in chosen[request["first"] :]:
            say(test=each.result(library.name, FAIL, known=expectations.reason(each.name))._asdict())
            say(result=checks.result_of(library, each, expectations)._asdict())
        say(done=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
