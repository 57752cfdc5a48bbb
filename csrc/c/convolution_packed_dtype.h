/* Convolution by the blocked product of gemm.h, for one dtype: patches are never stored as a matrix, but packed
 * directly from a padded copy of a band of the image. In the copy, a patch's elements for adjacent positions are
 * adjacent, too: columns are sorted by their remainder modulo the stride. */

#if IS_PRECISE && GN_HAS_GEMM

#define LANES ((int64_t)(GN_GEMM_BYTES / sizeof(COMPUTE)))
#define WIDTH (2 * LANES)

/* Copies a row of the image, or zeros for NULL, to to[remainder][column]. */
static void NAME(copy_band_row)(const band *of, const COMPUTE *from, COMPUTE *to) {
    const int64_t stride = of->of->stride[2];
    const int64_t padding = of->of->padding[2];
    const int64_t width = of->of->in[2];
    const int64_t columns = of->columns;
    if (from == NULL) {
        memset(to, 0, (size_t)(stride * columns) * sizeof(COMPUTE));
        return;
    }
    if (stride == 1) {
        const int64_t low = gn_min(columns, gn_max(0, padding));
        const int64_t high = gn_max(low, gn_min(columns, width + padding));
        for (int64_t i = 0; i < low; i++) {
            to[i] = 0;
        }
        if (low < high) {
            memcpy(to + low, from + (low - padding), (size_t)(high - low) * sizeof(COMPUTE));
        }
        for (int64_t i = high; i < columns; i++) {
            to[i] = 0;
        }
        return;
    }
    for (int64_t remainder = 0; remainder < stride; remainder++) {
        int64_t at = remainder - padding;
        for (int64_t i = 0; i < columns; i++, at += stride) {
            to[remainder * columns + i] = at >= 0 && at < width ? from[at] : 0;
        }
    }
}

/* Copies the inputs of rows [first, first + out_rows) of the output's plane `plane`, for all kernel elements, to
 * to[channel][kernel's plane][row][remainder][column]. */
static void NAME(copy_band)(const band *of, const COMPUTE *x, int64_t plane, int64_t first, COMPUTE *to) {
    const geometry *shape = of->of;
    const int64_t top = first * shape->stride[1] - shape->padding[1];
    for (int64_t channel = 0; channel < of->channels; channel++, x += shape->in_numel) {
        for (int64_t element = 0; element < shape->kernel[0]; element++) {
            const int64_t i0 = plane * shape->stride[0] - shape->padding[0] + element * shape->dilation[0];
            const int is_inside = i0 >= 0 && i0 < shape->in[0];
            for (int64_t i1 = top; i1 < top + of->rows; i1++) {
                const int is_there = is_inside && i1 >= 0 && i1 < shape->in[1];
                NAME(copy_band_row)(of, is_there ? x + (i0 * shape->in[1] + i1) * shape->in[2] : NULL, to);
                to += shape->stride[2] * of->columns;
            }
        }
    }
    memset(to, 0, (size_t)BAND_SLACK * sizeof(COMPUTE));
}

/* Copies vectors from from[sources[run]] to sliver[place of k][places[run]], for each place of k. */
GN_INLINE void NAME(copy_runs)(const int64_t runs, const int64_t *places, const int64_t *sources,
                               const COMPUTE *image, const int64_t *offsets, int64_t depth, COMPUTE *sliver) {
    for (int64_t p = 0; p < depth; p++) {
        const COMPUTE *from = image + offsets[p];
        GN_UNROLL
        for (int64_t run = 0; run < runs; run++) {
            memcpy(sliver + p * WIDTH + places[run], from + sources[run], GN_GEMM_BYTES);
        }
    }
}

/* Patches as a right factor (gn_pack_right): a place of k is a kernel element of a channel, a column a position.  Whole
 * vectors are copied: what follows a run of positions is overwritten by the next run. */
