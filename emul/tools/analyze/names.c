/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/tools/analyze/names.h"

#include "emul/tools/analyze/memory.h"

#include <string.h>

struct htmt__name {
    const char *text;
    enum htmt__name_kind kind;
};

static htmt__symbol add(struct htmt__names *n, const char *name, enum htmt__name_kind kind)
{
    if (n->count >= UINT16_MAX)
        return 0;
    n->name = htmt__source_room(n->name, n->count, sizeof *n->name);
    n->name[n->count] = (struct htmt__name){name, kind};
    return (htmt__symbol)++n->count;
}

htmt__symbol htmt__names_find(const struct htmt__names *n, const char *parameter, size_t length)
{
    for (unsigned i = 0; i < n->count; i++)
        if (n->name[i].kind == HTMT__NAME_PARAMETER && strlen(n->name[i].text) == length &&
            strncmp(n->name[i].text, parameter, length) == 0)
            return (htmt__symbol)(i + 1);
    return 0;
}

/* Expressions of nest files have no names with dots. */
htmt__symbol htmt__names_parameter(struct htmt__names *n, const char *name)
{
    if (strchr(name, '.')) {
        char *own = htmt__source_text(name);
        for (char *c = own; (c = strchr(c, '.'));)
            *c = '_';
        name = own;
    }
    htmt__symbol found = htmt__names_find(n, name, strlen(name));
    return found ? found : add(n, htmt__source_text(name), HTMT__NAME_PARAMETER);
}

htmt__value htmt__names_derived(struct htmt__names *n, enum htmt__derived_kind kind,
                                htmt__value value, int64_t by)
{
    const char *of = htmt__names_print(n, value);
    const char *text =
        kind == HTMT__DERIVED_MOD
            ? htmt__source_print("mod(%s,%lld)", of, (long long)by)
            : htmt__source_print("%s((%s)/%lld)", kind == HTMT__DERIVED_CEIL ? "ceil" : "floor", of,
                                 (long long)by);
    const htmt__symbol symbol = htmt__names_parameter(n, text);
    const struct htmt__derived *known = n->derived;
    while (known && known->symbol != symbol)
        known = known->next;
    if (!known && symbol) {
        struct htmt__derived *own = htmt__source_alloc(sizeof *own);
        *own = (struct htmt__derived){symbol, kind, value, by, n->derived};
        n->derived = own;
    }
    return symbol ? htmt__value_symbol(symbol) : NULL;
}

htmt__symbol htmt__names_variable(struct htmt__names *n, const char *name)
{
    return add(n, htmt__source_text(name), HTMT__NAME_VARIABLE);
}

bool htmt__names_is_parameter(const struct htmt__names *n, htmt__symbol symbol)
{
    return symbol && n->name[symbol - 1].kind == HTMT__NAME_PARAMETER;
}

void htmt__names_rename(struct htmt__names *n, htmt__symbol symbol, const char *name)
{
    n->name[symbol - 1].text = name;
}

const char *htmt__names_text(const void *names, htmt__symbol symbol)
{
    const struct htmt__names *n = names;
    return n->name[symbol - 1].text;
}

bool htmt__names_affine(const struct htmt__names *n, htmt__value value)
{
    bool affine = true;
    for (unsigned i = 0; i < value->count; i++) {
        unsigned variables = 0;
        for (unsigned f = 0; f < HTMT__DEGREE_MAX && value->term[i].factor[f]; f++)
            variables += !htmt__names_is_parameter(n, value->term[i].factor[f]);
        affine &= variables < 2;
    }
    return affine;
}

bool htmt__names_fixed(const struct htmt__names *n, htmt__value value)
{
    for (unsigned i = 0; value && i < value->count; i++)
        for (unsigned f = 0; f < HTMT__DEGREE_MAX && value->term[i].factor[f]; f++)
            if (!htmt__names_is_parameter(n, value->term[i].factor[f]))
                return false;
    return value != NULL;
}

const char *htmt__names_print(const struct htmt__names *n, htmt__value value)
{
    return htmt__value_text(value, htmt__names_text, n);
}
