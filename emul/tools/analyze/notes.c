/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the walk writes down: refusals, counts, names, arrays, accesses and state.
 *
 * All counts carry a weight, the part of the iterations in which they happen. Accesses of one form
 * in one loop are one entry whose weights add up, found by a hash of array, loop, kind and
 * subscripts: a body that is multiplied out names the same element often, and sources of ten
 * thousand lines must not take quadratic time.
 *
 * A name is that of the variable. Variables of functions that are inlined may share one: the second
 * is "i_2". What is handed over under one name ("u" of two functions) is taken for the same array,
 * until layout.c finds that its axes differ.
 */
#include "emul/tools/analyze/memory.h"
#include "emul/tools/analyze/walk.h"
#include "runtime/base/ratio.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BUCKETS = 1 << 16 };

int htmt__walk_refuse(struct htmt__walk *w, const struct htmt__source_place *where,
                      const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    w->where = *where;
    w->why = htmt__source_text(text);
    return HTMT_EFORMAT;
}

static void list(struct htmt__skipped **first, const struct htmt__source_place *place,
                 const char *why, const struct htmt__loop *loop)
{
    for (const struct htmt__skipped *s = *first; s; s = s->next)
        if (s->place.line == place->line && s->place.column == place->column &&
            strcmp(s->place.file, place->file) == 0 && strcmp(s->why, why) == 0)
            return;
    /* Before what stands behind it in its file; files in the order of their first entries. */
    struct htmt__skipped **at = first, *left = htmt__source_alloc(sizeof *left);
    while (*at && strcmp((*at)->place.file, place->file))
        at = &(*at)->next;
    while (*at && strcmp((*at)->place.file, place->file) == 0 &&
           ((*at)->place.line < place->line ||
            ((*at)->place.line == place->line && (*at)->place.column <= place->column)))
        at = &(*at)->next;
    *left = (struct htmt__skipped){*place, why, loop, *at};
    *at = left;
}

void htmt__walk_list(struct htmt__walk *w, const struct htmt__source_place *place, const char *why)
{
    list(&w->skipped, place, why, NULL);
}

void htmt__walk_tell(struct htmt__walk *w, const struct htmt__source_place *place, const char *text)
{
    list(&w->told, place, text, NULL);
}

void htmt__walk_lose(struct htmt__walk *w)
{
    list(&w->skipped, &w->where, w->why, w->loop);
}

/* ---- weights --------------------------------------------------------------------------------- */

static struct htmt__weight reduced(htmt_wide num, htmt_wide den)
{
    htmt_wide a = num, b = den;
    while (b) {
        htmt_wide rest = a % b;
        a = b;
        b = rest;
    }
    a = a ? a : 1;
    return (struct htmt__weight){(int64_t)(num / a), (int64_t)(den / a)};
}

/* A weight that was never set is zero. */
struct htmt__weight htmt__weight_add(struct htmt__weight a, struct htmt__weight b)
{
    a.den = a.den ? a.den : 1;
    b.den = b.den ? b.den : 1;
    if (a.den == b.den && a.den == 1)
        return (struct htmt__weight){a.num + b.num, 1};
    return reduced((htmt_wide)a.num * b.den + (htmt_wide)b.num * a.den, (htmt_wide)a.den * b.den);
}

struct htmt__weight htmt__weight_mul(struct htmt__weight a, struct htmt__weight b)
{
    a.den = a.den ? a.den : 1;
    b.den = b.den ? b.den : 1;
    return reduced((htmt_wide)a.num * b.num, (htmt_wide)a.den * b.den);
}

