/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/layers/machines.h"

#include <criterion/criterion.h>

struct htmt_machine *machine_load(const char *name, const char *set)
{
    return machine_load_sets(name, &set, set != NULL);
}

struct htmt_machine *machine_load_sets(const char *name, const char *const *sets, unsigned count)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_machine_load(name, sets, count, &m, &fault), 0, "%s", fault.text);
    return m;
}

struct htmt_machine *machine_parse(const char *text)
{
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_machine_parse("m.yaml", text, &m, &fault), 0, "%s\n%s", fault.text, text);
    return m;
}

uint64_t machine_parse_hash(const char *text)
{
    struct htmt_machine *m = machine_parse(text);
    const uint64_t hash = m->hash;
    htmt_machine_destroy(&m);
    return hash;
}
