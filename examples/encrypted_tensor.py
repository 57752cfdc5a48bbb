"""A tensor that no party can read alone: additive secret sharing of int64.

    python examples/encrypted_tensor.py

A secret is the sum, modulo 2**64, of shares that are each uniformly random: without all shares, nothing is
known about it. Sums of secrets, and products with plain integers, are computed share by share, so each party
works on its own; only ``reveal`` combines the shares. Any other operator would leak or be wrong, and is
refused.

Source: additive secret sharing, e.g. Cramer, Damgård, Nielsen: Secure Multiparty Computation and Secret
Sharing (2015), chapter 3.
"""

from __future__ import annotations

from typing import Any

import gnomon as gn

SMALLEST, LARGEST = -(2**63), 2**63 - 1


class EncryptedTensor(gn.Tensor):
    """Secrets as ``shares``, int64 tensors of the same shape that add up to them modulo 2**64."""

    shares: list[gn.Tensor]

    @staticmethod
    def encrypt(
        secret: gn.Tensor, parties: int = 3, generator: gn.Generator | None = None
    ) -> EncryptedTensor:
        """Split ``secret``, an int64 tensor, among ``parties``, at least two.

        The shares are only as secure as the generator: real secrets need one whose numbers can't be
        predicted.
        """
        if secret.dtype is not gn.int64 or parties < 2:
            raise ValueError(
                f"encrypt: want an int64 tensor and at least 2 parties, got {secret.dtype}, {parties}"
            )
        masks = [
            gn.empty(secret.shape, dtype=gn.int64).random_(SMALLEST, None, generator=generator)
            for _ in range(parties - 1)
        ]
        last = secret
        for mask in masks:
            last = last - mask
        return EncryptedTensor._of([*masks, last])

    @staticmethod
    def _of(shares: list[gn.Tensor]) -> EncryptedTensor:
        made = gn.Tensor._make_wrapper_subclass(
            EncryptedTensor,
            shares[0].shape,
            strides=shares[0].stride(),
            dtype=gn.int64,
            device=shares[0].device,
        )
        made.shares = shares
        return made

    def reveal(self) -> gn.Tensor:
        """The secret: the sum of all shares."""
        total = self.shares[0]
        for share in self.shares[1:]:
            total = total + share
        return total

    def __repr__(self) -> str:
        return f"EncryptedTensor(shape={list(self.shape)}, parties={len(self.shares)})"

    @classmethod
    def __gnomon_dispatch__(
        cls, func: Any, types: tuple[type, ...], args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        aten = gn.ops.aten
        secrets = [isinstance(each, cls) for each in args]
        if kwargs or not all(secret or is_plain(each) for secret, each in zip(secrets, args)):
            return NotImplemented
        if func in (aten.add.Tensor, aten.sub.Tensor) and all(secrets):
            return cls._of([func(*pair) for pair in zip(args[0].shares, args[1].shares)])
        if func in (aten.add.Tensor, aten.sub.Tensor) and secrets[0]:
            # one party adds the plain number; the others keep their shares
            first, *others = args[0].shares
            return cls._of([func(first, args[1]), *others])
        if func is aten.mul.Tensor and sum(secrets) == 1:
            secret, plain = args if secrets[0] else args[::-1]
            return cls._of([func(share, plain) for share in secret.shares])
        if func in (aten.neg.default, aten.sum.default, aten.sum.dim_IntList) or func.schema.is_view:
            return cls._of([func(share, *args[1:]) for share in args[0].shares])
        return NotImplemented


def is_plain(value: Any) -> bool:
    """Whether ``value`` may be an argument beside secrets: int64 tensors, integers, None, lists of these."""
    if isinstance(value, gn.Tensor):
        return value.dtype is gn.int64
    if isinstance(value, (list, tuple)):
        return all(is_plain(each) for each in value)
    return value is None or isinstance(value, int)


def main() -> None:
    """Three parties add up salaries that none of them may see."""
    gn.manual_seed(0)
    salaries = EncryptedTensor.encrypt(gn.tensor([3100, 2750, 4020]))
    bonus = EncryptedTensor.encrypt(gn.tensor([100, 0, 250]))
    paid = salaries * 12 + bonus
    print("what one party holds:", paid.shares[0].tolist())
    print("paid in a year:", paid.reveal().tolist(), "in all:", paid.sum().reveal().item())
    try:
        salaries * bonus
    except TypeError as error:
        print("refused:", error)


if __name__ == "__main__":
    main()
