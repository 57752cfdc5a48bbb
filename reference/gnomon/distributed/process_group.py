"""Process groups: which processes talk to each other, and by what.

Source: torch/distributed/distributed_c10d.py (init_process_group, new_group, and what they keep).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import Any

from ..memory.tensor import Tensor
from ..values.errors import warn
from . import debug, failure, rendezvous
from .backend import Backend
from .described_messages import Awaited
from .environment import place_by_mpiexec, place_by_variables
from .errors import DistNetworkError
from .mpi import ProcessGroupMPI
from .progress import one_call
from .waiting import meanwhile

default_pg_timeout = timedelta(minutes=30)
NAMES = ("mpi", "nccl")
_OTHERS = ("gloo", "ucc")  # PyTorch's for the host, in whose place MPI stands

# Makes the group of another library beside MPI's: ``create(mpi group) -> Backend or None``, by its name.
_creators: dict[str, Callable[[ProcessGroupMPI], Backend | None]] = {}


class ProcessGroup:
    """Some of the processes, which call collectives together.

    ``ranks`` are their numbers among all processes; a rank in the group is a place in this list.
    Source: torch.distributed.ProcessGroup.
    """

    def __init__(
        self,
        ranks: Sequence[int],
        mpi: ProcessGroupMPI,
        others: Sequence[Backend],
        group_name: str,
        group_desc: str,
        timeout: timedelta,
    ) -> None:
        self.ranks = tuple(ranks)
        self.mpi = mpi
        self.backends = (*others, mpi)
        self.group_name = group_name
        self.group_desc = group_desc
        self.timeout = timeout
        self.compared = 0  # collectives that debug.py has compared
        self.awaited: list[Awaited] = []  # in the order in which they were asked for

    def rank(self) -> int:
        """The rank of this process in the group."""
        return self.mpi.rank

    def size(self) -> int:
        """The number of processes."""
        return self.mpi.size

    def name(self) -> str:
        """The name of what moves its tensors."""
        return self.backends[0].name

    def backend_for(self, tensor: Tensor) -> Backend:
        """What moves a tensor: the first that can use its memory, else MPI, through the host."""
        return next((each for each in self.backends if each.can_use(tensor)), self.mpi)

    def __repr__(self) -> str:
        return f"<gnomon.distributed.ProcessGroup {self.group_name!r} of ranks {list(self.ranks)}>"


class _NonMember:
    """What ``new_group`` returns to a process that is not in the group."""

    def __repr__(self) -> str:
        return "<gnomon.distributed.GroupMember.NON_GROUP_MEMBER>"


class GroupMember:
    """``NON_GROUP_MEMBER``: what ``new_group`` returns to a process that is not in the group.

    Source: torch.distributed.GroupMember.
    """

    NON_GROUP_MEMBER: Any = _NonMember()


class _World:
    """All groups of this process."""

    def __init__(self) -> None:
        self.default: ProcessGroup | None = None
        self.groups: list[ProcessGroup] = []
        self.made = 0  # also by other ranks: names are the same everywhere
        self.outside: tuple[int, ...] | None = None  # the ranks of the last group made without this process


_world = _World()


class _WorldName(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:
        """The group of all processes; None before ``init_process_group``."""
        return _world.default


class group(metaclass=_WorldName):
    """``group.WORLD``: the group of all processes.  Source: torch.distributed.group."""


def is_available() -> bool:
    """Whether mpi4py, by which processes communicate, is installed.

    Source: torch.distributed.is_available.
    """
    return is_mpi_available()


def is_mpi_available() -> bool:
    """Whether mpi4py is installed.  Source: torch.distributed.is_mpi_available."""
    import importlib.util

    return importlib.util.find_spec("mpi4py") is not None


def is_nccl_available() -> bool:
    """Whether a backend of a GPU offers NCCL.  Source: torch.distributed.is_nccl_available."""
    return "nccl" in _offered()


def is_gloo_available() -> bool:
    """False: gnomon communicates by MPI.  Source: torch.distributed.is_gloo_available."""
    return False


def is_backend_available(backend: str) -> bool:
    """Whether groups of this name can be made.  Source: torch.distributed.is_backend_available."""
    known = {"mpi": is_mpi_available, "nccl": is_nccl_available}
    return known[backend.lower()]() if backend.lower() in known else backend.lower() in _offered()


def is_initialized() -> bool:
    """Is there a group of all processes?  Source: torch.distributed.is_initialized."""
    return _world.default is not None


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Any = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Make the group of all processes.

    Started by ``mpiexec`` (or ``python -m gnomon.distributed.run``), a process finds the others without any
    argument.  Else it needs its rank and the number of processes, from ``rank`` and ``world_size`` or the
    variables ``RANK`` and ``WORLD_SIZE``, and the place of rank 0, from ``init_method="tcp://host:port"`` or
    the variables ``MASTER_ADDR`` and ``MASTER_PORT``; this needs MPICH, and must be called before anything
    else imports ``mpi4py.MPI``.

    ``backend``: "mpi" for tensors on host memory, "nccl" also for those on CUDA devices, or as PyTorch writes
    it, "cpu:mpi,cuda:nccl"; default: what there is.  ``timeout``: after which a collective that does not end
    raises DistBackendError; default: 30 minutes.  ``device_id`` makes that CUDA device the current one.

    From then on, an exception that nobody catches ends all processes, with its traceback and rank.

    Raises ValueError for a second call, for an unknown ``backend`` and for places that contradict each other,
    RuntimeError without mpi4py or an MPI, DistNetworkError if the processes do not meet.
    Source: torch.distributed.init_process_group.
    """
    if _world.default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None:
        raise NotImplementedError(
            "init_process_group: argument 'store' is not supported: gnomon's processes meet by MPI; give "
            "init_method or start them by mpiexec"
        )
    wanted = wanted_backends(backend)
    seconds = check_timeout(default_pg_timeout if timeout is None else timeout)
    if not is_mpi_available():
        raise RuntimeError(
            "init_process_group: mpi4py, by which processes communicate, is not installed: pip install "
            "'gnomon[mpi]'"
        )
    _meet(init_method, world_size, rank, seconds)
    MPI = _start_mpi()
    place = (MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD.Get_size())
    for name, given, found in (("rank", rank, place[0]), ("world_size", world_size, place[1])):
        if given not in (-1, found):
            raise ValueError(f"init_process_group: argument {name!r} is {given}, but MPI says {found}")
    if device_id is not None:
        import gnomon as gn

        gn.accelerator.set_device_index(gn.device(device_id).index or 0)
    failure.install(place[0], lambda: _abort(MPI))
    name = _new_name()
    _world.default = _add_group(
        MPI.COMM_WORLD.Dup(),
        range(place[1]),
        group_name or name,
        "default_pg",
        wanted,
        timedelta(seconds=seconds),
    )


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Give a group back, or all.  All of its processes must call it.

    Raises AssertionError if there is none, ValueError for a group that was given back.
    Source: torch.distributed.destroy_process_group.
    """
    if group is GroupMember.NON_GROUP_MEMBER:
        return
    found = _world.default if group is None else group
    if found is None:
        raise AssertionError("Process group cannot be None")
    if found not in _world.groups:
        raise ValueError("Invalid process group specified or has been destroyed.")
    for each in reversed(_world.groups) if found is _world.default else [found]:
        meanwhile.pop(each, None)
        for backend in each.backends:
            backend.close()
    if found is _world.default:
        failure.remove()
        _world.groups.clear()
        _world.default = None
        _world.made = 0
        _world.outside = None
    else:
        _world.groups.remove(found)


@one_call()
def new_group(
    ranks: Iterable[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
    sort_ranks: bool = True,
) -> Any:
    """A group of some of the processes; ``GroupMember.NON_GROUP_MEMBER`` for the others.

    All processes must call it, in the same order; with ``use_local_synchronization`` only the members.
    ``sort_ranks``: whether ranks in the group follow the order of the numbers, or that of ``ranks``.
    Raises ValueError without a default group, for a rank that is not there, and for one that is given twice,
    TypeError for one that is no int.
    Source: torch.distributed.new_group.
    """
    world = default_group()
    members = list(range(world.size())) if ranks is None else list(ranks)
    if any(not hasattr(each, "__index__") for each in members):
        raise TypeError(f"new_group: expected ranks to be ints, got {members}")
    if sort_ranks:
        members.sort()
    if len(set(members)) != len(members):
        raise ValueError(f"ranks list must not contain duplicate entries, got {members}")
    if len(members) > world.size():
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    for each in members:
        if not 0 <= each < world.size():
            raise ValueError(
                f"Rank {each} is out of range. Valid ranks are 0 to {world.size() - 1} "
                f"(world_size={world.size()})"
            )
    limit = world.timeout if timeout is None else timedelta(seconds=check_timeout(timeout))
    wanted = wanted_backends(backend)
    is_member = world.rank() in members
    name = _new_name()
    if use_local_synchronization:
        name = "of " + "_".join(map(str, members))
        if not is_member:
            return _outside(members)
    debug.compare(
        world,
        "NEW_GROUP",
        [],
        more={"Ranks": str(members), "Backend": ",".join(wanted), "Only members": use_local_synchronization},
        ranks=members if use_local_synchronization else None,
    )
    chosen = world.mpi.communicator.Get_group().Incl(members)
    if use_local_synchronization:
        communicator = world.mpi.communicator.Create_group(chosen)
    else:
        communicator = world.mpi.communicator.Create(chosen)
    if not is_member:
        return _outside(members)
    return _add_group(communicator, members, name, group_desc, wanted, limit)


def new_subgroups(
    group_size: int | None = None,
    group: ProcessGroup | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[ProcessGroup, list[Any]]:
    """Groups of ``group_size`` processes with successive ranks: this process's own, and all.

    Raises ValueError for a size that does not divide the number of processes.
    Source: torch.distributed.new_subgroups.
    """
    size = get_world_size()
    if group_size is None:
        raise ValueError("new_subgroups: expected argument 'group_size'")
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    if size < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({size})")
    if size % group_size:
        raise ValueError(f"The world size ({size}) must be divisible by 'group_size={group_size!r}'")
    return new_subgroups_by_enumeration(
        [list(range(first, first + group_size)) for first in range(0, size, group_size)],
        timeout,
        backend,
        pg_options,
        group_desc,
    )


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]],
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Groups of the ranks listed: this process's own (None if it is in none), and all.

    Raises ValueError for a rank that is in two groups.  Source:
    torch.distributed.new_subgroups_by_enumeration.
    """
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    own, made = None, []
    seen: dict[int, list[int]] = {}
    for number, ranks in enumerate(ranks_per_subgroup_list):
        for rank in ranks:
            if rank in seen:
                raise ValueError(f"Rank {rank} has appeared in both subgroup {seen[rank]} and {list(ranks)}")
            seen[rank] = list(ranks)
        made.append(new_group(ranks, timeout, backend, group_desc=group_desc or f"subgroup_{number}"))
        if get_rank() in ranks:
            own = made[-1]
    return own, made


