/* Kernels use nothing of the C header. */
#pragma once
