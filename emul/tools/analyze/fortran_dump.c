/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parse tree of gfortran -fdump-parse-tree, as text, becomes a tree again.
 *
 * The print is made for eyes, but each of its parts has one form. Expressions are in Polish
 * notation, "(+ f:x 1)"; a variable is named with the procedure that declares it, a function has
 * its arguments in "[[((f:x))]]". Statements begin with a word in capitals; names are never in
 * capitals. Names are resolved, constants are folded, and each conversion is a function, so nothing
 * of Fortran's own grammar is left to read. Three things need care:
 *
 * - "(/ a b)" is a quotient, "(/ a , b /)" an array: what follows the first operand decides.
 *
 * - "DO 20" has no "END DO"; it ends behind the statement with that label, as all loops around it
 * do that name the same label.
 *
 * - A procedure stands behind the one that contains it, one level farther in; spaces before
 * "Namespace:" count the levels.
 *
 * By hand, of a loop v(i) = v(i) / 2 in a subroutine s:
 *
 *     DO s:i=1 s:n 1                         DO; s:i, 1, s:n, 1
 *       ASSIGN s:v(s:i) (/ s:v(s:i) 2.0e0)       ASSIGN; s:v with subscript s:i, "/" of two
 *     END DO
 *
 * The print is read as input of anyone: what has another form is an error that says where.
 */
#include "emul/tools/analyze/fortran.h"

#include "emul/tools/analyze/memory.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 5000 };

struct reading {
    const char *begin, *at, *wrong; /* where it has another form; NULL: nowhere */
    const char *expected;
    unsigned depth;
    unsigned closed; /* the label of the statement that ended loops */
    struct htmt__fortran_tree *tree;
    struct htmt__fortran_space *space;
};

static struct htmt__fortran_expression *read_expression(struct reading *r);
static struct htmt__fortran_statement *read_code(struct reading *r, unsigned until);

/* ---- characters ------------------------------------------------------------------------------ */

/* The rest is not read. */
static void refuse(struct reading *r, const char *expected)
{
    if (!r->wrong) {
        r->wrong = r->at;
        r->expected = expected;
    }
    r->at = r->at + strlen(r->at);
}

static bool take(struct reading *r, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0)
        return false;
    r->at += length;
    return true;
}

static void expect(struct reading *r, const char *word)
{
    if (!take(r, word))
        refuse(r, word);
}

static void skip_spaces(struct reading *r)
{
    r->at += strspn(r->at, " ");
}

static void skip_blank(struct reading *r)
{
    r->at += strspn(r->at, " \n");
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '@' || c == '$' || c == '.';
}

static const char *copy(const char *from, size_t length)
{
    return htmt__source_print("%.*s", (int)length, from);
}

static const char *read_name(struct reading *r)
{
    const char *from = r->at;
    while (is_name(*r->at))
        r->at++;
    if (r->at == from)
        refuse(r, "a name");
    return copy(from, (size_t)(r->at - from));
}

/* Behind a text in quotes, of which '' is one. */
static void skip_text(struct reading *r)
{
    for (r->at++; *r->at; r->at++)
        if (*r->at == '\'' && *++r->at != '\'')
            return;
    refuse(r, "the end of a text");
}

static void skip_line(struct reading *r)
{
    while (*r->at && *r->at != '\n')
        if (*r->at == '\'')
            skip_text(r);
        else
            r->at++;
}

/* ---- expressions ----------------------------------------------------------------------------- */

static struct htmt__fortran_expression *make(enum htmt__fortran_kind kind)
{
    struct htmt__fortran_expression *e = htmt__source_alloc(sizeof *e);
    e->kind = kind;
    return e;
}

static struct htmt__fortran_expression *other(const char *name)
{
    struct htmt__fortran_expression *e = make(HTMT__FORTRAN_OTHER);
    e->name = name;
    return e;
}

/* "3", "3_8", "-0.5e0_8", "@Inf@". */
static struct htmt__fortran_expression *read_number(struct reading *r)
{
    struct htmt__fortran_expression *e = make(HTMT__FORTRAN_WHOLE);
    const char *from = r->at;
    r->at += *r->at == '-';
    r->at += strspn(r->at, "0123456789");
    if (*r->at == '.' || *r->at == '@' || *r->at == 'e') {
        e->kind = HTMT__FORTRAN_REAL;
        while (is_name(*r->at) && *r->at != '_') {
            r->at++;
            r->at += (*r->at == '-' || *r->at == '+') && r->at[-1] == 'e';
        }
    }
    if (r->at == from + (*from == '-'))
        refuse(r, "a number");
    e->whole = strtoll(from, NULL, 10);
    e->bytes = 4;
    if (*r->at == '_') {
        r->at++;
        e->bytes = (unsigned)strtoul(r->at, NULL, 10) & 0xff;
        r->at += strspn(r->at, "0123456789");
    }
    if (strncmp(r->at, " {", 2) == 0) { /* the bytes of a number that was a text */
        r->at += strcspn(r->at, "}\n");
        r->at += *r->at == '}';
    }
    return e;
}

