/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Modules that are used and not there.
 *
 * A kernel is often read without the library that it is built with: what it uses of that are a kind
 * (real(dp_t)), some constants, the names of components, and types whose variables it only hands
 * on. None of it has a part in what its loops do, but without it gfortran knows no variable that is
 * declared with that kind. So a module of our own takes the place of those that are missing. It
 * starts empty; gfortran says which names it does not know, the statements that have them say what
 * they are, and gfortran is asked again, until nothing new comes:
 *
 *     real(dp_t), 0.5_dp_t           a kind: 8 bytes
 *     type(multifab)                 a type; its components as they are named behind "%"
 *     u(i, j, k, imx), 1:nspec       a whole number: it becomes a parameter of the nest file
 *     n = iy1 + i - 1, n whole       the same
 *     wt(n), n a whole number        an array of real numbers
 *     nboxes(mf)                     a function
 *     half                           a whole or real number, by its first letter
 *
 * Kinds and types come first: as long as they are unknown, what is declared with them is, too. Each
 * program unit that uses a missing module has guesses of its own, since a name may be declared in
 * another one; types are common to all, since variables are handed from one to the other. A name
 * that turns out to be declared by the unit itself is taken back.
 */
#include "emul/tools/analyze/fortran.h"

#include "emul/tools/analyze/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum guess_kind { KIND, TYPE, COMPONENT, WHOLE, REAL, ARRAY, FUNCTION };

struct htmt__fortran_guess {
    enum guess_kind kind;
    const char *name, *of; /* of: the type of a component */
    unsigned source, unit, rank;
    bool is_whole, is_taken_back;
    struct htmt__fortran_guess *next;
};

bool htmt__fortran_is_missing(const struct htmt__fortran_guesses *g, const char *module)
{
    for (unsigned i = 0; i < g->count; i++)
        if (strcmp(g->missing[i], module) == 0)
            return true;
    return false;
}

/* ---- units ----------------------------------------------------------------------------------- */

static bool uses_missing(const struct htmt__fortran_guesses *g,
                         const struct htmt__fortran_source *s, unsigned unit)
{
    for (size_t i = 0; i < s->lines; i++)
        if ((s->line[i].kind == HTMT__LINE_USE || s->line[i].kind == HTMT__LINE_INCLUDE) &&
            s->line[i].unit == unit && htmt__fortran_is_missing(g, s->line[i].key))
            return true;
    return false;
}

static unsigned parent_of(const struct htmt__fortran_source *s, unsigned unit)
{
    for (size_t i = 0; i < s->lines; i++)
        if (s->line[i].kind == HTMT__LINE_BEGIN && s->line[i].unit == unit)
            return s->line[i].parent;
    return 0;
}

struct unit {
    unsigned source, unit; /* 0: none */
};

/* The unit itself or one around it that uses a missing module; then a module of the sources that it
 * uses, which hands the names on. */
static struct unit user(const struct htmt__fortran_guesses *g, unsigned source, unsigned unit,
                        unsigned deep)
{
    const struct htmt__fortran_source *s = &g->source[source];
    for (unsigned u = unit; u; u = parent_of(s, u))
        if (uses_missing(g, s, u))
            return (struct unit){source, u};
    for (unsigned u = unit; u && deep < 8; u = parent_of(s, u))
        for (size_t i = 0; i < s->lines; i++)
            for (unsigned k = 0;
                 s->line[i].kind == HTMT__LINE_USE && s->line[i].unit == u && k < g->sources; k++)
                for (size_t l = 0; l < g->source[k].lines; l++) {
                    const struct htmt__fortran_line *m = &g->source[k].line[l];
                    if (!m->is_module || strcmp(m->key, s->line[i].key))
                        continue;
                    struct unit found = user(g, k, m->unit, deep + 1);
                    if (found.unit)
                        return found;
                }
    return (struct unit){0, 0};
}

