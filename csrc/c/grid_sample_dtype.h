/* grid_sampler for one dtype. */

#if IS_FLOATING && !IS_HALF

/* The neighbours of place i of an image. */
static void NAME(find_place)(const sampling *work, int64_t image, int64_t i, place *found) {
    const COMPUTE *coordinates = (const COMPUTE *)work->grid + (image * work->places_numel + i) * work->spatial;
    for (int64_t dim = 0; dim < work->spatial; dim++) {
        const double coordinate = (double)coordinates[work->spatial - 1 - dim]; /* x is first */
        found->count[dim] = find_neighbours(&work->rule, coordinate, work->in[dim], found->of[dim]);
    }
}

/* Places [begin, end) of all images: all channels of the result. */
static void NAME(sample_places)(int64_t begin, int64_t end, void *context) {
    const sampling *work = context;
    for (int64_t task = begin; task < end; task++) {
        const int64_t image = task / work->places_numel;
        const int64_t i = task % work->places_numel;
        place here;
        NAME(find_place)(work, image, i, &here);
        const int64_t count = meeting_count(work, &here);
        int64_t at[MOST_PRODUCTS];
        double weights[MOST_PRODUCTS];
        for (int64_t k = 0; k < count; k++) {
            const meeting met = meet(work, &here, k, 0);
            at[k] = met.at;
            weights[k] = met.weight;
        }
        const COMPUTE *from = (const COMPUTE *)work->input + image * work->channels * work->in_numel;
        COMPUTE *to = (COMPUTE *)work->to_gradient + image * work->channels * work->places_numel + i;
        for (int64_t channel = 0; channel < work->channels; channel++) {
            double sum = 0;
            for (int64_t k = 0; k < count; k++) {
                sum += (double)from[at[k]] * weights[k];
            }
            to[channel * work->places_numel] = (COMPUTE)sum;
            from += work->in_numel;
        }
    }
}

/* Blocks [begin, end) of channels: the gradient of the input. */
static void NAME(input_blocks)(int64_t begin, int64_t end, void *context) {
    const sampling *work = context;
    for (int64_t task = begin; task < end; task++) {
        int64_t first;
        int64_t past;
        const int64_t image = find_block(work, task, &first, &past);
        COMPUTE *to = (COMPUTE *)work->to_input + image * work->channels * work->in_numel;
        const COMPUTE *gradient = (const COMPUTE *)work->gradient + image * work->channels * work->places_numel;
        for (int64_t i = 0; i < work->places_numel; i++) {
            place here;
            NAME(find_place)(work, image, i, &here);
            const int64_t count = meeting_count(work, &here);
            for (int64_t k = 0; k < count; k++) {
                const meeting met = meet(work, &here, k, 0);
                for (int64_t channel = first; channel < past; channel++) {
                    to[channel * work->in_numel + met.at] +=
                        (COMPUTE)((double)gradient[channel * work->places_numel + i] * met.weight);
                }
            }
        }
    }
}

/* Writes the gradients of the coordinates of place number `task`. */
static void NAME(store_slopes)(const sampling *work, int64_t task, const double *slopes) {
    COMPUTE *to = (COMPUTE *)work->to_grid + task * work->spatial;
    for (int64_t dim = 0; dim < work->spatial; dim++) {
        to[work->spatial - 1 - dim] = (COMPUTE)slopes[dim];
    }
}

/* Places [begin, end) of all images: the gradient of the grid. */
static void NAME(grid_places)(int64_t begin, int64_t end, void *context) {
    const sampling *work = context;
    for (int64_t task = begin; task < end; task++) {
        const int64_t image = task / work->places_numel;
        const int64_t i = task % work->places_numel;
        place here;
        NAME(find_place)(work, image, i, &here);
        const int64_t count = meeting_count(work, &here);
        const COMPUTE *input = (const COMPUTE *)work->input + image * work->channels * work->in_numel;
        const COMPUTE *gradient = (const COMPUTE *)work->gradient + image * work->channels * work->places_numel + i;
        double slopes[SPATIAL] = {0, 0, 0};
        for (int64_t k = 0; k < count; k++) {
            const meeting met = meet(work, &here, k, 1);
            for (int64_t channel = 0; channel < work->channels; channel++) {
                const double value = (double)gradient[channel * work->places_numel]
                                     * (double)input[channel * work->in_numel + met.at];
                for (int64_t dim = 0; dim < work->spatial; dim++) {
                    slopes[dim] += value * met.first[dim];
                }
            }
        }
        NAME(store_slopes)(work, task, slopes);
    }
}

