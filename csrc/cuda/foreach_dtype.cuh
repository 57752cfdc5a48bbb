/* The operations on the elements of a list's tensors, for one dtype, GN_CUDA_CODE. An operation has
 *
 *     element, parts                  its element type, and the number of tensors that it takes together
 *     has_bias, bias_of(step, done)   whether it needs the step count, and what it computes from it once per tensor
 *     run(step, bias, scale, elements), writes(step, part) */
#if CODE == GN_CUDA_CODE

#if CODE == GN_BOOL
#define PLUS(a, b) ((a) | (b))
#else
#define PLUS(a, b) ((a) + (b))
#endif

struct without_bias {
    static constexpr bool has_bias = false;
    static inline gn_bias bias_of(const gn_step &, double) {
        return gn_bias{0, 0};
    }
};

struct add_operation : without_bias {
    typedef STORAGE element;
    static constexpr int parts = 1;
    static inline void run(const gn_step &step, const gn_bias &, double, element *elements) {
        gn_numbers numbers;
        numbers.scalars[0] = step.number;
        const gn_numbers *call = &numbers;
        elements[0] = STORE((COMPUTE)PLUS(LOAD(elements[0]), NUMBER(0)));
    }
    static inline bool writes(const gn_step &, int) {
        return true;
    }
};
#undef PLUS

#if IS_FLOATING

/* Divides a gradient by the scale and rounds it, as it is also written back. */
static inline void divide_gradient(const gn_step &step, double scale, STORAGE *gradient) {
    if (step.scale.at != nullptr) {
        *gradient = STORE(LOAD(*gradient) / (COMPUTE)scale);
    }
}

/* (param, grad, buffer).  Formulas: Sutskever and others, "On the importance of initialization and momentum" (2013). */
struct sgd_operation : without_bias {
    typedef STORAGE element;
    static constexpr int parts = 3;
    static inline void run(const gn_step &step, const gn_bias &, double scale, element *elements) {
        divide_gradient(step, scale, &elements[1]);
        const COMPUTE x = LOAD(elements[0]);
        COMPUTE way = step.maximize ? -LOAD(elements[1]) : LOAD(elements[1]);
        if (step.weight_decay != 0) {
            way += (COMPUTE)step.weight_decay * x;
        }
        if (step.has_momentum) {
            const COMPUTE keep = (COMPUTE)step.momentum;
            const COMPUTE take = (COMPUTE)(1 - step.dampening);
            const COMPUTE moved = step.is_first ? way : keep * LOAD(elements[2]) + take * way;
            elements[2] = STORE(moved);
            way = step.nesterov ? way + keep * moved : moved;
        }
        elements[0] = STORE(x - (COMPUTE)step.lr * way);
    }
    static inline bool writes(const gn_step &step, int part) {
        return part != 1 || step.scale.at != nullptr;
    }
};

/* (param, grad, sum of squares).  Formulas: Duchi, Hazan and Singer, "Adaptive subgradient methods" (2011). */
struct adagrad_operation {
    typedef STORAGE element;
    static constexpr int parts = 3;
    static constexpr bool has_bias = true;
    static inline gn_bias bias_of(const gn_step &step, double done) {
        return gn_bias{step.lr / (1 + (done - 1) * step.lr_decay), 1};
    }
    static inline void run(const gn_step &step, const gn_bias &bias, double scale, element *elements) {
        divide_gradient(step, scale, &elements[1]);
        const COMPUTE x = LOAD(elements[0]);
        COMPUTE way = step.maximize ? -LOAD(elements[1]) : LOAD(elements[1]);
        if (step.weight_decay != 0) {
            way += (COMPUTE)step.weight_decay * x;
        }
        const COMPUTE total = LOAD(elements[2]) + way * way;
        elements[2] = STORE(total);
        elements[0] = STORE(x - (COMPUTE)bias.step_size * way / (gn_sqrt(total) + (COMPUTE)step.eps));
    }
    static inline bool writes(const gn_step &step, int part) {
        return part != 1 || step.scale.at != nullptr;
    }
};

/* (param, grad, first moment, second moment, largest second moment).  Formulas: Kingma and Ba, arXiv:1412.6980;
 * Loshchilov and Hutter, arXiv:1711.05101. */
struct adam_operation {
    typedef STORAGE element;
    static constexpr int parts = 5;
    static constexpr bool has_bias = true;
    static inline gn_bias bias_of(const gn_step &step, double done) {
        return gn_bias{step.lr / (1 - pow(step.beta1, done)), 1 / sqrt(1 - pow(step.beta2, done))};
    }
    static inline void run(const gn_step &step, const gn_bias &bias, double scale, element *elements) {
        divide_gradient(step, scale, &elements[1]);
        COMPUTE x = LOAD(elements[0]);
        COMPUTE way = step.maximize ? -LOAD(elements[1]) : LOAD(elements[1]);
        if (step.decoupled) {
            x *= (COMPUTE)(1 - step.lr * step.weight_decay);
        } else if (step.weight_decay != 0) {
            way += (COMPUTE)step.weight_decay * x;
        }
        const COMPUTE old = LOAD(elements[2]);
        const COMPUTE mean = old + (way - old) * (COMPUTE)(1 - step.beta1);
        const COMPUTE square = (COMPUTE)step.beta2 * LOAD(elements[3]) + (COMPUTE)(1 - step.beta2) * way * way;
        COMPUTE moment = square;
        if (step.amsgrad) { /* if either is NaN, the result is NaN */
            const COMPUTE most = LOAD(elements[4]);
            moment = square > most || square != square ? square : most;
            elements[4] = STORE(moment);
        }
        elements[2] = STORE(mean);
        elements[3] = STORE(square);
        elements[0] = STORE(x - (COMPUTE)bias.step_size * mean
                                    / (gn_sqrt(moment) * (COMPUTE)bias.root + (COMPUTE)step.eps));
    }
    static inline bool writes(const gn_step &step, int part) {
        return part != 1 || step.scale.at != nullptr;
    }
};
#endif

#endif
