/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which kernel, which sizes, how many turns of each; and the closed form: what the services of the
 * plan count, one after another.
 */
#include "apps/kernels/plan.h"

#include "layers/machine/machine.h"
#include "runtime/base/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS   8192 /* of all turns together, as Mermaid's authors had it; of one array */
#define LOOPS_MOST 24

const struct htmt_app_option htmt__kernels_options[] = {
    {"kernel", "NAME", "ddot",
     "ddot, ddot4, daxpy, dipole, triad, dgemm, fft; or a shape: gemm, bicg, solve, factor, "
     "stencil1, "
     "stencil2, stencil3, correlate, filter, total"},
    {"n", "N|N..M", "8192", "elements of an array, rows of a matrix; N..M: each is twice the last"},
    {"sizes", "COUNT", NULL, "of N..M: so many sizes at equal ratios, multiples of four"},
    {"rounds", "N", NULL,
     "turns over the arrays; default: 8192 / elements of the largest one, and at least one"},
    {"variant", "KIND", "plain",
     "of the kernel: plain (what a compiler records), annotated, or vector"},
    {"layer", "NAME", NULL, "whose processor computes; default: the innermost one"},
    {"against-clock", NULL, NULL,
     "run only: measure the kernels on this host beside the prediction"},
    {"plot", "FILE", NULL, "run only: prediction and clock over N, .svg, .png or .pdf"},
    {"csv", "FILE", NULL, "run only: the same as numbers"},
    {NULL, NULL, NULL, NULL}};

/* "64" or "64..4096" */
static int read_range(const char *text, uint64_t *from, uint64_t *to, struct htmt_fault *fault)
{
    char *end;
    *from = *to = strtoull(text, &end, 10);
    bool good = end != text;
    if (good && !strncmp(end, "..", 2)) {
        const char *second = end + 2;
        *to = strtoull(second, &end, 10);
        good = end != second;
    }
    if (good && !*end && *from && *from <= *to)
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE, "--n: found '%s', expected N or N..M", text);
}

static uint64_t largest_array(const struct htmt__kernels_loop *loop, uint64_t n)
{
    uint64_t most = 1;
    for (unsigned i = 0; i < loop->arrays; i++)
        most = loop->elements(n, i) > most ? loop->elements(n, i) : most;
    return most;
}

static int add_size(struct htmt__kernels_plan *p, uint64_t n, uint64_t rounds,
                    struct htmt_fault *fault)
{
    const struct htmt__kernels_loop *loop = p->loop;
    if (n < loop->least || n > loop->most)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--n: found %" PRIu64 ", expected %" PRIu64 " to %" PRIu64 " for %s",
                              n, loop->least, loop->most, loop->name);
    if (!strcmp(loop->name, "ddot4") && n % 4)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--n: found %" PRIu64 ", expected a multiple of 4 for ddot4", n);
    if (!strcmp(loop->name, "fft") && n & (n - 1))
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--n: found %" PRIu64 ", expected a power of two for fft", n);
    if (p->sizes == HTMT__KERNELS_SIZES)
        return htmt_fault_set(fault, HTMT_ERANGE, "--n: more than %d sizes", HTMT__KERNELS_SIZES);
    const uint64_t elements = largest_array(loop, n);
    p->turns[p->sizes] = rounds ? rounds : elements < ELEMENTS ? ELEMENTS / elements : 1;
    p->n[p->sizes++] = n;
    return 0;
}

/* Size number i of `count` from `from` to `to`, at equal ratios, rounded to a multiple of four, as
 * ddot4 needs it. Small neighbours may round to the same one. From 8 to 512 with 5 sizes: 8, 24,
 * 64, 180, 512; the ratio is 2.83. */
static uint64_t size_between(uint64_t from, uint64_t to, uint64_t i, uint64_t count)
{
    double ratio = (double)to / (double)from, part = (double)i / (double)(count - 1);
    uint64_t n = (uint64_t)((double)from * pow(ratio, part) / 4 + 0.5) * 4;
    return i == 0 || n < from ? from : i + 1 == count || n > to ? to : n;
}

static int read_sizes(const struct htmt_request *r, struct htmt__kernels_plan *p,
                      struct htmt_fault *fault)
{
    uint64_t from, to, rounds = 0, count = 0;
    int rc = read_range(htmt_request_value(r, "n"), &from, &to, fault);
    if (!rc)
        rc = htmt_request_whole(r, "rounds", 1, UINT64_C(1) << 30, &rounds, fault);
    if (!rc)
        rc = htmt_request_whole(r, "sizes", 2, HTMT__KERNELS_SIZES, &count, fault);
    for (uint64_t n = from; n <= to && !rc && !count; n *= 2)
        rc = add_size(p, n, rounds, fault);
    for (uint64_t i = 0; i < count && !rc; i++) {
        uint64_t n = size_between(from, to, i, count);
        if (!p->sizes || n != p->n[p->sizes - 1])
            rc = add_size(p, n, rounds, fault);
    }
    return rc;
}

static int claim(const char *option, const char *path, struct htmt_fault *fault)
{
    return path ? htmt_output_claim(option, path, fault) : 0;
}