/* The incoming gradient of place number `task` in each dimension; 0 if absent. */
static void NAME(moves_of)(const sampling *work, int64_t task, double *moves) {
    for (int64_t dim = 0; dim < work->spatial; dim++) {
        const int64_t at = (task + 1) * work->spatial - 1 - dim;
        moves[dim] = work->moved_grid == NULL ? 0 : (double)((const COMPUTE *)work->moved_grid)[at];
    }
}

/* Blocks [begin, end) of channels: the gradients of the gradients, with respect to grad_output and the input. */
static void NAME(double_blocks)(int64_t begin, int64_t end, void *context) {
    const sampling *work = context;
    for (int64_t task = begin; task < end; task++) {
        int64_t first;
        int64_t past;
        const int64_t image = find_block(work, task, &first, &past);
        for (int64_t i = 0; i < work->places_numel; i++) {
            place here;
            NAME(find_place)(work, image, i, &here);
            const int64_t count = meeting_count(work, &here);
            double moves[SPATIAL];
            NAME(moves_of)(work, image * work->places_numel + i, moves);
            int64_t at[MOST_PRODUCTS];
            double weights[MOST_PRODUCTS];
            double change[MOST_PRODUCTS];
            for (int64_t k = 0; k < count; k++) {
                const meeting met = meet(work, &here, k, 1);
                at[k] = met.at;
                weights[k] = met.weight;
                change[k] = 0;
                for (int64_t dim = 0; dim < work->spatial; dim++) {
                    change[k] += moves[dim] * met.first[dim];
                }
            }
            for (int64_t channel = first; channel < past; channel++) {
                const int64_t result = (image * work->channels + channel) * work->places_numel + i;
                const int64_t input = (image * work->channels + channel) * work->in_numel;
                const double gradient = (double)((const COMPUTE *)work->gradient)[result];
                double sum = 0;
                for (int64_t k = 0; k < count; k++) {
                    const int64_t there = input + at[k];
                    const double moved =
                        work->moved_input == NULL ? 0 : (double)((const COMPUTE *)work->moved_input)[there];
                    sum += moved * weights[k];
                    sum += (double)((const COMPUTE *)work->input)[there] * change[k];
                    if (work->to_input != NULL) {
                        ((COMPUTE *)work->to_input)[there] += (COMPUTE)(gradient * change[k]);
                    }
                }
                if (work->to_gradient != NULL) {
                    ((COMPUTE *)work->to_gradient)[result] = (COMPUTE)sum;
                }
            }
        }
    }
}

/* Places [begin, end) of all images: the gradient of the gradients with respect to the grid. */
static void NAME(double_places)(int64_t begin, int64_t end, void *context) {
    const sampling *work = context;
    for (int64_t task = begin; task < end; task++) {
        const int64_t image = task / work->places_numel;
        const int64_t i = task % work->places_numel;
        place here;
        NAME(find_place)(work, image, i, &here);
        const int64_t count = meeting_count(work, &here);
        double moves[SPATIAL];
        double slopes[SPATIAL] = {0, 0, 0};
        NAME(moves_of)(work, task, moves);
        for (int64_t k = 0; k < count; k++) {
            const meeting met = meet(work, &here, k, 2);
            for (int64_t channel = 0; channel < work->channels; channel++) {
                const int64_t plane = image * work->channels + channel;
                const int64_t there = plane * work->in_numel + met.at;
                const double gradient = (double)((const COMPUTE *)work->gradient)[plane * work->places_numel + i];
                const double value = (double)((const COMPUTE *)work->input)[there];
                const double moved =
                    work->moved_input == NULL ? 0 : (double)((const COMPUTE *)work->moved_input)[there];
                for (int64_t dim = 0; dim < work->spatial; dim++) {
                    double bend = 0;
                    for (int64_t other = 0; other < work->spatial; other++) {
                        bend += moves[other] * met.second[dim][other];
                    }
                    slopes[dim] += gradient * moved * met.first[dim] + gradient * value * bend;
                }
            }
        }
        NAME(store_slopes)(work, task, slopes);
    }
}

