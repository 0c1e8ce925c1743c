/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Elasticities, on the clock by the critical paths of one run, otherwise by differences: T is asked
 * for at a figure a little larger and a little smaller, as points of a study, so that they are
 * computed in processes and kept in its store.
 *
 * The figure is changed in its time: a rate or a clock of p has the time u = 1 / p. A closed form
 * and the clock add times and take the larger of two, so T is made of straight lines in u, and the
 * difference quotient is the derivative itself, however large the step, as long as no end of a line
 * is within it. In p there would be an error of order h. The step is what the text says after it
 * was rounded to what the figure can be: latencies are whole femtoseconds.
 *
 * For example T = max(2 u, 6 ns) + u at u = 3 ns, where both arms are equal: up by 1 % it is 9.09
 * ns and down 8.97 ns, so d ln T / d ln u is 1 to the one side and 1/3 to the other. That is a tie,
 * and both are told. Without one their mean is told, which is better where T bends smoothly.
 *
 * The clock rounds each charge to a femtosecond, as some closed forms do, and a charge may be there
 * a thousand times. So h is 1e-4, but larger where T is so short that a difference would be of less
 * than a million femtoseconds; and T is asked for at twice the step, too: what it is off the line
 * through the other two is rounding, of which follows how far a derivative can be trusted.
 *
 * T is homogeneous: if all times double, so does T. By Euler's theorem e of the times less e of the
 * rates is then 1. One-sided derivatives do not add up so, and where there is a tie no sum is told.
 */
#include "emul/study/sensitivity.h"

#include "layers/file/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP        1e-4
#define STEP_MOST   0.1
#define SHORT_FS    1e6  /* of a difference of T on the clock */
#define ROUNDING_FS 4    /* in it, at least */
#define BENT        1e-3 /* a derivative that is off by more is no rounding: a line ends there */
#define FINE        1e-5 /* of its factor: how well the end of a line is known */
#define COARSE      1e-2 /* the same on the clock */
#define EXACT       1e-9 /* slopes by the path that differ by more are a tie */
#define STRAIGHT    1e-7 /* of T: by so much rounding of many charges may bend a line */
#define PERCENT     1.01
#define AT_ONCE     0x1p-20 /* of its time is as good as none */
#define GUESSES     4       /* by lines, before halves */

/* T of a case with one subject's time multiplied. */
struct query {
    unsigned of_case;
    const struct htmt__cell *cell; /* NULL: nothing changes */
    double factor;
    double at; /* what the texts came to */
    double t;
    bool slopes; /* all that its run can tell of other figures */
};

static int no_memory(struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "out of memory for the differences");
}

/* ---- one round ------------------------------------------------------------------------------- */

static bool make_slopes(struct htmt__sensitivity *x, struct htmt__study_variant *v);

/* A cost file counts in whole cycles and operations, and sizes may be 0.5 MiB. */
static bool scale(const struct htmt__member *m, double factor, char *out, size_t room)
{
    struct htmt_quantity size;
    char *unit, *scaled_unit, why[200];
    const double x = strtod(m->value, &unit);
    if (!m->whole)
        return snprintf(out, room, "%.9g%s", x * factor, unit) < (int)room;
    if (!htmt__axis_scaled(m->value, factor, out, room))
        return false;
    const double y = strtod(out, &scaled_unit);
    if (strncmp(m->key, "costs:", 6) != 0 || y == floor(y) || strcmp(unit, scaled_unit) != 0 ||
        !htmt_quantity_read(out, HTMT_UNIT_SIZE, NULL, &size, why, sizeof why))
        return true;
    return snprintf(out, room, "%.0f%s", fmax(1, round(y)), unit) < (int)room;
}

static void free_variant(struct htmt__study_variant *v)
{
    for (unsigned k = 0; k < v->changes; k++)
        free(v->change[k]);
    for (unsigned i = 0; i < v->slopes; i++) {
        for (unsigned k = 0; k < v->slope[i].changes; k++)
            free(v->slope[i].change[k]);
        free(v->slope[i].change);
    }
    free(v->change);
    free(v->slope);
}