/* "(+ a b)" behind its parenthesis; NULL: it begins with no operator. */
static struct htmt__fortran_expression *read_operation(struct reading *r)
{
    static const char *const words[] = {
        "U+ ",  "U- ",   "+ ",  "- ",  "* ", "/ ",  "** ", "// ", "AND ", "OR ",
        "EQV ", "NEQV ", "== ", "/= ", "> ", ">= ", "< ",  "<= ", "NOT ", "parens "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!take(r, words[i]))
            continue;
        struct htmt__fortran_expression *e = make(HTMT__FORTRAN_OPERATION);
        struct htmt__fortran_expression **end = &e->child;
        bool may_list = words[i][0] == '/' && words[i][1] == ' ';
        e->name = copy(words[i], strlen(words[i]) - 1);
        while (!r->wrong && *r->at != ')') {
            if (may_list && strncmp(r->at, " /)", 3) == 0)
                break; /* an array without elements */
            *end = read_expression(r);
            end = &(*end)->next;
            if (may_list && (strncmp(r->at, " , ", 3) == 0 || strncmp(r->at, " /)", 3) == 0))
                e->kind = HTMT__FORTRAN_LIST;
            if (e->kind == HTMT__FORTRAN_LIST && take(r, " /)"))
                return e;
            r->at += e->kind == HTMT__FORTRAN_LIST && strncmp(r->at, " , ", 3) == 0 ? 3 : 0;
            skip_spaces(r);
        }
        if (may_list && take(r, " /)"))
            e->kind = HTMT__FORTRAN_LIST;
        else
            expect(r, ")");
        return e;
    }
    return NULL;
}

/* "(e v=1,n,1)" behind its parenthesis: an element for each value of v. */
static struct htmt__fortran_expression *read_iterated(struct reading *r)
{
    struct htmt__fortran_expression *e = make(HTMT__FORTRAN_ITERATED), *what = read_expression(r);
    skip_spaces(r);
    struct htmt__fortran_expression *variable = read_expression(r);
    expect(r, "=");
    struct htmt__fortran_expression *first = read_expression(r);
    expect(r, ",");
    struct htmt__fortran_expression *last = read_expression(r);
    expect(r, ",");
    struct htmt__fortran_expression *stride = read_expression(r);
    expect(r, ")");
    e->child = variable;
    variable->next = first;
    first->next = last;
    last->next = stride;
    stride->next = what;
    return e;
}

static struct htmt__fortran_expression *read_parenthesis(struct reading *r)
{
    if (take(r, "()"))
        return make(HTMT__FORTRAN_ABSENT);
    if (take(r, "(arg not-present)"))
        return make(HTMT__FORTRAN_ABSENT);
    if (take(r, "(complex ")) {
        r->at += strcspn(r->at, ")\n");
        expect(r, ")");
        return other("a complex number");
    }
    expect(r, "(");
    struct htmt__fortran_expression *e = read_operation(r);
    return e ? e : read_iterated(r);
}

/* Up to the closing parenthesis: "i , 2:n , :". */
static void read_subscripts(struct reading *r, struct htmt__fortran_reference *reference)
{
    struct htmt__fortran_expression **end = &reference->subscript;
    while (!r->wrong && !take(r, ")")) {
        struct htmt__fortran_expression *part[3] = {NULL};
        unsigned parts = 0;
        for (; parts < 3; parts++) {
            bool absent = *r->at == ':' || *r->at == ')' || strncmp(r->at, " , ", 3) == 0;
            part[parts] = absent ? make(HTMT__FORTRAN_ABSENT) : read_expression(r);
            if (!take(r, ":"))
                break;
        }
        *end = part[0];
        if (parts) {
            *end = make(HTMT__FORTRAN_RANGE);
            (*end)->child = part[0];
            part[0]->next = part[1] ? part[1] : make(HTMT__FORTRAN_ABSENT);
            part[0]->next->next = part[2] ? part[2] : make(HTMT__FORTRAN_ABSENT);
        }
        end = &(*end)->next;
        if (!take(r, " , ") && *r->at != ')')
            refuse(r, "another subscript or ')'");
    }
}

