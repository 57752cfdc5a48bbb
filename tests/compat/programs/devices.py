"""A program that works on any device, and asks for it by its type."""

import io

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
x = torch.ones(3, 4, device=device)
print(x.device, repr(x.device), x.device.type, x.device.index, x.device == device, {x.device.type: 1}["cpu"])
print(
    x.device.type == "cpu",
    x.device.type in ("cuda", "mps"),
    str(x.device),
    x.get_device(),
    x.is_cpu,
    x.is_cuda,
)
print({torch.device("cpu"): 1}[x.device], len({x.device, device, torch.device("cpu")}), torch.device("cpu:0"))
with torch.autocast(device_type=x.device.type, dtype=torch.bfloat16):
    print(model(x).dtype)
generator = torch.Generator(device=x.device).manual_seed(0)
print(generator.device, torch.randn(2, generator=generator, device=device).device)
with torch.device("cpu"):
    print(torch.zeros(1).device)
print(
    torch.zeros(1, device="meta").device.type,
    torch.get_default_device(),
    torch.empty(0, device="cpu:0").device,
)
file = io.BytesIO()
torch.save(model.state_dict(), file)
for place in (device, "cpu", None, lambda storage, location: print(location, storage.device) or storage):
    file.seek(0)
    print({name: str(each.device) for name, each in torch.load(file, map_location=place).items()})
print(x.untyped_storage().device, x.to("cpu") is x, x.cpu() is x, x.to(device, torch.half).type())
print(x.new_zeros(1).device, torch.zeros_like(x).device, torch.from_numpy(x.numpy()).device)
optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
model(x).sum().backward()
optimizer.step()
print({str(each.device) for state in optimizer.state.values() for each in state.values()})
for failing in (lambda: x + torch.zeros(4, device="meta"), lambda: torch.ones(2, device="cpux")):
    try:
        failing()
    except (RuntimeError, ValueError):
        print("refused")
print(torch.ones(2, dtype=torch.half), torch.ones(1, device="meta"), torch.empty(0))


@torch.library.custom_op("compat_programs::twice", mutates_args=(), device_types="cpu")
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


print(twice(x).sum())