static void NAME(pack_patches)(const void *factor, void *to, int64_t first, int64_t count, int64_t level,
                               int64_t depth) {
    const band *of = factor;
    const int64_t width = of->of->out[2];
    const int64_t step = of->of->stride[1] * of->of->stride[2] * of->columns;
    COMPUTE *sliver = to;
    int64_t column = first % width;
    int64_t row = first / width % of->out_rows;
    int64_t row_start = first / width / of->out_rows * of->image_numel + row * step;
    for (int64_t done = 0; done < count; done += WIDTH, sliver += WIDTH * depth) {
        const int64_t columns = gn_min(WIDTH, count - done);
        int64_t places[WIDTH > 6 ? WIDTH : 6]; /* a size that the compiler knows; there are no more than WIDTH */
        int64_t sources[WIDTH > 6 ? WIDTH : 6];
        int64_t runs = 0;
        if (columns < WIDTH) {
            memset(sliver, 0, (size_t)(depth * WIDTH) * sizeof(COMPUTE));
        }
        for (int64_t place = 0; place < columns;) {
            const int64_t length = gn_min(width - column, columns - place);
            for (int64_t part = 0; part < length; part += LANES) {
                places[runs] = place + part;
                sources[runs] = row_start + column + part;
                runs++;
            }
            place += length;
            column += length;
            if (column == width) {
                column = 0;
                row++;
                row_start += step;
            }
            if (row == of->out_rows) {
                row = 0;
                row_start += of->image_numel - of->out_rows * step;
            }
        }
        const int64_t *offsets = of->offsets + level;
        switch (runs) { /* with compile-time constants, everything that copy_runs indexes stays in registers */
            case 1: NAME(copy_runs)(1, places, sources, of->image, offsets, depth, sliver); break;
            case 2: NAME(copy_runs)(2, places, sources, of->image, offsets, depth, sliver); break;
            case 3: NAME(copy_runs)(3, places, sources, of->image, offsets, depth, sliver); break;
            case 4: NAME(copy_runs)(4, places, sources, of->image, offsets, depth, sliver); break;
            case 5: NAME(copy_runs)(5, places, sources, of->image, offsets, depth, sliver); break;
            case 6: NAME(copy_runs)(6, places, sources, of->image, offsets, depth, sliver); break;
            default: NAME(copy_runs)(runs, places, sources, of->image, offsets, depth, sliver); break;
        }
    }
}

/* Patches as a left factor (gn_pack_left): a row is a kernel element of a channel, a place of k a position. */
static void NAME(pack_patch_rows)(const void *factor, void *to, int64_t first, int64_t count, int64_t level,
                                  int64_t depth) {
    const band *of = factor;
    const int64_t width = of->of->out[2];
    const int64_t step = of->of->stride[1] * of->of->stride[2] * of->columns;
    for (int64_t i = 0; i < count; i++) {
        const COMPUTE *from = (const COMPUTE *)of->image + of->offsets[first + i] + level / width * step;
        COMPUTE *row = (COMPUTE *)((char *)to + i * GN_GEMM_LEFT_STEP);
        int64_t column = level % width;
        for (int64_t place = 0; place < depth;) {
            const int64_t length = gn_min(width - column, depth - place);
            for (int64_t part = 0; part < length; part += LANES) {
                memcpy(row + place + part, from + column + part, GN_GEMM_BYTES);
            }
            place += length;
            from += step;
            column = 0;
        }
    }
}

/* The bands of a task: with as many rows of the output as `most`, or as bound its copy; of several images, with all.
 * Fills *made; the caller gives its memory back.  GN_OUT_OF_MEMORY at worst. */
static int32_t NAME(take_band)(const geometry *of, int64_t channels, int64_t most, int64_t images, band *made) {
    const int64_t reach = (of->kernel[1] - 1) * of->dilation[1] + 1;
    made->of = of;
    made->channels = channels;
    made->columns = of->out[2] - 1 + ((of->kernel[2] - 1) * of->dilation[2]) / of->stride[2] + 1;
    const int64_t line = of->stride[2] * made->columns;
    const int64_t affordable = BAND_ELEMENTS / gn_max(1, channels * of->kernel[0] * line);
    made->out_rows = images > 1 ? most : gn_max(1, gn_min(most, (affordable - reach) / of->stride[1] + 1));
    made->rows = (made->out_rows - 1) * of->stride[1] + reach;
    made->images = images;
    const int64_t slab = made->rows * line;
    made->image_numel = gn_checked(channels, gn_checked(of->kernel[0], slab));
    made->offsets = gn_take_items(gn_checked(channels, of->kernel_numel), sizeof(int64_t));
    made->image = gn_take_items(gn_checked(images, made->image_numel) + BAND_SLACK, sizeof(COMPUTE));
    if (made->offsets == NULL || made->image == NULL) {
        gn_give(made->offsets);
        gn_give(made->image);
        return GN_OUT_OF_MEMORY;
    }
    for (int64_t row = 0; row < channels * of->kernel_numel; row++) {
        const int64_t e2 = row % of->kernel[2] * of->dilation[2];
        const int64_t e1 = row / of->kernel[2] % of->kernel[1] * of->dilation[1];
        const int64_t planes = row / of->kernel[2] / of->kernel[1]; /* channel and kernel's plane */
        made->offsets[row] =
            planes * slab + e1 * line + e2 % of->stride[2] * made->columns + e2 / of->stride[2];
    }
    return GN_OK;
}