/* "((a) (name = b) ((arg not-present)))" */
static struct htmt__fortran_expression *read_arguments(struct reading *r)
{
    struct htmt__fortran_expression *first = NULL, **end = &first;
    expect(r, "(");
    while (!r->wrong && take(r, "(")) {
        const char *before = r->at;
        while (is_name(*r->at))
            r->at++;
        if (r->at == before || !take(r, " = "))
            r->at = before;
        *end = *r->at == ')' ? make(HTMT__FORTRAN_ABSENT) : read_expression(r);
        end = &(*end)->next;
        expect(r, ")");
        skip_spaces(r);
    }
    expect(r, ")");
    return first;
}

static struct htmt__fortran_expression *read_variable(struct reading *r)
{
    struct htmt__fortran_expression *e = make(HTMT__FORTRAN_VARIABLE);
    struct htmt__fortran_reference **end = &e->reference;
    e->name = read_name(r);
    if (*r->at == ':' && is_name(r->at[1]) && !(r->at[1] >= '0' && r->at[1] <= '9')) {
        r->at++;
        e->scope = e->name;
        e->name = read_name(r);
    }
    while (!r->wrong) {
        bool component = strncmp(r->at, " % ", 3) == 0;
        if (*r->at == '[') {
            bool twice = r->at[1] == '[';
            r->at += twice ? 2 : 1;
            if (*r->at != '(')
                return other("an element of another image");
            e->kind = HTMT__FORTRAN_CALL;
            e->child = read_arguments(r);
            expect(r, twice ? "]]" : "]");
            continue;
        }
        if (strncmp(r->at, " INQUIRY_", 9) == 0) {
            r->at += 1 + strcspn(r->at + 1, " \n");
            return other("a part of a complex number");
        }
        if (!component && *r->at != '(')
            return e;
        *end = htmt__source_alloc(sizeof **end);
        if (component) {
            r->at += 3;
            (*end)->component = read_name(r);
        } else {
            r->at++;
            (*end)->full = take(r, "FULL") || take(r, "UNKNOWN");
            read_subscripts(r, *end);
        }
        end = &(*end)->next;
    }
    return e;
}

static struct htmt__fortran_expression *read_expression(struct reading *r)
{
    struct htmt__fortran_expression *e;
    if (++r->depth > DEEPEST)
        refuse(r, "expressions of less than 5000 levels");
    if (*r->at == '\'') {
        skip_text(r);
        e = make(HTMT__FORTRAN_TEXT);
    } else if (*r->at == '(') {
        e = read_parenthesis(r);
    } else if ((*r->at >= '0' && *r->at <= '9') || *r->at == '-' || *r->at == '@') {
        e = read_number(r);
    } else if (take(r, ".true.") || take(r, ".false.")) {
        e = make(HTMT__FORTRAN_WHOLE);
        e->whole = strncmp(r->at - 6, ".true.", 6) == 0;
        e->bytes = 4;
    } else if (*r->at && strchr("boz", *r->at) && r->at[1] == '\'') {
        r->at++;
        skip_text(r);
        e = other("a number of bits");
    } else if (take(r, "???")) {
        e = other("a constant of a kind that is not read");
    } else {
        e = read_variable(r);
    }
    r->depth--;
    return e;
}

/* ---- symbols --------------------------------------------------------------------------------- */

static unsigned hash_of(const char *name)
{
    unsigned hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash % HTMT__FORTRAN_BUCKETS;
}

struct htmt__fortran_symbol *htmt__fortran_symbol(const struct htmt__fortran_space *space,
                                                  const char *name)
{
    struct htmt__fortran_symbol *s = space->bucket[hash_of(name)];
    while (s && strcmp(s->name, name))
        s = s->same_bucket;
    return s;
}

bool htmt__fortran_has(const struct htmt__fortran_symbol *s, const char *attribute)
{
    size_t length = strlen(attribute);
    for (const char *at = s->attributes; at && (at = strstr(at, attribute)); at++)
        if ((at == s->attributes || at[-1] == ' ' || at[-1] == '(') && !is_name(at[length]) &&
            at[length] != '-')
            return true;
    return false;
}

/* "(REAL 8)", "(DERIVED box)", "(CHARACTER 3 1)" */
static void read_type(struct reading *r, struct htmt__fortran_symbol *s)
{
    unsigned depth = 1;
    s->type = "UNKNOWN";
    expect(r, "(");
    if (r->wrong)
        return;
    const char *from = r->at;
    s->type = copy(from, strcspn(from, " )\n"));
    r->at += strcspn(from, " )\n");
    skip_spaces(r);
    s->bytes = (unsigned)strtoul(r->at, NULL, 10) & 0xff;
    if (strcmp(s->type, "DERIVED") == 0 || strcmp(s->type, "CLASS") == 0)
        s->derived = read_name(r);
    for (; *r->at && *r->at != '\n' && depth; r->at++)
        depth += *r->at == '(' ? 1u : *r->at == ')' ? -1u : 0;
}

