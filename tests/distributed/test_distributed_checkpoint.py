"""Checkpoints: what is written, by whom, what another number of ranks reads, and what a crash leaves."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gnomon as gn
import gnomon.distributed as dist
from gnomon import nn
from gnomon.distributed import checkpoint
from gnomon.distributed.checkpoint import CheckpointException, Shard
from gnomon.distributed.checkpoint import state_dict as states
from gnomon.distributed.checkpoint.loading import _load_state_dict_from_keys
from gnomon.distributed.checkpoint.tensor_file import TensorFile
from gnomon.utils.data import DataLoader, TensorDataset
from gnomon.utils.data.distributed import DistributedSampler
from ranks import on_ranks, shared_folder


def rows_of(whole: gn.Tensor, rank: int, size: int) -> Shard:
    """The rows that a rank has: a third of eight is 3, 3, 2."""
    each = -(-len(whole) // size)
    rows = whole[rank * each : (rank + 1) * each].clone()
    return Shard(rows, tuple(whole.shape), (min(rank * each, len(whole)), *[0] * (whole.dim() - 1)))


def columns_of(whole: gn.Tensor, rank: int, size: int) -> Shard:
    each = whole.shape[1] // size
    begin, end = rank * each, (rank + 1) * each if rank < size - 1 else whole.shape[1]
    return Shard(whole[:, begin:end].clone(), tuple(whole.shape), (0, begin))


def empty_like(shard: Shard) -> Shard:
    return Shard(gn.full_like(shard.tensor, -1), shard.global_shape, shard.offset)


WHOLE = (gn.arange(8 * 7) * 3).view(8, 7)


def saved_by_all(path: Path, rank: int, size: int) -> None:
    """A checkpoint with each kind of content."""
    checkpoint.save(
        {
            "rows": rows_of(WHOLE, rank, size),
            "columns": columns_of(WHOLE.to(gn.complex128), rank, size),
            "alike": gn.tensor([1.5, float("nan")], dtype=gn.bfloat16),
            "own": {rank: gn.full((2,), rank)},
            "step": 7,
            "betas": (0.9, 0.999),
        },
        checkpoint_id=path,
    )


def check_resharded(path: Path, group: Any) -> None:
    """What ``saved_by_all`` saved, as the ranks of a group read it: rows where columns were, too."""
    rank, size = dist.get_rank(group), dist.get_world_size(group)
    rows, columns = (
        columns_of(WHOLE, rank, size),
        rows_of(WHOLE.to(gn.complex128), rank, size),
    )
    state: dict[str, Any] = {
        "rows": empty_like(rows),
        "columns": empty_like(columns),
        "alike": gn.zeros(2, dtype=gn.bfloat16),
        "own": {0: gn.zeros(2, dtype=gn.int64)},
        "step": 0,
        "betas": None,
    }
    places = state["rows"].tensor.data_ptr()
    checkpoint.load(state, checkpoint_id=path, process_group=group)
    assert state["rows"].tensor.data_ptr() == places
    assert gn.equal(state["rows"].tensor, rows.tensor)
    assert gn.equal(state["columns"].tensor, columns.tensor)
    assert state["alike"][0] == 1.5 and state["alike"][1].isnan() and state["own"][0].tolist() == [0, 0]
    assert state["step"] == 7 and state["betas"] == (0.9, 0.999) and type(state["betas"]) is tuple


def resharding(rank: int, size: int) -> None:
    """All ranks save; then so many as each group has load."""
    with shared_folder(rank) as folder:
        path = folder / "latest"
        saved_by_all(path, rank, size)
        assert sorted(os.listdir(folder)) == ["latest"]
        written = {"metadata.json", "rank_0.values.pt", *(f"rank_{each}.safetensors" for each in range(size))}
        assert set(os.listdir(path)) == written
        for count in range(1, size + 1):
            group = dist.new_group(range(count))
            if rank < count:
                check_resharded(path, group)
                dist.destroy_process_group(group)
            dist.barrier()


@on_ranks(1, 3)
def test_another_number_of_ranks_reads_what_these_wrote(rank: int, size: int) -> None:
    resharding(rank, size)


@pytest.mark.slow
@on_ranks(4)
def test_four_ranks_write_and_two_or_one_read(rank: int, size: int) -> None:
    resharding(rank, size)


@on_ranks(2, 3)
def test_what_all_have_is_written_once_by_the_first(rank: int, size: int) -> None:
    with shared_folder(rank) as folder:
        with pytest.warns(UserWarning, match="'loss' differs between ranks; that of rank 0 is written"):
            metadata = checkpoint.save(
                {
                    "all": gn.full((3,), 4),
                    "loss": 0.5 + rank,
                    "of": {rank: gn.ones(1)},
                    "half": rows_of(WHOLE, rank // 2 if size == 3 else rank, 2),
                },
                checkpoint_id=folder / "x",
            )
        assert metadata is not None and metadata.world_size == size
        assert metadata == checkpoint.FileSystemReader(folder / "x").read_metadata()
        entries: Any = metadata.state_dict_metadata
        assert [each.file for each in entries["all"].chunks] == ["rank_0.safetensors"]
        assert [each.file for each in entries["of.1"].chunks] == ["rank_1.safetensors"]
        if size == 3:  # ranks 0 and 1 have the same half
            assert [(c.offsets, c.sizes, c.file) for c in entries["half"].chunks] == [
                ((0, 0), (4, 7), "rank_0.safetensors"),
                ((4, 0), (4, 7), "rank_2.safetensors"),
            ]
        state = _load_state_dict_from_keys(["all", "loss", "of"], checkpoint_id=folder / "x")
        assert state["all"].tolist() == [4, 4, 4] and state["loss"] == 0.5
        assert list(state["of"]) == list(range(size))


@on_ranks(2)
def test_contradictions_between_ranks_are_named_on_all(rank: int, size: int) -> None:
    with shared_folder(rank) as folder:

        def refused(state: dict[str, Any], text: str, path: Path = folder / "x") -> None:
            with pytest.raises(CheckpointException, match=text):
                checkpoint.save(state, checkpoint_id=path)
            dist.barrier()
            assert os.listdir(folder) == []

        kind = gn.float32 if rank else gn.float64
        refused({"w": gn.ones(2, dtype=kind)}, r"'w' has the dtype float64 on rank 0, and float32 on rank 1")
        refused({"w": gn.ones(2 + rank)}, r"'w' has the shape \[2\] on rank 0, and \[3\] on rank 1")
        refused({"w": gn.ones(2) if rank else 3}, "'w' is a value on rank 0, and a tensor on rank 1")
        refused({"w": 3 if rank else gn.ones(2)}, "'w' is a tensor on rank 0, and a value on rank 1")
        overlap = Shard(gn.ones(2, 1), (3, 1), (rank, 0))
        refused({"w": overlap}, r"'w', of shape \[3, 1\]: parts overlap: \[0:2, 0:1\] and \[1:3, 0:1\]")
        hole = Shard(gn.ones(1), (4,), (rank,))
        refused({"w": hole}, r"'w', of shape \[4\]: its parts have 2 of 4 elements: \[0:1\], \[1:2\]")
        refused({"w": 1}, "rank 0 saves to '.*a0', rank 1 to '.*a1'", folder / f"a{rank}")
        refused({"w": object() if rank == 0 else 1}, "^checkpoint.save to .*\nrank 0: .*object")
        sparse = gn.eye(2).to_sparse() if rank else gn.eye(2)
        with pytest.raises(
            CheckpointException, match="\nrank 1: TypeError: 'w': expected a dense tensor"
        ) as error:
            checkpoint.save({"w": sparse}, checkpoint_id=folder / "x")
        assert list(error.value.failures) == [1]


@on_ranks(2)
def test_a_rank_that_can_not_write_leaves_the_checkpoint_before(rank: int, size: int) -> None:
    with shared_folder(rank) as folder:
        path = folder / "x"
        checkpoint.save({"w": rows_of(gn.zeros(4, 2), rank, size)}, checkpoint_id=path)
        files: Any = checkpoint.filesystem
        before = files.write

        def fail(*_: Any) -> None:
            raise OSError(28, "No space left on device")

        if rank == 1:
            files.write = fail
        try:
            with pytest.raises(CheckpointException, match=r"failed:\nrank 1: OSError: \[Errno 28\] No space"):
                checkpoint.save({"w": rows_of(gn.ones(4, 2), rank, size)}, checkpoint_id=path)
        finally:
            files.write = before
        dist.barrier()
        assert os.listdir(folder) == ["x"]
        assert _load_state_dict_from_keys(checkpoint_id=path)["w"].sum() == 0


@on_ranks(1, 2)
def test_saving_in_a_thread_takes_the_state_of_now(rank: int, size: int) -> None:
    with shared_folder(rank) as folder:
        whole = gn.arange(6.0).view(3, 2)
        shard, values = rows_of(whole, rank, size), [1]
        future = checkpoint.async_save({"w": shard, "a": whole, "v": values}, checkpoint_id=folder / "x")
        shard.tensor.zero_()
        whole.zero_()
        values.append(2)
        dist.all_reduce(gn.ones(3))  # the program's collectives go on
        metadata = future.result()
        assert metadata is not None and metadata.world_size == size
        state = _load_state_dict_from_keys(checkpoint_id=folder / "x")
        assert state["w"].flatten().tolist() == state["a"].flatten().tolist() == [0, 1, 2, 3, 4, 5]
        assert state["v"] == [1]
        dist.barrier()


class Training:
    """A classifier trained by all ranks, and all that its training depends on."""

    def __init__(self, seed: int, rank: int, size: int) -> None:
        gn.manual_seed(seed)
        self.rank, self.size = rank, size
        self.model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))
        for each in self.model.parameters():
            dist.broadcast(each.detach(), 0)
        gn.manual_seed(seed * 1000 + rank)
        self.optimizer = gn.optim.Adam(self.model.parameters(), lr=0.05)
        self.scheduler = gn.optim.lr_scheduler.ExponentialLR(self.optimizer, gamma=0.9)
        rows = gn.arange(40)
        images = ((rows.view(40, 1) * 7 + gn.arange(6) * 5) % 11).float() / 11
        self.data = TensorDataset(images, rows % 3)
        self.sampler = DistributedSampler(self.data, size, rank, seed=3)
        self.place = {"epoch": 0, "batch": 0}
        self.losses: list[float] = []

    def run(self, steps: int) -> None:
        while len(self.losses) < steps:
            self.sampler.set_epoch(self.place["epoch"])
            loader = DataLoader(self.data, 8, sampler=self.sampler, generator=gn.Generator())
            batches = list(loader)
            for images, labels in batches[self.place["batch"] :]:
                self.optimizer.zero_grad()
                loss = nn.functional.cross_entropy(self.model(images), labels)
                loss.backward()
                for each in self.model.parameters():
                    assert each.grad is not None
                    dist.all_reduce(each.grad, dist.ReduceOp.AVG)
                self.optimizer.step()
                self.scheduler.step()
                self.losses.append(loss.item())
                self.place["batch"] += 1
                if len(self.losses) == steps:
                    break
            if self.place["batch"] == len(batches):
                self.place = {"epoch": self.place["epoch"] + 1, "batch": 0}

    def state(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "optimizer": self.optimizer,
            "scheduler": self.scheduler,
            "place": self.place,
            "of rank": {self.rank: {"generator": gn.get_rng_state(), "losses": self.losses}},
        }

    def resume(self, path: Path) -> None:
        state = self.state()
        checkpoint.load(state, checkpoint_id=path)
        self.place = state["place"]
        gn.set_rng_state(state["of rank"][self.rank]["generator"])
        self.losses = state["of rank"][self.rank]["losses"]


@on_ranks(1, 2, 3)
def test_a_resumed_training_has_the_same_losses_bit_for_bit(rank: int, size: int) -> None:
    with shared_folder(rank) as folder:
        undisturbed = Training(1, rank, size)
        undisturbed.run(14)
        interrupted = Training(1, rank, size)
        interrupted.run(6)
        checkpoint.save(interrupted.state(), checkpoint_id=folder / "x")
        interrupted.run(9)  # what comes after a checkpoint is lost
        resumed = Training(2, rank, size)  # another seed: nothing may come from elsewhere
        resumed.resume(folder / "x")
        assert len(resumed.losses) == 6
        resumed.run(14)
        assert resumed.losses == undisturbed.losses
        for one, other in zip(resumed.model.parameters(), undisturbed.model.parameters(), strict=True):
            assert gn.equal(one, other)


def test_a_shard_must_be_within_its_tensor() -> None:
    with pytest.raises(
        ValueError, match=r"shape \[2, 3\] at offset \[3, 0\] is not within .* shape \[4, 3\]"
    ):
        Shard(gn.ones(2, 3), (4, 3), (3, 0))
    with pytest.raises(
        ValueError, match=r"expected global_shape and offset of 2 dimensions.*got \[4\] and \[0\]"
    ):
        Shard(gn.ones(2, 3), (4,), (0,))


DTYPES = [
    *(
        "uint8",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint16",
        "uint32",
        "uint64",
        "bool",
        "float16",
        "bfloat16",
    ),
    *("float32", "float64", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2"),
]


def test_every_dtype_and_layout_comes_back(tmp_path: Path) -> None:
    state: dict[str, Any] = {}
    for name in DTYPES:
        kind = getattr(gn, name)
        state[name] = {
            "transposed": gn.arange(6).view(2, 3).to(kind).t(),
            "step": gn.arange(12).to(kind)[1::3],
            "number": gn.ones((), dtype=kind),
            "nothing": gn.empty(3, 0, 2, dtype=kind),
            "expanded": gn.ones(1, dtype=kind).expand(3),
        }
    state["conjugate"] = gn.tensor([1 + 2j, 3 - 1j]).conj()
    state["reference"] = gn.ones(2, device="reference")
    checkpoint.save(state, checkpoint_id=tmp_path / "x")
    read = _load_state_dict_from_keys(checkpoint_id=tmp_path / "x")
    for name in DTYPES:
        for key, value in state[name].items():
            found = read[name][key]
            assert found.dtype is value.dtype and found.shape == value.shape, (name, key)
            assert found.tolist() == value.tolist(), (name, key)
    assert read["conjugate"].tolist() == [1 - 2j, 3 + 1j]
    target: dict[str, Any] = {
        "reference": gn.zeros(2, device="reference"),
        "float32": {"transposed": gn.zeros(2, 3).t()},
    }
    checkpoint.load(target, checkpoint_id=tmp_path / "x")
    assert target["reference"].tolist() == [1, 1] and target["reference"].device.type == "reference"
    assert target["float32"]["transposed"].tolist() == [[0, 3], [1, 4], [2, 5]]


def test_the_package_safetensors_reads_the_files(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors")
    checkpoint.save({"a": gn.arange(3), "b": gn.ones(2, 2, dtype=gn.bfloat16)}, checkpoint_id=tmp_path / "x")
    read = dict(safetensors.deserialize((tmp_path / "x" / "rank_0.safetensors").read_bytes()))
    assert read["a"]["shape"] == [3] and read["a"]["dtype"] == "I64" and read["b"]["dtype"] == "BF16"
    tensors = gn.load(tmp_path / "x" / "rank_0.safetensors")
    assert tensors["a"].tolist() == [0, 1, 2] and tensors["b"].tolist() == [[1, 1], [1, 1]]


def test_the_file_of_tensors_is_in_the_format_safetensors(tmp_path: Path) -> None:
    checkpoint.save({"a": gn.ones(2, dtype=gn.uint8), "b": gn.tensor([258])}, checkpoint_id=tmp_path / "x")
    data = (tmp_path / "x" / "rank_0.safetensors").read_bytes()
    length = int.from_bytes(data[:8], "little")
    assert length % 8 == 0 and json.loads(data[8 : 8 + length]) == {  # the largest elements first: aligned
        "b": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        "a": {"dtype": "U8", "shape": [2], "data_offsets": [8, 10]},
    }
    assert data[8 + length :] == b"\2\1\0\0\0\0\0\0\1\1"


def test_only_what_is_needed_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    opening = TensorFile.__init__

    def open_file(self: TensorFile, path: Path) -> None:
        opened.append(path.name)
        opening(self, path)

    monkeypatch.setattr(TensorFile, "__init__", open_file)
    checkpoint.save({"w": gn.arange(4)}, checkpoint_id=tmp_path / "x")
    text = (tmp_path / "x" / "metadata.json").read_text()
    whole = json.dumps({"offset": [0], "shape": [4], "file": "rank_0.safetensors"})
    parts = [json.dumps({"offset": [a], "shape": [2], "file": f"rank_{a}.safetensors"}) for a in (0, 2)]
    assert whole in text
    (tmp_path / "x" / "metadata.json").write_text(text.replace(whole, ", ".join(parts)))
    for first in (0, 2):
        checkpoint.save({"w": gn.arange(first, first + 2)}, checkpoint_id=tmp_path / "y")
        os.replace(tmp_path / "y" / "rank_0.safetensors", tmp_path / "x" / f"rank_{first}.safetensors")
        shutil.rmtree(tmp_path / "y")
    part = Shard(gn.zeros(1, dtype=gn.int64), (4,), (3,))
    checkpoint.load({"w": part}, checkpoint_id=tmp_path / "x")
    assert part.tensor.item() == 3 and opened == ["rank_2.safetensors"]


def test_loading_says_what_does_not_fit_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x"
    checkpoint.save({"a": {"b": gn.ones(2, 3)}, "n": 1}, checkpoint_id=path)

    def refused(state: dict[str, Any], text: str) -> None:
        with pytest.raises(CheckpointException, match=text):
            checkpoint.load(state, checkpoint_id=path)

    kept = gn.zeros(2, 3)
    refused({"a": {"b": kept, "c": gn.ones(1)}}, "RuntimeError: Missing key in checkpoint state_dict: a.c.")
    refused(
        {"a": {"b": gn.ones(3, 2)}},
        r"Size mismatch between saved gnomon.Size\(\[2, 3\]\) and current: gnomon.Size\(\[3, 2\]\) for a.b",
    )
    refused(
        {"a": {"b": gn.ones(2, 3).double()}},
        "dtype mismatch between saved gnomon.float32 and current: gnomon.float64 for a.b",
    )
    assert kept.sum() == 0
    refused({"model": nn.Linear(1, 1)}, "Missing key in checkpoint state_dict: model.")
    with pytest.raises(CheckpointException, match=r"there is no checkpoint in .*y: it has no metadata.json"):
        checkpoint.load({}, checkpoint_id=tmp_path / "y")
    (path / "rank_0.safetensors").write_bytes((path / "rank_0.safetensors").read_bytes()[:-1])
    refused({"a": {"b": gn.ones(2, 3)}}, r"rank_0.safetensors has 95 bytes, but its header says 96")
    (path / "metadata.json").write_text("{")
    refused({"n": 0}, "not the metadata of a checkpoint")


def test_saving_says_what_it_does_not_take(tmp_path: Path) -> None:
    with pytest.raises(CheckpointException, match=r"keys of type str or int, got 1.5"):
        checkpoint.save({"a": {1.5: 1}}, checkpoint_id=tmp_path / "x")
    with pytest.raises(CheckpointException, match=r"duplicated flatten key a.b"):
        checkpoint.save({"a.b": 1, "a": {"b": 1}}, checkpoint_id=tmp_path / "x")
    with pytest.raises(ValueError, match="expected argument 'checkpoint_id'"):
        checkpoint.save({})
    with pytest.raises(NotImplementedError, match="argument 'planner' is not supported"):
        checkpoint.save({}, checkpoint_id=tmp_path / "x", planner=object())
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("all of it")
    with pytest.raises(CheckpointException, match="mine is there, and is no checkpoint: it is not replaced"):
        checkpoint.save({"n": 1}, checkpoint_id=tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "all of it"
    checkpoint.save({"n": 1}, checkpoint_id=tmp_path / "x")
    keeping = checkpoint.FileSystemWriter(tmp_path / "x", overwrite=False)
    with pytest.raises(CheckpointException, match=r"Checkpoint already exists and self.overwrite=False"):
        checkpoint.save({"n": 2}, storage_writer=keeping)
    assert _load_state_dict_from_keys("n", checkpoint_id=tmp_path / "x") == {"n": 1}
    assert sorted(os.listdir(tmp_path)) == ["mine", "x"]


def test_a_new_optimizer_gets_the_state_that_was_saved(tmp_path: Path) -> None:
    def made() -> tuple[nn.Module, gn.optim.Optimizer]:
        model = nn.Linear(3, 2)
        return model, gn.optim.Adam(model.parameters(), lr=0.1)

    model, optimizer = made()
    model(gn.ones(1, 3)).sum().backward()
    optimizer.step()
    optimizer.param_groups[0]["lr"] = 0.25
    checkpoint.save({"model": model, "optimizer": optimizer}, checkpoint_id=tmp_path / "x")
    other, fresh = made()
    checkpoint.load({"model": other, "optimizer": fresh}, checkpoint_id=tmp_path / "x")
    assert gn.equal(other.weight, model.weight) and fresh.param_groups[0]["lr"] == 0.25
    for mine, its in zip(model.parameters(), other.parameters(), strict=True):
        assert set(fresh.state[its]) == set(optimizer.state[mine]) == {"step", "exp_avg", "exp_avg_sq"}
        for name, value in optimizer.state[mine].items():
            assert gn.equal(fresh.state[its][name], value)


def test_states_by_names_of_parameters(tmp_path: Path) -> None:
    def made() -> tuple[nn.Module, list[gn.optim.Optimizer]]:
        model = nn.DataParallel(nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1)))
        first, second = model.module.children()
        return model, [
            gn.optim.Adam(second.parameters()),
            gn.optim.SGD(first.parameters(), 0.1, momentum=0.5),
        ]

    model, optimizers = made()
    model(gn.ones(1, 2)).sum().backward()
    for each in optimizers:
        each.step()
        each.zero_grad()
    weights, optimized = states.get_state_dict(model, optimizers)
    assert list(weights) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert [each["params"] for each in optimized["param_groups"]] == [
        ["1.weight", "1.bias"],
        ["0.weight", "0.bias"],
    ]
    assert set(optimized["state"]) == set(weights) and "momentum_buffer" in optimized["state"]["0.bias"]
    checkpoint.save({"m": weights, "o": optimized}, checkpoint_id=tmp_path / "x")
    other, fresh = made()
    before = [each.clone() for each in other.parameters()]
    got = dict(zip(("m", "o"), states.get_state_dict(other, fresh), strict=True))
    assert all(gn.equal(a, b) for a, b in zip(before, other.parameters(), strict=True))
    assert fresh[1].param_groups[0]["lr"] == 0.1
    checkpoint.load(got, checkpoint_id=tmp_path / "x")
    states.set_state_dict(other, fresh, model_state_dict=got["m"], optim_state_dict=got["o"])
    for mine, its in zip(model.parameters(), other.parameters(), strict=True):
        assert gn.equal(mine, its)
        for one, two in zip(optimizers, fresh, strict=True):
            for name, value in one.state.get(mine, {}).items():
                assert gn.equal(two.state[its][name], value)


CRASH = """
import os, signal, sys
from pathlib import Path
import gnomon as gn
from gnomon.distributed import checkpoint
from gnomon.distributed.checkpoint.loading import _load_state_dict_from_keys