/* Zeros in the gradient of the input, to which terms are added. */
static void NAME(clear_input)(const sampling *work) {
    if (work->to_input != NULL) {
        memset(work->to_input, 0, (size_t)(work->images * work->channels * work->in_numel) * sizeof(COMPUTE));
    }
}

/* (out; input, grid); integers: interpolation_mode, padding_mode, align_corners. */
int32_t NAME(kernel_grid_sampler)(const gn_call *call, void *const *data) {
    sampling work = make_sampling(&call->tensors[1], &call->tensors[2], call->integers);
    gn_flat flat;
    int32_t status = gn_flatten(call, data, CODE, &flat);
    if (status == GN_OK) {
        work.to_gradient = flat.at[0];
        work.input = flat.at[1];
        work.grid = flat.at[2];
        run_places(&work, NAME(sample_places));
        status = gn_unflatten(call, data, &flat, status);
    }
    return status;
}

/* (grad_input, grad_grid, each or absent; grad_output, input, grid). */
int32_t NAME(kernel_grid_sampler_backward)(const gn_call *call, void *const *data) {
    sampling work = make_sampling(&call->tensors[3], &call->tensors[4], call->integers);
    gn_flat flat;
    int32_t status = gn_flatten(call, data, CODE, &flat);
    if (status == GN_OK) {
        work.to_input = flat.at[0];
        work.to_grid = flat.at[1];
        work.gradient = flat.at[2];
        work.input = flat.at[3];
        work.grid = flat.at[4];
        NAME(clear_input)(&work);
        if (work.to_input != NULL) {
            run_blocks(&work, NAME(input_blocks));
        }
        if (work.to_grid != NULL) {
            run_places(&work, NAME(grid_places));
        }
        status = gn_unflatten(call, data, &flat, status);
    }
    return status;
}

/* (to_grad_output, to_input, to_grid, each or absent; grad_grad_input or absent, grad_grad_grid or absent,
 * grad_output, input, grid). */
int32_t NAME(kernel_grid_sampler_double_backward)(const gn_call *call, void *const *data) {
    sampling work = make_sampling(&call->tensors[6], &call->tensors[7], call->integers);
    const int64_t numbers[] = {work.in_numel * work.channels, work.places_numel * work.spatial,
                               work.places_numel * work.channels};
    for (int i = 0; i < 3; i++) {
        const gn_tensor *tensor = &call->tensors[3 + i];
        if (tensor->dtype != GN_NO_DTYPE && gn_numel(tensor) != work.images * numbers[i]) {
            return GN_NOT_IMPLEMENTED;
        }
    }
    gn_flat flat;
    int32_t status = gn_flatten(call, data, CODE, &flat);
    if (status == GN_OK) {
        work.to_gradient = flat.at[0];
        work.to_input = flat.at[1];
        work.to_grid = flat.at[2];
        work.moved_input = flat.at[3];
        work.moved_grid = flat.at[4];
        work.gradient = flat.at[5];
        work.input = flat.at[6];
        work.grid = flat.at[7];
        NAME(clear_input)(&work);
        if (work.to_gradient != NULL || work.to_input != NULL) {
            run_blocks(&work, NAME(double_blocks));
        }
        if (work.to_grid != NULL) {
            run_places(&work, NAME(double_places));
        }
        status = gn_unflatten(call, data, &flat, status);
    }
    return status;
}

#endif

#if IS_HALF

GN_HALF_KERNEL(grid_sampler)
GN_HALF_KERNEL(grid_sampler_backward)
GN_HALF_KERNEL(grid_sampler_double_backward)

#endif
