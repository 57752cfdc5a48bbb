/* nll_loss_forward and nll_loss_backward. */
#include "direct.h"

/* reduction, as in PyTorch's enum */
#define REDUCTION_NONE 0
#define REDUCTION_MEAN 1

#define GN_TEMPLATE "loss_dtype.h"
#include "each_dtype.h"