/* How many images' positions are columns of one product.  Those of one image seldom fill whole vectors, which is costly
 * if there are few. */
static int64_t NAME(images_together)(const geometry *of) {
    if (of->out[0] != 1 || of->groups != 1 || of->batch < gn_parallel_parts(TASKS, 1) || of->depth < LEAST_DEPTH
        || of->out_numel % WIDTH == 0 || of->out_numel > MOST_VECTORS * LANES) {
        return 1;
    }
    const double reach = (double)(of->kernel[2] - 1) * (double)of->dilation[2] + 1;
    const double line = (double)of->out[2] * (double)of->stride[2] + reach;
    const double rows = (double)(of->out[1] - 1) * (double)of->stride[1] + (double)band_rows(of);
    const double numel = (double)of->channels * (double)of->kernel[0] * rows * line;
    const int64_t affordable = numel < BAND_ELEMENTS ? BAND_ELEMENTS / gn_max(1, (int64_t)numel) : 1;
    return gn_max(1, gn_min(affordable, MOST_POSITIONS / of->out_numel));
}

/* y = w * x + bias: tasks are bands of rows of a plane of a group of an image, and for these parts of the features. */
static void NAME(packed_forward_task)(int64_t begin, int64_t end, void *context) {
    convolution *work = context;
    const geometry *of = &work->of;
    const int64_t together = gn_min(work->images, end - begin);
    const int direct = together == 1 && is_pointwise(of);
    const int64_t plane_numel = of->out[1] * of->out[2];
    const int64_t bias_numel = work->bias == NULL ? 0 : gn_checked(of->features, WIDTH);
    const int64_t made_numel = together == 1 ? 0 : gn_checked(of->features, together * of->out_numel);
    band patches;
    memset(&patches, 0, sizeof patches);
    COMPUTE *bias = bias_numel == 0 ? NULL : gn_take_items(bias_numel, sizeof(COMPUTE));
    /* of several images, [feature][image][position] */
    COMPUTE *made = made_numel == 0 ? NULL : gn_take_items(made_numel, sizeof(COMPUTE));
    if ((bias == NULL && bias_numel > 0) || (made == NULL && made_numel > 0)
        || (!direct && NAME(take_band)(of, of->channels, work->tile, together, &patches) != GN_OK)) {
        gn_report(&work->status, GN_OUT_OF_MEMORY);
        gn_give(bias);
        gn_give(made);
        return;
    }
    const int64_t tiles = (of->out[1] + work->tile - 1) / work->tile;
    int64_t many;
    for (int64_t task = begin; task < end; task += many) {
        many = gn_min(together, end - task);
        const int64_t plane = task / work->parts / tiles % of->out[0];
        const int64_t place = task / work->parts / tiles / of->out[0];
        const int64_t group = place % of->groups;
        const int64_t first = task % work->parts * of->features / work->parts; /* feature of the group */
        const int64_t features = (task % work->parts + 1) * of->features / work->parts - first;
        const int64_t feature_of_all = group * of->features + first;
        const COMPUTE *x = (const COMPUTE *)work->x + place * of->channels * of->in_numel;
        const COMPUTE *w = (const COMPUTE *)work->w + feature_of_all * of->depth;
        COMPUTE *y = (COMPUTE *)work->result + (place * of->features + first) * of->out_numel;
        const gn_factor left = {w, of->depth, 1, NULL, NULL};
        for (int64_t feature = 0; bias != NULL && feature < features; feature++) {
            for (int64_t j = 0; j < WIDTH; j++) {
                bias[feature * WIDTH + j] = ((const COMPUTE *)work->bias)[feature_of_all + feature];
            }
        }
        int64_t row = task / work->parts % tiles * work->tile;
        const int64_t last = gn_min(row + work->tile, of->out[1]);
        while (row < last) {
            const int64_t rows = direct ? last - row : gn_min(patches.out_rows, last - row);
            const int64_t at = plane * plane_numel + row * of->out[2];
            gn_factor right = {&patches, 0, 0, NULL, NAME(pack_patches)};
            if (direct) {
                right = (gn_factor){x + at, 1, of->in_numel, NULL, NULL};
            }
            for (int64_t image = 0; !direct && image < many; image++) {
                NAME(copy_band)(&patches, x + image * of->channels * of->in_numel, plane, row,
                                (COMPUTE *)patches.image + image * patches.image_numel);
            }
            const int32_t status =
                NAME(gn_gemm_blocked)(features, many * rows * of->out[2], of->depth, 1, &left, &right, 1, bias, WIDTH, 0,
                                      together == 1 ? y + at : made,
                                      together == 1 ? of->out_numel : many * of->out_numel);
            gn_report(&work->status, status);
            row += rows;
        }
        for (int64_t image = 0; together > 1 && image < many; image++) {
            for (int64_t feature = 0; feature < of->features; feature++) {
                memcpy(y + (image * of->features + feature) * of->out_numel,
                       made + (feature * many + image) * of->out_numel, (size_t)of->out_numel * sizeof(COMPUTE));
            }
        }
    }
    gn_give(bias);
    gn_give(made);
    gn_give(patches.offsets);
    gn_give(patches.image);
}