# Killed at the first, second, ... time that Python opens, renames or removes something, until it is not.
path = Path(sys.argv[1]) / "latest"
number = round = 0
seen = set()
ended = False
checkpoint.save({"w": gn.full((4,), 0), "n": 0}, checkpoint_id=path)
while not ended:
    number, round = number + 1, round + 1
    child = os.fork()
    if child == 0:
        left = [number]
        def kill(event, arguments):
            if event in ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir", "shutil.rmtree"):
                left[0] -= 1
                if left[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(kill)
        checkpoint.save({"w": gn.full((4,), round), "n": round}, checkpoint_id=path)
        os._exit(0)
    ended = os.waitpid(child, 0)[1] == 0
    assert checkpoint.is_checkpoint(path), os.listdir(path.parent)
    found = _load_state_dict_from_keys(checkpoint_id=path)
    assert found["w"].tolist() == [found["n"]] * 4 and found["n"] in (last if round > 1 else 0, round), found
    last = found["n"]
    seen.add(tuple(sorted(os.listdir(path.parent))))
assert found["n"] == round and os.listdir(path.parent) == ["latest"]
print(number, sorted(seen))
"""


@pytest.mark.slow
def test_a_crash_at_any_moment_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    environment = {**os.environ, "GNOMON_NUM_THREADS": "1"}
    command = [sys.executable, "-c", CRASH, str(tmp_path)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    number, _, seen = ran.stdout.partition(" ")
    assert int(number) > 10
    for line in (
        ("latest",),
        (".latest.partial", ".latest.replaced"),
        (".latest.partial", "latest"),
        (".latest.replaced", "latest"),
    ):
        assert str(line) in seen, seen