@one_call()
def split_group(
    parent_pg: ProcessGroup | None = None,
    split_ranks: Sequence[Sequence[int]] | None = None,
    timeout: timedelta | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
    backend: str | None = None,
) -> Any:
    """The group of those of ``split_ranks`` (ranks in the parent) that have this process; None if none has.

    All processes of the parent must call it.  Source: torch.distributed.split_group.
    """
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    parent = resolved(parent_pg)
    for ranks in split_ranks:
        if not ranks:
            raise ValueError("the split group cannot be empty")
        if len(ranks) > parent.size():
            raise ValueError(
                "the split group's size should be less or equal to the world_size set by init_process_group"
            )
        if len(set(ranks)) != len(ranks):
            raise ValueError("the split group cannot have duplicate ranks")
    limit = parent.timeout if timeout is None else timedelta(seconds=check_timeout(timeout))
    wanted = wanted_backends(backend)
    more = {"Ranks": str([list(each) for each in split_ranks]), "Backend": ",".join(wanted)}
    debug.compare(parent, "SPLIT_GROUP", [], more=more)
    color, own = next(((n, r) for n, r in enumerate(split_ranks) if parent.rank() in r), (-1, []))
    MPI = _start_mpi()
    key = sorted(own).index(parent.rank()) if own else 0
    communicator = parent.mpi.communicator.Split(MPI.UNDEFINED if color < 0 else color, key)
    _new_name()  # counts
    if color < 0:
        return None
    members = [parent.ranks[each] for each in sorted(own)]
    name = f"{parent.group_name}:split:{color}"
    return _add_group(communicator, members, name, group_desc, wanted, limit)


