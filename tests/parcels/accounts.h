/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests: all that two runs say of resources, memories and phases, compared.
 */
#ifndef HTMT_TESTS_PARCELS_ACCOUNTS_H
#define HTMT_TESTS_PARCELS_ACCOUNTS_H

#include "parcels/htmt.h"

#include <criterion/criterion.h>
#include <string.h>

static inline void same_resources(const struct htmt_emulator *a, const struct htmt_emulator *b)
{
    for (uint32_t i = 0; i < htmt_resource_count(a); i++) {
        struct htmt_resource_report x, y;
        htmt_resource_at(a, i, &x);
        htmt_resource_at(b, i, &y);
        cr_expect(!memcmp(&x, &y, sizeof x), "%s: %llu and %llu services", x.name,
                  (unsigned long long)x.served, (unsigned long long)y.served);
    }
}

static inline void same_memories(const struct htmt_emulator *a, const struct htmt_emulator *b)
{
    for (uint32_t l = 0; l < htmt_emulator_machine(a)->layer_count; l++) {
        struct htmt_memory_report x, y;
        htmt_memory_at(a, l, &x);
        htmt_memory_at(b, l, &y);
        cr_expect(!memcmp(&x, &y, sizeof x), "%s: peaks %llu and %llu", x.name,
                  (unsigned long long)x.peak, (unsigned long long)y.peak);
    }
}

static inline void same_phases(const struct htmt_emulator *a, const struct htmt_emulator *b)
{
    cr_assert_eq(htmt_phase_count(a), htmt_phase_count(b));
    for (uint32_t i = 0; i < htmt_phase_count(a); i++) {
        struct htmt_phase_report x, y;
        htmt_phase_at(a, i, &x);
        htmt_phase_at(b, i, &y);
        cr_expect(!memcmp(&x, &y, sizeof x), "%s %s: %llu and %llu", x.type,
                  htmt_stage_name(x.stage), (unsigned long long)x.count,
                  (unsigned long long)y.count);
    }
}

/* The same instant at the end, the same accounts, and both balance. */
static inline void same_accounts(const struct htmt_emulator *a, const struct htmt_emulator *b)
{
    struct htmt_fault f = {0};
    cr_assert_eq(htmt_audit(a, &f), 0, "%s", f.text);
    cr_assert_eq(htmt_audit(b, &f), 0, "%s", f.text);
    cr_assert_eq(htmt_predicted(a), htmt_predicted(b), "%lld and %lld fs",
                 (long long)htmt_predicted(a), (long long)htmt_predicted(b));
    cr_assert_eq(htmt_parcel_count(a), htmt_parcel_count(b));
    same_resources(a, b);
    same_memories(a, b);
    same_phases(a, b);
}

#endif
