/* nll_loss_forward and nll_loss_backward. */
#include "direct.h"
#include "threads.h"
#include "workspace.h"

/* reduction, as in PyTorch's enum */
#define REDUCTION_NONE 0
#define REDUCTION_MEAN 1

typedef struct nll_gradient {
    const gn_call *call;
    void *const *data;
    int64_t classes;
} nll_gradient;

#define GN_TEMPLATE "loss_dtype.h"
#include "each_dtype.h"
