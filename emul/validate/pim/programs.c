/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/pim/programs.h"

#include <stdio.h>
#include <string.h>

struct program {
    const char *name, *key;
    const char *operations; /* of its elements, in all passes */
};

static const struct program programs[] = {
    {"VA", "va", "load add-i32 store branch"},
    {"GEMV", "gemv", "load mul-i32 add-i32 branch"},
    {"RED", "red", "load add-i64 branch"},
    {"SEL", "sel", "load logic-i64 compare-i64 store branch"},
    {"UNI", "uni", "load compare-i64 store branch"},
    {"SCAN-SSA", "scan-ssa", "load add-i64 store branch"},
    {"SCAN-RSS", "scan-rss", "load add-i64 store branch"},
    {"HST-S", "hst-s", "load logic-i32 add-i32 store branch"}};

#define PROGRAMS ((int)(sizeof programs / sizeof *programs))

#define CONSTANTS(program)                                                                         \
    {.key = program ".instructions", .kind = HTMT_UNIT_SHARE, .least = 0, .above_least = true},    \
    {                                                                                              \
        .key = program ".start", .kind = HTMT_UNIT_TIME                                            \
    }

const struct htmt_schema_row htmt__pim_cost_rows[] = {
    CONSTANTS("va"),       CONSTANTS("gemv"),  CONSTANTS("red"),
    CONSTANTS("sel"),      CONSTANTS("uni"),   CONSTANTS("scan-ssa"),
    CONSTANTS("scan-rss"), CONSTANTS("hst-s"), {.key = NULL}};

int htmt__pim_program(const char *name)
{
    for (int i = 0; i < PROGRAMS; i++)
        if (strcmp(programs[i].name, name) == 0)
            return i;
    return -1;
}

const char *htmt__pim_program_name(int program)
{
    return program >= 0 && program < PROGRAMS ? programs[program].name : NULL;
}

const char *htmt__pim_key(int program)
{
    return programs[program].key;
}

int htmt__pim_check_operations(const struct htmt_machine *m, struct htmt_fault *fault)
{
    for (int i = 0; i < PROGRAMS; i++) {
        char text[120], *rest = text, *operation;
        struct htmt_ratio count;
        snprintf(text, sizeof text, "%s", programs[i].operations);
        while ((operation = strsep(&rest, " ")))
            if (htmt_machine_instructions(m, operation, &count))
                return htmt_fault_set(fault, HTMT_EFORMAT,
                                      "machine %s: found no row '%s' in its table of instructions, "
                                      "which %s needs",
                                      m->name, operation, programs[i].key);
    }
    return 0;
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t here = strcspn(at, " ");
        if (here == length && strncmp(at, word, length) == 0)
            return true;
        at += here;
    }
    return false;
}

bool htmt__pim_counts(const char *operation)
{
    for (int i = 0; i < PROGRAMS; i++)
        if (has_word(programs[i].operations, operation))
            return true;
    return false;
}
