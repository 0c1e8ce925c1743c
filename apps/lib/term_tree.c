/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/lib/term_tree.h"

#include <assert.h>
#include <string.h>

static void put(char *to, size_t room, const char *text)
{
    assert(strlen(text) < room);
    snprintf(to, room, "%s", text);
}

struct htmt_term *htmt__tree_value(struct htmt_prediction *p, unsigned depth, const char *name,
                                   const char *meaning, const char *unit, double value,
                                   const char *expression)
{
    assert(p->count < HTMT_TERMS_MAX);
    struct htmt_term *t = &p->term[p->count++];
    t->depth = depth;
    t->value = value;
    put(t->name, sizeof t->name, name);
    put(t->meaning, sizeof t->meaning, meaning);
    put(t->unit, sizeof t->unit, unit);
    put(t->expression, sizeof t->expression, expression);
    return t;
}

struct htmt_term *htmt__tree_time(struct htmt_prediction *p, unsigned depth, const char *name,
                                  const char *meaning, htmt_wide fs, const char *expression)
{
    return htmt__tree_value(p, depth, name, meaning, "s", 1e-15 * (double)fs, expression);
}

double htmt__percent(htmt_wide part, htmt_wide all)
{
    return all ? 100 * (double)part / (double)all : 0;
}

double htmt__memory_use(const struct htmt_machine *m, uint32_t layer, double words)
{
    return 100 * words / (double)m->layer[layer].memory.capacity;
}
