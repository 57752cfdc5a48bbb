"""The model of a step's time on many ranks, and ``gnomon plan-scale``."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gnomon_bench import local_scaling, plan_scale, published, scaling
from gnomon_bench.scaling import Link, Machine, Plan, Transformer, all_gather, all_reduce, step

MACHINE = Machine("two machines of 4", 1e12, 4, Link(1e-6, 1e9), Link(1e-5, 1e8))
MODEL = Transformer(8, 512, 128, 1000)


def test_a_ring_inside_of_a_machine() -> None:
    assert all_gather(MACHINE, 4, 1, 4e6) == pytest.approx(3 * 1e-6 + 3 / 4 * 4e6 / 1e9)
    assert all_reduce(MACHINE, 4, 1, 4e6) == 2 * all_gather(MACHINE, 4, 1, 4e6)
    assert all_gather(MACHINE, 1, 1, 4e6) == 0


def test_machines_exchange_their_parts_first() -> None:
    inside = 3 * 1e-6 + 3 / 4 * 8e6 / 1e9
    between = 1e-5 + 1 / 2 * (8e6 / 4) / 1e8
    assert all_gather(MACHINE, 8, 1, 8e6) == pytest.approx(inside + between)
    # ranks at a distance of 4 are all on machines of their own
    assert all_gather(MACHINE, 4, 4, 8e6) == pytest.approx(2 * 1e-5 + 3 / 4 * 8e6 / 1e8)


def test_parameters_and_operations_of_a_transformer() -> None:
    model = Transformer(96, 12288)
    assert model.parameters == pytest.approx(174.6e9, rel=1e-3)  # GPT-3's, with this vocabulary
    tokens = model.sequence * 2
    assert model.operations(2, False) == pytest.approx(6 * model.parameters * tokens, rel=0.05)
    assert model.operations(2, True) == pytest.approx(4 / 3 * model.operations(2, False), rel=0.01)


def test_parts_of_a_step_add_up() -> None:
    for plan in (
        Plan(data=8),
        Plan(data=8, sharded=True),
        Plan(data=2, tensor=4),
        Plan(data=1, tensor=4, pipeline=2, recomputes=True),
    ):
        found = step(MACHINE, MODEL, plan, 64)
        parts = (found.compute, found.bubble, found.tensor, found.pipeline, found.data)
        assert found.seconds == pytest.approx(sum(parts)) and min(parts) >= 0 and found.hidden >= 0
        operations = MODEL.operations(64, plan.recomputes)
        assert found.compute == pytest.approx(operations / 8 / 1e12)
        assert (found.bubble > 0) == (plan.pipeline > 1) and (found.tensor > 0) == (plan.tensor > 1)
    alone = step(MACHINE, MODEL, Plan(), 64)
    assert alone.seconds == alone.compute and alone.efficiency == 1


def test_a_pipeline_waits_for_all_but_one_of_its_stages() -> None:
    found = step(MACHINE, MODEL, Plan(pipeline=4), 16)
    assert found.bubble / found.compute == pytest.approx(3 / 16)
    assert step(MACHINE, MODEL, Plan(pipeline=4, chunks=2), 16).bubble == pytest.approx(found.bubble / 2)


def test_communication_hides_behind_backward_if_messages_need_no_processor() -> None:
    hiding = step(MACHINE, MODEL, Plan(data=4), 64)
    showing = step(replace(MACHINE, overlaps=False), MODEL, Plan(data=4), 64)
    whole = all_reduce(MACHINE, 4, 1, MODEL.parameters * 2)
    assert showing.data == pytest.approx(whole) and showing.hidden == pytest.approx(0, abs=1e-12)
    assert hiding.data < showing.data and hiding.data + hiding.hidden == pytest.approx(whole)
    shared = step(replace(MACHINE, processors=2), MODEL, Plan(data=4), 64)
    assert shared.compute == pytest.approx(2 * hiding.compute)


def test_what_can_not_be_is_refused() -> None:
    with pytest.raises(ValueError, match="too small for 8 ranks with microbatches of 2"):
        step(MACHINE, MODEL, Plan(data=8, microbatch=2), 8)
    with pytest.raises(ValueError, match="16 stages are more than 8 layers"):
        step(MACHINE, MODEL, Plan(pipeline=16), 64)


def test_plans_fit_into_memory_and_come_in_order() -> None:
    model = Transformer(96, 12288)
    found = scaling.plans(scaling.A100, model, 1024, 1536)
    assert [each[2].seconds for each in found] == sorted(each[2].seconds for each in found) and len(found) > 3
    for name, plan, _ in found:
        assert plan.ranks == 1024 and scaling.bytes_of_a_rank(model, plan, 1536) <= 8e10
        assert name != "data parallel"  # each rank would hold 2.8 TB
    assert scaling.plans(scaling.A100, model, 8, 64) == []


def test_published_runs_are_predicted() -> None:
    """Two constants are fitted to the first table; nothing to the others."""
    errors = [abs(rate / run.reached - 1) for run, _, _, rate in published.compared_with_megatron()]
    assert len(errors) == 10 and max(errors) < 0.06 and sum(errors) / 10 < 0.03
    assert max(abs(found / share - 1) for _, share, found in published.compared_with_model_parallel()) < 0.1
    assert max(abs(found / reached - 1) for *_, reached, found in published.compared_with_sharded()) < 0.07


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path) -> None:
    assert plan_scale.main(["--plot", str(tmp_path / "plan.svg")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("6.7 billion parameters") and lines[2].endswith("GiB a rank")
    assert [line.split()[0] for line in lines[3:-1]] == list(map(str, plan_scale.RANKS))
    assert (
        "sequences a second" in (tmp_path / "plan.svg").read_text() or (tmp_path / "plan.svg").stat().st_size
    )
    assert plan_scale.main(["--ranks", "1024", "--between", "1e9"]) == 0
    slow = capsys.readouterr().out
    assert plan_scale.main(["--ranks", "1024"]) == 0
    assert slow != capsys.readouterr().out
    assert plan_scale.main(["--layers", "96", "--hidden", "12288", "--ranks", "8"]) == 0
    assert "no plan: the model does not fit" in capsys.readouterr().out
    assert plan_scale.main(["--compare"]) == 0
    assert "the mean error is" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--layers", "0"], "argument --layers: expected a whole number of at least 1, got '0'"),
        (["--ranks", "few"], "argument --ranks: expected a whole number of at least 1, got 'few'"),
        (["--rate", "0"], "argument --rate: expected a positive number, got '0'"),
        (["--inside=-1"], "argument --inside: expected a positive number, got '-1'"),
        (["--between", "nan"], "argument --between: expected a positive number, got 'nan'"),
        (["--rate", "fast"], "argument --rate: expected a positive number, got 'fast'"),
        (["--plot", "p.xyz"], "argument --plot: expected a name that ends in .svg, .png, .pdf, got 'p.xyz'"),
        (["--plot", "none/p.svg"], "argument --plot: can not write 'none/p.svg': there is no folder 'none'"),
    ],
)
def test_wrong_arguments_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], text: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        plan_scale.main(arguments)
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.splitlines()[-1] == f"gnomon plan-scale: error: {text}"


def test_stages_that_wait_leave_processors_to_others() -> None:
    shared = replace(MACHINE, processors=2)
    found = step(shared, MODEL, Plan(pipeline=4), 16)
    one = MODEL.operations(16, False) / 4 / 1e12 / 16
    # with two processors, stages are slower while three or four of them compute: 1.5 and 2 times
    assert found.compute == pytest.approx(2 * 16 * one) and found.bubble == pytest.approx((1 + 1 + 1.5) * one)
    assert step(MACHINE, MODEL, Plan(pipeline=4), 16).bubble == pytest.approx(3 * one)


def test_kinds_of_plans() -> None:
    names = [name for name, _, _ in scaling.plans(scaling.A100, Transformer(32, 4096), 64, 4096)]
    kinds = {plan_scale.kind_of(each) for each in names}
    assert kinds == {"sharded", "tensor parallel", "tensor parallel and pipeline"}


def test_predictions_beside_measurements_of_this_machine() -> None:
    link = Link(1e-5, 1e10)
    alone = {"whole": 0.1, "parts": 0.12, "an n-th, 2": 0.055, "an n-th, 4": 0.03}
    pair = {"small": 2e-5, "large": 2e-5 + (1 << 22) / 1e10}
    found = {1: alone, 2: dict(pair), 4: dict(pair)}
    for kind in local_scaling.KINDS:
        for size in (2, 4):
            predicted = local_scaling.prediction(kind, size, alone, link, processors=2)
            assert predicted.efficiency < 1
            found[size][kind] = predicted.seconds / 1.25
    lines = local_scaling.table(found, 2).splitlines()
    assert len(lines) == 3 + 8 and all(line.endswith("+25.0%") for line in lines[3:])
    # two ranks on two processors: as fast with a batch each, half the time for one batch; four share
    assert [line.split("ms")[0].split()[-1] for line in lines[3:]] == [
        *("100.00", "200.00", "100.00", "200.00"),  # data parallel, sharded
        *("55.00", "60.00", "60.00", "60.00"),  # tensor parallel, pipeline
    ]