static int32_t NAME(packed_forward)(convolution *work) {
    const geometry *of = &work->of;
    const int64_t planes = of->batch * of->groups * of->out[0];
    work->images = NAME(images_together)(of);
    const int64_t parts = work->images > 1 ? 1 : (TASKS + planes - 1) / planes;
    /* Each part of the features reads the patches, and each band of rows reads the weights. */
    const int has_more_weights = of->features > of->out[1] * of->out[2];
    work->parts = has_more_weights ? gn_min(of->features, parts) : 1;
    const int64_t bands = has_more_weights ? 1 : gn_min(of->out[1], parts);
    work->tile = (of->out[1] + bands - 1) / bands;
    const int64_t tiles = (of->out[1] + work->tile - 1) / work->tile;
    const int64_t steps = of->features / work->parts * gn_max(1, of->depth) * work->tile * of->out[2];
    gn_parallel_for(0, planes * tiles * work->parts, gn_max(1, PACKED_GRAIN / gn_max(1, steps)),
                    NAME(packed_forward_task), work);
    return work->status;
}

/* Transposes the weights of a phase: strips [begin, end) of channels, for which the weights of a feature are
 * adjacent. */
static void NAME(turn_weights)(int64_t begin, int64_t end, void *context) {
    const turning *work = context;
    const geometry *of = work->of;
    const int64_t rows = turned_rows(of);
    const int64_t strips = (of->channels + rows - 1) / rows;
    for (int64_t strip = begin; strip < end; strip++) {
        const int64_t group = strip / strips;
        const int64_t first = strip % strips * rows;
        const int64_t last = gn_min(first + rows, of->channels);
        const COMPUTE *w = (const COMPUTE *)work->w + group * of->features * of->depth;
        COMPUTE *made = (COMPUTE *)work->made + group * of->channels * of->features * work->count;
        if (of->kernel_numel == 1) {
            gn_transpose(sizeof(COMPUTE), last - first, of->features, (const char *)(w + first),
                         of->depth * (int64_t)sizeof(COMPUTE), (char *)(made + first * of->features),
                         of->features * (int64_t)sizeof(COMPUTE));
            continue;
        }
        for (int64_t feature = 0; feature < of->features; feature++) {
            for (int64_t channel = first; channel < last; channel++) {
                const COMPUTE *from = w + feature * of->depth + channel * of->kernel_numel;
                COMPUTE *to = made + (channel * of->features + feature) * work->count;
                for (int64_t tap = 0; tap < work->count; tap++) {
                    to[tap] = from[work->taps[tap]];
                }
            }
        }
    }
}

/* The gradient at the positions of a phase: a convolution with stride 1, of y with some weights reversed. */
static int32_t NAME(make_phase)(const convolution *work, const phase *part, COMPUTE *to) {
    const geometry *of = &work->of;
    convolution made = *work;
    made.of = phase_geometry(of, part);
    COMPUTE *turned = gn_take_items(gn_checked(gn_checked(of->groups, of->channels), made.of.depth), sizeof(COMPUTE));
    int64_t *taps = gn_take_items(made.of.kernel_numel, sizeof(int64_t));
    if (turned == NULL || taps == NULL) {
        gn_give(turned);
        gn_give(taps);
        return GN_OUT_OF_MEMORY;
    }
    list_taps(of, part, taps);
    turning turn = {of, work->w, (char *)turned, taps, made.of.kernel_numel};
    const int64_t rows = turned_rows(of);
    gn_parallel_for(0, of->groups * ((of->channels + rows - 1) / rows), gn_grain(rows * gn_max(1, made.of.depth)),
                    NAME(turn_weights), &turn);
    gn_give(taps);
    made.x = work->y;
    made.w = (const char *)turned;
    made.result = (char *)to;
    made.status = GN_OK;
    const int32_t status = NAME(packed_forward)(&made);
    gn_give(turned);
    return status;
}