static struct unit unit_at(const struct htmt__fortran_guesses *g, unsigned source, unsigned line)
{
    const struct htmt__fortran_source *s = &g->source[source];
    unsigned unit = 0;
    for (size_t i = 0; i < s->lines && s->line[i].place.line <= line; i++)
        unit = s->line[i].kind == HTMT__LINE_END ? parent_of(s, s->line[i].unit) : s->line[i].unit;
    return user(g, source, unit, 0);
}

static bool is_within(const struct htmt__fortran_source *s, unsigned unit, unsigned around)
{
    while (unit && unit != around)
        unit = parent_of(s, unit);
    return unit != 0;
}

/* ---- uses ------------------------------------------------------------------------------------ */

/* How a name is used, over all statements of a unit. */
struct uses {
    bool kind, type, assigned, called, subscript, array, function;
    unsigned rank;
};

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Whether the declaration, behind "::", has the name. */
static bool declares(const char *text, const char *name, size_t length)
{
    unsigned depth = 0;
    for (const char *at = strstr(text, "::"); at && *at; at++) {
        depth += *at == '(' ? 1u : *at == ')' ? -1u : 0;
        if (!depth && !is_letter(at[-1]) && strncmp(at, name, length) == 0 &&
            !is_letter(at[length]))
            return true;
    }
    return false;
}

/* A whole number by its look: a digit, a counter, a name that is declared so or taken for one. */
static bool looks_whole(const struct htmt__fortran_guesses *g, const struct htmt__fortran_source *s,
                        const char *text, size_t length)
{
    size_t name = 0;
    while (name < length && is_letter(text[name]))
        name++;
    if (!name || isdigit((unsigned char)*text))
        return name > 0 || (length && *text == ':');
    for (size_t i = 0; i < s->lines; i++) {
        const struct htmt__fortran_line *l = &s->line[i];
        if (l->kind == HTMT__LINE_DO && strlen(l->key) == name && !strncmp(l->key, text, name))
            return true;
        if (l->kind == HTMT__LINE_OTHER && strncmp(l->text, "integer", 7) == 0 &&
            declares(l->text, text, name))
            return true;
    }
    for (const struct htmt__fortran_guess *x = g->first; x; x = x->next)
        if (x->kind == WHOLE && strlen(x->name) == name && strncmp(x->name, text, name) == 0)
            return true;
    return false;
}

/* Declared by the unit itself, or by one within it. */
static bool is_own(const struct htmt__fortran_source *s, unsigned unit, const char *name)
{
    for (size_t i = 0; i < s->lines; i++)
        if (s->line[i].kind == HTMT__LINE_OTHER && is_within(s, s->line[i].unit, unit) &&
            declares(s->line[i].text, name, strlen(name)))
            return true;
    return false;
}

/* The arguments at "(": their number, and whether all look like subscripts. */
static unsigned arguments(const struct htmt__fortran_guesses *g,
                          const struct htmt__fortran_source *s, const char *text, bool *subscripts)
{
    unsigned depth = 0, count = 1;
    const char *from = text + 1;
    *subscripts = true;
    for (const char *c = text; *c; c++) {
        bool closes = *c == ')' && depth == 1;
        if (closes || (*c == ',' && depth == 1)) {
            *subscripts &= looks_whole(g, s, from, (size_t)(c - from));
            from = c + 1;
            count += *c == ',';
        }
        depth += *c == '(' ? 1u : *c == ')' ? -1u : 0;
        if (closes)
            break;
    }
    return count;
}

