"""A program that prints tables of parameters, and values of every kind."""

import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
for name, each in nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).named_parameters():
    print(f"{name:20s} {tuple(each.shape)} {each.dtype} {each.device} {each.type()}", type(each))
print(nn.ParameterList([nn.Parameter(torch.ones(2))]), nn.ParameterDict({"a": nn.Parameter(torch.ones(1))}))
print(torch.eye(2).to_sparse(), torch.eye(2).to_sparse_csr(), torch.eye(2).to_sparse().type())
quantized = torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8)
print(quantized, quantized.qscheme(), quantized.dtype)
print(torch.distributions.Normal(torch.zeros(2), torch.ones(2)))
print(torch.Size([1]) + torch.Size([2]), torch.Size((1, 2))[1:], torch.ones(2, 3).shape == (2, 3))
print(
    torch.tensor(1.5).dtype, torch.tensor(3).type(), torch.tensor(True).type(), torch.ones(1).short().type()
)
print(torch.unique(torch.tensor([1, 1]), return_counts=True), torch.topk(torch.arange(3.0), 1))
print(torch.linalg.eigh(torch.eye(1)), torch.aminmax(torch.arange(3.0)))