/* Planes [begin, end) of the gradient, from where their phases along the last dimension lie. */
static void NAME(spread_phases)(int64_t begin, int64_t end, void *context) {
    const phases *work = context;
    const geometry *of = work->of;
    const phase *part = work->parts;
    const int64_t stride = of->stride[2];
    for (int64_t plane = begin; plane < end; plane++) {
        for (int64_t row = 0; row < part->out[0] * part->out[1]; row++) {
            const int64_t i0 = part->first[0] + row / part->out[1] * of->stride[0];
            const int64_t i1 = part->first[1] + row % part->out[1] * of->stride[1];
            COMPUTE *to = (COMPUTE *)work->result + plane * of->in_numel + (i0 * of->in[1] + i1) * of->in[2];
            const int64_t line = plane * part->out[0] * part->out[1] + row;
            const COMPUTE *a = (const COMPUTE *)work->made + line * part[0].out[2];
            if (stride == 2) {
                /* Writing two together compiles to vector code. */
                const COMPUTE *b = (const COMPUTE *)work->made + work->starts[1] + line * part[1].out[2];
                const int64_t pairs = of->in[2] / 2;
                GN_INDEPENDENT
                for (int64_t i = 0; i < pairs; i++) {
                    to[2 * i] = a[i];
                    to[2 * i + 1] = b[i];
                }
                if (of->in[2] % 2 == 1) {
                    to[2 * pairs] = a[pairs];
                }
                continue;
            }
            for (int64_t each = 0; each < stride; each++) {
                const COMPUTE *from = (const COMPUTE *)work->made + work->starts[each] + line * part[each].out[2];
                for (int64_t i = 0; i < part[each].out[2]; i++) {
                    to[each + i * stride] = from[i];
                }
            }
        }
    }
}

/* x = the gradient, phase by phase: the positions that have the same remainders by the strides are those of one
 * convolution with stride 1. */
static int32_t NAME(packed_backward_data)(convolution *work) {
    const geometry *of = &work->of;
    phase parts[MOST_PHASES];
    int64_t starts[MOST_PHASES];
    if (is_dense(of)) {
        const int64_t none[SPATIAL] = {0};
        parts[0] = find_phase(of, none);
        return NAME(make_phase)(work, parts, (COMPUTE *)work->result);
    }
    const int64_t planes = of->batch * of->groups * of->channels;
    int32_t status = GN_OK;
    for (int64_t number = 0; number < of->stride[0] * of->stride[1] && status == GN_OK; number++) {
        int64_t total = 0;
        for (int64_t remainder = 0; remainder < of->stride[2]; remainder++) {
            const int64_t first[SPATIAL] = {number / of->stride[1], number % of->stride[1], remainder};
            phase *part = &parts[remainder];
            *part = find_phase(of, first);
            starts[remainder] = total;
            total += planes * part->out[0] * part->out[1] * part->out[2];
        }
        if (parts[0].out[0] * parts[0].out[1] == 0) {
            continue;
        }
        COMPUTE *made = gn_take_items(total, sizeof(COMPUTE));
        status = made == NULL ? GN_OUT_OF_MEMORY : GN_OK;
        for (int64_t each = 0; each < of->stride[2] && status == GN_OK; each++) {
            if (parts[each].out[2] > 0) {
                status = NAME(make_phase)(work, &parts[each], made + starts[each]);
            }
        }
        if (status == GN_OK) {
            phases spread = {of, parts, starts, (const char *)made, work->result};
            gn_parallel_for(0, planes, gn_grain(parts[0].out[0] * parts[0].out[1] * of->in[2]), NAME(spread_phases),
                            &spread);
        }
        gn_give(made);
    }
    return status;
}

/* w = the gradient, transposed while it is summed over all images: patches by y; tasks are channels of a group.  Where
 * the patches are the input, it is y by the input, in place. */
