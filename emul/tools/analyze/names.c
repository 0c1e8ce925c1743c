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

/* Expressions of nest files have no names with dots. */
static char *without_dots(const char *name)
{
    char *own = htmt__source_text(name);
    for (char *c = own; *c; c++)
        if (*c == '.')
            *c = '_';
    return own;
}

/* 0: there is none. */
static htmt__symbol find(const struct htmt__names *n, const char *parameter)
{
    for (unsigned i = 0; i < n->count; i++)
        if (n->name[i].kind == HTMT__NAME_PARAMETER && strcmp(n->name[i].text, parameter) == 0)
            return (htmt__symbol)(i + 1);
    return 0;
}

htmt__symbol htmt__names_parameter(struct htmt__names *n, const char *name)
{
    const char *own = strchr(name, '.') ? without_dots(name) : name;
    htmt__symbol found = find(n, own);
    return found ? found : add(n, htmt__source_text(own), HTMT__NAME_PARAMETER);
}

bool htmt__names_known(const struct htmt__names *n, const char *parameter)
{
    return find(n, parameter) != 0;
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
