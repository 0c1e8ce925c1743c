/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 12: folding. Where all slices do the same at the same time, a model run may play one for all:
 * HTMT with 4096 slices as fast as with one. Here they exchange edges of their tiles on a torus.
 */
#include <htmt.h>
#include <stdio.h>

enum { SIDE = 64, STEPS = 20, FLOPS = 25600, BYTES = 8 * 80 };
struct tile {
    struct htmt_frame *edges; /* four to send, and twice four that come: of even and odd steps */
    struct htmt_barrier *barrier;
    uint64_t step;
};
/* A model run has no data and calls no kernel: it asks for the cost. */
static void flops(const void *args, const void *user, struct htmt_ops *ops)
{
    (void)args, (void)user;
    ops->n[HTMT_FLOP] = FLOPS;
}
static void step(struct htmt_context *c) /* its log is played when the work is done */
{
    static const struct htmt_grid torus = {{SIDE, SIDE}, {true, true}};
    static const int way[4][3] = {{1}, {-1}, {0, 1}, {0, -1}};
    struct tile *t = htmt_args(c);
    if (++t->step == STEPS) {
        htmt_barrier(c, t->barrier, (struct htmt_slot){0}); /* nobody waits for it */
        htmt_retire(c, htmt_self(c));
    }
    for (uint64_t i = 0; i < 4 && t->step < STEPS; i++) {
        struct htmt_put put = {.src = htmt_at(t->edges, htmt_slice(c), BYTES * i), .bytes = BYTES};
        put.dst = htmt_at(t->edges, htmt_slice(c), BYTES * (4 + i + t->step % 2 * 4));
        put.on_arrived = htmt_slot(c, 1 + t->step % 2);
        htmt_put_neighbour(c, &torus, way[i],
                           &put); /* to the same place in the neighbour's frame */
    }
}

static int play(enum htmt_symmetry symmetry, struct htmt_emulator **e)
{
    struct htmt_machine *machine = NULL;
    struct htmt_type *type = NULL;
    struct tile t = {0};
    htmt_machine_load("htmt-oct98", NULL, 0, &machine, NULL);
    struct htmt_options o = {.machine = machine, .mode = HTMT_MODEL, .symmetry = symmetry};
    htmt_emulator_create(e, &o, NULL);
    uint32_t cram = (uint32_t)htmt_emulator_layer(*e, "cram");
    htmt_frame_create(*e, cram, 12 * BYTES, "edges", &t.edges);
    htmt_barrier_create(*e, cram, "end", &t.barrier);
    struct htmt_stage stage = {.cost = flops, .control = step, .count = 4, .reset = 4};
    struct htmt_type_desc d = {.name = "tile", .home = "cram", .exec = "cram", .execute = stage};
    d.fibers = (struct htmt_stage[]){stage, stage};
    d.fiber_count = 2;
    d.args_bytes = sizeof t;
    htmt_type_create(*e, &d, &type);
    struct htmt_parcel_desc p = {.type = type, .args = &t};
    for (p.slice = 0; p.slice < SIDE * SIDE; p.slice++) /* on all of them, folded or not */
        htmt_assemble(htmt_root(*e), &p, NULL);
    htmt_machine_destroy(&machine);
    return htmt_emulator_run(*e);
}

int main(void)
{
    /* Nanoseconds: 256 flop/ns; 80 words at 8 words/ns, two at once; a word for each of 12 bits. */
    const double ns = STEPS * 100 + (STEPS - 1) * (2 * 10 + 20) + 12 * (0.125 + 20);
    int rc = 0;
    for (int i = 0; i < 2 && !rc; i++) {
        struct htmt_emulator *e = NULL;
        rc = play(i ? HTMT_FOLDED : HTMT_NO_SYMMETRY, &e);
        if (rc)
            fprintf(stderr, "%s\n", htmt_emulator_fault(e)->text);
        printf("%u played, %llu events\npredicted: %lld fs\n", htmt_emulator_played(e),
               (unsigned long long)htmt_event_count(e), (long long)htmt_predicted(e));
        rc = rc || htmt_predicted(e) == ns * 1e6 ? rc : HTMT_EWRONG;
        htmt_emulator_destroy(&e);
    }
    return htmt_exit_status(rc);
}