static void NAME(packed_backward_weight_task)(int64_t begin, int64_t end, void *context) {
    convolution *work = context;
    const geometry *of = &work->of;
    const int64_t blocks = (of->channels + work->tile - 1) / work->tile;
    int64_t many;
    for (int64_t task = begin; task < end; task += many) {
        many = gn_min(end, (task / blocks + 1) * blocks) - task; /* all of this group that are left */
        const int64_t group = task / blocks;
        const int64_t channel = task % blocks * work->tile;
        const int64_t channels = gn_min(many * work->tile, of->channels - channel);
        const int64_t depth = channels * of->kernel_numel;
        COMPUTE *w = (COMPUTE *)work->result + group * of->features * of->depth + channel * of->kernel_numel;
        if (is_pointwise(of)) {
            for (int64_t image = 0; image < of->batch; image++) {
                const int64_t place = image * of->groups + group;
                const COMPUTE *x = (const COMPUTE *)work->x + (place * of->channels + channel) * of->in_numel;
                const COMPUTE *y = (const COMPUTE *)work->y + place * of->features * of->out_numel;
                const gn_factor left = {y, of->out_numel, 1, NULL, NULL};
                const gn_factor right = {x, of->in_numel, 1, NULL, NULL};
                const int32_t status =
                    NAME(gn_gemm_blocked)(of->features, channels, of->out_numel, 1, &left, &right, 1,
                                          image == 0 ? NULL : w, of->depth, 1, w, of->depth);
                gn_report(&work->status, status);
            }
            continue;
        }
        COMPUTE *sums = gn_take_items(gn_checked(depth, of->features), sizeof(COMPUTE));
        band patches;
        /* the rows of a band are those that all channels together can have, whatever the task's: sums end with them */
        if (sums == NULL || NAME(take_band)(of, channels, work->rows, 1, &patches) != GN_OK) {
            gn_give(sums);
            gn_report(&work->status, GN_OUT_OF_MEMORY);
            return;
        }
        for (int64_t plane = 0; plane < of->batch * of->out[0]; plane++) {
            const int64_t place = plane / of->out[0] * of->groups + group;
            const COMPUTE *x = (const COMPUTE *)work->x + (place * of->channels + channel) * of->in_numel;
            const COMPUTE *y = (const COMPUTE *)work->y + place * of->features * of->out_numel
                               + plane % of->out[0] * of->out[1] * of->out[2];
            for (int64_t row = 0; row < of->out[1]; row += patches.out_rows) {
                const int64_t rows = gn_min(patches.out_rows, of->out[1] - row);
                const gn_factor left = {&patches, 0, 0, NAME(pack_patch_rows), NULL};
                const gn_factor right = {y + row * of->out[2], of->out_numel, 1, NULL, NULL};
                NAME(copy_band)(&patches, x, plane % of->out[0], row, patches.image);
                const COMPUTE *before = plane == 0 && row == 0 ? NULL : sums;
                const int32_t status =
                    NAME(gn_gemm_blocked)(depth, of->features, rows * of->out[2], 1, &left, &right, 1, before,
                                          of->features, 1, sums, of->features);
                gn_report(&work->status, status);
            }
        }
        for (int64_t feature = 0; feature < of->features; feature += GN_TRANSPOSE_ROWS) {
            gn_transpose(sizeof(COMPUTE), gn_min(GN_TRANSPOSE_ROWS, of->features - feature), depth,
                         (const char *)(sums + feature), of->features * (int64_t)sizeof(COMPUTE),
                         (char *)(w + feature * of->depth), of->depth * (int64_t)sizeof(COMPUTE));
        }
        gn_give(sums);
        gn_give(patches.offsets);
        gn_give(patches.image);
    }
}

static int32_t NAME(packed_backward_weight)(convolution *work) {
    const geometry *of = &work->of;
    band whole;
    const int32_t status = NAME(take_band)(of, of->channels, of->out[1], 1, &whole);
    if (status != GN_OK) {
        return status;
    }
    work->rows = whole.out_rows;
    gn_give(whole.offsets);
    gn_give(whole.image);
    work->tile = task_channels(of->channels, of->groups);
    const int64_t blocks = (of->channels + work->tile - 1) / work->tile;
    const int64_t steps = gn_max(1, work->tile * of->kernel_numel * of->features * of->out_numel * of->batch);
    gn_parallel_for(0, of->groups * blocks, gn_max(1, PACKED_GRAIN / gn_max(1, steps)),
                    NAME(packed_backward_weight_task), work);
    return work->status;
}

#undef LANES
#undef WIDTH

#endif
