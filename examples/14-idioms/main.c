/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 14: one problem in three idioms: numbers that lie in the SRAM are summed.
 *   offload      everything moves to the CRAM, the SPELL computes, the sum moves back
 *   percolation  block by block: while the SPELL computes one, the next ones come
 *   in memory    nothing moves; the two processors of the SRAM compute, ten times as slow
 * The kernel is the same. What differs is one block or many, and where its type executes.
 */
#include <htmt.h>
#include <stdio.h>

enum { NUMBERS = 3200, FLOPS = 4 }; /* of each number */

static const struct idiom {
    const char *name, *exec;
    int blocks;
    double ns; /* at 5 words/ns and 20 of latency, 10 flop/ns, or 2 times 1 flop/ns */
} idioms[] = {
    {"offload", "cram", 1, NUMBERS / 5 + 20 + NUMBERS *FLOPS / 10 + 20.2},
    {"percolation", "cram", 16, NUMBERS / 16 / 5 + 20 + NUMBERS *FLOPS / 10 + 20.2},
    {"in memory", "sram", 16, NUMBERS *FLOPS / 2},
};

static void add(struct htmt_kernel *k)
{
    const double *x = htmt_bytes(k, 0);
    const uint64_t numbers = htmt_size(k, 0) / 8;
    for (uint64_t i = 0; i < numbers; i++)
        *(double *)htmt_bytes(k, 1) += x[i];
    htmt_count(k, HTMT_FLOP, FLOPS * numbers);
}

static void set_up(struct htmt_emulator *e, const struct idiom *how, double *x, double *sums)
{
    const uint32_t sram = (uint32_t)htmt_emulator_layer(e, "sram");
    const uint64_t blocks = (uint64_t)how->blocks;
    struct htmt_object *from = NULL, *to = NULL;
    struct htmt_type *type = NULL;
    htmt_object_wrap(e, 0, sram, x, NUMBERS * 8, NUMBERS, "numbers", &from);
    htmt_object_wrap(e, 0, sram, sums, blocks * 8, blocks, "sums", &to);
    struct htmt_type_desc d = {.name = how->name, .home = "sram", .exec = how->exec};
    d.execute.kernel = add;
    htmt_type_create(e, &d, &type);
    struct htmt_blocked in = {htmt_in(from, 0), .block = NUMBERS * 8 / blocks, .use = HTMT_READ};
    struct htmt_blocked out = {htmt_in(to, 0), .block = 8, .use = HTMT_WRITE};
    struct htmt_blocks_desc each = {.type = type, .blocked_count = 2};
    each.blocked = (struct htmt_blocked[]){in, out};
    htmt_blocks(htmt_root(e), &each, NULL); /* a parcel for each block: numbers in, a sum out */
}

int main(void)
{
    double x[NUMBERS];
    struct htmt_machine *machine = NULL;
    int rc = 0;
    for (int i = 0; i < NUMBERS; i++)
        x[i] = i;
    htmt_machine_load("small-htmt", NULL, 0, &machine, NULL);
    for (int i = 0; i < 3 && !rc; i++) {
        double sums[16] = {0}, sum = 0;
        struct htmt_emulator *e = NULL;
        htmt_emulator_create(&e, &(struct htmt_options){.machine = machine, .threads = 2}, NULL);
        set_up(e, &idioms[i], x, sums);
        rc = htmt_emulator_run(e);
        if (rc)
            fprintf(stderr, "%s\n", htmt_emulator_fault(e)->text);
        for (int k = 0; k < 16; k++)
            sum += sums[k];
        const htmt_time fs = htmt_predicted(e), wanted = (htmt_time)(idioms[i].ns * 1e6 + 0.5);
        printf("%-12s sum %g, predicted: %lld fs\n", idioms[i].name, sum, (long long)fs);
        if (!rc && (sum != NUMBERS / 2 * (NUMBERS - 1.) || fs != wanted))
            rc = HTMT_EWRONG;
        htmt_emulator_destroy(&e);
    }
    htmt_machine_destroy(&machine);
    return htmt_exit_status(rc);
}