/* The word before the parenthesis around `at`: a function of the language takes real numbers. */
static bool is_in_subscripts(const char *text, const char *at)
{
    static const char *const functions[] = {
        "matmul", "dot_product", "max",    "min",   "sqrt",  "exp",   "log",
        "abs",    "sign",        "dble",   "real",  "merge", "sin",   "cos",
        "tanh",   "if",          "elseif", "dabs",  "dmax1", "dmin1", "dsqrt",
        "dexp",   "dlog",        "amax1",  "amin1", "sum",   "write", "call"};
    unsigned depth = 0;
    while (at > text) {
        at--;
        depth += *at == ')' ? 1u : 0;
        if (*at == '(' && !depth)
            break;
        depth -= *at == '(' ? 1u : 0;
    }
    const char *end = at;
    while (at > text && is_letter(at[-1]))
        at--;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i]) == (size_t)(end - at) &&
            strncmp(functions[i], at, (size_t)(end - at)) == 0)
            return false;
    return end > at && *end == '(';
}

/* A whole array in a product of arrays. */
static unsigned axes_in_product(const char *text, const char *at)
{
    unsigned depth = 0; /* of parentheses between them, of arguments before this one */
    for (at--; at > text && (*at != '(' || depth); at--)
        depth += *at == ')' ? 1u : *at == '(' ? -1u : 0;
    if (at - text >= 6 && strncmp(at - 6, "matmul", 6) == 0)
        return 2;
    return at - text >= 11 && strncmp(at - 11, "dot_product", 11) == 0 ? 1 : 0;
}

/* "iyn = iy1 + n - 1" of a whole number: what stands on the right is one, too. */
static bool is_in_whole(const struct htmt__fortran_guesses *g, const struct htmt__fortran_source *s,
                        const char *text, const char *at)
{
    const char *equal = strchr(text, '='), *c = text;
    if (!equal || equal[1] == '=' || at < equal)
        return false;
    while (c < equal && is_letter(*c))
        c++;
    if (c < equal || !looks_whole(g, s, text, (size_t)(equal - text)))
        return false;
    for (c = equal + 1; *c; c++)
        if (!is_letter(*c) && !strchr("+-*()", *c))
            return false;
    return true;
}

static void look_at(const struct htmt__fortran_guesses *g, const struct htmt__fortran_source *s,
                    const char *text, const char *at, size_t length, struct uses *u)
{
    static const char *const kinds[] = {"real(", "integer(", "complex(", "logical(", "kind="};
    const char *behind = at + length;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i]);
        u->kind |= (size_t)(at - text) == n && strncmp(text, kinds[i], n) == 0;
        u->kind |= i == 4 && (size_t)(at - text) > n && strncmp(at - n, kinds[i], n) == 0;
    }
    u->type |= (size_t)(at - text) >= 5 && strncmp(at - 5, "type(", 5) == 0;
    u->type |= (size_t)(at - text) >= 6 && strncmp(at - 6, "class(", 6) == 0;
    if (*behind == '(') {
        bool subscripts;
        u->rank = arguments(g, s, behind, &subscripts);
        u->array |= subscripts || (at == text && strstr(behind, ")="));
        u->function |= !subscripts;
    } else {
        const char *first = at; /* of "a%b%name" */
        while (first > text && (is_letter(first[-1]) || first[-1] == '%'))
            first--;
        bool alone =
            first > text && strchr("(,:+-", first[-1]) && *behind && strchr("),:+-", *behind);
        u->subscript |= (alone && is_in_subscripts(text, first)) || is_in_whole(g, s, text, first);
        unsigned axes = alone ? axes_in_product(text, first) : 0;
        u->array |= axes > 0;
        u->rank = axes ? axes : u->rank;
    }
    u->assigned |= at == text && *behind == '=';
}

static struct uses uses_of(const struct htmt__fortran_guesses *g,
                           const struct htmt__fortran_source *s, unsigned unit, const char *name,
                           bool component)
{
    struct uses u = {.rank = 0};
    size_t length = strlen(name);
    for (size_t i = 0; i < s->lines; i++) {
        const struct htmt__fortran_line *l = &s->line[i];
        if (l->kind == HTMT__LINE_USE || (unit && !is_within(s, l->unit, unit)))
            continue;
        for (const char *at = strstr(l->text, name); at; at = strstr(at + 1, name)) {
            char before = at > l->text ? at[-1] : ' ';
            bool suffix = before == '_' && at - l->text > 1 &&
                          (isdigit((unsigned char)at[-2]) || at[-2] == '.');
            u.kind |= suffix && !is_letter(at[length]);
            if (is_letter(before) || is_letter(at[length]) || (before == '%') != component)
                continue;
            look_at(g, s, l->text, at, length, &u);
        }
    }
    return u;
}