def get_rank(group: Any = None) -> int:
    """The rank of this process in a group; -1 if it is not in it.

    Raises ValueError without a group of all processes.  Source: torch.distributed.get_rank.
    """
    if group is GroupMember.NON_GROUP_MEMBER:
        return -1
    return resolved(group).rank()


def get_world_size(group: Any = None) -> int:
    """The number of processes in a group; -1 if this process is not in it.

    Raises ValueError without a group of all processes.  Source: torch.distributed.get_world_size.
    """
    if group is GroupMember.NON_GROUP_MEMBER:
        return -1
    return resolved(group).size()


def get_backend(group: ProcessGroup | None = None) -> str:
    """ "mpi" or "nccl".  Raises ValueError for a group that this process is not in.

    Source: torch.distributed.get_backend.
    """
    if group is GroupMember.NON_GROUP_MEMBER:
        raise ValueError("Invalid process group specified")
    return resolved(group).name()


def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """The numbers of a group's processes among all, in the order of their ranks.

    For ``NON_GROUP_MEMBER`` those of the last group that was made without this process: all such groups look
    the same to it.  Source: torch.distributed.get_process_group_ranks.
    """
    if group is GroupMember.NON_GROUP_MEMBER and _world.outside is not None:
        return list(_world.outside)
    return list(resolved(group).ranks)