static bool make_variant(struct htmt__sensitivity *x, struct query *q,
                         struct htmt__study_variant *v)
{
    const struct htmt__cell *c = q->cell;
    char text[96], change[240];
    *v = (struct htmt__study_variant){.of_case = q->of_case};
    q->at = 1;
    if (!c)
        return !q->slopes || make_slopes(x, v);
    v->change = calloc(c->members, sizeof *v->change);
    for (unsigned i = 0; i < c->members && v->change; i++) {
        const double factor = htmt__figure_is_inverse(c->kind) ? 1 / q->factor : q->factor;
        if (!scale(&c->member[i], factor, text, sizeof text))
            return false;
        if (!i) {
            const double found = htmt__axis_quotient(text, c->member[i].value);
            q->at = htmt__figure_is_inverse(c->kind) ? 1 / found : found;
        }
        snprintf(change, sizeof change, "%s=%s", c->member[i].key, text);
        if (!(v->change[v->changes] = strdup(change)))
            return false;
        v->changes++;
    }
    return v->change != NULL;
}

/* ---- by the path -----------------------------------------------------------------------------
 *
 * The clock's run tells the derivatives by all figures of its machine at once (parcels/slope.h),
 * from machines in which one of them is twice as large; a share, which is at most 1, half as large.
 * Those that it cannot tell, and those of the cost file, are left to differences. */

static bool make_slopes(struct htmt__sensitivity *x, struct htmt__study_variant *v)
{
    v->slope = calloc(x->subjects + 1u, sizeof *v->slope);
    for (unsigned i = 0; i < x->subjects && v->slope; i++) {
        struct htmt__cell *c = &x->subject[i].cell[v->of_case];
        const bool inverse = htmt__figure_is_inverse(c->kind),
                   halves = inverse || c->kind == HTMT__OF_SHARE;
        struct query q = {.of_case = v->of_case, .cell = c, .factor = halves ? 0.5 : 2};
        struct htmt__study_variant twice;
        c->slope = 0;
        if (!c->members || c->kind == HTMT__OF_STEPS || !strncmp(c->member[0].key, "costs:", 6))
            continue;
        if (!make_variant(x, &q, &twice) || q.at == 1) {
            free_variant(&twice);
            continue;
        }
        v->slope[v->slopes++] = (struct htmt__study_slope){
            .changes = twice.changes, .change = twice.change, .factor = inverse ? 1 / q.at : q.at};
        c->slope = v->slopes;
    }
    return v->slope != NULL;
}

static bool find_value(const json_t *values, const char *side, unsigned slope, double *x)
{
    char name[40];
    snprintf(name, sizeof name, "%s %u", side, slope - 1);
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *v = json_array_get(values, i);
        const char *of = json_string_value(json_array_get(v, 0));
        if (of && !strcmp(of, name)) {
            *x = json_number_value(json_array_get(v, 1));
            return true;
        }
    }
    return false;
}

/* What the run of the point has told, out of the store. */
static int take_slopes(struct htmt__sensitivity *x, const struct htmt__study_place *place,
                       uint64_t number, struct htmt_fault *fault)
{
    const unsigned of_case = x->study->variant[number].of_case;
    struct htmt__store *store = NULL;
    struct htmt__point p;
    char *text = NULL;
    int rc = htmt__point_make(x->study, number, &p, fault);
    rc = rc ? rc : htmt__study_place_store(place, &store, fault);
    rc = rc ? rc : place->part->get(store, p.key, &text, fault);
    json_t *result = text ? json_loads(text, 0, NULL) : NULL;
    const json_t *values = json_object_get(result, "values");
    for (unsigned i = 0; i < x->subjects && !rc; i++) {
        struct htmt__cell *c = &x->subject[i].cell[of_case];
        c->by_path = c->slope && find_value(values, "larger", c->slope, &c->larger) &&
                     find_value(values, "smaller", c->slope, &c->smaller);
    }
    const char *why = json_string_value(json_object_get(result, "no_slope"));
    if (!rc && why && !(x->of[of_case].no_slope = strdup(why)))
        rc = no_memory(fault);
    json_decref(result);
    free(text);
    if (store)
        place->part->close(&store);
    htmt__point_fini(&p);
    return rc;
}

