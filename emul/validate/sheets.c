/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An id says what is asked: E.S.FAMILY.LINE.QUANTITY is a loop by its line in the source, or the
 * only one of a file (E.S.chem.NAME., E.S.micro.NAME.), E.S.FAMILY.total. and .comm. are sums and
 * messages, E.S.F13.53.simd2 is a point of a figure. The settings are the row's own
 * (sheet_settings.h). Nothing else of the row is read: no number of it is an answer.
 *
 * FAMILY is a nest file: "smc53" as it stands; "smc" with the species of the row behind it, else
 * "cns" alone. A file with a parameter NS is one of each size. A folder of golden tables has its
 * files in nests/ beside them; shipped ones have "exasat-" before their names.
 */
#include "emul/validate/sheets.h"

#include "emul/loops/bound/exasat.h"
#include "emul/loops/bound/outputs.h"
#include "emul/validate/constant.h"
#include "emul/validate/sheet_settings.h"
#include "runtime/base/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX      "E.S."
#define SHIPPED     "exasat-"
#define WORDS_MAX   8
#define WORD_ROOM   40
#define SPECIES     9  /* of the sheets as they are published */
#define SHEET_BLOCK 16 /* cells, of a sheet's blocks along x and y */
#define KIB         1024.0
#define GIB         0x1p30

/* A nest file that was read, or is not there. */
struct nests {
    char name[WORD_ROOM + 16];
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

/* What a row asks. */
struct question {
    struct htmt__sheets *sheets;
    const struct htmt__golden_row *row;
    unsigned words;
    char word[WORDS_MAX][WORD_ROOM]; /* of the id, behind the prefix */
    struct htmt__sheet_settings set;
    const struct htmt__bound_rates *rates;
    struct htmt_fault *fault;
};

bool htmt__sheets_answer(const struct htmt__golden_row *row)
{
    return !strncmp(row->id, PREFIX, strlen(PREFIX)) && row->use == HTMT__PREDICT;
}

static int unknown(const struct question *q)
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
    char shipped[WORD_ROOM + 32];
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
    char family[WORD_ROOM + 16];
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
static int read_nests(struct question *q, const char *path,
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
static int open_nests(struct question *q, const char *name, const struct htmt__exasat **rule)
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

static int absent(const struct question *q, const char *name)
{
    return htmt_fault_set(q->fault, HTMT_ENOENT, "there is no nest file '%s'", name);
}

static unsigned species(const struct question *q)
{
    const double named = q->set.value[HTMT__SHEET_SPECIES];
    return named >= 1 && named < 1e6 ? (unsigned)named : SPECIES;
}

/* A file of a family: with the species behind its name, or by its name alone. */
static int open_family(struct question *q, const char *family, const struct htmt__exasat **rule)
{
    char name[WORD_ROOM + 16];
    snprintf(name, sizeof name, "%s%u", family, species(q));
    int rc = open_nests(q, name, rule);
    if (rc == HTMT_ENOENT && !q->fault->code)
        rc = open_nests(q, family, rule);
    return rc == HTMT_ENOENT && !q->fault->code ? absent(q, name) : rc;
}

static int open_named(struct question *q, const char *name, const struct htmt__exasat **rule)
{
    int rc = open_nests(q, name, rule);
    return rc == HTMT_ENOENT && !q->fault->code ? absent(q, name) : rc;
}

/* The mechanism that has the row's species. */
static int open_chemistry(struct question *q, const struct htmt__exasat **rule)
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
            return open_named(q, mechanisms[i].file, rule);
    }
    return htmt_fault_set(q->fault, HTMT_ENOENT, "no mechanism has %u species", species(q));
}

/* A machine of the golden folder, or a shipped one. */
static int open_chip(struct question *q)
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

static bool is_set(const struct question *q, enum htmt__sheet_setting s)
{
    return !isnan(q->set.value[s]);
}

/* A setting that a text may give any value; no product of such ones passes 128 bits. */
static double within(double value, double most)
{
    return value < most ? value : most;
}