/* ---- learning -------------------------------------------------------------------------------- */

static struct htmt__fortran_guess *find(const struct htmt__fortran_guesses *g, const char *name,
                                        const char *of, unsigned source, unsigned unit)
{
    struct htmt__fortran_guess *x = g->first;
    for (; x; x = x->next)
        if (strcmp(x->name, name) == 0 && (of ? x->of && strcmp(x->of, of) == 0 : !x->of) &&
            (x->kind == TYPE || x->kind == COMPONENT || (x->source == source && x->unit == unit)))
            return x;
    return NULL;
}

static struct htmt__fortran_guess *add(struct htmt__fortran_guesses *g, enum guess_kind kind,
                                       const char *name, const char *of, unsigned source,
                                       unsigned unit)
{
    struct htmt__fortran_guess *x = htmt__source_alloc(sizeof *x);
    *x = (struct htmt__fortran_guess){
        .kind = kind, .name = name, .of = of, .source = source, .unit = unit};
    *(g->last ? g->last : &g->first) = x;
    g->last = &x->next;
    return x;
}

static bool is_whole_letter(const char *name)
{
    return *name >= 'i' && *name <= 'n';
}

/* "Symbol 'x' at (1) ...": the text in the n-th quotes; NULL: there is none. */
static const char *quoted(const char *text, const char *end, unsigned n)
{
    for (; n; n--) {
        for (unsigned quotes = 0; quotes < 2; quotes++) {
            text = memchr(text, '\'', (size_t)(end - text));
            if (!text)
                return NULL;
            text++;
        }
    }
    const char *from = memchr(text, '\'', (size_t)(end - text));
    const char *to = from ? memchr(from + 1, '\'', (size_t)(end - from - 1)) : NULL;
    return to ? htmt__source_print("%.*s", (int)(to - from - 1), from + 1) : NULL;
}

static bool contains(const char *text, const char *end, const char *word)
{
    const char *at = strstr(text, word);
    return at && at < end;
}

struct said {
    unsigned source, line;
    const char *text, *end;
};

/* What the error says about one name: first of kinds and types, then of components and whole
 * numbers alone, then of the rest, which depends on them. */
enum turn { TYPES, NUMBERS, REST };

static bool learn_one(struct htmt__fortran_guesses *g, const struct said *e, enum turn turn)
{
    const struct htmt__fortran_source *s = &g->source[e->source];
    const char *name = quoted(e->text, e->end, 0), *of = quoted(e->text, e->end, 1);
    const struct unit in = unit_at(g, e->source, e->line);
    const unsigned unit = in.unit;
    if (!name || !*name || !unit)
        return false;
    if (of && contains(e->text, e->end, "is not a member of the")) {
        struct htmt__fortran_guess *type = find(g, of, NULL, 0, 0);
        if (turn != NUMBERS || find(g, name, of, 0, 0) || !type || type->kind != TYPE)
            return false;
        struct uses u = uses_of(g, s, 0, name, true);
        struct htmt__fortran_guess *x = add(g, COMPONENT, name, of, 0, 0);
        x->rank = u.array || u.function ? u.rank : 0;
        x->is_whole = !x->rank && (u.subscript || is_whole_letter(name));
        return true;
    }
    struct htmt__fortran_guess *known = find(g, name, NULL, in.source, unit);
    if (contains(e->text, e->end, "conflicts with symbol from module")) {
        bool taken = known && !known->is_taken_back;
        if (taken)
            known->is_taken_back = true;
        return taken;
    }
    if (known)
        return false;
    struct uses u = uses_of(g, s, in.source == e->source ? unit : 0, name, false);
    bool type = contains(e->text, e->end, "Derived type") || u.type, kind = u.kind && !type;
    bool asks = type || kind || contains(e->text, e->end, "has no IMPLICIT type");
    bool array = u.array && u.rank, function = u.function && !array,
         whole = u.subscript || is_whole_letter(name);
    enum turn own = type || kind ? TYPES : array || function || !whole ? REST : NUMBERS;
    if (!asks || own != turn || (own != TYPES && in.source == e->source && is_own(s, unit, name)))
        return false;
    struct htmt__fortran_guess *x = add(g,
                                        type       ? TYPE
                                        : kind     ? KIND
                                        : array    ? ARRAY
                                        : function ? FUNCTION
                                        : whole    ? WHOLE
                                                   : REAL,
                                        name, NULL, in.source, unit);
    x->rank = u.rank;
    x->is_whole = is_whole_letter(name);
    return true;
}

