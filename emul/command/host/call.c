/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Types come from the IR of clang 14, which says them of each pointer: 'define dso_local void
 * @daxpy(double* noundef %0, [100 x double]* noundef %1, i32 noundef signext %2)'. An array of
 * arrays, or one whose length is an argument, is a pointer to its first element or row there. A
 * struct has a name, whose line is '%struct.point = type { double, [2 x float], i32 }'; its members
 * lie as C lays them, each at a multiple of its own alignment.
 *
 * The arrays are statics of the file that calls, so they lie one behind the other, each at a page.
 * Reals are between 1 and 1.5, whole numbers 0, 1, 2, .., so that they may number elements.
 */
#include "emul/command/host/call.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MOST (INT64_C(1) << 31)
#define BYTES_MOST (UINT64_C(1) << 30) /* of all arrays: code reaches statics within 2 GiB */

/* ---- the text -------------------------------------------------------------------------------- */

struct reader {
    const char *text, *at;
    const struct htmt__call *call; /* its arguments so far */
    unsigned depth;                /* of parentheses */
    struct htmt_fault *fault;
};

static int refuse(const struct reader *r, const char *expected)
{
    return htmt_fault_set(r->fault, HTMT_EUSAGE, "--call: found '%.30s' behind '%.*s', expected %s",
                          r->at, (int)(r->at - r->text > 60 ? 60 : r->at - r->text), r->text,
                          expected);
}

