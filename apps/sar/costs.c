/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/costs.h"

#include "layers/costs.h"

#include <inttypes.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
/* Times the points of any patch, below 2^63. */
#define MOST (UINT64_C(1) << 20)

static const struct htmt_cost_key keys[] = {
    {"problem.samples", HTMT_COST_COUNT},
    {"problem.lines", HTMT_COST_COUNT},
    {"range-reference.n", HTMT_COST_OPERATIONS},
    {"range-reference.n-log-n", HTMT_COST_OPERATIONS},
    {"range-line.n", HTMT_COST_OPERATIONS},
    {"range-line.n-log-n", HTMT_COST_OPERATIONS},
    {"azimuth-reference.n", HTMT_COST_OPERATIONS},
    {"azimuth-reference.n-log-n", HTMT_COST_OPERATIONS},
    {"azimuth-line.n", HTMT_COST_OPERATIONS},
    {"azimuth-line.n-log-n", HTMT_COST_OPERATIONS},
    {"read-patch.cycles", HTMT_COST_CYCLES},
    {"write-patch.cycles", HTMT_COST_CYCLES},
    {"point.raw-bytes", HTMT_COST_COUNT},
    {"point.words", HTMT_COST_WORDS},
    {"point.channel-words", HTMT_COST_WORDS},
    {"hram.share", HTMT_COST_RATIO},
};

static const char *const sizes[] = {"problem.samples", "problem.lines"};

static const struct htmt_figure *figure_of(const struct htmt_costs *costs, const char *key)
{
    unsigned i = 0;
    while (strcmp(costs->figure[i].key, key) != 0)
        i++;
    return &costs->figure[i];
}

static int refuse(const struct htmt_costs *costs, const char *key, const char *expected,
                  struct htmt_fault *fault)
{
    const struct htmt_figure *f = figure_of(costs, key);
    return htmt_fault_set(fault, HTMT_ERANGE, "%s:%d: %s: found %s, expected %s", f->file, f->line,
                          f->key, f->value, expected);
}

static int check_sizes(const struct htmt_costs *costs, bool single, enum htmt__sar_format format,
                       struct htmt_fault *fault)
{
    uint64_t pair = htmt__sar_pair_bytes(format), words = single ? 1 : 2;
    char expected[80];
    if (htmt_costs_whole(costs, "point.raw-bytes") != pair) {
        snprintf(expected, sizeof expected, "%" PRIu64 ", which the raw data has", pair);
        return refuse(costs, "point.raw-bytes", expected, fault);
    }
    if (htmt_costs_whole(costs, "point.words") != words) {
        snprintf(expected, sizeof expected, "%" PRIu64 " words, as --precision %s has", words,
                 single ? "single" : "double");
        return refuse(costs, "point.words", expected, fault);
    }
    return 0;
}

static int check_figures(const struct htmt_costs *costs, struct htmt_fault *fault)
{
    struct htmt_ratio share = htmt_costs_ratio(costs, "hram.share");
    for (size_t i = 0; i < COUNT_OF(keys); i++)
        if (keys[i].kind != HTMT_COST_RATIO && htmt_costs_whole(costs, keys[i].key) > MOST)
            return refuse(costs, keys[i].key, "at most 1048576", fault);
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        if (!htmt_costs_whole(costs, sizes[i]))
            return refuse(costs, sizes[i], "at least 1", fault);
    return share.num > share.den ? refuse(costs, "hram.share", "at most 100 %", fault) : 0;
}

static struct htmt__sar_charges charges_of(const struct htmt_costs *c)
{
    return (struct htmt__sar_charges){
        .from_file = true,
        .range_reference = {htmt_costs_whole(c, "range-reference.n"),
                            htmt_costs_whole(c, "range-reference.n-log-n")},
        .range_line = {htmt_costs_whole(c, "range-line.n"),
                       htmt_costs_whole(c, "range-line.n-log-n")},
        .azimuth_reference = {htmt_costs_whole(c, "azimuth-reference.n"),
                              htmt_costs_whole(c, "azimuth-reference.n-log-n")},
        .azimuth_line = {htmt_costs_whole(c, "azimuth-line.n"),
                         htmt_costs_whole(c, "azimuth-line.n-log-n")},
        .read_cycles = htmt_costs_whole(c, "read-patch.cycles"),
        .write_cycles = htmt_costs_whole(c, "write-patch.cycles"),
        .channel_words = htmt_costs_whole(c, "point.channel-words")};
}

int htmt__sar_costs_read(const char *name, bool single, enum htmt__sar_format format,
                         struct htmt__sar_costs *out, struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    int rc = htmt_costs_load(name, "sar", keys, COUNT_OF(keys), NULL, 0, &c, fault);
    if (!rc)
        rc = check_sizes(c, single, format, fault);
    if (!rc)
        rc = check_figures(c, fault);
    if (!rc)
        *out = (struct htmt__sar_costs){charges_of(c), htmt_costs_ratio(c, "hram.share")};
    htmt_costs_destroy(&c);
    return rc;
}

int htmt__sar_costs_size(const char *name, uint32_t *lines, uint32_t *samples,
                         struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    int rc = htmt_costs_load(name, "sar", keys, COUNT_OF(keys), NULL, 0, &c, fault);
    if (!rc)
        rc = check_figures(c, fault);
    if (!rc) {
        *samples = (uint32_t)htmt_costs_whole(c, "problem.samples");
        *lines = (uint32_t)htmt_costs_whole(c, "problem.lines");
    }
    htmt_costs_destroy(&c);
    return rc;
}
