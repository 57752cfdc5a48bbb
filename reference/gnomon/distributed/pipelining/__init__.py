"""Pipelines: each process has some successive layers of a model, a stage, and sends activations to the next.

A batch is cut into micro-batches, so that stages work at the same time.  F and B are a micro-batch's forward
and backward; time goes to the right, four micro-batches go through three stages:

    GPipe       stage 0   F0 F1 F2 F3 .  .  .  .  B0 B1 B2 B3
                stage 1   .  F0 F1 F2 F3 .  .  B0 B1 B2 B3 .
                stage 2   .  .  F0 F1 F2 F3 B0 B1 B2 B3 .  .

    1F1B        stage 0   F0 F1 F2 .  .  B0 F3 B1 .  B2 .  B3
                stage 1   .  F0 F1 .  B0 F2 B1 F3 B2 .  B3 .
                stage 2   .  .  F0 B0 F1 B1 F2 B2 F3 B3 .  .

With m micro-batches and n stages, both take the time of m + n - 1 forwards and backwards, of which a stage
stands still for n - 1.  But a stage of GPipe keeps the activations of all micro-batches, while stage s of
1F1B keeps those of at most n - s.

The model is split by hand: into a list of modules, of which a process needs its own only.

    stage = PipelineStage(parts[rank], rank, len(parts), device)
    schedule = Schedule1F1B(stage, n_microbatches=4, loss_fn=cross_entropy)
    optimizer.zero_grad()
    schedule.step(*([inputs] if stage.is_first else []), target=targets, losses=losses)
    optimizer.step()

Losses and gradients are those of one process, but for the order in which micro-batches' gradients are summed:
in float64 they agree to 1e-12 over some steps, in float32 to 1e-5.  If the loss is a mean, micro-batches must
have the same size.

Source: Huang et al., "GPipe: efficient training of giant neural networks using pipeline parallelism", 2019;
Narayanan et al., "PipeDream: generalized pipeline parallelism for DNN training", 2019;
torch.distributed.pipelining.
"""

from __future__ import annotations

from .schedules import Schedule1F1B, ScheduleGPipe
from .stage import PipelineStage

__all__ = ["PipelineStage", "Schedule1F1B", "ScheduleGPipe"]