static void skip(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool take(struct reader *r, char c)
{
    skip(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static int take_name(struct reader *r, char *name, size_t room)
{
    size_t n = 0;
    skip(r);
    while (isalnum((unsigned char)r->at[n]) || r->at[n] == '_')
        n++;
    if (!n || n >= room || isdigit((unsigned char)*r->at))
        return refuse(r, "a name");
    memcpy(name, r->at, n);
    name[n] = '\0';
    r->at += n;
    return 0;
}

static int sum(struct reader *r, int64_t *value);

/* A whole number, a name that has one, or a sum in parentheses. */
static int factor(struct reader *r, int64_t *value)
{
    char name[40], *end;
    skip(r);
    if (isdigit((unsigned char)*r->at)) {
        *value = strtoll(r->at, &end, 10);
        r->at = end;
        return 0;
    }
    if (r->depth < 16 && take(r, '(')) {
        r->depth++;
        int rc = sum(r, value);
        r->depth--;
        return rc || take(r, ')') ? rc : refuse(r, "')'");
    }
    const char *start = r->at;
    int rc = take_name(r, name, sizeof name);
    for (unsigned i = 0; i < r->call->count && !rc; i++) {
        const struct htmt__call_argument *a = &r->call->argument[i];
        if (strcmp(a->name, name) == 0 && !a->array && a->whole) {
            *value = a->value;
            return 0;
        }
    }
    r->at = start;
    return rc ? rc : refuse(r, "the name of a whole number of the call");
}

static int product(struct reader *r, int64_t *value)
{
    int rc = factor(r, value);
    int64_t by;
    while (!rc && (skip(r), *r->at == '*' || *r->at == '/')) {
        const bool divides = *r->at++ == '/';
        rc = factor(r, &by);
        if (!rc && (divides ? by == 0 : __builtin_mul_overflow(*value, by, value)))
            return refuse(r, divides ? "no division by 0" : "a number of 63 bits");
        *value = !rc && divides ? *value / by : *value;
    }
    return rc;
}

static int sum(struct reader *r, int64_t *value)
{
    int rc = product(r, value);
    int64_t by;
    while (!rc && (skip(r), *r->at == '+' || *r->at == '-')) {
        const bool less = *r->at++ == '-';
        rc = product(r, &by);
        if (!rc && (less ? __builtin_sub_overflow(*value, by, value)
                         : __builtin_add_overflow(*value, by, value)))
            return refuse(r, "a number of 63 bits");
    }
    return rc;
}

static int read_number(struct reader *r, struct htmt__call_argument *a)
{
    char *end;
    skip(r);
    const char *start = r->at;
    (void)strtod(start, &end);
    const size_t n = (size_t)(end - start);
    if (!n || n >= sizeof a->text || strspn(start, "+-.0123456789eE") < n)
        return refuse(r, "a decimal number");
    memcpy(a->text, start, n);
    a->whole = strspn(a->text, "+-0123456789") == n;
    a->value = strtoll(a->text, NULL, 10);
    r->at = end;
    return 0;
}

static int read_sizes(struct reader *r, struct htmt__call_argument *a)
{
    int64_t size, count = 1;
    do {
        const char *start = r->at;
        int rc = sum(r, &size);
        if (rc)
            return rc;
        if (size < 1 || __builtin_mul_overflow(count, size, &count) || count > COUNT_MOST) {
            r->at = start;
            return refuse(r, "1 to 2^31 elements in all");
        }
        if (!take(r, ']'))
            return refuse(r, "']'");
        a->first = a->brackets++ ? a->first : (uint64_t)size;
    } while (take(r, '['));
    a->count = (uint64_t)count;
    return 0;
}

/* Numbers may stand behind the sizes that name them: those are read when all are known. */
static int pass_sizes(struct reader *r, struct htmt__call_argument *a)
{
    a->array = true;
    do {
        const char *end = strchr(r->at, ']');
        if (!end)
            return refuse(r, "a size and ']'");
        r->at = end + 1;
    } while (take(r, '['));
    return 0;
}

int htmt__call_read(const char *text, struct htmt__call *call, struct htmt_fault *fault)
{
    struct reader r = {text, text, call, 0, fault};
    const char *sizes[HTMT__CALL_ARGUMENTS];
    *call = (struct htmt__call){.count = 0};
    int rc = take_name(&r, call->function, sizeof call->function);
    if (!rc && !take(&r, '('))
        rc = refuse(&r, "'('");
    const bool none = !rc && take(&r, ')');
    while (!rc && !none) {
        struct htmt__call_argument *a = &call->argument[call->count];
        if (call->count == HTMT__CALL_ARGUMENTS)
            return refuse(&r, "at most 32 arguments");
        rc = take_name(&r, a->name, sizeof a->name);
        for (unsigned i = 0; i < call->count && !rc; i++)
            if (strcmp(call->argument[i].name, a->name) == 0)
                rc = refuse(&r, "another name, since this one is taken");
        if (!rc && take(&r, '='))
            rc = read_number(&r, a);
        else if (!rc && take(&r, '[')) {
            sizes[call->count] = r.at;
            rc = pass_sizes(&r, a);
        } else if (!rc)
            rc = refuse(&r, "'=' and a number, or '[' and a size");
        call->count += !rc;
        if (!rc && !take(&r, ','))
            break;
    }
    if (!rc && !none && !take(&r, ')'))
        rc = refuse(&r, "',' or ')'");
    skip(&r);
    rc = rc || !*r.at ? rc : refuse(&r, "the end");
    for (unsigned i = 0; i < call->count && !rc; i++)
        if (call->argument[i].array) {
            r.at = sizes[i];
            rc = read_sizes(&r, &call->argument[i]);
        }
    return rc;
}

/* ---- types ----------------------------------------------------------------------------------- */

static const struct {
    const char *ir, *c, *about;
    unsigned bytes;
} types[] = {[HTMT__CALL_I1] = {"i1", "_Bool", "a whole number", 1},
             [HTMT__CALL_I8] = {"i8", "signed char", "a whole number", 1},
             [HTMT__CALL_I16] = {"i16", "short", "a whole number", 2},
             [HTMT__CALL_I32] = {"i32", "int", "a whole number", 4},
             [HTMT__CALL_I64] = {"i64", "long long", "a whole number", 8},
             [HTMT__CALL_F32] = {"float", "float", "a real number", 4},
             [HTMT__CALL_F64] = {"double", "double", "a real number", 8}};
#define TYPES (sizeof types / sizeof *types)

/* Numbers of a type, as they lie in memory. */
struct layout {
    const char *names; /* lines of the structs that have names */
    struct htmt__call_argument *a;
};

static const char *lay(struct layout *l, const char *word, uint64_t *bytes, uint64_t *align);

/* Members that are numbered from 0 on are moved to where they begin, the first multiple of their
 * alignment. */
static const char *lay_behind(struct layout *l, const char *word, uint64_t *bytes, uint64_t *align)
{
    const unsigned first = l->a->members;
    uint64_t size, own;
    word = lay(l, word, &size, &own);
    if (!word)
        return NULL;
    const uint64_t at = (*bytes + own - 1) / own * own;
    for (unsigned i = first; i < l->a->members; i++)
        l->a->member[i].at += (unsigned)at;
    *bytes = at + size;
    *align = own > *align ? own : *align;
    return word;
}

/* '{ double, [2 x float] }' and '[2 x float]', and '<4 x float>', which lies at its size. */
static const char *lay_several(struct layout *l, const char *word, uint64_t *bytes, uint64_t *align)
{
    const char kind = *word++;
    const char *each = kind == '{' ? NULL : strstr(word, " x ");
    uint64_t n = each ? strtoull(word, NULL, 10) : UINT64_MAX;
    const char *end = each;
    if ((kind != '{' && !each) || !n)
        return NULL;
    *bytes = 0;
    *align = 1;
    for (word = each ? each + strlen(" x ") : word + 1; n; n--) {
        end = lay_behind(l, word, bytes, align);
        if (!end)
            return NULL;
        if (kind != '{')
            continue;
        if (*end != ',')
            break;
        word = end + strlen(", ");
    }
    if (kind == '<')
        *align = *bytes;
    *bytes = (*bytes + *align - 1) / *align * *align;
    end += *end == ' ';
    return *end == (kind == '{' ? '}' : kind == '[' ? ']' : '>') ? end + 1 : NULL;
}

static const char *lay_name(struct layout *l, const char *word, uint64_t *bytes, uint64_t *align)
{
    static const char is[] = " = type ";
    const size_t n = strcspn(word, " ,*]})");
    for (const char *line = l->names; *line; line = strchr(line, '\n') + 1)
        if (strncmp(line, word, n) == 0 && strncmp(line + n, is, strlen(is)) == 0)
            return line[n + strlen(is)] == '{' &&
                           lay_several(l, line + n + strlen(is), bytes, align)
                       ? word + n
                       : NULL;
    return NULL;
}

/* Adds the members of a type to the argument; returns what stands behind the type, or NULL: it has
 * other members than numbers, or too many. */
static const char *lay(struct layout *l, const char *word, uint64_t *bytes, uint64_t *align)
{
    if (*word == '%')
        return lay_name(l, word, bytes, align);
    if (strchr("{[<", *word))
        return lay_several(l, word, bytes, align);
    for (size_t i = 0; i < TYPES; i++) {
        const size_t n = strlen(types[i].ir);
        if (strncmp(word, types[i].ir, n) != 0 || !strchr(" ,*]})>", word[n]))
            continue;
        if (l->a->members == HTMT__CALL_MEMBERS)
            return NULL;
        l->a->member[l->a->members++] = (struct htmt__call_member){.type = (unsigned)i};
        *bytes = *align = types[i].bytes;
        return word + n;
    }
    return NULL;
}

/* "double", "double*", "[100 x [8 x double]]*", "%struct.point*", "double**": a number, an array of
 * elements, or one of pointers to rows of them. */
static bool type_of(struct layout *l, const char *word, bool *array)
{
    unsigned depth = 0;
    uint64_t align;
    for (; *word == '['; depth++) {
        word = strstr(word, " x ");
        if (!word)
            return false;
        word += strlen(" x ");
    }
    const bool one = isalpha((unsigned char)*word);
    l->a->members = 0;
    word = lay(l, word, &l->a->bytes, &align);
    if (!word)
        return false;
    word += strspn(word, "]");
    const size_t stars = strspn(word, "*");
    *array = stars > 0;
    l->a->rows = stars == 2;
    return stars <= (depth ? 1 : 2) && (one || *array) && strchr(" ,)", word[stars]);
}

/* Behind the comma that ends this parameter; NULL: it is the last one. */
static const char *next_parameter(const char *at)
{
    unsigned depth = 0;
    for (; *at; at++) {
        depth += *at == '(' || *at == '[' || *at == '{' || *at == '<';
        if (depth && (*at == ')' || *at == ']' || *at == '}' || *at == '>'))
            depth--;
        else if (!depth && *at == ')')
            return NULL;
        else if (!depth && *at == ',')
            return at + 1 + (at[1] == ' ');
    }
    return NULL;
}

/* A type, which has commas and blanks of its own in brackets. */
static int word_length(const char *type)
{
    const char *close = *type == '{' ? "}" : *type == '<' ? ">" : *type == '[' ? "]" : "";
    const size_t inside = *close ? strcspn(type, close) : 0;
    return (int)(inside + strcspn(type + inside, " ,)"));
}

static int match_one(const struct htmt__call *call, unsigned i, struct htmt__call_argument *a,
                     const char *parameter, const char *names, const char *source,
                     struct htmt_fault *fault)
{
    bool array;
    if (!type_of(&(struct layout){names, a}, parameter, &array))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "%s: argument %u of %s is neither a number nor a pointer to numbers "
                              "or to structs of at most %u (%.*s in LLVM's words)",
                              source, i + 1, call->function, HTMT__CALL_MEMBERS,
                              word_length(parameter), parameter);
    const enum htmt__call_type type = a->member[0].type;
    const bool real = type >= HTMT__CALL_F32;
    if (array == a->array && (array || real || a->whole) && (!a->rows || a->brackets > 1))
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "--call: found %s for argument %u of %s, '%s', expected %s%s of type %s",
                          a->array   ? "an array"
                          : a->whole ? "a whole number"
                                     : "a number with a fraction",
                          i + 1, call->function, a->name, array ? "an array" : types[type].about,
                          a->rows ? " of rows, as in [n][m],"
                          : array ? " of elements"
                                  : "",
                          a->members > 1 ? "struct" : types[type].c);
}

int htmt__call_match(struct htmt__call *call, const char *source, FILE *ir,
                     struct htmt_fault *fault)
{
    char *line = NULL, *names = NULL, wanted[100];
    size_t room = 0, length;
    const char *at = NULL;
    FILE *lines = open_memstream(&names, &length);
    snprintf(wanted, sizeof wanted, " @%s(", call->function);
    while (!at && lines && getline(&line, &room, ir) > 0) {
        if (*line == '%')
            fputs(line, lines);
        if (strncmp(line, "define ", strlen("define ")) == 0 && (at = strstr(line, wanted)))
            at += strlen(wanted);
    }
    int rc =
        !lines || fclose(lines) ? htmt_fault_set(fault, HTMT_ENOMEM, "out of memory")
        : at                    ? 0
             : htmt_fault_set(fault, HTMT_ENOENT, "%s: found no function %s, expected by --call",
                              source, call->function);
    unsigned n = 0;
    for (; at && *at != ')' && !rc && n < call->count; n++) {
        rc = match_one(call, n, &call->argument[n], at, names, source, fault);
        at = next_parameter(at);
    }
    uint64_t bytes = 0;
    for (unsigned i = 0; i < n && !rc; i++)
        bytes += call->argument[i].count * call->argument[i].bytes;
    if (bytes > BYTES_MOST)
        rc = htmt_fault_set(fault, HTMT_EUSAGE,
                            "--call: arrays of %s take %.1f GiB, expected at most 1 GiB",
                            call->function, 0x1p-30 * (double)bytes);
    const bool more = at && *at != ')' && *at;
    if (!rc && (more || n < call->count))
        rc = htmt_fault_set(fault, HTMT_EUSAGE, "--call: found %u argument%s of %s, expected %s",
                            call->count, call->count == 1 ? "" : "s", call->function,
                            more ? "more" : "fewer");
    free(line);
    free(names);
    return rc;
}

/* ---- the file that calls --------------------------------------------------------------------- */

/* Names end with the number of the call. `unknown`: numbers come from variables, so the compiler
 * cannot leave out what they skip. */
static void write_arguments(const struct htmt__call *call, unsigned number, bool unknown, FILE *out)
{
    for (unsigned i = 0; i < call->count; i++) {
        const struct htmt__call_argument *a = &call->argument[i];
        fputs(i ? ", " : "", out);
        if (a->array)
            fprintf(out, "(void *)htmt_%s_%u_%u", a->rows ? "rows" : "array", number, i);
        else if (unknown)
            fprintf(out, "*(volatile %s *)htmt_number_%u_%u", types[a->member[0].type].c, number,
                    i);
        else
            fputs(a->text, out);
    }
}

/* The user's macros stand before all of this: names of one letter or word are theirs. */
static void write_fill(const struct htmt__call_argument *a, unsigned number, unsigned i, FILE *out)
{
    fprintf(out, "    for (unsigned long long htmt_i = 0; htmt_i < %" PRIu64 "; htmt_i++) {\n",
            a->count);
    for (unsigned m = 0; m < a->members; m++) {
        const enum htmt__call_type type = a->member[m].type;
        fprintf(out,
                "        const %s htmt_%u = (%s)(%s);\n        __builtin_memcpy(htmt_array_%u_%u + "
                "%" PRIu64 " * htmt_i + %u, &htmt_%u, sizeof htmt_%u);\n",
                types[type].c, m, types[type].c,
                type >= HTMT__CALL_F32   ? "1 + (double)(htmt_i % 8) / 16"
                : type == HTMT__CALL_I1  ? "htmt_i % 2"
                : type == HTMT__CALL_I8  ? "htmt_i % 100"
                : type == HTMT__CALL_I16 ? "htmt_i % 30000"
                                         : "htmt_i",
                number, i, a->bytes, a->member[m].at, m, m);
    }
    fputs("    }\n", out);
    if (a->rows)
        fprintf(out,
                "    for (unsigned long long htmt_i = 0; htmt_i < %" PRIu64 "; htmt_i++)\n"
                "        htmt_rows_%u_%u[htmt_i] = htmt_array_%u_%u + %" PRIu64 " * htmt_i;\n",
                a->first, number, i, number, i, a->count / a->first * a->bytes);
}

static void write_call(const struct htmt__call *call, unsigned number, FILE *out)
{
    /* By a pointer that may change, so no call is put in line, moved out of the loop or left out.
     */
    fprintf(out, "static __typeof__(%s) *volatile htmt_callee_%u = %s;\n", call->function, number,
            call->function);
    for (unsigned i = 0; i < call->count; i++) {
        const struct htmt__call_argument *a = &call->argument[i];
        if (a->array)
            fprintf(out,
                    "static char htmt_array_%u_%u[%" PRIu64
                    "] __attribute__((__aligned__(4096)));\n",
                    number, i, a->count * a->bytes);
        else
            fprintf(out, "static %s htmt_number_%u_%u[1] = {%s};\n", types[a->member[0].type].c,
                    number, i, a->text);
        if (a->rows)
            fprintf(out, "static void *htmt_rows_%u_%u[%" PRIu64 "];\n", number, i, a->first);
    }
    fprintf(out, "static void htmt_fill_%u(void)\n{\n", number);
    for (unsigned i = 0; i < call->count; i++)
        if (call->argument[i].array)
            write_fill(&call->argument[i], number, i, out);
    fprintf(out,
            "}\nstatic void htmt_calls_%u(unsigned long long htmt_n)\n{\n"
            "    for (unsigned long long htmt_i = 0; htmt_i < htmt_n; htmt_i++)\n"
            "        (void)htmt_callee_%u(",
            number, number);
    write_arguments(call, number, false, out);
    fputs(");\n}\n", out);
}

/* What one of the calls does, by its number. */
static void write_choice(const char *head, const char *of, const char *rest, unsigned calls,
                         FILE *out)
{
    fprintf(out, "%s\n{\n    switch (htmt_which) {\n", head);
    for (unsigned i = 0; i < calls; i++)
        fprintf(out, "    case %u:\n        %s_%u(%s);\n        break;\n", i, of, i, rest);
    fputs("    }\n}\n", out);
}

void htmt__call_write(const struct htmt__call *call, unsigned calls, const char *path, FILE *out)
{
    fprintf(out,
            "#include \"%s\"\n#define HTMT_SEEN __attribute__((__visibility__(\"default\")))\n",
            path);
    for (unsigned i = 0; i < calls; i++)
        write_call(&call[i], i, out);
    write_choice("HTMT_SEEN void htmt_predict_fill_arrays(unsigned long long htmt_which)",
                 "htmt_fill", "", calls, out);
    write_choice("HTMT_SEEN void htmt_predict_calls(unsigned long long htmt_which, unsigned long "
                 "long htmt_n)",
                 "htmt_calls", "htmt_n", calls, out);
    /* Pages of the source's own arrays that nobody has written are one page of the system's. */
    fputs("#ifdef HTMT_CLOCK\n"
          "extern __attribute__((__visibility__(\"hidden\"))) char __bss_start[], _end[];\n"
          "HTMT_SEEN void htmt_predict_fill(unsigned long long htmt_which)\n{\n"
          "    for (volatile char *htmt_page = __bss_start; htmt_page < _end; htmt_page += 4096)\n"
          "        *htmt_page = *htmt_page;\n    htmt_predict_fill_arrays(htmt_which);\n}\n"
          "#else\n"
          "struct htmt_kernel;\nconst void *htmt_kernel_args(const struct htmt_kernel *);\n"
          "static void htmt_never(void)\n{\n",
          out);
    /* Calls that are never made, but tell what the functions call that is not recorded. */
    for (unsigned i = 0; i < calls; i++) {
        fprintf(out, "    (void)%s(", call[i].function);
        write_arguments(&call[i], i, true, out);
        fputs(");\n", out);
    }
    fputs("}\nHTMT_SEEN void htmt_predict_kernel(struct htmt_kernel *htmt_k)\n{\n"
          "    const unsigned long long *htmt_work = htmt_kernel_args(htmt_k);\n"
          "    if (!htmt_work[0])\n        htmt_never();\n"
          "    htmt_predict_calls(htmt_work[1], htmt_work[0]);\n}\n#endif\n",
          out);
}

void htmt__call_write_uses(const struct htmt__call *call, unsigned calls, const char *path,
                           FILE *out)
{
    fprintf(out, "#include \"%s\"\nvoid *const htmt_uses[] = {\n", path);
    for (unsigned i = 0; i < calls; i++)
        fprintf(out, "    (void *)%s,\n", call[i].function);
    fputs("};\n", out);
}

static const char application[] =
    "#include \"htmt.h\"\n"
    "void htmt_predict_kernel(struct htmt_kernel *k);\n"
    "void htmt_predict_fill_arrays(unsigned long long which);\n"
    "struct work {\n    unsigned long long rounds, which;\n};\n"
    "static int plan(struct htmt_task *task, void *work)\n{\n    uint64_t rounds, which;\n"
    "    struct work *w = work;\n"
    "    int rc = htmt_task_whole(task, \"rounds\", 1, 1 << 20, &rounds);\n"
    "    rc = rc ? rc : htmt_task_whole(task, \"which\", 0, 1 << 20, &which);\n"
    "    if (!rc)\n        *w = (struct work){rounds, which};\n    return rc;\n}\n"
    "static int create(struct htmt_task *task, void *work, struct htmt_emulator *e)\n{\n"
    "    const struct work *w = work;\n    struct htmt_type *type;\n"
    "    struct htmt_type_desc d = htmt_type_desc_init();\n"
    "    (void)task;\n    htmt_predict_fill_arrays(w->which);\n"
    "    d.name = \"call\";\n    d.home = d.exec = LAYER;\n"
    "    d.execute.kernel = htmt_predict_kernel;\n    d.args_bytes = sizeof *w;\n"
    "    int rc = htmt_type_create(e, &d, &type);\n    if (rc)\n        return rc;\n"
    "    struct htmt_parcel_desc p = {.type = type, .args = w};\n"
    "    return htmt_assemble(htmt_root(e), &p, NULL);\n}\n"
    "static const struct htmt_app_option options[] = {{\"rounds\", \"N\", \"1\", \"calls\"},\n"
    "    {\"which\", \"N\", \"0\", \"of the calls\"}, {NULL, NULL, NULL, NULL}};\n"
    "const struct htmt_app htmt_app __attribute__((visibility(\"default\"))) = {HTMT_APP_BEGIN,\n"
    "    .name = \"call\", .summary = \"a call\", .options = options, .work_bytes = sizeof(struct "
    "work),\n"
    "    .plan = plan, .create = create};\n";

void htmt__call_write_application(const char *layer, FILE *out)
{
    fprintf(out, "#define LAYER \"%s\"\n%s", layer, application);
}
