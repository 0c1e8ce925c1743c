#!/bin/bash
# Class: fast.
# A program that goes by data makes as many steps as the data want. A model run has no data and takes a
# bound of the program's own: it says so, and so does the run beside it. Other programs say nothing.
. "$(dirname "$0")/common"

build=$(dirname "$HTMT")
cat >steps.c <<'END'
#include <htmt.h>

/* A step is a parcel; the kernel says stop in step 3, and a model run makes 50 steps. */
struct work { struct htmt_type *type; struct htmt_frame *x; uint32_t step; };
static void add(struct htmt_kernel *k)
{
    double *x = htmt_bytes(k, 0);
    x[0]++;
    *(bool *)htmt_kernel_result(k) = x[0] >= 3;
}
static void cost(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args, (void)user;
    ops->n[HTMT_FLOP] = 100;
}
static void start(struct htmt_context *c, const struct work *w)
{
    struct htmt_region x = {.from = htmt_at(w->x, 0, 0), .bytes = 16};
    x.to = x.from;
    struct htmt_parcel_desc p = {.type = w->type, .regions = &x, .args = w};
    p.region_count = 1;
    htmt_assemble(c, &p, NULL);
}
static void steer(struct htmt_context *c)
{
    struct work w = *(const struct work *)htmt_args(c);
    const bool *done = htmt_result(c);
    w.step++;
    if (done ? !*done : w.step < 50)
        start(c, &w);
}
static int create(struct htmt_task *t, void *work, struct htmt_emulator *e)
{
    struct work *w = work;
    struct htmt_type_desc d = {.name = "step", .home = "dram", .exec = "cram", .args_bytes = sizeof *w};
    (void)t;
    d.execute = (struct htmt_stage){.kernel = add, .cost = cost};
    d.scatter = (struct htmt_stage){.control = steer, .steered = true};
    d.result_bytes = sizeof(bool);
    int rc = htmt_frame_create(e, (uint32_t)htmt_emulator_layer(e, "dram"), 16, "x", &w->x);
    rc = rc ? rc : htmt_type_create(e, &d, &w->type);
    if (!rc)
        start(htmt_root(e), w);
    return rc;
}
const struct htmt_app htmt_app = {HTMT_APP_BEGIN, .name = "steps", .summary = "steps until a kernel says stop",
                                  .work_bytes = sizeof(struct work), .create = create};
END
"${CC:-cc}" -O1 -Wall -Werror -shared -fPIC -I"$build/include" -I"$build/include/htmt" steps.c -o steps.so >log 2>&1 ||
    fail "$(cat log)"

told='The program goes by data, which a model run does not have: 50 parcels there are its own bound, 3 here'
expect 0 "$HTMT" run ./steps.so --machine small-htmt --slices 1 --json run.json
tr -s ' \n' ' ' <out | grep -qF "$told" || fail "no '$told' in: $(cat out)"
tr -d ' \n' <run.json | grep -q '"steered":true,"parcels":50}' || fail "$(grep -A6 '"model"' run.json)"
expect 0 "$HTMT" report run.json
tr -s ' \n' ' ' <out | grep -qF "$told" || fail "the report of the object lost it"

note='note the program goes by data, which a model run does not have: counts such as iterations'
expect 0 "$HTMT" model ./steps.so --machine small-htmt --slices 1
tr -s ' \n' ' ' <out | grep -qF "$note" || fail "no note in: $(cat out)"
expect 0 "$HTMT" model ./steps.so --machine small-htmt --slices 2 --clock shared --clock-threads 2
tr -s ' \n' ' ' <out | grep -qF "$note" || fail "no note by windows: $(cat out)"

expect 0 "$HTMT" run cannon --size 64 --slices 4
! grep -q 'goes by data' out || fail 'cannon does not go by data'
