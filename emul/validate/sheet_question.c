/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A family is a nest file: "smc53" as it stands; "smc" with the species of the row behind it, else
 * "cns" alone. A file with a parameter NS is one of each size. A folder of golden tables has its
 * files in nests/ beside them; shipped ones have "exasat-" before their names. What was opened
 * stays open: hundreds of rows ask the same loops.
 */
#include "emul/validate/sheet_question.h"

#include "emul/loops/bound/outputs.h"
#include "emul/validate/constant.h"
#include "runtime/base/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHIPPED     "exasat-"
#define SPECIES     9  /* of the sheets as they are published */
#define SHEET_BLOCK 16 /* cells, of a sheet's blocks along x and y */
#define KIB         1024.0
#define GIB         0x1p30

/* A nest file that was read, or is not there. */
struct nests {
    char name[HTMT__SHEET_WORD + 16];
    struct htmt__nest_file *file;
    struct htmt__nest_program *program;
    struct htmt__exasat rule;
};

struct chip {
    char name[64];
    struct htmt_machine *machine;
    struct htmt__bound_rates rates;
};

struct htmt__sheets {
    const struct htmt__golden *golden;
    unsigned nests, chips;
    size_t nest_room, chip_room;
    struct nests **nest; /* rules point into their programs, so they stay where they are */
    struct chip **chip;
};

int htmt__sheet_unknown(const struct htmt__sheet_question *q)
{
    return htmt_fault_set(q->fault, HTMT_EINVAL, "no rule answers '%s'", q->row->id);
}

/* ---- files -------------------------------------------------------------------------------------
 */

int htmt__sheets_make(const struct htmt__golden *golden, struct htmt__sheets **sheets)
{
    *sheets = calloc(1, sizeof **sheets);
    if (!*sheets)
        return HTMT_ENOMEM;
    (*sheets)->golden = golden;
    return 0;
}

void htmt__sheets_destroy(struct htmt__sheets **sheets)
{
    struct htmt__sheets *s = *sheets;
    if (!s)
        return;
    for (unsigned i = 0; i < s->nests; i++) {
        htmt__exasat_clear(&s->nest[i]->rule);
        htmt__nest_program_destroy(&s->nest[i]->program);
        htmt__nest_file_destroy(&s->nest[i]->file);
        free(s->nest[i]);
    }
    for (unsigned i = 0; i < s->chips; i++) {
        htmt_machine_destroy(&s->chip[i]->machine);
        free(s->chip[i]);
    }
    free(s->nest);
    free(s->chip);
    free(s);
    *sheets = NULL;
}

/* The path of a file of the golden folder, else of a shipped one; false: there is none. */
static bool find_nests(const struct htmt__sheets *s, const char *name, char path[HTMT_PATH_MAX])
{
    char shipped[HTMT__SHEET_WORD + 32];
    struct htmt_fault none = {0};
    int length = snprintf(path, HTMT_PATH_MAX, "%s/nests/%s.yaml", s->golden->folder, name);
    if (*s->golden->folder && length < HTMT_PATH_MAX && !access(path, R_OK))
        return true;
    snprintf(shipped, sizeof shipped, SHIPPED "%s", name);
    return !htmt_search_path(&htmt__bound_search, shipped, NULL, path, &none);
}

/* The file of a name; "smc53" may be "smc" with a parameter NS of 53. false: there is none. */
static bool find_sized(const struct htmt__sheets *s, const char *name, char path[HTMT_PATH_MAX],
                       struct htmt__nest_given_value *given)
{
    char family[HTMT__SHEET_WORD + 16];
    const size_t length = strcspn(name, "0123456789");
    char *end;
    given->name = NULL;
    if (find_nests(s, name, path))
        return true;
    snprintf(family, sizeof family, "%.*s", (int)length, name);
    *given = (struct htmt__nest_given_value){"NS", strtoll(name + length, &end, 10)};
    return name[length] && !*end && find_nests(s, family, path);
}

/* Reads a file, bounds its loops; HTMT_ENOENT without a fault: it has no parameter NS. */
static int read_nests(struct htmt__sheet_question *q, const char *path,
                      const struct htmt__nest_given_value *given, struct nests *n)
{
    bool sized = !given->name;
    int rc = htmt__nest_file_read(path, &n->file, q->fault);
    for (unsigned i = 0; !rc && i < n->file->parameters; i++)
        sized = sized || !strcmp(n->file->parameter[i].name, given->name);
    if (!rc && !sized)
        return HTMT_ENOENT;
    if (!rc)
        rc = htmt__nest_program_make(n->file, given, given->name != NULL, 1, &n->program, q->fault);
    return rc ? rc : htmt__exasat_make(n->program, &n->rule, q->fault);
}

