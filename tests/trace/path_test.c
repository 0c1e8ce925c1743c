/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path of a trace is that of the run, and slack and gain of a trace made by hand are
 * the numbers known beforehand.
 */
#include "tests/parcels/program.h"

#include "emul/lib/trace/graph.h"
#include "emul/lib/trace/path_report.h"
#include "tests/trace/opened.h"

/* ---- traces of runs -------------------------------------------------------------------------- */

struct recorded {
    char path[40];
    struct htmt_recording recording;
};

static void record(struct recorded *r, struct htmt_options *o)
{
    strcpy(r->path, "/tmp/htmt-path-XXXXXX");
    int fd = mkstemp(r->path);
    cr_assert_geq(fd, 0);
    close(fd);
    r->recording = htmt_recording_init();
    r->recording.path = r->path;
    o->recording = &r->recording;
}

static struct htmt_trace *open_recorded(struct recorded *r)
{
    struct htmt_trace *t = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_trace_open(&t, r->path, &fault), 0, "%s", fault.text);
    unlink(r->path);
    return t;
}

static struct htmt_path path_of(struct htmt_trace *t)
{
    struct htmt__trace_path pieces;
    struct htmt_path path;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__trace_path_find(t, &pieces, &fault), 0, "%s", fault.text);
    for (uint64_t i = 0; i < pieces.count; i++) {
        cr_assert_lt(pieces.piece[i].from, pieces.piece[i].to);
        cr_assert_eq(pieces.piece[i].to, i ? pieces.piece[i - 1].from : htmt_trace_info(t)->end);
    }
    cr_assert_eq(pieces.count ? pieces.piece[pieces.count - 1].from : 0, 0);
    cr_assert_eq(htmt__trace_path_explain(htmt_trace_info(t), &pieces, &path), 0);
    cr_assert_eq(path.total, pieces.total);
    htmt__trace_path_clear(&pieces);
    return path;
}

/* Times as recorded follow from the causes, the lines and the services alone. */
static void expect_exact_graph(struct htmt_trace *t)
{
    struct htmt__graph g;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__graph_load(t, &g, &fault), 0, "%s", fault.text);
    cr_assert_eq(g.cut, 0);
    htmt_time *end = malloc(((size_t)g.count + 1) * sizeof *end);
    memcpy(end, g.work, g.count * sizeof *end);
    htmt__graph_end(&g, NULL);
    for (uint32_t i = 0; i < g.count; i++)
        cr_assert_eq(g.work[i], end[i], "interval %u", i);
    htmt__graph_latest(&g);
    for (uint32_t i = 0; i < g.count; i++)
        cr_assert_geq(g.work[i], end[i], "interval %u", i);
    free(end);
    htmt__graph_clear(&g);
}

static void expect_path_of_run(uint64_t seed, enum htmt_mode mode)
{
    struct recorded r;
    struct program p;
    struct htmt_options o = {.mode = mode, .explain = true};
    struct htmt_path run;
    record(&r, &o);
    program_open(&p, seed, mode == HTMT_MODEL, 12, o);
    world_run(&p.w);
    struct htmt_trace *t = open_recorded(&r);
    struct htmt_path trace = path_of(t);
    cr_assert_eq(htmt_path_find(p.w.e, &run), 0);
    cr_assert_eq(trace.total, run.total, "seed %llu", (unsigned long long)seed);
    cr_assert_eq(trace.total, htmt_predicted(p.w.e));
    expect_exact_graph(t);
    htmt_path_clear(&run);
    htmt_path_clear(&trace);
    htmt_trace_close(&t);
    program_close(&p);
}

Test(trace_path, it_takes_the_predicted_time_on_random_machines)
{
    for (uint64_t seed = 1; seed <= 150; seed++)
        expect_path_of_run(seed, HTMT_MODEL);
}

Test(trace_path, so_it_does_where_kernels_decide_how_long_things_take)
{
    for (uint64_t seed = 1; seed <= 40; seed++)
        expect_path_of_run(seed, HTMT_RUN);
}

/* ---- a pipeline ------------------------------------------------------------------------------ */

static htmt_time sum_like(const struct htmt_path *path, const struct htmt_path_part *part)
{
    htmt_time sum = 0;
    for (uint32_t i = 0; i < path->count; i++) {
        const struct htmt_path_part *p = &path->part[i];
        if (p->cause == part->cause && p->of == part->of && p->stage == part->stage &&
            p->place == part->place && p->resource == part->resource &&
            !strcmp(p->type, part->type))
            sum += p->time;
    }
    return sum;
}

static void expect_same_parts(const struct htmt_path *a, const struct htmt_path *b)
{
    cr_assert_eq(a->principal, b->principal);
    cr_assert_eq(a->length, b->length);
    cr_assert_eq(a->count, b->count);
    for (uint32_t i = 0; i < a->count; i++)
        cr_assert_eq(sum_like(a, &a->part[i]), sum_like(b, &a->part[i]), "%s %s %s",
                     htmt_path_cause_name(a->part[i].cause), a->part[i].type,
                     htmt_stage_name(a->part[i].stage));
}