/* The next error at or behind `at`, "file.f90:12:8: Error: ..."; false: there is none. */
static bool next_error(const struct htmt__fortran_guesses *g, const char **at, struct said *e)
{
    while (**at) {
        const char *line = *at, *end = line + strcspn(line, "\n"), *text = strstr(line, "Error: ");
        *at = end + (*end == '\n');
        for (unsigned i = 0; text && text < end && i < g->sources; i++) {
            const char *path = g->source[i].path, *base = strrchr(path, '/');
            base = base ? base + 1 : path;
            const char *file = strstr(line, base);
            if (!file || file > text || file[strlen(base)] != ':')
                continue;
            *e = (struct said){i, (unsigned)strtoul(file + strlen(base) + 1, NULL, 10), text, end};
            return true;
        }
    }
    return false;
}

static bool learn(struct htmt__fortran_guesses *g, const char *errors, enum turn turn)
{
    struct said e;
    bool new = false;
    while (next_error(g, &errors, &e))
        new |= learn_one(g, &e, turn);
    return new;
}

/* The tree lacks an assignment with an error; calls and the heads of blocks are kept, though their
 * arguments are of other types than was guessed. */
void htmt__fortran_lose(const struct htmt__fortran_guesses *g, const char *errors)
{
    struct said e;
    while (next_error(g, &errors, &e)) {
        struct htmt__fortran_source *s = &g->source[e.source];
        for (size_t i = 0; i < s->lines; i++) {
            struct htmt__fortran_line *l = &s->line[i];
            if (l->kind != HTMT__LINE_ASSIGN || l->place.line > e.line || l->is_lost ||
                (i + 1 < s->lines && s->line[i + 1].place.line <= e.line))
                continue;
            const char *text = e.text + 7, *one = strstr(text, " at (1)");
            one = one && one < e.end ? one : e.end;
            const char *rest = one < e.end ? one + 7 : e.end;
            l->is_lost = true;
            l->error = htmt__source_print("a statement that gfortran does not read: %.*s%.*s",
                                          (int)(one - text), text, (int)(e.end - rest), rest);
        }
    }
}

bool htmt__fortran_learn(struct htmt__fortran_guesses *g, const char *errors)
{
    return learn(g, errors, TYPES) || learn(g, errors, NUMBERS) || learn(g, errors, REST);
}

/* ---- sources --------------------------------------------------------------------------------- */

struct text {
    char *bytes;
    size_t length, room;
};

static void put(struct text *t, const char *bytes, size_t length)
{
    if (t->length + length + 1 > t->room) {
        char *old = t->bytes;
        t->room = 2 * (t->length + length + 256);
        t->bytes = htmt__source_alloc(t->room);
        if (old)
            memcpy(t->bytes, old, t->length);
    }
    memcpy(t->bytes + t->length, bytes, length);
    t->length += length;
    t->bytes[t->length] = '\0';
}

static void print(struct text *t, const char *line)
{
    put(t, line, strlen(line));
}