def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The rank in ``group`` of process ``global_rank``.  Raises ValueError if it is not in it.

    Source: torch.distributed.get_group_rank.
    """
    found = resolved(group)
    if global_rank not in found.ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {found}")
    return found.ranks.index(global_rank)


def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The number among all processes of rank ``group_rank`` of a group.  Raises ValueError if it has no such.

    Source: torch.distributed.get_global_rank.
    """
    found = resolved(group)
    if not 0 <= group_rank < found.size():
        raise ValueError(f"Group rank {group_rank} is not part of group {found}")
    return found.ranks[group_rank]


def get_pg_count() -> int:
    """The number of groups.  Source: torch.distributed.get_pg_count."""
    return len(_world.groups)


def default_group() -> ProcessGroup:
    """The group of all processes.  Raises ValueError before ``init_process_group``."""
    if _world.default is None:
        raise ValueError(
            "Default process group has not been initialized, please make sure to call init_process_group."
        )
    return _world.default


def resolved(group: Any) -> ProcessGroup:
    """The group itself, or that of all processes for None.

    Raises ValueError for a group that was given back, and for one that this process is not in.
    """
    if group is None:
        return default_group()
    if not isinstance(group, ProcessGroup):
        raise ValueError("Invalid process group specified")
    if group not in _world.groups:
        raise ValueError("Invalid process group specified or has been destroyed.")
    return group


def register_backend(name: str, create: Callable[[ProcessGroupMPI], Backend | None]) -> None:
    """Offer another library: ``create`` makes its part of a group beside MPI's, or says None if it can not.

    Source: torch.distributed.Backend.register_backend.
    """
    _creators[name] = create


def wanted_backends(backend: str | None) -> tuple[str, ...]:
    """The names in "mpi", "nccl" or "cpu:mpi,cuda:nccl"; () for None: all that there are.

    Raises ValueError for another.
    """
    if backend is None:
        return ()
    if not isinstance(backend, str):
        raise ValueError(f"Backend constructor parameter must be string-ish, got {type(backend).__name__}")
    names = [each.partition(":")[2] or each for each in backend.lower().replace(" ", "").split(",")]
    for each in names:
        if each in _OTHERS:
            warn(f"gnomon has no {each}: processes communicate by MPI", UserWarning)
        elif each not in NAMES and each not in _offered():
            raise ValueError(f"Invalid backend: '{each}': expected one of {sorted({*NAMES, *_offered()})}")
        elif each != "mpi" and each not in _offered():
            raise RuntimeError(f"Distributed package doesn't have {each.upper()} built in")
    return tuple("mpi" if each in _OTHERS else each for each in names)


def check_timeout(timeout: Any) -> float:
    """Its seconds.  Raises TypeError for what is no timedelta."""
    if not isinstance(timeout, timedelta):
        raise TypeError(
            f"Expected timeout argument to be of type datetime.timedelta, got {timeout} of type "
            f"{type(timeout)}"
        )
    return timeout.total_seconds()


