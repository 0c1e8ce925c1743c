/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/kernels/plan.h"

#include "layers/machine/machine.h"
#include "runtime/base/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS   8192 /* of all turns together, as Mermaid's authors had it */
#define LOOPS_MOST 16

const struct htmt_app_option htmt__kernels_options[] = {
    {"kernel", "NAME", "ddot", "ddot, ddot4, daxpy, dipole, triad, dgemm or fft"},
    {"n", "N|N..M", "8192", "elements of an array, rows of a matrix; N..M: each is twice the last"},
    {"sizes", "COUNT", NULL, "of N..M: so many sizes at equal ratios, multiples of four"},
    {"rounds", "N", NULL, "turns over the arrays; default: 8192 / N, and at least one"},
    {"variant", "KIND", "plain",
     "of the kernel: plain (what a compiler records), annotated, or vector"},
    {"layer", "NAME", NULL, "whose processor computes; default: the innermost one"},
    {"against-clock", NULL, NULL,
     "run only: measure the kernels on this host beside the prediction"},
    {"plot", "FILE", NULL, "run only: prediction and clock over N, .svg, .png or .pdf"},
    {"csv", "FILE", NULL, "run only: the same as numbers"},
    {NULL, NULL, NULL, NULL}};

static int find_loop(const struct htmt_request *r, const struct htmt__kernels_loop **loop,
                     struct htmt_fault *fault)
{
    const char *names[LOOPS_MOST];
    unsigned count = 0, choice = 0;
    while (htmt__kernels_loops[count].name) {
        names[count] = htmt__kernels_loops[count].name;
        count++;
    }
    names[count] = NULL;
    int rc = htmt_request_choice(r, "kernel", names, &choice, fault);
    *loop = &htmt__kernels_loops[choice];
    return rc;
}

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

static int check_size(const struct htmt__kernels_loop *loop, uint64_t n, struct htmt_fault *fault)
{
    bool power = !(n & (n - 1));
    if (n < loop->least || n > loop->most)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--n: found %" PRIu64 ", expected %" PRIu64 " to %" PRIu64 " for %s",
                              n, loop->least, loop->most, loop->name);
    if (!strcmp(loop->name, "ddot4") && n % 4)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--n: found %" PRIu64 ", expected a multiple of 4 for ddot4", n);
    if (!strcmp(loop->name, "fft") && !power)
        return htmt_fault_set(fault, HTMT_ERANGE,
                              "--n: found %" PRIu64 ", expected a power of two for fft", n);
    return 0;
}

static int add_size(struct htmt__kernels_plan *p, uint64_t n, uint64_t rounds,
                    struct htmt_fault *fault)
{
    int rc = check_size(p->loop, n, fault);
    if (rc)
        return rc;
    if (p->sizes == HTMT__KERNELS_SIZES)
        return htmt_fault_set(fault, HTMT_ERANGE, "--n: more than %d sizes", HTMT__KERNELS_SIZES);
    p->turns[p->sizes] = rounds ? rounds : n < ELEMENTS ? ELEMENTS / n : 1;
    p->n[p->sizes++] = n;
    return 0;
}

/* Size number i of `count` from `from` to `to`; few sizes may be equal. */
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

static bool computes(const struct htmt_machine *m, uint32_t layer)
{
    return *m->layer[layer].processor.name;
}

/* The one of that name; without a name the innermost that computes. */
static int find_layer(const struct htmt_request *r, uint32_t *layer, struct htmt_fault *fault)
{
    const struct htmt_machine *m = htmt_request_machine(r);
    const char *name = htmt_request_value(r, "layer");
    for (uint32_t i = m->layer_count; i-- > 0;)
        if (computes(m, i) && (!name || !strcmp(m->layer[i].name, name))) {
            *layer = i;
            return 0;
        }
    return htmt_fault_set(fault, HTMT_EINVAL,
                          "--layer: found '%s', expected a layer of %s with a "
                          "processor",
                          name ? name : "", m->name);
}

static int claim(const char *option, const char *path, struct htmt_fault *fault)
{
    return path ? htmt_output_claim(option, path, fault) : 0;
}

int htmt__kernels_plan(const struct htmt_request *r, struct htmt__kernels_plan *plan,
                       struct htmt_fault *fault)
{
    static const char *const variants[] = {"plain", "annotated", "vector", NULL};
    struct htmt__kernels_plan p = {.plot = htmt_request_value(r, "plot"),
                                   .csv = htmt_request_value(r, "csv")};
    unsigned variant = 0;
    p.clock = htmt_request_value(r, "against-clock") || p.plot || p.csv;
    int rc = find_loop(r, &p.loop, fault);
    if (!rc)
        rc = htmt_request_choice(r, "variant", variants, &variant, fault);
    p.number = (uint64_t)(p.loop - htmt__kernels_loops);
    p.variant = (enum htmt__kernels_loop_variant)variant;
    if (!rc)
        rc = read_sizes(r, &p, fault);
    if (!rc)
        rc = find_layer(r, &p.layer, fault);
    if (!rc)
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