/* Parcels of eight stages, which no moment within a service sets off. */
static void expect_parts_of_run(struct world_spec spec)
{
    struct recorded r;
    struct htmt_options o = {.mode = HTMT_MODEL, .explain = true};
    struct world_work work = {.assemble = 20, .dispatch = 30, .execute = 70, .retire = 40};
    struct htmt_path run;
    record(&r, &o);
    struct world w = world_open(&spec, o);
    struct htmt_type *type = world_type(&w, world_eight());
    for (uint32_t s = 0; s < spec.slices; s++) {
        struct htmt_object *object = world_object(&w, s, DRAM, 8 * 1000, "data");
        struct htmt_region region = {.from = htmt_in(object, 0), .bytes = 8 * 100};
        for (unsigned i = 0; i < 30; i++)
            world_start(&w, (struct htmt_parcel_desc){.type = type,
                                                      .slice = s,
                                                      .args = &work,
                                                      .regions = &region,
                                                      .region_count = 1});
    }
    world_run(&w);
    struct htmt_trace *t = open_recorded(&r);
    struct htmt_path trace = path_of(t);
    cr_assert_eq(htmt_path_find(w.e, &run), 0);
    expect_same_parts(&trace, &run);
    expect_exact_graph(t);
    htmt_path_clear(&run);
    htmt_path_clear(&trace);
    htmt_trace_close(&t);
    world_close(&w);
}

Test(trace_path, its_parts_are_those_that_explain_gives)
{
    struct world_spec spec = world_plain(3);
    expect_parts_of_run(spec);
    spec.capacity[CRAM] = 150; /* stalls */
    expect_parts_of_run(spec);
    for (int n = 0; n < NETWORKS; n++) /* latencies, channels in */
        spec.network[n] = (struct world_network){3, 7, 500, 700, 2, 1, 900};
    expect_parts_of_run(spec);
}

/* ---- by hand --------------------------------------------------------------------------------- */

static struct htmt_trace *open_by_hand(struct htmt_trace_interval *interval, uint32_t count)
{
    struct htmt_trace_block b = {.count = count, .interval = interval, .from = HTMT_TIME_MAX};
    uint64_t level[MODEL_LAYERS] = {0};
    char footer[8192];
    b.level = level;
    for (uint32_t i = 0; i < count; i++) {
        htmt_time from = interval[i].end - interval[i].service - interval[i].wait;
        b.from = from < b.from ? from : b.from;
        b.to = interval[i].end > b.to ? interval[i].end : b.to;
    }
    snprintf(footer, sizeof footer,
             "{\"version\":1,\"about\":{},\"machine\":\"small\",\"app\":\"toy\",\"mode\":\"model\","
             "\"slices\":1,\"played\":1,\"stands_for\":1,\"complete\":true,\"fault\":null,"
             "\"end_fs\":%lld,\"history_hash\":\"0123456789abcdef\",\"intervals\":%u,"
             "\"last\":null,\"filter\":null,\"open\":[],%s,"
             "\"sums\":{\"busy\":[\"0\",\"0\",\"0\",\"0\"],\"waited\":[\"0\",\"0\",\"0\",\"0\"],"
             "\"stalled\":[\"0\",\"0\"]}}",
             (long long)b.to, count, model_lists);
    struct writer w = writer_begin(MODEL_LAYERS);
    if (count)
        put_block(&w, &b);
    struct opened o = open_bytes(writer_end(&w, footer));
    unlink(o.path);
    free(o.path);
    return o.t;
}

enum { ASSEMBLE, EXECUTE, SENT, RECEIVED, STALL };

#define NONE HTMT_TRACE_NONE

/* Two parcels, two DPIMs, one SPELL: the second one is assembled early and waits. */
static struct htmt_trace_interval two_parcels[] = {
    {.end = 100, .service = 100, .serial = 1, .cause = NONE, .line = NONE, .step = ASSEMBLE},
    {.end = 150, .service = 150, .serial = 2, .cause = NONE, .line = NONE, .step = ASSEMBLE},
    {.end = 400, .service = 300, .serial = 1, .cause = 0, .line = NONE, .step = EXECUTE},
    {.end = 450, .service = 50, .wait = 250, .serial = 2, .cause = 1, .line = 2, .step = EXECUTE},
};

static struct htmt__path_report report_of(struct htmt_trace *t)
{
    struct htmt__path_report r;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__path_report_make(t, &r, &fault), 0, "%s", fault.text);
    return r;
}

static void expect_gain(const struct htmt__gains *s, const char *name, struct htmt__gain_row x)
{
    const struct htmt__gain_row *found = NULL;
    for (uint32_t i = 0; i < s->count && !found; i++)
        found = strcmp(s->row[i].name, name) ? NULL : &s->row[i];
    cr_assert_not_null(found, "no gain row %s", name);
    cr_expect(found->on_path == x.on_path && found->intervals == x.intervals &&
                  found->critical == x.critical && found->least == x.least &&
                  found->median == x.median && found->gain == x.gain,
              "%s: on path %lld, %llu intervals, %llu critical, least %lld, median %lld, gain %lld",
              name, (long long)found->on_path, (unsigned long long)found->intervals,
              (unsigned long long)found->critical, (long long)found->least,
              (long long)found->median, (long long)found->gain);
}

