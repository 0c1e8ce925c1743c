/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A tree is a flat list of items, rows in the order in which they print and values alone, with a
 * hash table from whole names, "Range Line, inject", to their numbers. A row is evaluated when
 * somebody asks for its value: its text is read, each name in it asks for the value of another row,
 * and so on down to values that were set. Each row is evaluated once; a row that is asked for while
 * it is UNDER_WAY needs itself, which is refused. So the rows need no order, and the cost is one
 * reading of each text.
 *
 * Example: T = "load + n * step", where load is served and n was set to 3. T asks for load, whose
 * text gives the words that its service takes; then for n, which is there, and for step. Values are
 * fractions of integers until they print, so that no order of operations changes a bit.
 *
 * The line of a row lists what its text names: "n = 3; step = 125 fs;". A hidden row in it is shown
 * with its own text, and behind it what that one names, since no line of its own tells them.
 */
#include "apps/lib/term_tree.h"

#include "apps/lib/formula.h"
#include "apps/lib/task_parts.h"
#include "runtime/base/fnv.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX  512
#define PLACES     (2 * ITEMS_MAX)
#define WIDE_MAX   90 /* two 128-bit integers in digits */
#define TEXT_MAX   sizeof((struct htmt_term *)0)->expression
#define PER_SECOND 1e15L

typedef struct htmt_exact exact;
typedef struct htmt_term_tree tree;

enum state { OPEN, UNDER_WAY, KNOWN };

/* A row, or a value alone. */
struct item {
    char name[HTMT__FORMULA_NAME]; /* with the scope */
    const char *scope, *unit;
    const struct htmt_term_row *row; /* NULL: a value alone */
    unsigned depth;
    enum state state;
    exact value;
};

struct htmt_term_tree {
    const void *user;
    struct htmt_fault fault; /* the first row or value that found no place, for evaluate */
    unsigned count;
    uint16_t place[PLACES]; /* of a name's hash or behind it: number of the item, from 1; 0: free */
    struct item item[ITEMS_MAX]; /* `count` of them are set */
};

int htmt_term_tree_create(const void *user, tree **out, struct htmt_fault *fault)
{
    tree *t = malloc(sizeof *t);
    if (!t)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for the closed form");
    memset(t, 0, offsetof(tree, item));
    t->user = user;
    *out = t;
    return 0;
}