/* HTMT_ENOENT without a fault: there is no such file. */
static int open_nests(struct htmt__sheet_question *q, const char *name,
                      const struct htmt__exasat **rule)
{
    struct htmt__sheets *s = q->sheets;
    struct htmt__nest_given_value given;
    char path[HTMT_PATH_MAX];
    for (unsigned i = 0; i < s->nests; i++)
        if (!strcmp(s->nest[i]->name, name)) {
            *rule = &s->nest[i]->rule;
            return 0;
        }
    if (!find_sized(s, name, path, &given))
        return HTMT_ENOENT;
    struct nests *n = calloc(1, sizeof *n);
    if (!n || !htmt__array_fits(&s->nest, &s->nest_room, s->nests + 1, sizeof *s->nest)) {
        free(n);
        return htmt_fault_set(q->fault, HTMT_ENOMEM, "out of memory");
    }
    snprintf(n->name, sizeof n->name, "%s", name);
    int rc = read_nests(q, path, &given, n);
    if (rc) {
        htmt__nest_program_destroy(&n->program);
        htmt__nest_file_destroy(&n->file);
        free(n);
        return rc;
    }
    s->nest[s->nests++] = n;
    *rule = &n->rule;
    return 0;
}

static int absent(const struct htmt__sheet_question *q, const char *name)
{
    return htmt_fault_set(q->fault, HTMT_ENOENT, "there is no nest file '%s'", name);
}

static unsigned species(const struct htmt__sheet_question *q)
{
    const double named = q->set.value[HTMT__SHEET_SPECIES];
    return named >= 1 && named < 1e6 ? (unsigned)named : SPECIES;
}

/* A file of a family: with the species behind its name, or by its name alone. */
int htmt__sheet_family(struct htmt__sheet_question *q, const char *family,
                       const struct htmt__exasat **rule)
{
    char name[HTMT__SHEET_WORD + 16];
    snprintf(name, sizeof name, "%s%u", family, species(q));
    int rc = open_nests(q, name, rule);
    if (rc == HTMT_ENOENT && !q->fault->code)
        rc = open_nests(q, family, rule);
    return rc == HTMT_ENOENT && !q->fault->code ? absent(q, name) : rc;
}

int htmt__sheet_named(struct htmt__sheet_question *q, const char *name,
                      const struct htmt__exasat **rule)
{
    int rc = open_nests(q, name, rule);
    return rc == HTMT_ENOENT && !q->fault->code ? absent(q, name) : rc;
}

/* The mechanism that has the row's species. */
int htmt__sheet_chemistry(struct htmt__sheet_question *q, const struct htmt__exasat **rule)
{
    static const struct {
        const char *file, *key; /* of costs/exasat.yaml */
    } mechanisms[] = {{"lidryer", "mechanism.lidryer-species"},
                      {"drm19", "mechanism.drm19-species"},
                      {"grimech30", "mechanism.grimech30-species"},
                      {"hai", "mechanism.hai-species"},
                      {"prf_ethanol", "mechanism.prf-ethanol-species"}};
    const struct htmt__constants where = {.costs = "exasat"};
    for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
        double has;
        int rc = htmt__constant(&where, mechanisms[i].key, &has, q->fault);
        if (rc)
            return rc;
        if ((unsigned)has == species(q))
            return htmt__sheet_named(q, mechanisms[i].file, rule);
    }
    return htmt_fault_set(q->fault, HTMT_ENOENT, "no mechanism has %u species", species(q));
}

/* A machine of the golden folder, or a shipped one. */
int htmt__sheet_chip(struct htmt__sheet_question *q)
{
    struct htmt__sheets *s = q->sheets;
    const char *name = q->row->machine;
    char path[HTMT_PATH_MAX];
    for (unsigned i = 0; i < s->chips; i++)
        if (!strcmp(s->chip[i]->name, name)) {
            q->rates = &s->chip[i]->rates;
            return 0;
        }
    struct chip *c = calloc(1, sizeof *c);
    if (!c || !htmt__array_fits(&s->chip, &s->chip_room, s->chips + 1, sizeof *s->chip)) {
        free(c);
        return htmt_fault_set(q->fault, HTMT_ENOMEM, "out of memory");
    }
    int length = snprintf(path, sizeof path, "%s/machines/%s.yaml", s->golden->folder, name);
    bool own = *s->golden->folder && length < HTMT_PATH_MAX && !access(path, R_OK);
    snprintf(c->name, sizeof c->name, "%s", name);
    int rc = htmt_machine_load(name, NULL, 0, &c->machine, q->fault);
    if (rc && own) {
        *q->fault = (struct htmt_fault){0};
        rc = htmt_machine_load(path, NULL, 0, &c->machine, q->fault);
    }
    if (!rc)
        rc = htmt__bound_rates_read(c->machine, &c->rates, q->fault);
    if (rc) {
        htmt_machine_destroy(&c->machine);
        free(c);
        return rc;
    }
    s->chip[s->chips++] = c;
    q->rates = &c->rates;
    return 0;
}

