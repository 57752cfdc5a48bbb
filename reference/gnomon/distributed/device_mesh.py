"""DeviceMesh: processes in a grid, with a group for each row of each dimension.

Source: torch/distributed/device_mesh.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gnomon as gn

from ..memory.tensor import Tensor
from .process_group import ProcessGroup, get_rank, get_world_size, is_initialized, new_group


class DeviceMesh:
    """A grid of processes: ``mesh`` has their numbers, ``mesh_dim_names`` the names of its dimensions.

    All processes must make it.  Along dimension d, this process has the group ``get_group(d)`` of those whose
    other coordinates are its own.  ``mesh["name"]`` is the part of the mesh along one dimension.
    Raises RuntimeError for a mesh with a rank that is not there.
    Source: torch.distributed.device_mesh.DeviceMesh.
    """

    def __init__(
        self,
        device_type: str,
        mesh: Tensor | Sequence[Any],
        *,
        mesh_dim_names: Sequence[str] | None = None,
    ) -> None:
        ranks = mesh.to("cpu") if isinstance(mesh, Tensor) else gn.tensor(mesh, dtype=gn.int64)
        if ranks.numel() and int(ranks.max().item()) >= get_world_size():
            raise RuntimeError(
                f"Mesh should not be bigger than default world size {get_world_size()}, but found "
                f"{ranks.numel()} ranks!"
            )
        if len(set(ranks.flatten().tolist())) != ranks.numel():
            raise RuntimeError(f"DeviceMesh: expected every rank once, got {ranks.tolist()}")
        groups = []
        for dim in range(ranks.dim()):
            own: ProcessGroup | None = None
            for row in ranks.movedim(dim, -1).reshape(-1, ranks.shape[dim]).tolist():
                made = new_group(row, group_desc=f"mesh dimension {dim}")
                own = made if get_rank() in row else own
            groups.append(own)
        self._set(device_type, ranks, tuple(mesh_dim_names or ()), groups)

    def _set(
        self, device_type: str, ranks: Tensor, names: tuple[str, ...], groups: list[ProcessGroup | None]
    ) -> None:
        self.device_type = device_type
        self.mesh = ranks
        self.mesh_dim_names = names or None
        self._groups = groups

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.mesh.dim()

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of processes along each dimension."""
        return tuple(self.mesh.shape)

    def size(self, mesh_dim: int | None = None) -> int:
        """The number of processes, along one dimension or in all."""
        return self.mesh.numel() if mesh_dim is None else self.mesh.shape[mesh_dim]

    def get_group(self, mesh_dim: int | str | None = None) -> ProcessGroup:
        """The group of this process along a dimension.

        Raises RuntimeError if it is to be chosen among several, or if this process is not in the mesh.
        """
        if mesh_dim is None and self.ndim > 1:
            raise RuntimeError(
                f"Found the DeviceMesh have {self.ndim} dimensions. Optional kwarg `mesh_dim` needs to be "
                "specified when device_mesh.ndim > 1."
            )
        found = self._groups[self._number(0 if mesh_dim is None else mesh_dim)]
        if found is None:
            raise RuntimeError(f"rank {get_rank()} is not in {self}")
        return found

    def get_all_groups(self) -> list[ProcessGroup]:
        """The group of this process along each dimension."""
        return [self.get_group(dim) for dim in range(self.ndim)]

    def get_coordinate(self) -> list[int] | None:
        """The place of this process; None if it is not in the mesh."""
        found = (self.mesh == get_rank()).nonzero().tolist()
        return found[0] if found else None

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """The rank of this process in its group along a dimension."""
        return self.get_group(mesh_dim).rank()

    def get_rank(self) -> int:
        """The rank of this process among all."""
        return get_rank()

    def __getitem__(self, name: str) -> DeviceMesh:
        """The processes along one dimension, among which this is, as a mesh of its own.

        Raises KeyError for a name that is not there.
        """
        if name not in (self.mesh_dim_names or ()):
            raise KeyError(f"Invalid mesh_dim_name {name!r}: expected one of {self.mesh_dim_names}")
        dim = self._number(name)
        group = self._groups[dim]
        made = DeviceMesh.__new__(DeviceMesh)
        made._set(self.device_type, gn.tensor(list(group.ranks) if group else []), (name,), [group])
        return made

    def _number(self, mesh_dim: int | str) -> int:
        if isinstance(mesh_dim, str):
            if mesh_dim not in (self.mesh_dim_names or ()):
                raise KeyError(f"Invalid mesh_dim_name {mesh_dim!r}: expected one of {self.mesh_dim_names}")
            return list(self.mesh_dim_names or ()).index(mesh_dim)
        return mesh_dim

    def __repr__(self) -> str:
        names = f", mesh_dim_names={self.mesh_dim_names}" if self.mesh_dim_names else ""
        return f"DeviceMesh({self.device_type!r}, {self.mesh.tolist()}{names})"


def init_device_mesh(
    device_type: str, mesh_shape: Sequence[int], *, mesh_dim_names: Sequence[str] | None = None
) -> DeviceMesh:
    """A mesh of the first processes, in the order of their ranks.  Makes the group of all if there is none.

    Raises RuntimeError for names that are not one for each dimension, or not distinct.
    Source: torch.distributed.device_mesh.init_device_mesh.
    """
    if not is_initialized():
        from .process_group import init_process_group

        init_process_group()
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError(
                f"Each mesh_dim_name must be unique. Found repeated mesh_dim_name in {mesh_dim_names}"
            )
        if len(mesh_dim_names) != len(mesh_shape):
            raise RuntimeError(
                f"mesh_shape and mesh_dim_names should have same length! Found len(mesh_dim_names): "
                f"{len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}."
            )
    total = 1
    for each in mesh_shape:
        total *= each
    ranks = gn.arange(total).view(tuple(mesh_shape))
    return DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names)