/* Asks for all of them at once. `of`: of each case, for what refuses it; NULL: nobody asks. */
static int ask(struct htmt__sensitivity *x, const struct htmt__study_place *place, struct query *q,
               size_t count, struct htmt__sensed *of, struct htmt_fault *fault)
{
    struct htmt__study *s = x->study;
    struct htmt__study_table t = {.front = {-1, -1}};
    struct htmt__study_variant *v = calloc(count + 1, sizeof *v);
    uint64_t computed = 0;
    bool fits = v != NULL;
    for (size_t i = 0; i < count && fits; i++)
        fits = make_variant(x, &q[i], &v[i]);
    int rc = fits ? htmt__study_table_column(&t, "T", fault) : no_memory(fault);
    s->variant = v;
    s->points = count;
    if (!rc && count)
        rc = htmt__study_compute(s, &t, place, x->jobs, &computed, fault);
    for (size_t i = 0; i < count && !rc; i++) {
        q[i].t = t.value[i];
        if (q[i].slopes && t.fine[i])
            rc = take_slopes(x, place, i, fault);
        if (of && !t.fine[i]) {
            of[q[i].of_case].code = t.row[i].code;
            of[q[i].of_case].why = strdup(t.row[i].why);
        }
    }
    x->computed += computed;
    if (count && t.study)
        htmt__study_table_fini(&t);
    for (size_t i = 0; i < count && v; i++)
        free_variant(&v[i]);
    free(v);
    s->variant = NULL;
    return rc;
}

static bool on_clock(const struct htmt__sensitivity *x, unsigned of_case)
{
    return strcmp(x->study->cases[of_case].verb, "predict") != 0;
}

/* ---- differences ----------------------------------------------------------------------------- */

/* The step that changes a figure at all: that of a whole one may be large. 0: there is none, and
 * the figure is one of steps. */
static double find_step(const struct htmt__cell *c, double h)
{
    for (; h <= STEP_MOST; h *= 10) {
        struct htmt__study_variant v;
        struct query up = {.cell = c, .factor = 1 + h}, down = {.cell = c, .factor = 1 - h};
        bool good = true;
        for (int k = 0; k < 2; k++) {
            struct query *q = k ? &down : &up;
            good = make_variant(NULL, q, &v) && good;
            free_variant(&v);
        }
        if (good && up.at > 1 + h / 2 && down.at < 1 - h / 2)
            return h;
    }
    return 0;
}

/* The path tells of the figure, where this is of its time. What may be off is the rounding of T. */
static void conclude_path(struct htmt__cell *c, struct htmt__sensed *of)
{
    const bool inverse = htmt__figure_is_inverse(c->kind);
    c->tie = fabs(c->larger - c->smaller) > EXACT;
    c->slower_slope = inverse ? -c->smaller : c->larger;
    c->faster_slope = inverse ? -c->larger : c->smaller;
    c->e = fabs(c->larger) > fabs(c->smaller) ? c->larger : c->smaller;
    c->doubt = ROUNDING_FS * 1e-15 / of->t / of->h;
    of->ties += c->tie;
}

/* d ln T / d ln u on both sides, of T at one step up and down and at two; where one side is
 * refused, the other stands for it. */