/* ---- settings ----------------------------------------------------------------------------------
 */

bool htmt__sheet_is_set(const struct htmt__sheet_question *q, enum htmt__sheet_setting s)
{
    return !isnan(q->set.value[s]);
}

/* A decimal such as 2.5, exactly. */
static struct htmt__nest_number decimal(double value)
{
    struct htmt__nest_number n = htmt__nest_whole(0);
    htmt__nest_divide(htmt__nest_whole((htmt_wide)llround(htmt__sheet_within(value, 1e9) * 1e6)),
                      htmt__nest_whole(1000000), &n);
    return n;
}

/* The time in fs of each of so many a second; whole numbers a second, so it is a ratio. */
static struct htmt_ratio each_of(double a_second, uint64_t times)
{
    return (struct htmt_ratio){UINT64_C(1000000000000000) * times,
                               (uint64_t)llround(htmt__sheet_within(a_second, 1e18))};
}

/* The row's settings, on its machine's defaults. */
void htmt__sheet_request(const struct htmt__sheet_question *q, struct htmt__exasat_request *r)
{
    const double *v = q->set.value;
    htmt__exasat_request_of(q->rates, r);
    /* a row that names no block is of those that the sheets have: 16 x 16 columns, of micro 16 rows
     */
    r->block[HTMT__EXASAT_X] = strcmp(q->word[0], "micro") ? SHEET_BLOCK : 0;
    r->block[HTMT__EXASAT_Y] = SHEET_BLOCK;
    for (int a = 0; a < HTMT__EXASAT_AXES; a++)
        if (htmt__sheet_is_set(q, HTMT__SHEET_BX + (enum htmt__sheet_setting)a))
            r->block[a] = (int64_t)htmt__sheet_within(v[HTMT__SHEET_BX + a], 0x1p24);
    if (htmt__sheet_is_set(q, HTMT__SHEET_CACHE))
        r->cache =
            (htmt_wide)(htmt__sheet_within(v[HTMT__SHEET_CACHE], 0x1p100) * KIB); /* or infinite */
    if (v[HTMT__SHEET_LINE] >= HTMT_WORD)
        r->line = (htmt_wide)htmt__sheet_within(v[HTMT__SHEET_LINE], 0x1p16) / HTMT_WORD;
    if (htmt__sheet_is_set(q, HTMT__SHEET_WRITE))
        r->write_cost = (htmt_wide)htmt__sheet_within(v[HTMT__SHEET_WRITE], 1024);
    if (htmt__sheet_is_set(q, HTMT__SHEET_DIVIDE))
        r->divide = decimal(v[HTMT__SHEET_DIVIDE]);
    if (htmt__sheet_is_set(q, HTMT__SHEET_FUNCTION))
        r->function = decimal(v[HTMT__SHEET_FUNCTION]);
    if (v[HTMT__SHEET_FLOPS] >= 1) {
        r->flop = each_of(v[HTMT__SHEET_FLOPS], 1);
        r->processors = 1;
    }
    if (v[HTMT__SHEET_MEMORY] >= 1)
        r->word = each_of(v[HTMT__SHEET_MEMORY], HTMT_WORD);
    if (v[HTMT__SHEET_NETWORK] >= 1)
        r->message_word = each_of(v[HTMT__SHEET_NETWORK], HTMT_WORD);
    if (htmt__sheet_is_set(q, HTMT__SHEET_LATENCY))
        r->message_latency = (struct htmt_ratio){
            (uint64_t)llround(htmt__sheet_within(v[HTMT__SHEET_LATENCY], 1e6) * 1e9), 1};
}

int htmt__sheet_fail(const struct htmt__sheet_question *q, int rc)
{
    if (rc && !q->fault->code)
        htmt_fault_set(q->fault, rc, "%s", htmt_strerror(rc));
    return rc;
}

/* ---- loops, sums -------------------------------------------------------------------------------
 */

int htmt__sheet_pick(const struct htmt__sheet_question *q, const struct htmt__sheet_measured *all,
                     size_t count, const char *what, double *value)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(all[i].what, what)) {
            *value = all[i].value;
            return 0;
        }
    return htmt__sheet_unknown(q);
}

double htmt__sheet_operations(const struct htmt__exasat_loop *loop, enum htmt__nest_class class)
{
    return htmt__nest_value(loop->run->plan->ops[class]);
}

