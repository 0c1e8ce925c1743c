/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A word is looked for among the common rows, then among those of the application. Each option is
 * given once, but for --set; a value may follow "=" or be the next word, unless that begins with
 * "--". So nothing is guessed, and the same tables make the help, the manual page's test and the
 * run record.
 */
#include "emul/lib/options/options.h"

#include "layers/bank/controller.h"
#include "runtime/base/suggest.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

const struct htmt_app_option htmt__common_rows[] = {
#define ROW(id, name, value, fallback, help) {name, value, fallback, help},
    HTMT__OPTION_MAP(ROW)
#undef ROW
        {NULL, NULL, NULL, NULL},
};

/* One option as it stands on the command line. */
struct word {
    const char *name;
    size_t length;
    const char *value; /* after '='; NULL: there is none */
};

/* A row and the places of its value. */
struct option_place {
    const struct htmt_app_option *row;
    const char **value;
    bool *given;
};

static int find_row(const struct htmt_app_option *rows, const struct word *word)
{
    for (int i = 0; rows[i].name; i++)
        if (strlen(rows[i].name) == word->length &&
            strncmp(rows[i].name, word->name, word->length) == 0)
            return i;
    return -1;
}

bool htmt__options_shared(const struct htmt_app_option *common)
{
    return common == &htmt__common_rows[HTMT__TABLE] ||
           common == &htmt__common_rows[HTMT__AGAINST_CLOCK];
}

/* Where a word belongs. Most names are either the command's or the application's. A shared name
 * such as --table is both: the command takes the values of its own form, "csv:FILE". `value`: what
 * the word has behind "=", or the word behind it. */
static bool find_place(struct htmt__options *o, const struct word *word, const char *value,
                       struct option_place *place)
{
    const int i = o->verb ? -1 : find_row(htmt__common_rows, word), own = find_row(o->rows, word);
    const bool both = i >= 0 && own >= 0 && htmt__options_shared(&htmt__common_rows[i]);
    if (i >= 0 && (!both || (value && strncmp(value, "csv:", 4) == 0))) {
        *place = (struct option_place){&htmt__common_rows[i], &o->common[i], &o->common_given[i]};
        return true;
    }
    if (own < 0 || own >= HTMT__ROWS_MAX)
        return false;
    *place = (struct option_place){&o->rows[own], &o->own[own], &o->own_given[own]};
    return true;
}

static int put(struct htmt__options *o, const struct option_place *at, const char *value,
               struct htmt_fault *fault)
{
    const bool set = at->value == &o->common[HTMT__SET];
    if (set && o->set_count == HTMT__SETS_MAX)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--set: more than %d of them", HTMT__SETS_MAX);
    if (set && (!strchr(value, '=') || value[0] == '='))
        return htmt_fault_set(fault, HTMT_EUSAGE, "--set: found '%s', expected KEY=VALUE", value);
    if (set) { /* may be repeated */
        o->set[o->set_count++] = value;
        return 0;
    }
    if (*at->given)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: given twice", at->row->name);
    if (at->row->value_name && !*value)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: the value is empty, expected %s",
                              at->row->name, at->row->value_name);
    *at->value = value;
    *at->given = true;
    return 0;
}

/* The names of rows as they stand on a command line. */
struct names {
    char text[HTMT__OPTIONS + HTMT__ROWS_MAX][40];
    const char *known[HTMT__OPTIONS + HTMT__ROWS_MAX];
    unsigned count;
};

static void collect(struct names *n, const struct htmt_app_option *rows, int room)
{
    for (int i = 0; i < room && rows[i].name; i++, n->count++) {
        snprintf(n->text[n->count], sizeof n->text[0], "--%s", rows[i].name);
        n->known[n->count] = n->text[n->count];
    }
}

static int refuse_option(const struct htmt__options *o, const struct word *word,
                         struct htmt_fault *fault)
{
    struct names names = {.count = 0};
    char found[64], list[80];
    if (!o->verb)
        collect(&names, htmt__common_rows, HTMT__OPTIONS);
    collect(&names, o->rows, HTMT__ROWS_MAX);
    snprintf(found, sizeof found, "--%.*s", (int)word->length, word->name);
    snprintf(list, sizeof list, "'htmt help %s'", o->verb ? o->verb->name : o->app->name);
    return htmt__suggest_refuse("option", found, names.known, names.count, list, fault);
}

/* One option, and its value; advances *i if the value is the next word. The first word may be the
 * operand of the application, which stands for the option of that name. */
static int parse_one(struct htmt__options *o, int argc, char *const *argv, int *i,
                     struct htmt_fault *fault)
{
    const char *text = argv[*i], *value;
    struct option_place at;
    if (*i == 0 && !o->verb && o->app->operand && strncmp(text, "-", 1) != 0) {
        const struct word operand = {o->app->operand, strlen(o->app->operand), text};
        return find_place(o, &operand, text, &at) ? put(o, &at, text, fault) : HTMT_EUSAGE;
    }
    if (strncmp(text, "--", 2) != 0 || !text[2])
        return htmt_fault_set(fault, HTMT_EUSAGE, "found '%s', expected an option such as --%s",
                              text, o->verb ? "help" : htmt__common_rows[0].name);
    const char *name = text + 2, *equals = strchr(name, '=');
    const struct word word = {name, equals ? (size_t)(equals - name) : strlen(name),
                              equals ? equals + 1 : NULL};
    const char *given = word.value || *i + 1 >= argc ? word.value : argv[*i + 1];
    if (!find_place(o, &word, given, &at))
        return refuse_option(o, &word, fault);
    const struct htmt_app_option *row = at.row;
    value = word.value ? word.value : "";
    if (!row->value_name && word.value)
        return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: takes no value, found '%s'", row->name,
                              word.value);
    if (row->value_name && !word.value) {
        if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0)
            return htmt_fault_set(fault, HTMT_EUSAGE, "--%s: the value is missing, expected %s",
                                  row->name, row->value_name);
        value = argv[++*i];
    }
    return put(o, &at, value, fault);
}

static void fall_back(const struct htmt_app_option *rows, const char **value, unsigned room)
{
    for (unsigned i = 0; i < room && rows[i].name; i++)
        value[i] = rows[i].fallback;
}

static int parse(struct htmt__options *o, int argc, char *const *argv,
                 struct htmt__options *options, struct htmt_fault *fault)
{
    if (!o->verb)
        fall_back(htmt__common_rows, o->common, HTMT__OPTIONS);
    fall_back(o->rows, o->own, HTMT__ROWS_MAX);
    for (int i = 0; i < argc; i++) {
        int rc = parse_one(o, argc, argv, &i, fault);
        if (rc)
            return rc;
    }
    *options = *o;
    return 0;
}

int htmt__options_parse(const struct htmt_app *app, int argc, char *const *argv,
                        struct htmt__options *options, struct htmt_fault *fault)
{
    struct htmt__options o = {.app = app, .rows = app->options};
    return parse(&o, argc, argv, options, fault);
}

int htmt__options_parse_verb(const struct htmt_app *app, const struct htmt_app_verb *verb, int argc,
                             char *const *argv, struct htmt__options *options,
                             struct htmt_fault *fault)
{
    struct htmt__options o = {.app = app, .rows = verb->options, .verb = verb};
    return parse(&o, argc, argv, options, fault);
}

int htmt__options_check_machine(const struct htmt_app *app, const struct htmt_machine *machine,
                                struct htmt_fault *fault)
{
    if (!htmt__bank_machine_of(machine) || app->hosted)
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "--machine %s: found slices that a host alone joins, which %s does not "
                          "know; expected prim or micro",
                          machine->name, app->name);
}