static void conclude(struct htmt__cell *c, const struct query q[4], const struct htmt__sensed *of,
                     bool clock)
{
    double up = (q[0].t / of->t - 1) / (q[0].at - 1), down = (q[1].t / of->t - 1) / (q[1].at - 1);
    double e = (q[0].t - q[1].t) / of->t / (q[0].at - q[1].at);
    c->doubt = (clock ? ROUNDING_FS * 1e-15 / of->t : 1e-14) / of->h;
    for (int k = 0; k < 2; k++) {
        const double bent = fabs((q[k + 2].t / of->t - 1) / (q[k + 2].at - 1) - (k ? down : up));
        if (bent < BENT)
            c->doubt = fmax(c->doubt, 4 * bent);
        c->uneven |= bent >= BENT;
    }
    up = isnan(up) ? down : up;
    down = isnan(down) ? up : down;
    c->tie = fabs(up - down) > c->doubt + 10 * of->h * fmax(fabs(up), fabs(down));
    e = isnan(e) ? up : e;
    c->slower_slope = c->tie ? up : e;
    c->faster_slope = c->tie ? down : e;
    const bool inverse = htmt__figure_is_inverse(c->kind);
    c->larger = inverse ? -c->faster_slope : c->slower_slope;
    c->smaller = inverse ? -c->slower_slope : c->faster_slope;
    c->e = fabs(c->larger) > fabs(c->smaller) ? c->larger : c->smaller;
}

static int find_differences(struct htmt__sensitivity *x, const struct htmt__study_place *place,
                            struct htmt_fault *fault)
{
    const unsigned cases = x->study->case_count;
    struct query *q = calloc(4 * (size_t)x->subjects * cases + 1, sizeof *q);
    size_t n = 0;
    for (unsigned i = 0; i < x->subjects * cases && q; i++) {
        struct htmt__subject *s = &x->subject[i / cases];
        struct htmt__cell *c = &s->cell[i % cases];
        const struct htmt__sensed *of = &x->of[i % cases];
        if (!c->members || isnan(of->t))
            continue;
        if (c->by_path) {
            conclude_path(c, &x->of[i % cases]);
            continue;
        }
        const double h = c->kind == HTMT__OF_STEPS ? 0 : find_step(c, of->h);
        c->kind = h > 0 ? c->kind : HTMT__OF_STEPS;
        if (c->kind == HTMT__OF_STEPS && !htmt__sensitivity_goes_far(x, i % cases))
            continue;
        const double many = strcmp(s->name, "slices") == 0 ? 4 : 2;
        q[n++] = (struct query){i % cases, c, h > 0 ? 1 + h : many, 0, 0, false};
        q[n++] = (struct query){i % cases, c, h > 0 ? 1 - h : 1 / many, 0, 0, false};
        for (int k = -1; k < 2 && h > 0; k += 2)
            q[n++] = (struct query){i % cases, c, 1 - 2 * k * h, 0, 0, false};
    }
    int rc = q ? ask(x, place, q, n, NULL, fault) : no_memory(fault);
    for (size_t i = 0; i < n && !rc; i += 4) {
        struct htmt__cell *c = (struct htmt__cell *)q[i].cell;
        if (c->kind == HTMT__OF_STEPS) {
            c->twice = q[i].t;
            c->half = q[i + 1].t;
            i -= 2; /* these are two */
            continue;
        }
        conclude(c, &q[i], &x->of[q[i].of_case], on_clock(x, q[i].of_case));
        x->of[q[i].of_case].ties += c->tie;
        x->of[q[i].of_case].uneven += c->uneven;
    }
    free(q);
    return rc;
}

/* ---- how far --------------------------------------------------------------------------------- */

/* T leaves its straight line, to the faster or the slower side, or grows by a percent. The first
 * factor at which one of them is true is looked for at the powers of two, on the clock of four, up
 * to 1024; then between two of these. Beyond the end T is mostly another straight line, so where
 * the one through the two points behind the end meets the first is looked at first, a little to
 * either side; if it was not there, the part is halved. Something that begins and ends between two
 * powers is not seen, as where another order of events changes T and changes it back.
 *
 * For T = max(u, 6 ns) + 2 ns from u = 1 ns: T is 8 ns at 1, 2 and 4 ns, 10 at 8 and 18 at 16. It
 * is 2 and 10 above the line there, so the end is at 8 - 2 (16 - 8) / (10 - 2) = 6 ns.
 */
enum end { FASTER, SLOWER, GROWN, ENDS };

struct search {
    struct htmt__cell *cell;
    unsigned of_case;
    enum end end;
    double good, bad; /* factors of the time; bad: not a number where it holds everywhere */
    double beyond;    /* behind bad, if there is one */
    double bad_off, beyond_off; /* how far T is off there */
};

