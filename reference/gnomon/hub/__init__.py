"""Models from folders with a ``hubconf.py``, and files from URLs.

Folders must be on this machine: gnomon downloads no code.  Source: torch/hub.py.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NoReturn
from urllib.parse import urlparse

from ..serialization import load as load_file
from ..serialization.files import replacing

__all__ = [
    "download_url_to_file",
    "get_dir",
    "help",
    "list",
    "load",
    "load_state_dict_from_url",
    "set_dir",
]

_HASH = re.compile(r"-([a-f0-9]*)\.")  # in names such as resnet18-bf5a0fd.pth
_PIECE = 1 << 16

_folder: str | None = None


def get_dir() -> str:
    """The folder of downloaded files: ``set_dir``, else ``$GNOMON_HOME/hub``, else ``~/.cache/gnomon/hub``.

    Source: torch.hub.get_dir.
    """
    if _folder is not None:
        return _folder
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    home = os.environ.get("GNOMON_HOME", os.path.join(cache, "gnomon"))
    return os.path.join(os.path.expanduser(home), "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Set the folder of downloaded files.  Source: torch.hub.set_dir."""
    global _folder
    _folder = os.path.expanduser(d)


def _refuse(name: str, repo: str) -> NoReturn:
    raise RuntimeError(
        f"gnomon.hub.{name}: gnomon downloads no code, such as {repo!r} from GitHub. Clone the repository, "
        f'and call gnomon.hub.{name}(folder, ..., source="local")'
    )


@contextlib.contextmanager
def _hubconf(name: str, folder: str | os.PathLike[str], source: str) -> Iterator[ModuleType]:
    """The module ``hubconf.py`` of a folder, which is on Python's path meanwhile."""
    if source.lower() not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source.lower() == "github":
        _refuse(name, str(folder))
    path = os.fspath(folder)
    spec = importlib.util.spec_from_file_location("hubconf", os.path.join(path, "hubconf.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, path)
    try:
        spec.loader.exec_module(module)
        missing = [
            each for each in getattr(module, "dependencies", []) if importlib.util.find_spec(each) is None
        ]
        if missing:
            raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
        yield module
    finally:
        sys.path.remove(path)


def _entry(module: ModuleType, model: str) -> Callable[..., Any]:
    if not isinstance(model, str):
        raise ValueError("Invalid input: model should be a string of function name")
    found = getattr(module, model, None)
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return found


def load(
    repo_or_dir: str | os.PathLike[str],
    model: str,
    *args: Any,
    source: Literal["github", "local"] = "github",
    **kwargs: Any,
) -> Any:
    """Call the function ``model`` of ``hubconf.py`` in a folder, with ``source="local"``.

    It runs the code of that folder.  ``trust_repo``, ``force_reload``, ``verbose`` and ``skip_validation``,
    which are about downloads, are ignored; other arguments are the function's.  Raises RuntimeError for
    another source, for a function that is not there, and for packages that ``hubconf.dependencies`` names and
    that are missing.  Source: torch.hub.load.
    """
    for name in ("trust_repo", "force_reload", "verbose", "skip_validation"):
        kwargs.pop(name, None)
    with _hubconf("load", repo_or_dir, source) as module:
        return _entry(module, model)(*args, **kwargs)


def help(
    github: str | os.PathLike[str],
    model: str,
    *,
    source: Literal["github", "local"] = "github",
    **kwargs: Any,
) -> str | None:
    """The docstring of the function ``model``; as ``load``.  Source: torch.hub.help."""
    with _hubconf("help", github, source) as module:
        return _entry(module, model).__doc__


def list(
    github: str | os.PathLike[str], *, source: Literal["github", "local"] = "github", **kwargs: Any
) -> Any:
    """The names of the functions that ``load`` can call; as ``load``.  Source: torch.hub.list."""
    with _hubconf("list", github, source) as module:
        return [name for name, each in vars(module).items() if callable(each) and not name.startswith("_")]


def download_url_to_file(
    url: str, dst: str | os.PathLike[str], hash_prefix: str | None = None, progress: bool = False
) -> None:
    """Download a file to ``dst``, which is written as a whole or not at all.

    ``hash_prefix`` is the beginning of its SHA-256.  ``progress=True`` shows a progress bar, by the package
    rich.  Raises RuntimeError for another hash, urllib.error.URLError without a connection, ImportError
    without rich.  Source: torch.hub.download_url_to_file, where a bar is shown unless ``progress=False``.
    """
    with contextlib.ExitStack() as stack:
        response: Any = stack.enter_context(urllib.request.urlopen(url))
        source = response
        if progress:
            from ..serialization.progress import counted

            length = response.headers.get("Content-Length")
            source = stack.enter_context(counted(response, Path(dst).name, length and int(length)))
        file = stack.enter_context(replacing(Path(dst)))
        sha256 = hashlib.sha256()
        while data := source.read(_PIECE):
            sha256.update(data)
            file.write(data)
        digest = sha256.hexdigest()
        if hash_prefix is not None and not digest.startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest}")')


def load_state_dict_from_url(
    url: str,
    model_dir: str | os.PathLike[str] | None = None,
    map_location: Any = None,
    progress: bool = False,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = True,
) -> Any:
    """``gnomon.load`` of a file that is downloaded once, to ``model_dir``, by default "checkpoints" in
    ``get_dir()``.

    ``check_hash``: the name has the beginning of the SHA-256, ``name-<hash>.pth``.  Raises what
    ``download_url_to_file`` and ``gnomon.load`` do.  Source: torch.hub.load_state_dict_from_url, which by
    default loads any object.
    """
    folder = Path(model_dir) if model_dir is not None else Path(get_dir(), "checkpoints")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (file_name or os.path.basename(urlparse(url).path))
    if not path.exists():
        found = _HASH.search(path.name) if check_hash else None
        download_url_to_file(url, path, found.group(1) if found else None, progress)
    return load_file(path, map_location, weights_only=weights_only, progress=progress)
