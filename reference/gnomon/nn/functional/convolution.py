"""Convolutions: the operators themselves, with the same arguments.

``padding`` of conv1d, conv2d and conv3d is a number, one for each dimension, 'valid' or 'same'.
"""

from __future__ import annotations

import gnomon as gn

aten = gn.ops.aten

conv1d = aten.conv1d.parser
conv2d = aten.conv2d.parser
conv3d = aten.conv3d.parser
conv_tbc = aten.conv_tbc.parser
conv_transpose1d = aten.conv_transpose1d.parser
conv_transpose2d = aten.conv_transpose2d.parser
conv_transpose3d = aten.conv_transpose3d.parser
