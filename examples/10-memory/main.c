/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 10: bounded memory. A parcel occupies each memory on its way; where it finds no room it waits.
 * With room for two parcels in the CRAM one comes up while the other one executes; with room for
 * one only the RTI and the SPELL wait for each other.
 */
#include <htmt.h>
#include <stdio.h>

enum { PARCELS = 6, WORDS = 1000, FLOPS = 4000 };

static void work(struct htmt_kernel *k)
{
    const double *x = htmt_bytes(k, 0);
    for (int i = 0; i < WORDS; i++)
        *(double *)htmt_bytes(k, 1) += x[i];
    htmt_count(k, HTMT_FLOP, FLOPS);
}

/* The emulator of a machine with room for that many words in each CRAM, run. */
static int play(const char *room, double *numbers, double *sums, struct htmt_emulator **e)
{
    struct htmt_machine *machine = NULL;
    struct htmt_object *from = NULL, *to = NULL;
    struct htmt_type *type = NULL;
    htmt_machine_load("small-htmt", &room, 1, &machine, NULL);
    htmt_emulator_create(e, &(struct htmt_options){.machine = machine, .threads = 2}, NULL);
    uint32_t sram = (uint32_t)htmt_emulator_layer(*e, "sram");
    htmt_object_wrap(*e, 0, sram, numbers, PARCELS * WORDS * 8, PARCELS * WORDS, "numbers", &from);
    htmt_object_wrap(*e, 0, sram, sums, PARCELS * 8, PARCELS, "sums", &to);
    struct htmt_type_desc d = {.name = "sum", .home = "sram", .exec = "cram"};
    d.execute.kernel = work;
    htmt_type_create(*e, &d, &type);
    for (uint64_t i = 0; i < PARCELS; i++) {
        struct htmt_region r[] = {
            {.from = htmt_in(from, i * WORDS * 8), .bytes = WORDS * 8, .read_only = true},
            {.to = htmt_in(to, i * 8), .bytes = 8}};
        struct htmt_parcel_desc p = {.type = type, .regions = r, .region_count = 2};
        htmt_assemble(htmt_root(*e), &p, NULL);
    }
    htmt_machine_destroy(&machine); /* the emulator has a copy */
    return htmt_emulator_run(*e);
}
int main(void)
{
    static const char *const room[] = {"layers.cram.memory.capacity=1500 words",
                                       "layers.cram.memory.capacity=2500 words"};
    /* Nanoseconds: 1000 words up at 5 words/ns and 20 of latency, 4000 flop at 10 flop/ns, a word
     * down. One after the other, or only the SPELL all the time. */
    const double up = WORDS / 5 + 20, flops = FLOPS / 10, down = 0.2 + 20;
    const double ns[] = {PARCELS * (up + flops + down), up + PARCELS * flops + down};
    static double numbers[PARCELS * WORDS], sums[PARCELS];
    int rc = 0;
    for (int i = 0; i < PARCELS * WORDS; i++)
        numbers[i] = i / WORDS;
    for (int i = 0; i < 2 && !rc; i++) {
        struct htmt_emulator *e = NULL;
        struct htmt_memory_report cram = {0};
        rc = play(room[i], numbers, sums, &e);
        if (rc)
            fprintf(stderr, "%s\n", htmt_emulator_fault(e)->text);
        htmt_memory_at(e, (uint32_t)htmt_emulator_layer(e, "cram"), &cram);
        printf("room for %d: last sum %g, stalled %lld fs\npredicted: %lld fs\n", i + 1,
               sums[PARCELS - 1], (long long)cram.stalled, (long long)htmt_predicted(e));
        bool wrong = htmt_predicted(e) != (htmt_time)(ns[i] * 1e6 + 0.5);
        for (int k = 0; k < PARCELS; k++)
            wrong |= sums[k] != WORDS * k;
        rc = rc || !wrong ? rc : HTMT_EWRONG;
        htmt_emulator_destroy(&e);
    }
    return htmt_exit_status(rc);
}