bool htmt__weight_less(struct htmt__weight a, struct htmt__weight b)
{
    return (htmt_wide)a.num * (b.den ? b.den : 1) < (htmt_wide)b.num * (a.den ? a.den : 1);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* What a processor does in one step, and what the machine has a price for. */
static const struct {
    const char *name;
    struct htmt__known_function as;
} functions[] = {
    {"fabs", {NULL, 1, 0}},        {"fmin", {NULL, 1, 0}},       {"fmax", {NULL, 1, 0}},
    {"fdim", {NULL, 1, 0}},        {"copysign", {NULL, 1, 0}},   {"floor", {NULL, 1, 0}},
    {"ceil", {NULL, 1, 0}},        {"trunc", {NULL, 1, 0}},      {"round", {NULL, 1, 0}},
    {"rint", {NULL, 1, 0}},        {"nearbyint", {NULL, 1, 0}},  {"fma", {NULL, 1, 1}},
    {"exp", {"exp", 0, 0}},        {"exp2", {"exp2", 0, 0}},     {"expm1", {"expm1", 0, 0}},
    {"exp10", {"exp10", 0, 0}},    {"log", {"log", 0, 0}},       {"log2", {"log2", 0, 0}},
    {"log10", {"log10", 0, 0}},    {"log1p", {"log1p", 0, 0}},   {"sqrt", {"sqrt", 0, 0}},
    {"cbrt", {"cbrt", 0, 0}},      {"pow", {"pow", 0, 0}},       {"hypot", {"hypot", 0, 0}},
    {"sin", {"sin", 0, 0}},        {"cos", {"cos", 0, 0}},       {"tan", {"tan", 0, 0}},
    {"asin", {"asin", 0, 0}},      {"acos", {"acos", 0, 0}},     {"atan", {"atan", 0, 0}},
    {"atan2", {"atan2", 0, 0}},    {"sinh", {"sinh", 0, 0}},     {"cosh", {"cosh", 0, 0}},
    {"tanh", {"tanh", 0, 0}},      {"asinh", {"asinh", 0, 0}},   {"acosh", {"acosh", 0, 0}},
    {"atanh", {"atanh", 0, 0}},    {"erf", {"erf", 0, 0}},       {"erfc", {"erfc", 0, 0}},
    {"tgamma", {"tgamma", 0, 0}},  {"lgamma", {"lgamma", 0, 0}}, {"fmod", {"fmod", 0, 0}},
    {"remainder", {"fmod", 0, 0}}, {"product", {NULL, 0, 1}}, /* one of those that make x**n in
                                                                 Fortran */
};

/* "expf", "expl" and "__builtin_exp" are "exp". */
const struct htmt__known_function *htmt__known_function(const char *name)
{
    static const char builtin[] = "__builtin_";
    if (strncmp(name, builtin, sizeof builtin - 1) == 0)
        name += sizeof builtin - 1;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        size_t length = strlen(functions[i].name);
        const char *rest = name + length;
        if (strncmp(name, functions[i].name, length) == 0 &&
            (!*rest || ((*rest == 'f' || *rest == 'l') && !rest[1])))
            return &functions[i].as;
    }
    return NULL;
}

/* `names` ends with NULL. */
static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names))
        names++;
    return *names != NULL;
}

bool htmt__known_silent(const char *name)
{
    static const char *const names[] = {
        "printf", "fprintf", "snprintf", "puts",   "fputs",         "putchar",       "fflush",
        "perror", "free",    "exit",     "abort",  "__assert_fail", "fopen",         "fclose",
        "fwrite", "strcmp",  "strlen",   "memcmp", "clock_gettime", "omp_get_wtime", NULL};
    return is_among(name, names);
}

bool htmt__known_reader(const char *name)
{
    return is_among(name, (const char *const[]){"fwrite", "memcmp", NULL});
}

bool htmt__known_input(const char *name)
{
    return is_among(name, (const char *const[]){"fscanf", "fgets", "fread", "getline", NULL});
}

bool htmt__known_memory(const char *name)
{
    static const char *const names[] = {"malloc", "calloc",           "realloc", "aligned_alloc",
                                        "alloca", "__builtin_alloca", NULL};
    return is_among(name, names);
}

bool htmt__known_word(const char *name)
{
    static const char *const names[] = {"floor", "ceil", "min", "max", "mod", "and", NULL};
    return is_among(name, names);
}

/* ---- work ------------------------------------------------------------------------------------ */

/* What is done behind those items of the loop; later calls name later ones. */
static struct htmt__work *work_behind(struct htmt__loop *loop, struct htmt__item **behind)
{
    struct htmt__work *last = loop->last_work ? loop->last_work : &loop->work;
    if (last->behind == behind)
        return last;
    loop->last_work = last->next = htmt__source_alloc(sizeof *last);
    loop->last_work->behind = behind;
    return loop->last_work;
}

static struct htmt__work *work_of(struct htmt__walk *w)
{
    return work_behind(w->loop, w->loop->last_item);
}

/* ---- operations ------------------------------------------------------------------------------ */

static void add_function(struct htmt__work *work, const char *name, struct htmt__weight times)
{
    struct htmt__function_count **f = &work->functions;
    while (*f && strcmp((*f)->name, name))
        f = &(*f)->next;
    if (!*f) {
        *f = htmt__source_alloc(sizeof **f);
        (*f)->name = name;
    }
    (*f)->calls = htmt__weight_add((*f)->calls, times);
}