/* "(2 [0] AS_EXPLICIT 1 f:n 1 4 )" or "()" */
static void read_shape(struct reading *r, struct htmt__fortran_shape *shape)
{
    if (take(r, "()"))
        return;
    expect(r, "(");
    long rank = strtol(r->at, NULL, 10);
    r->at += strcspn(r->at, " \n");
    expect(r, " [");
    r->at += strcspn(r->at, "]\n");
    expect(r, "] ");
    if (r->wrong)
        return;
    shape->is_explicit = strncmp(r->at, "AS_EXPLICIT", 11) == 0;
    shape->is_assumed_size = strncmp(r->at, "AS_ASSUMED_SIZE", 15) == 0;
    r->at += strcspn(r->at, " \n");
    skip_spaces(r);
    for (; rank > 0 && rank <= HTMT__RANK_MAX && shape->rank < (unsigned)rank; shape->rank++) {
        shape->lower[shape->rank] = read_expression(r);
        expect(r, " ");
        shape->upper[shape->rank] = read_expression(r);
        expect(r, " ");
    }
    unsigned depth = 1; /* those of other images */
    for (; *r->at && *r->at != '\n' && depth; r->at++)
        depth += *r->at == '(' ? 1u : *r->at == ')' ? -1u : 0;
}

/* "(name (REAL 8) ALLOCATABLE DIMENSION (3 [0] ...) PRIVATE) " for each */
static void read_components(struct reading *r, struct htmt__fortran_symbol *s)
{
    struct htmt__fortran_symbol **end = &s->components;
    for (skip_blank(r); !r->wrong && take(r, "("); skip_blank(r)) {
        struct htmt__fortran_symbol *c = *end = htmt__source_alloc(sizeof *c);
        end = &c->next;
        c->name = read_name(r);
        expect(r, " ");
        read_type(r, c);
        const char *from = r->at;
        while (*r->at && *r->at != '(' && *r->at != '\n')
            r->at++;
        c->attributes = copy(from, (size_t)(r->at - from));
        read_shape(r, &c->shape);
        r->at += strcspn(r->at, ")\n");
        expect(r, ")");
    }
}

static void read_formals(struct reading *r, struct htmt__fortran_symbol *s)
{
    size_t room = strcspn(r->at, "\n") / 2 + 1;
    s->formal = htmt__source_alloc(room * sizeof *s->formal);
    for (skip_spaces(r); is_name(*r->at) && s->formals < room; skip_spaces(r))
        s->formal[s->formals++] = read_name(r);
    skip_line(r);
}

/* Lines that are farther in than `indent`: the namespace of an interface. */
static void skip_inner(struct reading *r, size_t indent)
{
    while (*r->at) {
        skip_line(r);
        const char *next = r->at;
        while (*next == '\n')
            next++;
        if (strspn(next, " ") <= indent)
            return;
        r->at = next;
    }
}

/* A line below "symtree:"; false: it is none of the symbol's. */
static bool read_property(struct reading *r, struct htmt__fortran_symbol *s, size_t indent)
{
    static const char *const skipped[] = {
        "Generic interfaces:", "hash:",       "FINAL ",  "Procedure bindings:",
        "Operator bindings:",  "PROCEDURE, ", "GENERIC", "variables : ",
        "PDT parameters"};
    if (take(r, "type spec : ")) {
        read_type(r, s);
    } else if (take(r, "attributes: ")) {
        const char *from = r->at;
        skip_line(r);
        s->attributes = copy(from, (size_t)(r->at - from));
        const char *use = strstr(s->attributes, "USE-ASSOC(");
        if (use)
            s->module = copy(use + 10, strcspn(use + 10, ")"));
    } else if (take(r, "value: ")) {
        s->value = read_expression(r);
    } else if (take(r, "Array spec:")) {
        read_shape(r, &s->shape);
    } else if (take(r, "result: ")) {
        s->result = read_name(r);
    } else if (take(r, "Formal arglist:")) {
        read_formals(r, s);
    } else if (take(r, "components: ")) {
        read_components(r, s);
    } else if (take(r, "Formal namespace")) {
        skip_inner(r, indent);
    } else {
        size_t i = 0;
        while (i < sizeof skipped / sizeof *skipped && !take(r, skipped[i]))
            i++;
        if (i == sizeof skipped / sizeof *skipped)
            return false;
        skip_line(r);
    }
    return true;
}