/* A quantity of a loop, in the unit of the sheets: kB, GB, Gflop, ms. */
static int measure(const struct htmt__sheet_question *q, const struct htmt__exasat *rule,
                   const struct htmt__exasat_loop *loop, const struct htmt__exasat_request *r,
                   const char *what, double *value)
{
    struct htmt__exasat_bound b;
    int rc = htmt__exasat_bound(rule, loop, r, &b);
    if (rc)
        return htmt__sheet_fail(q, rc);
    const double bytes = htmt__nest_value(b.bytes), work = htmt__nest_value(b.work);
    const struct htmt__sheet_measured all[] = {
        {"add", htmt__sheet_operations(loop, HTMT__NEST_ADD)},
        {"mul", htmt__sheet_operations(loop, HTMT__NEST_MUL)},
        {"div", htmt__sheet_operations(loop, HTMT__NEST_DIV)},
        {"fn", htmt__sheet_operations(loop, HTMT__NEST_FUNCTION)},
        {"state.int", (double)loop->integers},
        {"state.fp", (double)loop->reals},
        {"arrays.r", (double)loop->arrays[HTMT__EXASAT_READ]},
        {"arrays.w", (double)loop->arrays[HTMT__EXASAT_WRITE]},
        {"arrays.rw", (double)loop->arrays[HTMT__EXASAT_READ_WRITE]},
        {"ws.plane", (double)b.set[HTMT__EXASAT_PLANE] / KIB},
        {"ws.pencil", (double)b.set[HTMT__EXASAT_PENCIL] / KIB},
        {"ws.cell", (double)b.set[HTMT__EXASAT_CELL] / KIB},
        {"ws", (double)b.working / KIB},
        {"mem", bytes / GIB},
        {"flop", htmt__nest_value(b.operations) / 1e9},
        {"fp", work / 1e9},
        {"bf", work > 0 ? bytes / work : 0},
        {"time", (double)b.fs / 1e12},
    };
    return htmt__sheet_pick(q, all, sizeof all / sizeof *all, what, value);
}

int htmt__sheet_add_up(const struct htmt__sheet_question *q, const struct htmt__exasat *rule,
                       const struct htmt__exasat_request *r, struct htmt__exasat_bound *total)
{
    return htmt__sheet_fail(q, htmt__exasat_sum(rule, r, NULL, total));
}

double htmt__sheet_bytes(const struct htmt__exasat_bound *b)
{
    return htmt__nest_value(b->bytes);
}

double htmt__sheet_ms(const struct htmt__exasat_bound *b)
{
    return (double)b->fs / 1e12;
}

int htmt__sheet_sum(const struct htmt__sheet_question *q, const struct htmt__exasat *rule,
                    const char *what, double *value)
{
    struct htmt__exasat_request r;
    struct htmt__exasat_bound t;
    htmt__sheet_request(q, &r);
    int rc = htmt__sheet_add_up(q, rule, &r, &t);
    if (rc)
        return rc;
    const double work = htmt__nest_value(t.work);
    const struct htmt__sheet_measured all[] = {
        {"mem", htmt__sheet_bytes(&t) / GIB},
        {"flop", htmt__nest_value(t.operations) / 1e9},
        {"fp", work / 1e9},
        {"bf", work > 0 ? htmt__sheet_bytes(&t) / work : 0},
        {"time", htmt__sheet_ms(&t)},
        {"ws", (double)t.working / KIB},
    };
    return htmt__sheet_pick(q, all, sizeof all / sizeof *all, what, value);
}

int htmt__sheet_message_ms(const struct htmt__sheet_question *q, const struct htmt__exasat *rule,
                           const struct htmt__exasat_request *r, double *ms)
{
    htmt_wide fs = 0;
    int rc = htmt__sheet_fail(q, htmt__exasat_message_time(rule, r, &fs));
    *ms = (double)fs / 1e12;
    return rc;
}

/* "43.ws.plane": of the loop at that line; "ws.plane": of the only one. */
int htmt__sheet_loop(const struct htmt__sheet_question *q, const struct htmt__exasat *rule,
                     const char *line, unsigned from, double *value)
{
    struct htmt__exasat_request r;
    char what[2 * HTMT__SHEET_WORD];
    snprintf(what, sizeof what, "%s%s%s", q->word[from], q->words > from + 1 ? "." : "",
             q->words > from + 1 ? q->word[from + 1] : "");
    htmt__sheet_request(q, &r);
    if (!line)
        return rule->loops == 1 ? measure(q, rule, &rule->loop[0], &r, what, value)
                                : htmt__sheet_unknown(q);
    for (unsigned i = 0; i < rule->loops; i++)
        if (rule->loop[i].run->plan->nest->source_line == strtoull(line, NULL, 10))
            return measure(q, rule, &rule->loop[i], &r, what, value);
    return htmt_fault_set(q->fault, HTMT_EINVAL, "%s has no loop at line %s",
                          rule->program->file->path, line);
}
