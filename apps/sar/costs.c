/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/costs.h"

#include "layers/file/costs.h"

#include <inttypes.h>

/* Times the points of any patch, below 2^63. */
#define MOST (UINT64_C(1) << 20)

static const struct htmt_schema_row keys[] = {
    {"problem.samples", HTMT_UNIT_COUNT, .least = 1, .most = MOST},
    {"problem.lines", HTMT_UNIT_COUNT, .least = 1, .most = MOST},
    {"range-reference.n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"range-reference.n-log-n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"range-line.n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"range-line.n-log-n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"azimuth-reference.n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"azimuth-reference.n-log-n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"azimuth-line.n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"azimuth-line.n-log-n", HTMT_UNIT_OPERATIONS, .least = 0, .most = MOST},
    {"read-patch.cycles", HTMT_UNIT_CYCLES, .least = 0, .most = MOST},
    {"write-patch.cycles", HTMT_UNIT_CYCLES, .least = 0, .most = MOST},
    {"point.raw-bytes", HTMT_UNIT_COUNT, .least = 0, .most = MOST},
    {"point.words", HTMT_UNIT_SIZE, .least = 0, .most = MOST},
    {"point.channel-words", HTMT_UNIT_SIZE, .least = 0, .most = MOST},
    {.key = "hram.share", .kind = HTMT_UNIT_SHARE},
    {.key = NULL},
};

static int check_sizes(const struct htmt_costs *costs, bool single, enum htmt__sar_format format,
                       struct htmt_fault *fault)
{
    uint64_t pair = htmt__sar_pair_bytes(format), words = single ? 1 : 2;
    char expected[80];
    if (htmt_costs_whole(costs, "point.raw-bytes") != pair) {
        snprintf(expected, sizeof expected, "%" PRIu64 ", which the raw data has", pair);
        return htmt_costs_refuse(costs, "point.raw-bytes", expected, fault);
    }
    if (htmt_costs_whole(costs, "point.words") != words) {
        snprintf(expected, sizeof expected, "%" PRIu64 " words, as --precision %s has", words,
                 single ? "single" : "double");
        return htmt_costs_refuse(costs, "point.words", expected, fault);
    }
    return 0;
}

static int check_share(const struct htmt_costs *costs, struct htmt_fault *fault)
{
    struct htmt_ratio share = htmt_costs_ratio(costs, "hram.share");
    return share.num > share.den ? htmt_costs_refuse(costs, "hram.share", "at most 100 %", fault)
                                 : 0;
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

int htmt__sar_costs_read(const struct htmt_request *r, bool single, enum htmt__sar_format format,
                         struct htmt__sar_costs *out, struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    int rc = htmt_costs_load(htmt_request_costs(r), "sar", keys, set, count, &c, fault);
    if (!rc)
        rc = check_sizes(c, single, format, fault);
    if (!rc)
        rc = check_share(c, fault);
    if (!rc)
        *out = (struct htmt__sar_costs){charges_of(c), htmt_costs_ratio(c, "hram.share")};
    htmt_costs_destroy(&c);
    return rc;
}

int htmt__sar_costs_size(const struct htmt_request *r, uint32_t *lines, uint32_t *samples,
                         struct htmt_fault *fault)
{
    struct htmt_costs *c = NULL;
    unsigned count;
    const char *const *set = htmt_request_cost_set(r, &count);
    int rc = htmt_costs_load(htmt_request_costs(r), "sar", keys, set, count, &c, fault);
    if (!rc)
        rc = check_share(c, fault);
    if (!rc) {
        *samples = (uint32_t)htmt_costs_whole(c, "problem.samples");
        *lines = (uint32_t)htmt_costs_whole(c, "problem.lines");
    }
    htmt_costs_destroy(&c);
    return rc;
}