/* Behind "symtree: ". */
static void read_symbol(struct reading *r, struct htmt__fortran_space *space, size_t indent)
{
    const char *line = r->at + strcspn(r->at, "\n"), *name = strstr(r->at, "|| symbol: '");
    if (!name || name > line || strstr(name, "from namespace") == NULL ||
        strstr(name, "from namespace") > line) {
        struct htmt__fortran_symbol *s = htmt__source_alloc(sizeof *s);
        name = name && name < line ? name + 12 : r->at;
        s->name = copy(name, strcspn(name, "'\n"));
        s->type = "UNKNOWN";
        s->attributes = "";
        s->space = space;
        struct htmt__fortran_symbol **bucket = &space->bucket[hash_of(s->name)];
        s->same_bucket = *bucket;
        *bucket = s;
        *(space->last ? space->last : &space->symbols) = s;
        space->last = &s->next;
        r->at = line;
        for (skip_blank(r); !r->wrong && read_property(r, s, indent); skip_blank(r))
            continue;
        return;
    }
    r->at = line;
}

/* ---- statements ------------------------------------------------------------------------------ */

static struct htmt__fortran_expression **add(struct htmt__fortran_expression **end,
                                             struct htmt__fortran_expression *e)
{
    *end = e;
    return &e->next;
}

/* Behind "DO ": "s:i=1 s:n 1", with a label before it or not. */
static void read_do(struct reading *r, struct htmt__fortran_statement *s)
{
    unsigned until = 0;
    struct htmt__fortran_expression **end = &s->expression;
    s->kind = HTMT__FORTRAN_DO;
    skip_spaces(r);
    if (*r->at >= '0' && *r->at <= '9') {
        until = (unsigned)strtoul(r->at, NULL, 10);
        r->at += strspn(r->at, "0123456789");
        skip_spaces(r);
    }
    end = add(end, read_expression(r));
    expect(r, "=");
    for (unsigned i = 0; i < 3; i++) {
        end = add(end, read_expression(r));
        skip_spaces(r);
    }
    s->body = read_code(r, until);
    if (!until)
        expect(r, "END DO");
}

/* "s:i 1:s:n:1,s:j 1:4:1" and a mask, or "()" */
static void read_concurrent(struct reading *r, struct htmt__fortran_statement *s, const char *end)
{
    struct htmt__fortran_expression **last = &s->expression;
    s->kind = HTMT__FORTRAN_CONCURRENT;
    do {
        struct htmt__fortran_expression *i = make(HTMT__FORTRAN_ITERATED);
        struct htmt__fortran_expression *e = read_expression(r);
        if (*r->at != ' ') { /* the mask of FORALL */
            last = add(last, e);
            break;
        }
        r->at++;
        i->child = e;
        e->next = read_expression(r);
        expect(r, ":");
        e->next->next = read_expression(r);
        expect(r, ":");
        e->next->next->next = read_expression(r);
        last = add(last, i);
    } while (take(r, ","));
    if (*r->at == '(')
        add(last, read_expression(r));
    skip_line(r);
    s->body = read_code(r, 0);
    skip_blank(r);
    r->at += strspn(r->at, "0123456789 \n");
    expect(r, end);
}

/* Behind "IF ", also behind "ELSE IF ". */
static void read_if(struct reading *r, struct htmt__fortran_statement *s)
{
    s->kind = HTMT__FORTRAN_IF;
    s->expression = read_expression(r);
    if (*r->at == ' ' && r->at[1] >= '0' && r->at[1] <= '9') {
        s->kind = HTMT__FORTRAN_UNREAD;
        s->name = "an arithmetic if";
        skip_line(r);
        return;
    }
    s->body = read_code(r, 0);
    if (take(r, "ELSE IF ")) {
        s->other = htmt__source_alloc(sizeof *s);
        read_if(r, s->other);
        return; /* which took the end */
    }
    if (take(r, "ELSE"))
        s->other = read_code(r, 0);
    r->at += strspn(r->at, "0123456789 \n");
    expect(r, "ENDIF");
}

static void read_where(struct reading *r, struct htmt__fortran_statement *s)
{
    s->kind = HTMT__FORTRAN_WHERE;
    s->expression = read_expression(r);
    s->body = read_code(r, 0);
    if (!take(r, "ELSE WHERE ")) {
        expect(r, "END WHERE");
        return;
    }
    s->other = htmt__source_alloc(sizeof *s);
    read_where(r, s->other);
}