/* How far T is off; more than `allowed` is beyond the end. */
static double off(const struct htmt__sensitivity *x, const struct search *s, double at, double t,
                  double *allowed)
{
    const struct htmt__sensed *of = &x->of[s->of_case];
    const double slope = s->end == FASTER ? s->cell->faster_slope : s->cell->slower_slope;
    const double doubt = fmax(s->cell->doubt, on_clock(x, s->of_case) ? STRAIGHT : 0);
    *allowed = s->end == GROWN ? 0 : doubt * of->t * fmax(1, fabs(at - 1));
    return s->end == GROWN ? t - PERCENT * of->t : fabs(t - of->t * (1 + slope * (at - 1)));
}

/* 1024 is 2^10 and 4^5. */
static unsigned powers_of(const struct htmt__sensitivity *x, unsigned of_case)
{
    return on_clock(x, of_case) ? 5 : 10;
}

/* T at the powers: *q has those of each cell, to the slower and then to the faster side; at last
 * the one that stands for the figure infinitely fast. */
static int ask_powers(struct htmt__sensitivity *x, const struct htmt__study_place *place,
                      struct query **q, size_t *count, struct htmt_fault *fault)
{
    const unsigned cases = x->study->case_count;
    *q = calloc(21 * (size_t)x->subjects * cases + 1, sizeof **q);
    *count = 0;
    for (unsigned i = 0; i < x->subjects * cases && *q; i++) {
        const struct htmt__cell *c = &x->subject[i / cases].cell[i % cases];
        if (!c->members || isnan(x->of[i % cases].t) || c->kind > HTMT__PER_CYCLE || isnan(c->e) ||
            !htmt__sensitivity_goes_far(x, i % cases))
            continue;
        const unsigned n = powers_of(x, i % cases);
        for (unsigned k = 0; k < 2 * n; k++) {
            const double factor = ldexp(1, (int)((k % n + 1) * (10 / n)));
            (*q)[(*count)++] =
                (struct query){i % cases, c, k < n ? factor : 1 / factor, 0, 0, false};
        }
        (*q)[(*count)++] = (struct query){i % cases, c, AT_ONCE, 0, 0, false};
    }
    return *q ? ask(x, place, *q, *count, NULL, fault) : no_memory(fault);
}

/* From the line through the two fastest: no time can be 0. An end of a line between them matters
 * little, for the last one is a thousand times as fast. */
static double extrapolate(const struct query *faster, unsigned count)
{
    for (unsigned k = count; k-- > 1;) {
        const struct query *a = &faster[k], *b = a - 1;
        if (!isnan(a->t) && !isnan(b->t) && a->at != b->at)
            return fmax(0, a->t - a->at * (b->t - a->t) / (b->at - a->at));
    }
    return (double)NAN;
}

/* A point on the side where it does not hold, nearer than the others were; refused ones are, too.
 */
static bool move(const struct htmt__sensitivity *x, struct search *s, const struct query *q)
{
    double allowed;
    const double found = off(x, s, q->at, q->t, &allowed);
    if (found <= allowed) {
        s->good = q->at;
        return false;
    }
    s->beyond = s->bad;
    s->beyond_off = s->bad_off;
    s->bad = q->at;
    s->bad_off = found;
    return true;
}

/* Where the powers say that the end is. What is refused ends the search. */
static struct search begin_search(const struct htmt__sensitivity *x, const struct query *powers,
                                  enum end end)
{
    struct htmt__cell *c = (struct htmt__cell *)powers->cell;
    const double none = (double)NAN;
    struct search s = {c, powers->of_case, end, 1, none, none, none, none};
    const unsigned n = powers_of(x, powers->of_case);
    const struct query *q = &powers[end == FASTER ? n : 0];
    unsigned k = 0;
    double allowed;
    while (k < n && !isnan(q[k].t) && !move(x, &s, &q[k]))
        k++;
    if (k + 1 < n && !isnan(s.bad)) {
        s.beyond = q[k + 1].at;
        s.beyond_off = off(x, &s, s.beyond, q[k + 1].t, &allowed);
    }
    return s;
}