def _offered() -> dict[str, Callable[[ProcessGroupMPI], Backend | None]]:
    """The libraries beside MPI: those registered, and those that installed packages offer."""
    from ..memory import plug_ins

    for name, entry_point in plug_ins.offered("gnomon.process_groups").items():
        if name not in _creators:
            try:
                _creators[name] = entry_point.load()
            except Exception as error:  # third-party code
                warn(
                    f"process groups of {name!r} are not available: {plug_ins.reason_of(error)}", UserWarning
                )
                _creators[name] = lambda group: None
    return _creators


def _new_name() -> str:
    """A name for a group; all processes ask for it, also those outside, so that it is the same everywhere."""
    _world.made += 1
    return str(_world.made - 1)


def _outside(ranks: Sequence[int]) -> Any:
    """``NON_GROUP_MEMBER``, for a group of ``ranks`` that was made without this process."""
    _world.outside = tuple(ranks)
    return GroupMember.NON_GROUP_MEMBER


def _add_group(
    communicator: Any,
    ranks: Sequence[int],
    name: str,
    desc: str | None,
    backend: tuple[str, ...],
    timeout: timedelta,
) -> ProcessGroup:
    """The group of a communicator, which is among this process's groups from now on."""
    mpi = ProcessGroupMPI(communicator, name, timeout.total_seconds())
    chosen = [create for each, create in _offered().items() if not backend or each in backend]
    others = [each for each in (create(mpi) for create in chosen) if each is not None]
    made = ProcessGroup(ranks, mpi, others, name, desc or "undefined", timeout)
    _world.groups.append(made)
    return made


def _meet(init_method: str | None, world_size: int, rank: int, timeout: float) -> None:
    """If no mpiexec started this process, but it has a rank: find the others."""
    if init_method is not None and not init_method.startswith(("env://", "tcp://")):
        raise ValueError(
            "init_process_group: expected init_method to begin with 'env://' or 'tcp://', got "
            f"{init_method!r}"
        )
    if place_by_mpiexec() is not None:
        return
    place = place_by_variables()
    if rank >= 0 and world_size > 0:
        place = rendezvous.Place(rank, world_size)
    elif init_method is not None and init_method.startswith("tcp://"):
        raise ValueError("init_process_group: init_method 'tcp://…' needs the arguments rank and world_size")
    if place is None or place.size == 1:
        return  # alone
    if not 0 <= place.rank < place.size:
        raise ValueError(f"init_process_group: rank {place.rank} is not one of {place.size} ranks")
    if init_method is not None and init_method.startswith("tcp://"):
        host, _, port = init_method[len("tcp://") :].rstrip("/").rpartition(":")
    else:
        host, port = os.environ.get("MASTER_ADDR", ""), os.environ.get("MASTER_PORT", "")
    if not host or not port.isdecimal():
        raise ValueError(
            "init_process_group: expected the place of rank 0, from the variables MASTER_ADDR and "
            "MASTER_PORT or from "
            f"init_method='tcp://host:port'; got host {host!r} and port {port!r}"
        )
    if "mpi4py.MPI" in sys.modules:
        raise RuntimeError(
            "init_process_group: mpi4py.MPI was imported before: a process that no mpiexec started must call "
            "init_process_group first"
        )
    rendezvous.meet(host, int(port), place, timeout)
    MPI = _start_mpi()
    if MPI.COMM_WORLD.Get_size() != place.size:
        raise DistNetworkError(
            f"init_process_group: {MPI.Get_library_version().splitlines()[0]} did not join the processes: "
            "rendezvous by MASTER_ADDR needs MPICH; start the program by mpiexec or gnomon.distributed.run"
        )


def _start_mpi() -> Any:
    """MPI, started so that any thread may call it.  Raises RuntimeError if it is not there."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise RuntimeError(
            f"init_process_group: mpi4py finds no MPI library ({error}): install one, as in pip install mpich"
        ) from error
    return MPI


def _abort(MPI: Any) -> None:
    if rendezvous.has_met():
        os._exit(1)  # the server tells the others
    if not MPI.Is_finalized():
        MPI.COMM_WORLD.Abort(1)
