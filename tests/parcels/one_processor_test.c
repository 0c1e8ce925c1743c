/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * A processor that serves two layers (docs/machines.md, "processor: as"): 1 GHz, a flop a cycle.
 */
#include "parcels/htmt.h"
#include "parcels/path.h"
#include "tests/runtime/draw.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define JOBS 40
#define NS   INT64_C(1000000)

struct job {
    bool inner;
    uint64_t flops;
};

static void cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)user;
    ops->n[HTMT_FLOP] = ((const struct job *)args)->flops;
}

static struct htmt_machine *machine_of(const char *inner)
{
    struct htmt_machine *m;
    struct htmt_fault fault = {0};
    char text[500];
    snprintf(text, sizeof text,
             "htmt-machine: 1\nbase: machines/small-two-layer.yaml\nlayers:\n  host:\n"
             "    processor: {count: {value: 1, source: t}}\n  device:\n    processor: %s\n"
             "networks: {link: {value: not-modelled, source: t}}\n",
             inner);
    cr_assert_eq(htmt_machine_parse("./one.yaml", text, &m, &fault), 0, "%s", fault.text);
    return m;
}

/* Time of the run; what it says of its resources is checked. */
static htmt_time play(const char *inner, const struct job *jobs, unsigned threads, bool explained)
{
    struct htmt_machine *m = machine_of(inner);
    struct htmt_options o = htmt_options_init();
    struct htmt_fault fault = {0};
    struct htmt_emulator *e;
    struct htmt_type *type[2];
    htmt_wide busy = 0;
    o.machine = m;
    o.mode = HTMT_MODEL;
    o.threads = threads;
    o.explain = explained;
    cr_assert_eq(htmt_emulator_create(&e, &o, &fault), 0, "%s", fault.text);
    for (int i = 0; i < 2; i++) {
        struct htmt_type_desc d = htmt_type_desc_init();
        d.name = i ? "Inner" : "Outer";
        d.home = "host";
        d.exec = i ? "device" : "host";
        d.execute.cost = cost;
        d.args_bytes = sizeof(struct job);
        cr_assert_eq(htmt_type_create(e, &d, &type[i]), 0, "%s", htmt_emulator_fault(e)->text);
    }
    for (int i = 0; i < JOBS; i++) {
        const struct htmt_parcel_desc p = {.type = type[jobs[i].inner], .args = &jobs[i]};
        cr_assert_eq(htmt_assemble(htmt_root(e), &p, NULL), 0);
    }
    cr_assert_eq(htmt_emulator_run(e), 0, "%s", htmt_emulator_fault(e)->text);
    cr_assert_eq(htmt_audit(e, &fault), 0, "%s", fault.text);
    const htmt_time time = htmt_predicted(e);
    struct htmt_resource_report r;
    for (uint32_t i = 0; htmt_resource_at(e, i, &r) == 0; i++)
        if (r.kind == HTMT_BANK) {
            cr_expect_leq(r.busy, (htmt_wide)time * r.count, "%s", r.name);
            busy += r.busy;
        }
    cr_expect_leq(busy, (htmt_wide)time * (htmt_machine_processors_of(m, 1) == 0 ? 1 : 5));
    if (explained) {
        struct htmt_path path;
        cr_assert_eq(htmt_path_find(e, &path), 0);
        cr_expect_eq(path.total, time);
        htmt_path_clear(&path);
    }
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
    return time;
}

Test(one_processor, services_of_both_its_layers_follow_each_other)
{
    static const char own[] = "{count: {value: 1, source: t}, clock: {value: 1 GHz, source: t}, "
                              "flop: {value: 1 cycle, source: t}}";
    for (uint64_t seed = 1; seed <= 12; seed++) {
        uint64_t state = seed;
        struct job jobs[JOBS];
        htmt_time of[2] = {0, 0};
        for (int i = 0; i < JOBS; i++) {
            jobs[i] = (struct job){draw(&state) % 2, 1 + draw(&state) % 50};
            of[jobs[i].inner] += (htmt_time)jobs[i].flops * NS;
        }
        cr_expect_eq(play("as host", jobs, 1, false), of[0] + of[1], "seed %u", (unsigned)seed);
        cr_expect_eq(play("as host", jobs, 2, true), of[0] + of[1], "seed %u", (unsigned)seed);
        cr_expect_eq(play(own, jobs, 1, false), of[0] > of[1] ? of[0] : of[1]);
    }
}

static void answer(struct htmt_context *c)
{
    htmt_charge(c, HTMT_CYCLE, 1);
}

Test(one_processor, it_has_no_queue_of_posts)
{
    struct htmt_machine *m = machine_of("as host");
    struct htmt_options o = htmt_options_init();
    struct htmt_fault fault = {0};
    struct htmt_emulator *e;
    o.machine = m;
    o.mode = HTMT_MODEL;
    cr_assert_eq(htmt_emulator_create(&e, &o, &fault), 0, "%s", fault.text);
    struct htmt_type_desc d = htmt_type_desc_init();
    struct htmt_type *t;
    d.name = "Answer";
    d.home = d.exec = "host";
    d.execute.control = answer;
    d.queue = "requests";
    cr_expect_neq(htmt_type_create(e, &d, &t), 0);
    cr_expect_not_null(strstr(htmt_emulator_fault(e)->text, "its processors serve several layers"),
                       "%s", htmt_emulator_fault(e)->text);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&m);
}