Test(trace_path, slack_and_gain_of_two_parcels_are_the_known_ones)
{
    struct htmt_trace *t = open_by_hand(two_parcels, 4);
    struct htmt__path_report r = report_of(t);
    cr_expect_eq(r.path.total, 450);
    cr_expect_eq(htmt_path_sum(&r.path, HTMT_PATH_FILL), 100);
    cr_expect_eq(htmt_path_sum(&r.path, HTMT_PATH_WORK), 350);
    expect_gain(&r.gains, "DPIM",
                (struct htmt__gain_row){
                    .on_path = 100, .intervals = 2, .critical = 1, .least = 0, .gain = 100});
    expect_gain(
        &r.gains, "SPELL",
        (struct htmt__gain_row){.on_path = 350, .intervals = 2, .critical = 2, .gain = 300});
    expect_gain(
        &r.gains, "tile",
        (struct htmt__gain_row){.on_path = 450, .intervals = 4, .critical = 3, .gain = 450});
    htmt__path_report_clear(&r);
    htmt_trace_close(&t);
}

/* A stall that ends when a message has left, and a message whose head comes before its tail left.
 */
static struct htmt_trace_interval message[] = {
    {.end = 100, .service = 100, .serial = 1, .cause = NONE, .line = NONE, .step = SENT},
    {.end = 100, .wait = 60, .serial = 2, .cause = NONE, .line = 0, .step = STALL},
    {.end = 200, .service = 100, .serial = 2, .cause = 1, .line = NONE, .step = SENT},
    {.end = 230, .service = 90, .serial = 2, .cause = 2, .line = NONE, .step = RECEIVED},
};

Test(trace_path, a_stall_takes_no_time_and_names_what_began_after_it)
{
    struct htmt_trace *t = open_by_hand(message, 4);
    struct htmt__trace_path path;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__trace_path_find(t, &path, &fault), 0, "%s", fault.text);
    cr_assert_eq(path.count, 3);
    cr_expect_eq(path.piece[0].place, HTMT_PATH_RECEIVED);
    cr_expect_eq(path.piece[1].place, HTMT_PATH_FLYING);
    cr_expect_eq(path.piece[1].from, 100);
    cr_expect_eq(path.piece[1].why, HTMT__PATH_SPACE);
    cr_expect_eq(path.piece[1].of, 1);
    cr_expect_eq(path.piece[2].place, HTMT_PATH_SENT);
    htmt__trace_path_clear(&path);
    htmt_trace_close(&t);
}

Test(trace_path, space_for_all_gains_the_wait)
{
    struct htmt_trace *t = open_by_hand(message, 4);
    struct htmt__path_report r = report_of(t);
    expect_gain(&r.gains, "CRAM",
                (struct htmt__gain_row){.on_path = 40, .intervals = 1, .gain = 60});
    htmt__path_report_clear(&r);
    htmt_trace_close(&t);
}

Test(trace_path, causes_in_a_circle_are_refused)
{
    static struct htmt_trace_interval circle[] = {
        {.end = 100, .service = 50, .serial = 1, .cause = 1, .line = NONE, .step = ASSEMBLE},
        {.end = 100, .service = 50, .serial = 2, .cause = 0, .line = NONE, .step = ASSEMBLE},
    };
    struct htmt_trace *t = open_by_hand(circle, 2);
    struct htmt__trace_path path;
    struct htmt__graph g;
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt__trace_path_find(t, &path, &fault), HTMT_EFORMAT);
    cr_expect(strstr(fault.text, "circle"), "%s", fault.text);
    htmt__trace_path_clear(&path);
    fault.code = 0;
    cr_assert_eq(htmt__graph_load(t, &g, &fault), 0);
    cr_expect_eq(g.cut, 1);
    cr_expect_eq(htmt__graph_end(&g, NULL), 100);
    htmt__graph_clear(&g);
    htmt_trace_close(&t);
}

Test(trace_path, references_that_mean_nothing_leave_a_path_to_the_end)
{
    struct opened o = open_bytes(model_file(&model_small, false));
    struct htmt__path_report r = report_of(o.t);
    cr_expect_eq(r.path.total, htmt_trace_info(o.t)->end);
    for (uint32_t i = 0; i < r.gains.count; i++)
        cr_expect_geq(r.gains.row[i].gain, 0);
    htmt__path_report_clear(&r);
    close_bytes(&o);
}

Test(trace_path, a_trace_without_intervals_has_a_path_without_pieces)
{
    struct htmt_trace *t = open_by_hand(two_parcels, 0);
    struct htmt__path_report r = report_of(t);
    cr_expect_eq(r.path.total, 0);
    cr_expect_eq(r.gains.count, 0);
    htmt__path_report_clear(&r);
    htmt_trace_close(&t);
}