/* "CASE (1 1) (4 7) " and the statements of it, for each. Of types all are left out. */
static void read_select(struct reading *r, struct htmt__fortran_statement *s)
{
    struct htmt__fortran_statement **end = &s->body;
    if (take(r, "CASE ")) {
        s->kind = HTMT__FORTRAN_SELECT;
        s->expression = read_expression(r);
    } else {
        s->kind = HTMT__FORTRAN_UNREAD;
        s->name = "select type";
        skip_line(r);
    }
    for (skip_blank(r); take(r, "CASE "); skip_blank(r)) {
        struct htmt__fortran_statement *one = htmt__source_alloc(sizeof *one);
        struct htmt__fortran_expression **range = &one->expression;
        one->kind = HTMT__FORTRAN_CASE;
        for (; *r->at == '('; range = &(*range)->next) {
            *range = htmt__source_alloc(sizeof **range);
            (*range)->kind = HTMT__FORTRAN_RANGE;
            r->at++;
            (*range)->child = read_expression(r);
            expect(r, " ");
            (*range)->child->next = read_expression(r);
            expect(r, ") ");
        }
        one->body = read_code(r, 0);
        *end = one;
        end = &one->next;
    }
    r->at += strspn(r->at, "0123456789 \n");
    expect(r, "END SELECT");
}

/* Behind "ASSOCIATE  q = e" and "BLOCK ": its symbols, then statements. */
static void read_block(struct reading *r, struct htmt__fortran_statement *s, const char *end,
                       bool associates)
{
    struct htmt__fortran_space *around = r->space, *space = htmt__source_alloc(sizeof *space);
    const char *name[HTMT__RANK_MAX];
    struct htmt__fortran_expression *target[HTMT__RANK_MAX];
    unsigned count = 0;
    s->kind = HTMT__FORTRAN_BLOCK;
    s->space = space;
    for (skip_spaces(r); associates && is_name(*r->at) && count < HTMT__RANK_MAX; count++) {
        name[count] = read_name(r);
        expect(r, " = ");
        target[count] = read_expression(r);
        skip_spaces(r);
    }
    skip_line(r);
    space->parent = around;
    space->name = "";
    for (skip_blank(r); take(r, "symtree: "); skip_blank(r)) {
        const char *line = r->at;
        while (line > r->begin && line[-1] != '\n')
            line--;
        read_symbol(r, space, strspn(line, " "));
    }
    for (struct htmt__fortran_symbol *x = space->symbols; x; x = x->next)
        if (strncmp(x->name, "block@", 6) == 0)
            space->name = x->name;
    for (unsigned i = 0; i < count; i++) {
        struct htmt__fortran_symbol *x = htmt__fortran_symbol(space, name[i]);
        if (x)
            x->stands_for = target[i];
    }
    r->space = space;
    s->body = read_code(r, 0);
    r->space = around;
    expect(r, end);
}

