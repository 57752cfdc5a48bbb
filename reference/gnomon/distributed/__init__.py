"""Training by several processes: not there yet.  What programs ask first is answered.

Source: torch.distributed.
"""

from __future__ import annotations

from typing import Any

from ..values.absent import absent

__getattr__ = absent(__name__, "gnomon trains in one process; is_available() is False")


def is_available() -> bool:
    """False: there is no communication between processes."""
    return False


def is_initialized() -> bool:
    """False: there is no process group."""
    return False


def is_torchelastic_launched() -> bool:
    """False: no launcher started this process."""
    return False


def _no_group() -> ValueError:
    return ValueError(
        "Default process group has not been initialized, please make sure to call init_process_group."
    )


def is_gloo_available() -> bool:
    """False: there is no communication between processes."""
    return False


is_nccl_available = is_mpi_available = is_gloo_available


def get_rank(group: Any = None) -> int:
    """Raises ValueError: there is no process group."""
    raise _no_group()


def get_world_size(group: Any = None) -> int:
    """Raises ValueError: there is no process group."""
    raise _no_group()


def get_backend(group: Any = None) -> str:
    """Raises ValueError: there is no process group."""
    raise _no_group()


def barrier(group: Any = None, async_op: bool = False, device_ids: Any = None) -> None:
    """Raises ValueError: there is no process group."""
    raise _no_group()


def destroy_process_group(group: Any = None) -> None:
    """Raises AssertionError: there is no process group."""
    raise AssertionError("Process group cannot be None")


def init_process_group(*args: Any, **kwargs: Any) -> None:
    """Raises RuntimeError: there is no communication between processes."""
    raise RuntimeError(
        "init_process_group: gnomon trains in one process; gnomon.distributed.is_available() is False"
    )
