/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A small run whose figures are known, on one host thread and on three: each of four slices sends
 * its numbers up as parcels, squares them and brings them down. The machine stands here, so that
 * the test depends on no file.
 *
 * The time by hand: of a slice's 64 parcels each has the channel upwards for 34 ns (30 ns to start,
 * 4 ns of the DRAM's access), the last one comes up 7 ns later, takes a cycle of 3 GHz, and goes
 * down in 34 + 7 ns: 64 * 34 + 7 + 1/3 + 41 = 2224 1/3 ns.
 */
#include "emul/lib/doctor/doctor.h"

#include "emul/lib/text/format.h"
#include "parcels/htmt.h"
#include "runtime/base/jansson.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define KNOWN_FS   INT64_C(2224333333)
#define KNOWN_HASH UINT64_C(0x42ac82ba848d45f2)

enum { SLICES = 4, EACH = 64, ROOM = 200 };

#define FIGURE(name, value) "      " name ": {value: " value ", source: \"of the self-test\"}\n"
#define PROCESSOR(name, count, clock)                                                              \
    "    processor:\n      name: " name "\n" FIGURE("count", count) FIGURE("clock", clock)         \
        FIGURE("flop", "1 cycle") FIGURE("iop", "1 cycle") FIGURE("load", "2 cycles")              \
            FIGURE("store", "2 cycles") FIGURE("lambda", "0.5")
#define MEMORY(name, capacity, access)                                                             \
    "    memory:\n      name: " name "\n" FIGURE("capacity", capacity)                             \
        FIGURE("reserve", "0 words") FIGURE("access-words", "8") FIGURE("access", access)          \
            FIGURE("ports", "2")
#define PORT(name, value) "        " name ": {value: " value ", source: \"of the self-test\"}\n"
#define PORTS(layer)                                                                               \
    "      " layer ":\n" PORT("out", "1") PORT("out-rate", "1 Gword/s") PORT("in", "1")            \
        PORT("in-rate", "1 Gword/s")

static const char machine_text[] =
    "htmt-machine: 1\nabout: of the self-test\n"
    "slices: {value: 4, source: \"of the self-test\"}\n"
    "layers:\n  outer:\n" PROCESSOR("PIM", "1", "1 GHz")
        MEMORY("DRAM", "1 MiB", "4 ns/access") "  inner:\n" PROCESSOR("CPU", "2", "3 GHz")
            MEMORY("SRAM", "256 words",
                   "1 ns/access") "networks:\n  link:\n    scope: slice\n"
                                  "    startup: {value: 30 ns, source: \"of the self-test\"}\n"
                                  "    latency: {value: 7 ns, source: \"of the self-test\"}\n"
                                  "    ports:\n" PORTS("outer") PORTS("inner");

struct outcome {
    htmt_time fs;
    uint64_t hash;
    bool right;
    int code; /* 0: all is as it is known */
    char problem[ROOM];
};

static void square(struct htmt_kernel *k)
{
    double *x = htmt_bytes(k, 0);
    *x *= *x;
    htmt_count(k, HTMT_FLOP, 1);
}

/* Each slice has EACH numbers, and a parcel for each of them. */
static int set_up(struct htmt_emulator *e, double x[SLICES][EACH])
{
    struct htmt_type_desc d = {
        .name = "square", .home = "outer", .exec = "inner", .execute = {.kernel = square}};
    struct htmt_type *type = NULL;
    int rc = htmt_type_create(e, &d, &type);
    for (uint32_t s = 0; s < SLICES && !rc; s++) {
        struct htmt_object *numbers = NULL;
        for (unsigned i = 0; i < EACH; i++)
            x[s][i] = s * EACH + i;
        rc = htmt_object_wrap(e, s, 0, x[s], sizeof x[s], 8, "numbers", &numbers);
        for (uint64_t i = 0; i < EACH && !rc; i++) {
            struct htmt_addr at = htmt_in(numbers, i * sizeof(double));
            struct htmt_region region = {.from = at, .to = at, .bytes = sizeof(double)};
            struct htmt_parcel_desc p = {
                .type = type, .slice = s, .regions = &region, .region_count = 1};
            rc = htmt_assemble(htmt_root(e), &p, NULL);
        }
    }
    return rc;
}

static void play(const struct htmt_machine *m, uint32_t threads, struct outcome *o)
{
    double x[SLICES][EACH];
    struct htmt_options options = {.machine = m, .threads = threads};
    struct htmt_emulator *e = NULL;
    struct htmt_fault fault = {0};
    int rc = htmt_emulator_create(&e, &options, &fault);
    rc = rc ? rc : set_up(e, x);
    rc = rc ? rc : htmt_emulator_run(e);
    if (rc)
        snprintf(o->problem, sizeof o->problem, "%" PRIu32 " threads: %.120s", threads,
                 e ? htmt_emulator_fault(e)->text : fault.text);
    else
        *o = (struct outcome){.fs = htmt_predicted(e), .hash = htmt_history_hash(e), .right = true};
    for (unsigned i = 0; i < SLICES * EACH && o->right; i++)
        o->right = x[i / EACH][i % EACH] == (double)i * i;
    o->code = rc;
    htmt_emulator_destroy(&e);
}

static void judge(struct outcome *o, uint32_t threads)
{
    bool known = o->fs == KNOWN_FS && o->hash == KNOWN_HASH;
    if (o->code || (o->right && known))
        return;
    o->code = HTMT_EWRONG;
    if (!o->right)
        snprintf(o->problem, sizeof o->problem, "%" PRIu32 " threads: a square is wrong", threads);
    else
        snprintf(o->problem, sizeof o->problem,
                 "%" PRIu32 " threads: %lld fs, history %s; known are %lld fs, %s", threads,
                 (long long)o->fs, htmt__format_hash(o->hash).s, (long long)KNOWN_FS,
                 htmt__format_hash(KNOWN_HASH).s);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

json_t *htmt__doctor_self_test(int *code)
{
    static const uint32_t threads[] = {1, 3};
    struct outcome o = {0};
    struct htmt_machine *m = NULL;
    struct htmt_fault fault = {0};
    double begin = seconds();
    o.code = htmt_machine_parse("self-test", machine_text, &m, &fault);
    if (o.code)
        snprintf(o.problem, sizeof o.problem, "%.190s", fault.text);
    for (unsigned i = 0; i < 2 && !o.code; i++) {
        o.right = false;
        play(m, threads[i], &o);
        judge(&o, threads[i]);
    }
    htmt_machine_destroy(&m);
    *code = o.code;
    return json_pack("{s:b,s:o,s:o,s:o,s:f}", "passed", !o.code, "problem",
                     o.code ? htmt__json_text(o.problem) : json_null(), "predicted_fs",
                     json_integer((json_int_t)o.fs), "history_hash",
                     json_string(htmt__format_hash(o.hash).s), "seconds", seconds() - begin);
}
