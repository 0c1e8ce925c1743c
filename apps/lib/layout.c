/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A plug-in brings its struct htmt_app as it was when it was built. Members are only ever added at
 * the end, and each of those may be NULL or 0. So a shorter struct is copied into a whole one of
 * zeros; a longer one, of a later library, is refused, since this one would pass over what it asks
 * for.
 */
#include "apps/lib/layout.h"

#include <stdio.h>
#include <string.h>

/* What the first version had: all up to `outputs`. Later versions add behind it. */
#define SIZE_LEAST (offsetof(struct htmt_app, outputs) + sizeof((struct htmt_app *)0)->outputs)

/* Only the first two members are where they are in every version. */
static int check_version(const struct htmt_app *a, struct htmt_fault *fault)
{
    if (a->abi == 0 || a->size < SIZE_LEAST || a->size % _Alignof(struct htmt_app))
        return htmt_fault_set(
            fault, HTMT_EINVAL,
            "its struct htmt_app has abi %u and size %u, which no version had; it "
            "must begin with HTMT_APP_BEGIN",
            a->abi, a->size);
    if (a->abi != HTMT_ABI)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "it was built for version %u of struct htmt_app, this is version %u",
                              a->abi, HTMT_ABI);
    if (a->size > sizeof *a)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "it was built for a later libhtmt: its struct htmt_app has %u bytes, "
                              "this libhtmt knows %zu",
                              a->size, sizeof *a);
    return 0;
}

static bool is_name(const char *name)
{
    size_t length =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    return length && name[0] != '-' && !name[length];
}

/* `whose`: what the line ends with. */
static int check_options(const struct htmt_app_option *options, const char *whose,
                         struct htmt_fault *fault)
{
    for (unsigned n = 0; options[n].name; n++) {
        if (n == HTMT_APP_OPTIONS_MAX)
            return htmt_fault_set(fault, HTMT_EINVAL, "it has more than %d options%s", n, whose);
        if (!is_name(options[n].name))
            return htmt_fault_set(fault, HTMT_EINVAL,
                                  "it has an option '%s'%s, expected letters, digits, '-' and '_'",
                                  options[n].name, whose);
        if (!options[n].help)
            return htmt_fault_set(fault, HTMT_EINVAL, "its option '--%s'%s has no help",
                                  options[n].name, whose);
        for (unsigned i = 0; i < n; i++)
            if (strcmp(options[i].name, options[n].name) == 0)
                return htmt_fault_set(fault, HTMT_EINVAL, "it has two options '--%s'%s",
                                      options[n].name, whose);
    }
    return 0;
}

/* Errors: a member that is needed, or is not what it must be. */
static int check_members(const struct htmt_app *a, struct htmt_fault *fault)
{
    const char *missing = !a->name      ? "name"
                          : !a->summary ? "summary"
                          : !a->create  ? "step create"
                                        : NULL;
    if (missing)
        return htmt_fault_set(fault, HTMT_EINVAL, "its struct htmt_app has no %s", missing);
    if (!is_name(a->name))
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "its name is '%s', expected letters, digits, '-' and '_'", a->name);
    int rc = check_options(a->options, "", fault);
    unsigned own = 0;
    while (a->operand && a->options[own].name && strcmp(a->options[own].name, a->operand) != 0)
        own++;
    if (!rc && a->operand && !a->options[own].name)
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "its operand is '%s', expected the name of one of its options",
                              a->operand);
    for (const struct htmt_app_verb *v = a->verbs; v && v->name && !rc; v++) {
        char whose[64];
        snprintf(whose, sizeof whose, " of its verb '%.40s'", v->name);
        rc = v->summary && v->options && v->run
                 ? check_options(v->options, whose, fault)
                 : htmt_fault_set(fault, HTMT_EINVAL,
                                  "its verb '%s' needs a summary, options and run", v->name);
    }
    return rc;
}

int htmt__app_complete(const struct htmt_app *given, struct htmt_app *app, struct htmt_fault *fault)
{
    static const struct htmt_app_option none = {NULL, NULL, NULL, NULL};
    if (!given)
        return htmt_fault_set(fault, HTMT_EINVAL, "it has no struct htmt_app");
    int rc = check_version(given, fault);
    if (rc)
        return rc;
    *app = (struct htmt_app){0};
    memcpy(app, given, given->size);
    app->size = sizeof *app;
    if (!app->options)
        app->options = &none;
    return check_members(app, fault);
}