/* Of 1.012, up to which T grows by 1 %, it is the 0.012 that counts. */
static double precision(const struct htmt__sensitivity *x, const struct search *s)
{
    const double most = on_clock(x, s->of_case) ? COARSE : FINE;
    return s->end == GROWN ? fmax(FINE, most * fmin(1, s->good - 1)) : most;
}

/* Where to look next: behind and before where the lines meet, then in the middle. */
static double choose(const struct htmt__sensitivity *x, const struct search *s, unsigned round)
{
    const double meet = s->bad - s->bad_off * (s->beyond - s->bad) / (s->beyond_off - s->bad_off),
                 aside = (round % 2 ? -0.4 : 0.4) * precision(x, s),
                 at = meet * (s->bad > s->good ? 1 + aside : 1 - aside);
    const bool between = (at - s->good) * (at - s->bad) < 0; /* false: not a number */
    return between && round < GUESSES ? at : sqrt(s->good * s->bad);
}

static int close_in(struct htmt__sensitivity *x, const struct htmt__study_place *place,
                    struct search *s, size_t count, struct htmt_fault *fault)
{
    struct query *q = calloc(count + 1, sizeof *q);
    struct search **of = calloc(count + 1, sizeof *of);
    size_t n = 1;
    int rc = q && of ? 0 : no_memory(fault);
    for (unsigned round = 0; n && round < 64 && !rc; round++) {
        n = 0;
        for (size_t i = 0; i < count; i++)
            if (fabs(log(s[i].bad / s[i].good)) > precision(x, &s[i])) { /* a number, and open */
                of[n] = &s[i];
                q[n++] =
                    (struct query){s[i].of_case, s[i].cell, choose(x, &s[i], round), 0, 0, false};
            }
        rc = ask(x, place, q, n, NULL, fault);
        for (size_t i = 0; i < n && !rc; i++)
            if (q[i].at != of[i]->good && q[i].at != of[i]->bad)
                (void)move(x, of[i], &q[i]);
            else if (round >= GUESSES) /* of whole numbers there is none between */
                of[i]->bad = of[i]->good;
    }
    free(q);
    free(of);
    return rc;
}

static int find_reach(struct htmt__sensitivity *x, const struct htmt__study_place *place,
                      struct htmt_fault *fault)
{
    struct query *q;
    size_t n, count = 0;
    int rc = ask_powers(x, place, &q, &n, fault);
    struct search *s = calloc(n * ENDS + 1, sizeof *s);
    if (!rc && !s)
        rc = no_memory(fault);
    for (size_t i = 0, powers; i < n && !rc; i += 2 * powers + 1) {
        powers = powers_of(x, q[i].of_case);
        ((struct htmt__cell *)q[i].cell)->at_once =
            extrapolate(&q[i + powers], (unsigned)powers + 1);
        for (enum end end = FASTER; end < ENDS; end++)
            s[count++] = begin_search(x, &q[i], end);
    }
    rc = rc ? rc : close_in(x, place, s, count, fault);
    for (size_t i = 0; i < count && !rc; i++) {
        struct htmt__cell *c = s[i].cell;
        struct htmt__reach *r = s[i].end == FASTER   ? &c->faster
                                : s[i].end == SLOWER ? &c->slower
                                                     : &c->percent;
        r->ends = !isnan(s[i].bad);
        const double at = r->ends ? sqrt(s[i].good * s[i].bad) : s[i].good;
        r->factor = s[i].end == FASTER ? 1 / at : at;
    }
    free(q);
    free(s);
    return rc;
}

struct htmt__reach htmt__least_reach(const struct htmt__subject *s, unsigned cases, size_t offset)
{
    struct htmt__reach least = {(double)NAN, false};
    for (unsigned k = 0; k < cases; k++) {
        const struct htmt__reach *r = (const void *)((const char *)&s->cell[k] + offset);
        if (!isnan(r->factor) && !(r->factor >= least.factor))
            least = *r;
    }
    return least;
}