int htmt__kernels_plan(const struct htmt_request *r, struct htmt__kernels_plan *plan,
                       struct htmt_fault *fault)
{
    static const char *const variants[] = {"plain", "annotated", "vector", NULL};
    const struct htmt_machine *m = htmt_request_machine(r);
    const char *names[LOOPS_MOST], *layer = htmt_request_value(r, "layer");
    struct htmt__kernels_plan p = {.plot = htmt_request_value(r, "plot"),
                                   .csv = htmt_request_value(r, "csv")};
    unsigned count = 0, choice = 0, variant = 0;
    p.clock = htmt_request_value(r, "against-clock") || p.plot || p.csv;
    while (htmt__kernels_loops[count].name) {
        names[count] = htmt__kernels_loops[count].name;
        count++;
    }
    names[count] = NULL;
    int rc = htmt_request_choice(r, "kernel", names, &choice, fault);
    if (!rc)
        rc = htmt_request_choice(r, "variant", variants, &variant, fault);
    p.loop = &htmt__kernels_loops[choice];
    p.number = choice;
    p.variant = (enum htmt__kernels_loop_variant)variant;
    if (!rc && p.loop->shape && p.variant == HTMT__KERNELS_LOOP_ANNOTATED)
        rc = htmt_fault_set(fault, HTMT_EUSAGE,
                            "--variant: found annotated, expected plain or vector for %s",
                            p.loop->name);
    if (!rc)
        rc = read_sizes(r, &p, fault);
    if (rc)
        return rc;
    /* The layer of that name; without a name the innermost one that computes on processors of its
     * own: of a measured host, the one before its caches. */
    p.layer = m->layer_count;
    while (p.layer-- > 0)
        if (*m->layer[p.layer].processor.name &&
            (layer ? !strcmp(m->layer[p.layer].name, layer)
                   : htmt_machine_processors_of(m, p.layer) == p.layer))
            break;
    if (p.layer == UINT32_MAX)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "--layer: found '%s', expected a layer of %s with a "
                              "processor",
                              layer ? layer : "", m->name);
    rc = claim("--plot", p.plot, fault);
    if (!rc)
        rc = claim("--csv", p.csv, fault);
    if (!rc)
        *plan = p;
    return rc;
}

struct htmt_ops htmt__kernels_ops(const struct htmt__kernels_plan *plan, uint64_t n, uint64_t turns)
{
    struct htmt_ops ops;
    plan->loop->count(n, &ops);
    for (int i = 0; i < HTMT_OP_CLASSES; i++)
        ops.n[i] *= turns;
    return ops;
}

uint64_t htmt__kernels_all(const struct htmt__kernels_plan *plan, unsigned i)
{
    return plan->clock ? 2 * plan->turns[i] : plan->turns[i];
}

/* ---- the closed form ------------------------------------------------------------------------- */

static void tell_count(struct htmt_prediction *tell, unsigned depth, const char *name,
                       const char *unit, double value, const char *meaning)
{
    struct htmt_term t = {.depth = depth, .value = value};
    snprintf(t.name, sizeof t.name, "%s", name);
    snprintf(t.unit, sizeof t.unit, "%s", unit);
    snprintf(t.meaning, sizeof t.meaning, "%s", meaning);
    snprintf(t.expression, sizeof t.expression, "computed: counts of the kernel");
    htmt_prediction_term(tell, &t);
}

static htmt_time work(const struct htmt_machine *m, const struct htmt__kernels_plan *p, unsigned i,
                      uint64_t turns)
{
    struct htmt_ops ops = htmt__kernels_ops(p, p->n[i], turns);
    return htmt_machine_work(m, p->layer, &ops);
}

int htmt__kernels_closed_form(const struct htmt_machine *m, const struct htmt__kernels_plan *p,
                              htmt_wide *total, struct htmt_prediction *tell,
                              struct htmt_fault *fault)
{
    htmt_wide sum = 0;
    for (unsigned i = 0; i < p->sizes; i++) {
        htmt_time all = work(m, p, i, htmt__kernels_all(p, i));
        htmt_time once = p->clock ? work(m, p, i, p->turns[i]) : 0;
        if (all < 0 || once < 0)
            return htmt_fault_set(fault, HTMT_EOVERFLOW, "%s of %" PRIu64 " takes too long",
                                  p->loop->name, p->n[i]);
        sum += all + once;
    }
    *total = sum;
    if (!tell)
        return 0;
    tell_count(tell, 0, "T", "s", 1e-15 * (double)sum, "all services, one after another");
    for (unsigned i = 0; i < p->sizes; i++) {
        const struct htmt_ops ops = htmt__kernels_ops(p, p->n[i], p->turns[i]);
        const struct {
            const char *name, *unit;
            double value;
            const char *meaning;
        } rows[] = {{"service", "s", 1e-15 * (double)work(m, p, i, p->turns[i]),
                     "all turns over arrays of that size"},
                    {"rounds", "1", (double)p->turns[i], "turns over the arrays"},
                    {"flops", "1", (double)ops.n[HTMT_FLOP], "operations on reals"},
                    {"loads", "1", (double)ops.n[HTMT_LOAD], "loads"},
                    {"stores", "1", (double)ops.n[HTMT_STORE], "stores"}};
        for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
            char name[48];
            snprintf(name, sizeof name, "%s %" PRIu64, rows[k].name, p->n[i]);
            tell_count(tell, k ? 2 : 1, name, rows[k].unit, rows[k].value, rows[k].meaning);
        }
    }
    return 0;
}
