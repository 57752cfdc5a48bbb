"""Published times of training on many GPUs, and what the model of scaling.py says of the same runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from .scaling import A100, V100, Plan, Step, Transformer, step


class Run(NamedTuple):
    """A published run of Megatron-LM, and the operations a second of each GPU, in 10¹²."""

    hidden: int
    layers: int
    tensor: int
    pipeline: int
    gpus: int
    batch: int
    reached: float


# Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM" (2021),
# table 1: models of 1.7 to 1008 billion parameters on A100 GPUs.
MEGATRON = [
    Run(2304, 24, 1, 1, 32, 512, 137),
    Run(3072, 30, 2, 1, 64, 512, 138),
    Run(4096, 36, 4, 1, 128, 512, 142),
    Run(6144, 40, 8, 1, 256, 1024, 135),
    Run(8192, 48, 8, 2, 512, 1536, 138),
    Run(10240, 60, 8, 4, 1024, 1792, 140),
    Run(12288, 80, 8, 8, 1536, 2304, 148),
    Run(16384, 96, 8, 16, 1920, 2160, 155),
    Run(20480, 105, 8, 35, 2520, 2520, 163),
    Run(25600, 128, 8, 64, 3072, 3072, 163),
]

# Shoeybi et al., "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism"
# (2019), figure 5: a batch of 8, on 1, 2, 4 and 8 V100 GPUs, each model larger by that factor.  (hidden,
# layers, GPUs, the share of one GPU's rate.)
MODEL_PARALLEL = [(1536, 40, 1, 1.0), (1920, 54, 2, 0.95), (2304, 64, 4, 0.82), (3072, 72, 8, 0.77)]

# Zhao et al., "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel" (2023), section 5.4: GPT of
# 175 billion parameters with recomputation.  (GPUs, sequences of each, 10¹² operations a second of each.)
SHARDED = [(128, 1, 173), (512, 1, 173), (128, 2, 186), (512, 2, 186)]


def compared_with_megatron() -> Iterator[tuple[Run, Transformer, Step, float]]:
    """Each run, its model, the step that is predicted, and the predicted rate of a GPU in 10¹²."""
    for run in MEGATRON:
        model = Transformer(run.layers, run.hidden)
        plan = Plan(run.gpus // run.tensor // run.pipeline, run.tensor, run.pipeline, recomputes=True)
        # the paper chooses the best size of a microbatch for each; so does this
        sizes = [size for size in (1, 2, 4, 8) if run.batch / plan.data >= size]
        found = [step(A100, model, replace(plan, microbatch=size), run.batch) for size in sizes]
        best = min(found, key=lambda each: each.seconds)
        yield run, model, best, model.operations(run.batch, True) / best.seconds / run.gpus / 1e12


def compared_with_model_parallel() -> Iterator[tuple[int, float, float]]:
    """The number of GPUs, the published share of one GPU's rate, and the predicted one."""
    alone = 0.0
    for hidden, layers, gpus, share in MODEL_PARALLEL:
        model = Transformer(layers, hidden, sequence=1024)
        found = step(V100, model, Plan(tensor=gpus, microbatch=8, recomputes=True), 8)
        rate = model.operations(8, True) / found.seconds / gpus
        alone = alone or rate
        yield gpus, share, rate / alone


def compared_with_sharded() -> Iterator[tuple[int, int, float, float]]:
    """The number of GPUs, the sequences of each, the published rate of each and the predicted one."""
    model = Transformer(96, 12288)
    for gpus, each, reached in SHARDED:
        plan = Plan(data=gpus, sharded=True, microbatch=each, recomputes=True)
        found = step(A100, model, plan, gpus * each)
        yield gpus, each, reached, model.operations(gpus * each, True) / found.seconds / gpus / 1e12