/* How the slopes of each case were found. */
static void name_methods(struct htmt__sensitivity *x)
{
    for (unsigned k = 0; k < x->study->case_count; k++) {
        unsigned paths = 0, others = 0;
        for (unsigned i = 0; i < x->subjects; i++) {
            const struct htmt__cell *c = &x->subject[i].cell[k];
            paths += c->members && c->by_path;
            others += c->members && !c->by_path && c->kind != HTMT__OF_STEPS;
        }
        x->of[k].method = !paths ? "differences" : !others ? "path" : "path and differences";
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Of what is left out there is no sum, nor of ties. */
static void add_up(struct htmt__sensitivity *x)
{
    for (unsigned k = 0; k < x->study->case_count; k++) {
        struct htmt__sensed *of = &x->of[k];
        of->sum = x->patterns || of->ties ? (double)NAN : 0;
        for (unsigned i = 0; i < x->subjects; i++) {
            const struct htmt__cell *c = &x->subject[i].cell[k];
            if (c->members && c->kind <= HTMT__OF_RATE)
                of->sum += c->kind == HTMT__OF_TIME ? c->e : -c->e;
        }
    }
}

/* The times of the cases as they are. */
static int find_times(struct htmt__sensitivity *x, const struct htmt__study_place *place,
                      struct htmt_fault *fault)
{
    struct query *q = calloc(x->study->case_count, sizeof *q);
    size_t n = 0;
    unsigned good = 0;
    for (unsigned k = 0; k < x->study->case_count && q; k++) {
        x->of[k].t = (double)NAN;
        if (!x->of[k].why)
            q[n++] = (struct query){.of_case = k, .slopes = on_clock(x, k)};
    }
    int rc = q ? ask(x, place, q, n, x->of, fault) : no_memory(fault);
    for (size_t i = 0; i < n && !rc; i++) {
        struct htmt__sensed *of = &x->of[q[i].of_case];
        of->h = STEP;
        while (on_clock(x, q[i].of_case) && of->h * q[i].t * 1e15 < SHORT_FS &&
               of->h < STEP_MOST / 10)
            of->h *= 10;
        if (q[i].t > 0) {
            of->t = q[i].t;
            good++;
        } else if (!of->why) {
            of->why = strdup("T is 0");
            of->code = HTMT_EINVAL;
        }
    }
    free(q);
    if (!rc && !good)
        rc = htmt_fault_set(fault, x->of[0].code, "%s", x->of[0].why ? x->of[0].why : "refused");
    return rc;
}

int htmt__sensitivity_find(struct htmt__sensitivity *x, const struct htmt__study_place *place,
                           struct htmt_fault *fault)
{
    struct htmt__study *s = x->study;
    struct htmt__study_variant *plain = calloc(s->case_count, sizeof *plain);
    x->of = calloc(s->case_count, sizeof *x->of);
    int rc = plain && x->of ? 0 : no_memory(fault);
    for (unsigned k = 0; k < s->case_count && !rc; k++)
        plain[k].of_case = k;
    s->variant = plain;
    rc = rc ? rc : htmt__sensitivity_subjects(x, fault);
    s->variant = NULL;
    free(plain);
    rc = rc ? rc : find_times(x, place, fault);
    rc = rc ? rc : find_differences(x, place, fault);
    rc = rc ? rc : find_reach(x, place, fault);
    if (!rc) {
        name_methods(x);
        add_up(x);
    }
    return rc;
}

void htmt__sensitivity_fini(struct htmt__sensitivity *x)
{
    for (unsigned i = 0; i < x->subjects; i++) {
        for (unsigned k = 0; k < x->study->case_count; k++)
            free(x->subject[i].cell[k].member);
        free(x->subject[i].cell);
    }
    for (unsigned k = 0; k < x->study->case_count && x->of; k++) {
        free(x->of[k].why);
        free(x->of[k].no_slope);
    }
    free(x->subject);
    free(x->of);
    x->subject = NULL;
    x->of = NULL;
    x->subjects = 0;
}