/* "ALLOCATE  STAT=s:e s:u(1:s:n)" */
static void read_allocate(struct reading *r, struct htmt__fortran_statement *s)
{
    struct htmt__fortran_expression **end = &s->expression;
    s->kind = HTMT__FORTRAN_ALLOCATE;
    for (skip_spaces(r); !r->wrong && *r->at && *r->at != '\n'; skip_spaces(r)) {
        const char *before = r->at;
        r->at += strspn(r->at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
        bool word = r->at > before && take(r, "=");
        if (!word)
            r->at = before;
        struct htmt__fortran_expression *e = read_expression(r);
        if (!word)
            end = add(end, e);
    }
}

/* READ or WRITE, and its items up to "DT_END". */
static void read_transfer(struct reading *r, struct htmt__fortran_statement *s, const char *name)
{
    struct htmt__fortran_statement **end = &s->body;
    s->kind = HTMT__FORTRAN_TRANSFER;
    s->name = name;
    skip_line(r);
    for (skip_blank(r); !r->wrong && !take(r, "DT_END"); skip_blank(r)) {
        struct htmt__fortran_statement *item = htmt__source_alloc(sizeof *item);
        if (!*r->at) {
            refuse(r, "DT_END");
        } else if (take(r, "TRANSFER ")) {
            item->kind = HTMT__FORTRAN_TRANSFER;
            item->expression = read_expression(r);
        } else if (take(r, "DO ")) {
            /* Its items are printed like statements. */
            item->kind = HTMT__FORTRAN_NOTHING;
            skip_line(r);
        } else {
            item->kind = HTMT__FORTRAN_NOTHING;
            r->at++;
            skip_line(r);
        }
        *end = item;
        end = &item->next;
    }
    skip_line(r);
}

/* Statements of one line, or of a few words. */
static void read_simple(struct reading *r, struct htmt__fortran_statement *s)
{
    static const struct {
        const char *word;
        enum htmt__fortran_statement_kind kind;
        const char *name; /* of what is not read */
    } words[] = {
        {"CONTINUE", HTMT__FORTRAN_NOTHING, NULL},    {"NOP", HTMT__FORTRAN_NOTHING, NULL},
        {"DEALLOCATE ", HTMT__FORTRAN_NOTHING, NULL}, {"OPEN", HTMT__FORTRAN_NOTHING, NULL},
        {"CLOSE", HTMT__FORTRAN_NOTHING, NULL},       {"FLUSH", HTMT__FORTRAN_NOTHING, NULL},
        {"INQUIRE", HTMT__FORTRAN_NOTHING, NULL},     {"REWIND", HTMT__FORTRAN_NOTHING, NULL},
        {"CRITICAL", HTMT__FORTRAN_NOTHING, NULL},    {"END CRITICAL", HTMT__FORTRAN_NOTHING, NULL},
        {"RETURN ", HTMT__FORTRAN_RETURN, NULL},      {"STOP ", HTMT__FORTRAN_STOP, NULL},
        {"ERROR STOP ", HTMT__FORTRAN_STOP, NULL},    {"GOTO ", HTMT__FORTRAN_GOTO, NULL},
        {"ENTRY ", HTMT__FORTRAN_UNREAD, "entry"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (take(r, words[i].word)) {
            s->kind = words[i].kind;
            s->name = words[i].name;
            r->space->has_entry |= *words[i].word == 'E' && s->name;
            if (s->kind == HTMT__FORTRAN_GOTO && strchr("0123456789", *r->at))
                s->name = copy(r->at, strspn(r->at, "0123456789"));
            /* "EXIT    END DO" stands in one line, but no more than that. */
            skip_line(r);
            return;
        }
    s->kind = HTMT__FORTRAN_UNREAD;
    s->name = copy(r->at, strspn(r->at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_ "));
    if (!*s->name)
        refuse(r, "a statement");
    skip_line(r);
}

/* A name may follow; "EXIT    END DO" has none. */
static void read_leave(struct reading *r, struct htmt__fortran_statement *s,
                       enum htmt__fortran_statement_kind kind)
{
    s->kind = kind;
    if (*r->at == ' ' && r->at[1] >= 'a' && r->at[1] <= 'z') {
        r->at++;
        s->name = read_name(r);
    }
}

static void read_statement(struct reading *r, struct htmt__fortran_statement *s)
{
    struct htmt__fortran_expression **end = &s->expression;
    bool points = take(r, "POINTER ASSIGN ");
    if (points || take(r, "ASSIGN ")) {
        s->kind = points ? HTMT__FORTRAN_POINT : HTMT__FORTRAN_ASSIGN;
        end = add(end, read_expression(r));
        expect(r, " ");
        add(end, read_expression(r));
    } else if (take(r, "CALL ")) {
        s->kind = HTMT__FORTRAN_INVOKE;
        s->name = is_name(*r->at) ? read_name(r) : "";
        if (take(r, " ("))
            r->at--, s->expression = read_arguments(r);
        else
            skip_line(r);
    } else if (take(r, "DO WHILE ")) {
        s->kind = HTMT__FORTRAN_WHILE;
        s->expression = read_expression(r);
        s->body = read_code(r, 0);
        r->at += strspn(r->at, "0123456789 \n");
        expect(r, "END DO");
    } else if (take(r, "DO CONCURRENT ")) {
        read_concurrent(r, s, "END DO");
    } else if (take(r, "FORALL ")) {
        read_concurrent(r, s, "END FORALL");
    } else if (take(r, "DO ")) {
        read_do(r, s);
    } else if (take(r, "IF ")) {
        read_if(r, s);
    } else if (take(r, "WHERE ")) {
        read_where(r, s);
    } else if (take(r, "SELECT ")) {
        read_select(r, s);
    } else if (take(r, "ASSOCIATE ")) {
        read_block(r, s, "END ASSOCIATE", true);
    } else if (take(r, "BLOCK ")) {
        read_block(r, s, "END BLOCK", false);
    } else if (take(r, "ALLOCATE ")) {
        read_allocate(r, s);
    } else if (take(r, "READ")) {
        read_transfer(r, s, "read");
    } else if (take(r, "WRITE")) {
        read_transfer(r, s, "write");
    } else if (take(r, "EXIT")) {
        read_leave(r, s, HTMT__FORTRAN_EXIT);
    } else if (take(r, "CYCLE")) {
        read_leave(r, s, HTMT__FORTRAN_CYCLE);
    } else {
        read_simple(r, s);
    }
}

/* The end of statements: of those around them, or of a procedure. */
static bool is_end(const char *at)
{
    static const char *const words[] = {"END DO",     "ENDIF",         "ELSE",       "END WHERE",
                                        "END FORALL", "CASE ",         "END SELECT", "END BLOCK",
                                        "CONTAINS",   "END ASSOCIATE", "Namespace:", "------",
                                        "symtree:"};
    at += strspn(at, "0123456789 \n"); /* a label of the end */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(at, words[i], strlen(words[i])) == 0)
            return true;
    return !*at;
}

/* `until`: the label of the last statement; 0: the end is a word. */
static struct htmt__fortran_statement *read_code(struct reading *r, unsigned until)
{
    struct htmt__fortran_statement *first = NULL, **end = &first;
    r->closed = 0;
    if (++r->depth > DEEPEST)
        refuse(r, "statements of less than 5000 levels");
    for (skip_blank(r); !r->wrong && !is_end(r->at); skip_blank(r)) {
        struct htmt__fortran_statement *s = htmt__source_alloc(sizeof *s);
        s->label = (unsigned)strtoul(r->at, NULL, 10);
        r->at += strspn(r->at, "0123456789");
        skip_spaces(r);
        read_statement(r, s);
        *end = s;
        end = &s->next;
        if (s->label)
            r->closed = s->label;
        if (until && r->closed == until)
            break;
        if (s->kind != HTMT__FORTRAN_DO)
            r->closed = 0;
    }
    skip_blank(r);
    r->depth--;
    return first;
}

/* ---- namespaces ------------------------------------------------------------------------------ */

/* A variable of a common block, which stands before the symbols. */
struct common {
    const char *name, *block;
    struct common *next;
};

/* "/cm/ d, m" */
static void read_common(struct reading *r, struct common **list)
{
    expect(r, "/");
    const char *block = copy(r->at, strcspn(r->at, "/\n"));
    r->at += strcspn(r->at, "/\n");
    expect(r, "/ ");
    while (is_name(*r->at)) {
        struct common *c = htmt__source_alloc(sizeof *c);
        *c = (struct common){read_name(r), block, *list};
        *list = c;
        take(r, ", ");
    }
    skip_line(r);
}

/* Behind "Namespace:". */
static void read_space(struct reading *r, unsigned level)
{
    struct htmt__fortran_space *space = htmt__source_alloc(sizeof *space);
    struct common *commons = NULL;
    struct htmt__fortran_tree *tree = r->tree;
    space->name = "";
    space->level = level;
    space->parent = r->space;
    while (space->parent && space->parent->level >= level)
        space->parent = space->parent->parent;
    *(tree->last ? tree->last : &tree->spaces) = space;
    tree->last = &space->next;
    r->space = space;
    skip_line(r);
    for (skip_blank(r); !r->wrong && *r->at && !take(r, "code:"); skip_blank(r)) {
        const char *line = r->at;
        while (line > r->begin && line[-1] != '\n')
            line--;
        if (take(r, "procedure name = "))
            space->name = read_name(r);
        else if (take(r, "symtree: "))
            read_symbol(r, space, strspn(line, " "));
        else if (take(r, "common: "))
            read_common(r, &commons);
        else
            skip_line(r);
    }
    for (const struct common *c = commons; c; c = c->next) {
        struct htmt__fortran_symbol *s = htmt__fortran_symbol(space, c->name);
        if (s)
            s->common = c->block;
    }
    space->code = read_code(r, 0);
}

int htmt__fortran_read(struct htmt__fortran_tree *tree, const char *text, struct htmt_fault *fault)
{
    struct reading r = {.begin = text, .at = text, .tree = tree};
    for (skip_blank(&r); !r.wrong && *r.at; skip_blank(&r)) {
        const char *line = r.at;
        while (line > text && line[-1] == ' ')
            line--;
        const size_t indent = (size_t)(r.at - line);
        if (!take(&r, "Namespace:")) {
            skip_line(&r);
            continue;
        }
        if (!indent)
            r.space = NULL;
        read_space(&r, (unsigned)(indent / 2));
    }
    if (!r.wrong)
        return 0;
    size_t line = 1;
    for (const char *c = text; c < r.wrong; c++)
        line += *c == '\n';
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "line %zu of gfortran's parse tree: found '%.30s', expected %s", line,
                          r.wrong, r.expected);
}