static void print_guess(struct text *t, const struct htmt__fortran_guess *x)
{
    static const char *const axes[] = {
        "",          "(:)",         "(:,:)",         "(:,:,:)",
        "(:,:,:,:)", "(:,:,:,:,:)", "(:,:,:,:,:,:)", "(:,:,:,:,:,:,:)"};
    const char *type = x->is_whole ? "integer" : "double precision",
               *shape = axes[x->rank < 8 ? x->rank : 7];
    switch (x->kind) {
    case KIND:
        print(t, htmt__source_print("integer, parameter :: %s = 8\n", x->name));
        break;
    case COMPONENT:
        print(t, htmt__source_print("%s%s :: %s%s\n", type, x->rank ? ", pointer" : "", x->name,
                                    shape));
        break;
    case WHOLE:
        print(t, htmt__source_print("integer :: %s\n", x->name));
        break;
    case REAL:
        print(t, htmt__source_print("double precision :: %s\n", x->name));
        break;
    case ARRAY:
        print(t, htmt__source_print("double precision, allocatable :: %s%s\n", x->name, shape));
        break;
    case FUNCTION:
        print(t, htmt__source_print("%s, external :: %s\n", type, x->name));
        break;
    default:
        break;
    }
}

const char *htmt__fortran_stubs(const struct htmt__fortran_guesses *g)
{
    struct text t = {.bytes = NULL};
    print(&t, "module htmt_missing\n");
    for (const struct htmt__fortran_guess *x = g->first; x; x = x->next) {
        if (x->kind != TYPE)
            continue;
        print(&t, htmt__source_print("type %s\ninteger :: htmt_none\n", x->name));
        for (const struct htmt__fortran_guess *c = g->first; c; c = c->next)
            if (c->kind == COMPONENT && strcmp(c->of, x->name) == 0)
                print_guess(&t, c);
        print(&t, "end type\n");
    }
    print(&t, "end module\n");
    for (unsigned i = 0; i < g->sources; i++)
        for (unsigned unit = 1; unit <= g->source[i].units; unit++) {
            if (!uses_missing(g, &g->source[i], unit))
                continue;
            print(&t, htmt__source_print("module htmt_missing_%u_%u\nuse htmt_missing\n"
                                         "implicit none\n",
                                         i, unit));
            for (const struct htmt__fortran_guess *x = g->first; x; x = x->next)
                if (x->source == i && x->unit == unit && !x->is_taken_back)
                    print_guess(&t, x);
            print(&t, "end module\n");
        }
    return t.bytes;
}

/* Lines of `use`, and statements that are lost, are replaced by as many lines: the numbers of the
 * others stay. */
const char *htmt__fortran_rewritten(const struct htmt__fortran_guesses *g, unsigned source)
{
    const struct htmt__fortran_source *s = &g->source[source];
    struct text t = {.bytes = NULL};
    size_t at = 0;
    unsigned done = 0;
    put(&t, "", 0);
    for (size_t i = 0; i < s->lines; i++) {
        const struct htmt__fortran_line *l = &s->line[i];
        bool gone = l->kind == HTMT__LINE_INCLUDE && htmt__fortran_is_missing(g, l->key),
             use = l->kind == HTMT__LINE_USE && htmt__fortran_is_missing(g, l->key);
        if ((!use && !gone && !l->is_lost) || l->from < at)
            continue;
        put(&t, s->text + at, l->from - at);
        /* One for each unit. */
        if (use && l->unit != done)
            print(&t, htmt__source_print("      use htmt_missing_%u_%u", source, l->unit));
        else if (l->is_lost)
            print(&t, "      call " HTMT__FORTRAN_LOST "()");
        done = use ? l->unit : done;
        for (size_t c = l->from; c < l->to; c++)
            if (s->text[c] == '\n')
                put(&t, "\n", 1);
        at = l->to;
    }
    print(&t, s->text + at);
    return t.bytes;
}