/* A decimal such as 2.5, exactly. */
static struct htmt__nest_number decimal(double value)
{
    struct htmt__nest_number n = htmt__nest_whole(0);
    htmt__nest_divide(htmt__nest_whole((htmt_wide)llround(within(value, 1e9) * 1e6)),
                      htmt__nest_whole(1000000), &n);
    return n;
}

/* The time in fs of each of so many a second; whole numbers a second, so it is a ratio. */
static struct htmt_ratio each_of(double a_second, uint64_t times)
{
    return (struct htmt_ratio){UINT64_C(1000000000000000) * times,
                               (uint64_t)llround(within(a_second, 1e18))};
}

/* The row's settings, on its machine's defaults. */
static void request_of(const struct question *q, struct htmt__exasat_request *r)
{
    const double *v = q->set.value;
    htmt__exasat_request_of(q->rates, r);
    /* a row that names no block is of those that the sheets have: 16 x 16 columns, of micro 16 rows
     */
    r->block[HTMT__EXASAT_X] = strcmp(q->word[0], "micro") ? SHEET_BLOCK : 0;
    r->block[HTMT__EXASAT_Y] = SHEET_BLOCK;
    for (int a = 0; a < HTMT__EXASAT_AXES; a++)
        if (is_set(q, HTMT__SHEET_BX + (enum htmt__sheet_setting)a))
            r->block[a] = (int64_t)within(v[HTMT__SHEET_BX + a], 0x1p24);
    if (is_set(q, HTMT__SHEET_CACHE))
        r->cache = (htmt_wide)(within(v[HTMT__SHEET_CACHE], 0x1p100) * KIB); /* or infinite */
    if (v[HTMT__SHEET_LINE] >= HTMT_WORD)
        r->line = (htmt_wide)within(v[HTMT__SHEET_LINE], 0x1p16) / HTMT_WORD;
    if (is_set(q, HTMT__SHEET_WRITE))
        r->write_cost = (htmt_wide)within(v[HTMT__SHEET_WRITE], 1024);
    if (is_set(q, HTMT__SHEET_DIVIDE))
        r->divide = decimal(v[HTMT__SHEET_DIVIDE]);
    if (is_set(q, HTMT__SHEET_FUNCTION))
        r->function = decimal(v[HTMT__SHEET_FUNCTION]);
    if (v[HTMT__SHEET_FLOPS] >= 1) {
        r->flop = each_of(v[HTMT__SHEET_FLOPS], 1);
        r->processors = 1;
    }
    if (v[HTMT__SHEET_MEMORY] >= 1)
        r->word = each_of(v[HTMT__SHEET_MEMORY], HTMT_WORD);
    if (v[HTMT__SHEET_NETWORK] >= 1)
        r->message_word = each_of(v[HTMT__SHEET_NETWORK], HTMT_WORD);
    if (is_set(q, HTMT__SHEET_LATENCY))
        r->message_latency =
            (struct htmt_ratio){(uint64_t)llround(within(v[HTMT__SHEET_LATENCY], 1e6) * 1e9), 1};
}

static int fail(const struct question *q, int rc)
{
    if (rc && !q->fault->code)
        htmt_fault_set(q->fault, rc, "%s", htmt_strerror(rc));
    return rc;
}

/* ---- loops, sums -------------------------------------------------------------------------------
 */

struct measured {
    const char *what;
    double value;
};

static int pick(const struct question *q, const struct measured *all, size_t count,
                const char *what, double *value)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(all[i].what, what)) {
            *value = all[i].value;
            return 0;
        }
    return unknown(q);
}

static double operations(const struct htmt__exasat_loop *loop, enum htmt__nest_class class)
{
    return htmt__nest_value(loop->run->plan->ops[class]);
}