void htmt__note_op(struct htmt__walk *w, enum htmt__op_class class)
{
    if (w->quiet)
        return;
    struct htmt__weight *count = &work_of(w)->op[class];
    *count = htmt__weight_add(*count, w->weight);
}

void htmt__note_function(struct htmt__walk *w, const char *name)
{
    if (!w->quiet)
        add_function(work_of(w), name, w->weight);
}

/* ---- names ----------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 0;
    for (; *text; text++)
        hash = mix(hash, (unsigned char)*text);
    return hash;
}

/* Variables with room of their own in a function are told apart; what is handed over under one name
 * is taken for one. */
static bool are_one(const struct htmt__declaration *a, const struct htmt__declaration *b)
{
    return a == b || (!(a->is_local && !a->is_parameter) && !(b->is_local && !b->is_parameter));
}

const char *htmt__note_root(struct htmt__walk *w, struct htmt__declaration *d)
{
    const char *name = d->name;
    if (!w->root_bucket)
        w->root_bucket = htmt__source_alloc(BUCKETS * sizeof(struct htmt__declaration *));
    for (unsigned n = 2; !d->root; n++) {
        struct htmt__declaration **bucket = &w->root_bucket[hash_text(name) % BUCKETS],
                                 *other = *bucket;
        while (other && strcmp(other->root, name))
            other = other->same_root;
        bool fits = !htmt__known_word(name) && (!other || are_one(other, d));
        if (fits)
            d->root = name;
        if (fits && !other) {
            d->same_root = *bucket;
            *bucket = d;
        }
        name = htmt__source_print("%s_%u", d->name, n);
    }
    return d->root;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static struct htmt__array *array_of(struct htmt__walk *w, const struct htmt__location *at,
                                    const struct htmt__syntax *s)
{
    if (!w->array_bucket)
        w->array_bucket = htmt__source_alloc(BUCKETS * sizeof(struct htmt__array *));
    struct htmt__array **bucket = &w->array_bucket[hash_text(at->path) % BUCKETS], *a = *bucket;
    /* What functions are given under one name is told apart until its layout is known. */
    for (; a; a = a->same_bucket)
        if ((a->root == at->root || !at->root->is_parameter) && strcmp(a->path, at->path) == 0)
            return a;
    a = htmt__source_alloc(sizeof *a);
    *a = (struct htmt__array){.name = at->path,
                              .path = at->path,
                              .declaration = at->is_member ? NULL : at->root,
                              .root = at->root,
                              .element = s->type,
                              .element_bytes = s->bytes ? s->bytes : 8,
                              .member = at->member,
                              .same_bucket = *bucket};
    *bucket = a;
    *(w->last_array ? w->last_array : &w->arrays) = a;
    w->last_array = &a->next;
    return a;
}

static uint64_t hash_access(const struct htmt__access *a)
{
    uint64_t hash = mix((uintptr_t)a->array, (uintptr_t)a->work) + a->kind;
    for (unsigned i = 0; i < a->dimensions; i++) {
        htmt__value value = a->subscript[i];
        for (unsigned k = 0; k < value->count; k++) {
            hash = mix(hash, (uint64_t)value->term[k].num);
            for (unsigned f = 0; f < HTMT__DEGREE_MAX && value->term[k].factor[f]; f++)
                hash = mix(hash, value->term[k].factor[f]);
        }
        hash = mix(hash, value->count);
    }
    return hash;
}

static bool same_access(const struct htmt__access *a, const struct htmt__access *b)
{
    if (a->hash != b->hash || a->array != b->array || a->work != b->work || a->kind != b->kind ||
        a->dimensions != b->dimensions)
        return false;
    for (unsigned i = 0; i < a->dimensions; i++)
        if (!htmt__value_same(a->subscript[i], b->subscript[i]))
            return false;
    return true;
}

static void add_touch(struct htmt__work *work, struct htmt__access *a)
{
    struct htmt__touch *touch = htmt__source_alloc(sizeof *touch);
    touch->access = a;
    *(work->last_touch ? work->last_touch : &work->touches) = touch;
    work->last_touch = &touch->next;
}

/* The entry that counts it. */
static struct htmt__access *add_access(struct htmt__walk *w, struct htmt__work *work,
                                       struct htmt__access a)
{
    a.work = work;
    if (!w->access_bucket)
        w->access_bucket = htmt__source_alloc(BUCKETS * sizeof(struct htmt__access *));
    a.hash = hash_access(&a);
    struct htmt__access **bucket = &w->access_bucket[a.hash % BUCKETS], *found = *bucket;
    while (found && !same_access(found, &a))
        found = found->same_bucket;
    if (found) {
        found->times = htmt__weight_add(found->times, a.times);
        return found;
    }
    found = htmt__source_alloc(sizeof *found);
    *found = a;
    found->next = NULL;
    found->same_bucket = *bucket;
    *bucket = found;
    *(work->last_access ? work->last_access : &work->accesses) = found;
    work->last_access = &found->next;
    return found;
}

struct htmt__array *htmt__note_access(struct htmt__walk *w, enum htmt__access_kind kind,
                                      const struct htmt__location *at, const struct htmt__syntax *s)
{
    struct htmt__access a = {.kind = kind,
                             .dimensions = at->dimensions,
                             .times = w->weight,
                             .place = s->place,
                             .loop = w->loop};
    if (w->quiet || w->loop->kind == HTMT__LOOP_ROOT || w->loop->kind == HTMT__LOOP_REPEAT)
        return NULL;
    a.array = array_of(w, at, s);
    a.root = at->root;
    memcpy(a.subscript, at->subscript, sizeof a.subscript);
    struct htmt__work *work = work_of(w);
    add_touch(work, add_access(w, work, a));
    return a.array;
}

/* ---- state ----------------------------------------------------------------------------------- */

static struct htmt__loop_state *state_of(struct htmt__walk *w, struct htmt__work *work,
                                         const char *name, enum htmt__syntax_type type)
{
    if (!w->state_bucket)
        w->state_bucket = htmt__source_alloc(BUCKETS * sizeof(struct htmt__loop_state *));
    uint64_t hash = mix(hash_text(name), (uintptr_t)work);
    struct htmt__loop_state **bucket = &w->state_bucket[hash % BUCKETS], *s = *bucket;
    for (; s; s = s->same_bucket)
        if (s->work == work && strcmp(s->name, name) == 0)
            return s;
    s = htmt__source_alloc(sizeof *s);
    *s =
        (struct htmt__loop_state){.name = name, .type = type, .work = work, .same_bucket = *bucket};
    *bucket = s;
    *(work->last_state ? work->last_state : &work->states) = s;
    work->last_state = &s->next;
    return s;
}

void htmt__note_state(struct htmt__walk *w, const char *name, enum htmt__syntax_type type,
                      enum htmt__access_kind kind)
{
    if (w->quiet || w->loop->kind == HTMT__LOOP_ROOT || w->loop->kind == HTMT__LOOP_REPEAT)
        return;
    struct htmt__loop_state *s = state_of(w, work_of(w), name, type);
    if (kind != HTMT__WRITE)
        s->loads = htmt__weight_add(s->loads, w->weight);
    if (kind != HTMT__READ)
        s->stores = htmt__weight_add(s->stores, w->weight);
}

static void note_work(struct htmt__walk *w, struct htmt__loop *loop, struct htmt__work *to,
                      const struct htmt__work *from)
{
    for (unsigned i = 0; i < HTMT__CLASSES; i++)
        to->op[i] = htmt__weight_add(to->op[i], from->op[i]);
    for (const struct htmt__function_count *f = from->functions; f; f = f->next)
        add_function(to, f->name, f->calls);
    for (struct htmt__access *a = from->accesses; a; a = a->next) {
        struct htmt__access copy = *a;
        copy.loop = loop;
        a->copy = add_access(w, to, copy);
    }
    for (const struct htmt__touch *t = from->touches; t; t = t->next)
        if (t->access->copy)
            add_touch(to, t->access->copy);
    for (const struct htmt__loop_state *s = from->states; s; s = s->next) {
        struct htmt__loop_state *sum = state_of(w, to, s->name, s->type);
        sum->loads = htmt__weight_add(sum->loads, s->loads);
        sum->stores = htmt__weight_add(sum->stores, s->stores);
    }
}

void htmt__note_all(struct htmt__walk *w, struct htmt__loop *to, struct htmt__loop *from)
{
    struct htmt__item **before = to->last_item;
    for (const struct htmt__item *i = from->items; i; i = i->next)
        if (i->loop)
            i->loop->parent = to;
    if (from->items) {
        *(to->last_item ? to->last_item : &to->items) = from->items;
        to->last_item = from->last_item;
        from->items = NULL;
    }
    for (const struct htmt__work *of = &from->work; of; of = of->next)
        note_work(w, to, work_behind(to, of->behind ? of->behind : before), of);
}