void htmt_term_tree_destroy(tree **t)
{
    free(*t);
    *t = NULL;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* False: it is too long. */
static bool join(char out[HTMT__FORMULA_NAME], const char *scope, const char *name)
{
    size_t n = scope ? strlen(scope) : 0, more = strlen(name);
    if (n + more + 3 > HTMT__FORMULA_NAME)
        return false;
    memcpy(out, scope ? scope : "", n);
    if (n && more) {
        memcpy(out + n, ", ", 2);
        n += 2;
    }
    memcpy(out + n, name, more + 1);
    return true;
}

/* Where an item of that name is, or would be. */
static size_t place_of(const tree *t, const char *name)
{
    uint64_t hash = HTMT__HASH_BASIS;
    htmt__hash_bytes(&hash, name, strlen(name));
    size_t at = hash % PLACES;
    while (t->place[at] && strcmp(t->item[t->place[at] - 1].name, name) != 0)
        at = (at + 1) % PLACES;
    return at;
}

static struct item *find(const tree *t, const char *scope, const char *name)
{
    char whole[HTMT__FORMULA_NAME];
    unsigned number = join(whole, scope, name) ? t->place[place_of(t, whole)] : 0;
    return number ? (struct item *)&t->item[number - 1] : NULL;
}

static struct item *look_up(const tree *t, const char *scope, const char *name)
{
    struct item *found = scope ? find(t, scope, name) : NULL;
    return found ? found : find(t, NULL, name);
}

static struct item *refuse(tree *t, const char *name, const char *why)
{
    htmt_fault_set(&t->fault, HTMT_EINVAL, "closed form: '%s' %s", name, why);
    return NULL;
}

/* NULL: it is refused. */
static struct item *add(tree *t, const char *scope, const char *name, const char *unit)
{
    char whole[HTMT__FORMULA_NAME];
    if (!join(whole, scope, name))
        return refuse(t, name, "is too long a name");
    if (!unit)
        return refuse(t, whole, "has no unit");
    if (find(t, scope, name))
        return refuse(t, whole, "is there twice");
    if (t->count == ITEMS_MAX)
        return refuse(t, whole, "has no place behind 512 rows and values");
    struct item *i = &t->item[t->count++];
    *i = (struct item){.scope = scope, .unit = unit};
    memcpy(i->name, whole, sizeof whole);
    t->place[place_of(t, i->name)] = (uint16_t)t->count;
    return i;
}

void htmt_term_tree_add(tree *t, const char *scope, unsigned depth,
                        const struct htmt_term_row *rows)
{
    for (; rows->name; rows++) {
        struct item *i = add(t, scope, rows->name, rows->unit);
        if (!i)
            return;
        i->row = rows;
        i->depth = rows->depth + depth;
    }
}

void htmt_term_tree_set(tree *t, const char *scope, const char *name, const char *unit, exact value)
{
    struct item *i = find(t, scope, name);
    if (!i)
        i = add(t, scope, name, unit);
    else if (i->row && i->row->text)
        i = refuse(t, i->name, "has a formula already");
    if (!i)
        return;
    i->value = value;
    i->state = KNOWN;
}

void htmt_term_tree_set_time(tree *t, const char *scope, const char *name, htmt_wide fs)
{
    htmt_term_tree_set(t, scope, name, "s", htmt_exact_whole(fs));
}

void htmt_term_tree_set_count(tree *t, const char *scope, const char *name, uint64_t n)
{
    htmt_term_tree_set(t, scope, name, "1", htmt_exact_whole(n));
}

void htmt_term_tree_set_counts(tree *t, const struct htmt_term_count *of, size_t count)
{
    for (size_t i = 0; i < count; i++)
        htmt_term_tree_set_count(t, NULL, of[i].name, of[i].n);
}

/* ---- values --------------------------------------------------------------------------------- */

struct reader {
    tree *t;
    const char *scope;
};

static int evaluate(tree *t, struct item *i, struct htmt_fault *fault);

static int read_name(void *user, const char *name, exact *value, struct htmt_fault *fault)
{
    struct reader *r = user;
    struct item *i = look_up(r->t, r->scope, name);
    if (!i)
        return htmt_fault_set(fault, HTMT_EINVAL, "closed form: nothing is called '%s'", name);
    int rc = evaluate(r->t, i, fault);
    if (!rc)
        *value = i->value;
    return rc;
}

/* The time of a count, which must not have wrapped before it becomes time. */
static int serve(const tree *t, const struct item *i, exact *value, struct htmt_fault *fault)
{
    if (value->den != 1 || value->num < 0 || value->num > INT64_MAX)
        return htmt_fault_set(fault, HTMT_EOVERFLOW,
                              "%s: found %.3Lg = %s, expected below 2^63 and whole", i->name,
                              htmt_exact_value(*value), i->row->text);
    htmt_time time = i->row->service(t->user, i->row->server, (uint64_t)value->num);
    if (time < 0)
        return htmt_fault_set(fault, HTMT_EOVERFLOW, "%s, %s, takes more than 9223 s", i->name,
                              i->row->meaning ? i->row->meaning : "served");
    *value = htmt_exact_whole(time);
    return 0;
}

static int evaluate(tree *t, struct item *i, struct htmt_fault *fault)
{
    const struct htmt_term_row *row = i->row;
    struct reader r = {t, i->scope};
    struct htmt_fault own = {0};
    if (i->state == KNOWN)
        return 0;
    if (i->state == UNDER_WAY || !row->text)
        return htmt_fault_set(fault, HTMT_EINVAL, "closed form: %s %s", i->name,
                              row->text ? "needs itself" : "has no value");
    i->state = UNDER_WAY;
    i->value = htmt_exact_whole(0);
    int rc = htmt__formula(row->text, read_name, &r, &i->value, &own);
    if (rc == HTMT_ERANGE && row->may_divide_by_zero)
        rc = 0; /* the one error that a row may have; the value is 0 */
    else if (rc)
        htmt_fault_set(fault, rc, "%s", own.text);
    if (!rc && row->service)
        rc = serve(t, i, &i->value, fault);
    if (!rc && row->rounding == HTMT_TERM_DOWN)
        i->value = htmt_exact_whole(htmt_exact_floor(i->value));
    else if (!rc && row->rounding == HTMT_TERM_HALF_UP)
        i->value = htmt_exact_whole(htmt_exact_round(i->value));
    i->state = rc ? OPEN : KNOWN;
    return rc;
}

int htmt_term_tree_evaluate(tree *t, struct htmt_fault *fault)
{
    int rc = t->fault.code;
    if (rc)
        return htmt_fault_set(fault, rc, "%s", t->fault.text);
    for (unsigned i = 0; i < t->count && !rc; i++)
        rc = evaluate(t, &t->item[i], fault);
    return rc;
}

exact htmt_term_tree_value(const tree *t, const char *name)
{
    const struct item *i = find(t, NULL, name);
    assert(i && i->state == KNOWN);
    return i->value;
}

htmt_wide htmt_term_tree_whole(const tree *t, const char *name)
{
    exact value = htmt_term_tree_value(t, name);
    assert(value.den == 1);
    return value.num;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Copies what finds room, for a call of printf() takes ten times as long. */
static void append(char *to, size_t room, const char *text)
{
    size_t used = strlen(to), more = strlen(text);
    if (more >= room - used)
        more = room - used - 1;
    memcpy(to + used, text, more);
    to[used + more] = '\0';
}

static void put(char *to, size_t room, const char *text)
{
    to[0] = '\0';
    append(to, room, text);
}

static bool is_rate(const char *unit)
{
    size_t n = strlen(unit);
    return n > 2 && !strcmp(unit + n - 2, "/s");
}

static double in_unit(exact value, const char *unit)
{
    long double x = htmt_exact_value(value);
    if (!strcmp(unit, "s"))
        return 1e-15 * (double)x;
    if (is_rate(unit))
        x *= PER_SECOND;
    return (double)(strcmp(unit, "%") ? x : 100 * x);
}

/* What is evaluated; behind a colon what is done with it. */
static void say(const struct htmt_term_row *row, char *out, size_t room)
{
    static const char *const rounding[] = {
        [HTMT_TERM_EXACT] = "", [HTMT_TERM_HALF_UP] = "rounded", [HTMT_TERM_DOWN] = "rounded down"};
    const char *text = row->text ? row->text : "computed";
    const char *more = row->by ? row->by : rounding[row->rounding];
    put(out, room, text);
    append(out, room, *more ? ": " : "");
    append(out, room, more);
}

static char *digits(htmt_wide n, char *end)
{
    htmt_uwide rest = n < 0 ? -(htmt_uwide)n : (htmt_uwide)n;
    *--end = '\0';
    do
        *--end = (char)('0' + (int)(rest % 10));
    while (rest /= 10);
    if (n < 0)
        *--end = '-';
    return end;
}

/* "3/7 fs" */
static void write_exact(exact value, const char *unit, char *out, size_t room)
{
    char num[WIDE_MAX], den[WIDE_MAX];
    bool whole = value.den == 1, time = !strcmp(unit, "s");
    bool plain = !strcmp(unit, "1") || !strcmp(unit, "%");
    put(out, room, digits(value.num, num + sizeof num));
    append(out, room, whole ? "" : "/");
    append(out, room, whole ? "" : digits(value.den, den + sizeof den));
    append(out, room, plain ? "" : " ");
    append(out, room, time ? "fs" : plain ? "" : is_rate(unit) ? "a fs" : unit);
}

/* A row that is not printed, or a value alone. */
static bool is_hidden(const struct item *i)
{
    return !i->row || i->depth >= HTMT_TERM_HIDDEN;
}

struct lister {
    const tree *t;
    const char *scope;
    bool top;    /* of the row itself, not of a hidden part */
    bool deeper; /* no names, but those of hidden parts */
    char *out;
    size_t room;
};

static void list_values(const struct lister *l, const struct item *i);

/* "b_c = 125; M_S = 11718750000 fs;"; of a hidden row also its text. */
static void list_item(const struct lister *l, const char *name, const struct item *i)
{
    char number[2 * WIDE_MAX], text[TEXT_MAX], entry[sizeof number + sizeof text + 80];
    size_t used = strlen(l->out);
    bool part = i->row && is_hidden(i);
    write_exact(i->value, i->unit, number, sizeof number);
    put(entry, sizeof entry, name);
    append(entry, sizeof entry, " = ");
    append(entry, sizeof entry, number);
    if (part) {
        say(i->row, text, sizeof text);
        append(entry, sizeof entry, " (");
        append(entry, sizeof entry, text);
        append(entry, sizeof entry, ")");
    }
    append(entry, sizeof entry, ";");
    for (const char *at = l->out; (at = strstr(at, entry)); at++)
        if (at == l->out || at[-1] == ' ')
            return; /* it is there */
    if (used + strlen(entry) + 2 > l->room)
        return;
    append(l->out, l->room, used ? " " : "");
    append(l->out, l->room, entry);
}

static int list_name(void *user, const char *name, exact *value, struct htmt_fault *fault)
{
    const struct lister *l = user;
    const struct item *i = look_up(l->t, l->scope, name);
    (void)fault;
    *value = i->value;
    if (!l->deeper)
        list_item(l, l->top ? name : i->name, i);
    else if (i->row && is_hidden(i))
        list_values(&(struct lister){l->t, i->scope, false, false, l->out, l->room}, i);
    return 0;
}

/* The names of a text, then those of its hidden parts; each once. What finds no room is left out.
 */
static void list_values(const struct lister *l, const struct item *i)
{
    struct lister names = *l, parts = *l;
    exact unused;
    if (!i->row->text)
        return;
    parts.deeper = true;
    htmt__formula(i->row->text, list_name, &names, &unused, NULL);
    htmt__formula(i->row->text, list_name, &parts, &unused, NULL);
}

void htmt_term_tree_tell(const tree *t, struct htmt_prediction *out)
{
    for (unsigned n = 0; n < t->count; n++) {
        const struct item *i = &t->item[n];
        if (is_hidden(i) || i->state != KNOWN)
            continue;
        struct htmt_term to = {.depth = i->depth, .value = in_unit(i->value, i->unit)};
        put(to.name, sizeof to.name, i->name);
        put(to.unit, sizeof to.unit, i->unit);
        if (out->values_only) {
            htmt_prediction_term(out, &to);
            continue;
        }
        put(to.meaning, sizeof to.meaning, i->row->meaning ? i->row->meaning : "");
        say(i->row, to.expression, sizeof to.expression);
        list_values(&(struct lister){t, i->scope, true, false, to.values, sizeof to.values}, i);
        htmt_prediction_term(out, &to);
    }
}