/* A quantity of a loop, in the unit of the sheets: kB, GB, Gflop, ms. */
static int measure(const struct question *q, const struct htmt__exasat *rule,
                   const struct htmt__exasat_loop *loop, const struct htmt__exasat_request *r,
                   const char *what, double *value)
{
    struct htmt__exasat_bound b;
    int rc = htmt__exasat_bound(rule, loop, r, &b);
    if (rc)
        return fail(q, rc);
    const double bytes = htmt__nest_value(b.bytes), work = htmt__nest_value(b.work);
    const struct measured all[] = {
        {"add", operations(loop, HTMT__NEST_ADD)},
        {"mul", operations(loop, HTMT__NEST_MUL)},
        {"div", operations(loop, HTMT__NEST_DIV)},
        {"fn", operations(loop, HTMT__NEST_FUNCTION)},
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
    return pick(q, all, sizeof all / sizeof *all, what, value);
}

static int add_up(const struct question *q, const struct htmt__exasat *rule,
                  const struct htmt__exasat_request *r, struct htmt__exasat_bound *total)
{
    return fail(q, htmt__exasat_sum(rule, r, NULL, total));
}

static double bytes_of(const struct htmt__exasat_bound *b)
{
    return htmt__nest_value(b->bytes);
}

static double ms_of(const struct htmt__exasat_bound *b)
{
    return (double)b->fs / 1e12;
}

static int sum(const struct question *q, const struct htmt__exasat *rule, const char *what,
               double *value)
{
    struct htmt__exasat_request r;
    struct htmt__exasat_bound t;
    request_of(q, &r);
    int rc = add_up(q, rule, &r, &t);
    if (rc)
        return rc;
    const double work = htmt__nest_value(t.work);
    const struct measured all[] = {
        {"mem", bytes_of(&t) / GIB}, {"flop", htmt__nest_value(t.operations) / 1e9},
        {"fp", work / 1e9},          {"bf", work > 0 ? bytes_of(&t) / work : 0},
        {"time", ms_of(&t)},         {"ws", (double)t.working / KIB},
    };
    return pick(q, all, sizeof all / sizeof *all, what, value);
}

static int message_ms(const struct question *q, const struct htmt__exasat *rule,
                      const struct htmt__exasat_request *r, double *ms)
{
    htmt_wide fs = 0;
    int rc = fail(q, htmt__exasat_message_time(rule, r, &fs));
    *ms = (double)fs / 1e12;
    return rc;
}

/* "43.ws.plane": of the loop at that line; "ws.plane": of the only one. */
static int ask_loop(const struct question *q, const struct htmt__exasat *rule, const char *line,
                    unsigned from, double *value)
{
    struct htmt__exasat_request r;
    char what[2 * WORD_ROOM];
    snprintf(what, sizeof what, "%s%s%s", q->word[from], q->words > from + 1 ? "." : "",
             q->words > from + 1 ? q->word[from + 1] : "");
    request_of(q, &r);
    if (!line)
        return rule->loops == 1 ? measure(q, rule, &rule->loop[0], &r, what, value) : unknown(q);
    for (unsigned i = 0; i < rule->loops; i++)
        if (rule->loop[i].run->plan->nest->source_line == strtoull(line, NULL, 10))
            return measure(q, rule, &rule->loop[i], &r, what, value);
    return htmt_fault_set(q->fault, HTMT_EINVAL, "%s has no loop at line %s",
                          rule->program->file->path, line);
}

static int ask_messages(const struct question *q, const struct htmt__exasat *rule, double *value)
{
    struct htmt__exasat_request r;
    request_of(q, &r);
    if (!strcmp(q->word[2], "time"))
        return message_ms(q, rule, &r, value);
    *value = (double)rule->message_bytes;
    return strcmp(q->word[2], "mem") ? unknown(q) : 0;
}

/* "smc.43.mem", "smc.total.mem", "smc.comm.mem" */
static int ask_family(struct question *q, double *value)
{
    const struct htmt__exasat *rule;
    if (q->words < 3)
        return unknown(q);
    int rc = strpbrk(q->word[0], "0123456789") ? open_named(q, q->word[0], &rule)
                                               : open_family(q, q->word[0], &rule);
    if (rc)
        return rc;
    return !strcmp(q->word[1], "total")  ? sum(q, rule, q->word[2], value)
           : !strcmp(q->word[1], "comm") ? ask_messages(q, rule, value)
                                         : ask_loop(q, rule, q->word[1], 2, value);
}

/* "chem.lidryer.mem", "micro.lap.mem" */
static int ask_file(struct question *q, double *value)
{
    const struct htmt__exasat *rule;
    int rc = q->words < 3 ? unknown(q) : open_named(q, q->word[1], &rule);
    return rc ? rc : ask_loop(q, rule, NULL, 2, value);
}

/* ---- figures of the paper ----------------------------------------------------------------------
 */

/* Figure 7: traffic of the flat CNS over the cache. */
static int figure7(struct question *q, double *value)
{
    const struct htmt__exasat *rule;
    int rc = open_named(q, "cnsflat", &rule);
    return rc ? rc : sum(q, rule, "mem", value);
}

/* Figure 8: small loops over the blocks; "F8.grad.16.mem". */
static int figure8(struct question *q, double *value)
{
    const struct htmt__exasat *rule;
    int rc = q->words < 4 ? unknown(q) : open_named(q, q->word[1], &rule);
    return rc ? rc : ask_loop(q, rule, NULL, 3, value);
}

/* Figure 12: operations of a cell of the box, and their shares of the time. */
static int figure12(struct question *q, double *value)
{
    const bool chemistry = !strcmp(q->word[1], "chem");
    const struct htmt__exasat *rule;
    struct htmt__exasat_request r;
    double of[HTMT__NEST_CLASSES] = {0}, box = 1;
    if (!strcmp(q->word[1], "log"))
        return htmt_fault_set(q->fault, HTMT_ENOENT,
                              "nest files of chemistry count functions of all kinds as one");
    int rc = chemistry ? open_chemistry(q, &rule) : open_family(q, "smc", &rule);
    if (rc)
        return rc;
    request_of(q, &r);
    for (int a = 0; a < HTMT__EXASAT_AXES; a++)
        box *= (double)rule->box[a];
    for (unsigned i = 0; i < rule->loops; i++)
        for (int c = 0; c < HTMT__NEST_CLASSES; c++)
            of[c] += operations(&rule->loop[i], (enum htmt__nest_class)c) *
                     (double)rule->loop[i].run->plan->count / box;
    const double plain = of[HTMT__NEST_ADD] + of[HTMT__NEST_MUL],
                 divided = of[HTMT__NEST_DIV] * htmt__nest_value(r.divide),
                 called = of[HTMT__NEST_FUNCTION] * htmt__nest_value(r.function),
                 all = plain + divided + called;
    const struct measured shares[] = {
        {"add", of[HTMT__NEST_ADD]},         {"mul", of[HTMT__NEST_MUL]},
        {"div", of[HTMT__NEST_DIV]},         {"fn", of[HTMT__NEST_FUNCTION]},
        {"share addmul", 100 * plain / all}, {"share div", 100 * divided / all},
        {"share fn", 100 * called / all}};
    char what[2 * WORD_ROOM];
    snprintf(what, sizeof what, "%s%s%s", q->word[2], q->words > 3 ? " " : "",
             q->words > 3 ? q->word[3] : "");
    return pick(q, shares, sizeof shares / sizeof *shares, what, value);
}

/* Times of dynamics, chemistry and messages, one after the other; unweighted flop of both. */
struct step {
    double dynamics, chemistry, messages; /* ms */
    double flop, bytes, sent;             /* sent: bytes of messages */
};

static int take_step(struct question *q, const struct htmt__exasat_request *r, struct step *step)
{
    const bool light = is_set(q, HTMT__SHEET_LIGHT);
    const struct htmt__exasat *dynamics, *chemistry;
    struct htmt__exasat_request whole = *r;
    struct htmt__exasat_bound d, c;
    memset(whole.block, 0, sizeof whole.block);
    int rc = open_family(q, light ? "smclight" : "smc", &dynamics);
    if (!rc)
        rc = open_chemistry(q, &chemistry);
    if (!rc)
        rc = add_up(q, dynamics, r, &d);
    if (!rc)
        rc = add_up(q, chemistry, &whole, &c);
    if (!rc)
        rc = message_ms(q, dynamics, r, &step->messages);
    if (rc)
        return rc;
    step->dynamics = ms_of(&d);
    step->chemistry = ms_of(&c);
    step->flop = htmt__nest_value(d.operations) + htmt__nest_value(c.operations);
    step->bytes = bytes_of(&d) + bytes_of(&c);
    step->sent = (double)dynamics->message_bytes;
    return 0;
}

/* Figure 13: gain of cheaper divisions and functions, in percent. */
static int figure13(struct question *q, double *value)
{
    struct htmt__exasat_request fast, slow;
    struct step a, b;
    request_of(q, &fast);
    slow = fast;
    slow.divide = htmt__nest_whole((htmt_wide)q->rates->divide);
    slow.function = htmt__nest_whole((htmt_wide)q->rates->function);
    int rc = take_step(q, &slow, &a);
    if (!rc)
        rc = take_step(q, &fast, &b);
    if (!rc)
        *value =
            100 *
            ((a.dynamics + a.chemistry + a.messages) / (b.dynamics + b.chemistry + b.messages) - 1);
    return rc;
}

/* Figure 14: references to the state variable that is the N-th most used. */
static int figure14(struct question *q, double *value)
{
    const struct htmt__exasat *rule;
    struct htmt__nest_number uses;
    int rc = q->words < 3 ? unknown(q) : open_named(q, q->word[1], &rule);
    if (!rc)
        rc = fail(q, htmt__exasat_uses(&rule->loop[0], strtoull(q->word[2], NULL, 10), &uses));
    if (!rc)
        *value = htmt__nest_value(uses);
    return rc;
}

/* Figure 15: references to state that registers take, in percent; "l1": state among what goes on to
 * the first cache. "F15.dyn53.16" is of all loops of the dynamics. */
static int figure15(struct question *q, double *value)
{
    const bool dynamics = !strncmp(q->word[1], "dyn", 3);
    const struct htmt__exasat *rule;
    double hits = 0, misses = 0, streamed = 0;
    if (q->words < 3 || !is_set(q, HTMT__SHEET_REGISTERS))
        return unknown(q);
    int rc = dynamics ? open_family(q, "smc", &rule) : open_named(q, q->word[1], &rule);
    for (unsigned i = 0; !rc && i < rule->loops; i++) {
        struct htmt__exasat_registers one;
        rc = fail(q, htmt__exasat_registers(
                         &rule->loop[i], (uint64_t)within(q->set.value[HTMT__SHEET_REGISTERS], 1e9),
                         &one));
        if (rc)
            break;
        hits += htmt__nest_value(one.hits);
        misses += htmt__nest_value(one.misses);
        streamed += htmt__nest_value(one.streamed);
    }
    if (!rc)
        *value = !strcmp(q->word[2], "l1") ? 100 * misses / (misses + streamed)
                                           : 100 * hits / (hits + misses);
    return rc;
}

/* Figure 16: bytes a flop of the dynamics over blocks and cache. */
static int figure16(struct question *q, double *value)
{
    const struct htmt__exasat *rule;
    int rc = open_family(q, "smc", &rule);
    return rc ? rc : sum(q, rule, "bf", value);
}

static int best_bytes(struct question *q, const char *family, htmt_wide cache, double *bytes)
{
    const struct htmt__exasat *rule;
    struct htmt__exasat_request r;
    struct htmt__exasat_bound t;
    int rc = open_family(q, family, &rule);
    if (rc)
        return rc;
    request_of(q, &r);
    r.cache = cache;
    rc = fail(q, htmt__exasat_best_block(rule, &r));
    if (!rc)
        rc = add_up(q, rule, &r, &t);
    if (!rc)
        *bytes = bytes_of(&t);
    return rc;
}

/* The cache, a power of two in kB up to 256 MB, from which on fusion moves less, each with its best
 * block. */
static int fusion_pays(struct question *q, double *value)
{
    bool pays = true;
    int rc = 0;
    *value = 0;
    for (int k = 18; k >= 0 && pays && !rc; k--) {
        const htmt_wide cache = (htmt_wide)1 << (k + 10);
        double apart, fused;
        rc = best_bytes(q, "smc", cache, &apart);
        if (!rc)
            rc = best_bytes(q, "smcfused", cache, &fused);
        pays = !rc && fused < apart;
        if (pays)
            *value = (double)cache / KIB;
    }
    return rc;
}

/* Figure 17: bytes a flop over the cache, in whole or in the best blocks. */
static int figure17(struct question *q, double *value)
{
    char family[WORD_ROOM + 4] = "smc";
    const struct htmt__exasat *rule;
    struct htmt__exasat_request r;
    struct htmt__exasat_bound t;
    if (!strcmp(q->word[1], "fuse") && !strcmp(q->word[2], "cache"))
        return fusion_pays(q, value);
    if (strcmp(q->word[1], "base") != 0)
        snprintf(family, sizeof family, "smc%s", q->word[1]);
    int rc = open_family(q, family, &rule);
    if (rc)
        return rc;
    request_of(q, &r);
    if (q->words > 3 && !strcmp(q->word[3], "blocked"))
        rc = fail(q, htmt__exasat_best_block(rule, &r));
    if (!rc)
        rc = add_up(q, rule, &r, &t);
    if (!rc)
        *value = bytes_of(&t) / htmt__nest_value(t.work);
    return rc;
}

/* Figure 18: loops of the procedure `advance` that write a component: the share of one write among
 * all, and of components that at most one loop writes among all that it touches. */
static int figure18(struct question *q, double *value)
{
    const struct htmt__exasat *rule;
    struct htmt__nest_occupancy o;
    struct htmt__exasat_writes w;
    int rc = open_family(q, "smc", &rule);
    if (!rc)
        rc = fail(q, htmt__nest_occupancy_make(rule->program, &o));
    if (rc)
        return rc;
    htmt__exasat_count_writes(rule, &o, "advance", &w);
    htmt__nest_occupancy_clear(&o);
    const struct measured shares[] = {{"once", 100 / (double)w.all},
                                      {"share", 100 * (double)w.once / (double)w.arrays}};
    return pick(q, shares, sizeof shares / sizeof *shares, q->word[1], value);
}

/* Figure 19: share of messages in what moves, on networks so many times slower than memory. */
static int figure19(struct question *q, double *value)
{
    struct htmt__exasat_request r;
    struct step s;
    if (!is_set(q, HTMT__SHEET_RATIO))
        return unknown(q);
    request_of(q, &r);
    int rc = take_step(q, &r, &s);
    const double slower = q->set.value[HTMT__SHEET_RATIO];
    if (!rc)
        *value = 100 * s.sent * slower / (s.bytes + s.sent * slower);
    return rc;
}

/* Figure 20: unweighted flop/s of dynamics, chemistry and messages. */
static int figure20(struct question *q, double *value)
{
    struct htmt__exasat_request r;
    struct step s;
    request_of(q, &r);
    int rc = take_step(q, &r, &s);
    if (!rc)
        *value = s.flop / ((s.dynamics + s.chemistry + s.messages) / 1e3);
    return rc;
}

int htmt__sheets_value(struct htmt__sheets *sheets, const struct htmt__golden_table *table,
                       const struct htmt__golden_row *row, double *value, struct htmt_fault *fault)
{
    static const struct {
        const char *word;
        int (*ask)(struct question *, double *);
    } asked[] = {{"chem", ask_file}, {"micro", ask_file}, {"F7", figure7},   {"F8", figure8},
                 {"F12", figure12},  {"F13", figure13},   {"F14", figure14}, {"F15", figure15},
                 {"F16", figure16},  {"F17", figure17},   {"F18", figure18}, {"F19", figure19},
                 {"F20", figure20}};
    struct question q = {.sheets = sheets, .row = row, .fault = fault};
    const char *at = row->id + strlen(PREFIX);
    for (; q.words < WORDS_MAX; at++) {
        const size_t length = strcspn(at, ".");
        snprintf(q.word[q.words++], WORD_ROOM, "%.*s", (int)length, at);
        at += length;
        if (!*at)
            break;
    }
    htmt__sheet_settings(table, (unsigned)(row - table->row), &q.set);
    int rc = open_chip(&q);
    if (rc)
        return rc;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        if (!strcmp(asked[i].word, q.word[0]))
            return asked[i].ask(&q, value);
    return ask_family(&q, value);
}
