"""A program that names checkpoints by dtype and device, and keeps a model whole."""

import argparse
import copy
import io
import json
import logging
import os
import pickle
import pickletools
import sys
import tempfile

import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s", level=logging.INFO)
log = logging.getLogger("train")
parser = argparse.ArgumentParser()
parser.add_argument("--dtype", default="float32", type=lambda name: getattr(torch, name))
parser.add_argument("--device", default="cpu", type=torch.device)
options = parser.parse_args()
log.info("options: %s", options)


class Toy(Dataset):
    """Eight rows of two classes."""

    def __len__(self):
        return 8

    def __getitem__(self, row):
        return torch.full((3,), float(row), dtype=options.dtype), torch.tensor(row % 2)


model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).to(options.device, options.dtype)
for parameter in model.parameters():
    nn.init.constant_(parameter, 0.1)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
schedule = LambdaLR(optimizer, lambda epoch: 0.5**epoch)
for epoch in range(2):
    for x, y in DataLoader(Toy(), batch_size=4):
        assert (x.type(), y.type()) == ("torch.FloatTensor", "torch.LongTensor")
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    schedule.step()
    log.info("epoch %d loss %.4f lr %s dtype %s", epoch, loss.item(), schedule.get_last_lr(), loss.dtype)
with tempfile.TemporaryDirectory() as folder:
    file = os.path.join(folder, f"model_{str(options.dtype).split('.')[-1]}_{options.device}.pt")
    print(os.path.basename(file))
    state = {"options": vars(options), "model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(state, file)
    loaded = torch.load(file, weights_only=True)
print(loaded["options"], type(loaded["model"]).__name__, model.load_state_dict(loaded["model"]))
print(json.dumps({name: [list(each.shape), str(each.dtype)] for name, each in model.named_parameters()}))
print(json.dumps(vars(options), default=str))
whole = io.BytesIO()
torch.save(model, whole)
whole.seek(0)
try:
    torch.load(whole)
except pickle.UnpicklingError as error:
    print(
        "torch.nn.modules.container.Sequential" in str(error),
        "torch.serialization.safe_globals" in str(error),
    )
whole.seek(0)
print(torch.load(whole, weights_only=False), copy.deepcopy(model)[0].weight.dtype)
names = {
    name for operation, name, _ in pickletools.genops(pickle.dumps(model, 2)) if operation.name == "GLOBAL"
}
print(sorted(name for name in names if name.startswith("torch.nn.modules")))
