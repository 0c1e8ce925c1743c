/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 01: a parcel. It begins in the DRAM of slice 0, goes in to the SPELL with its code, works there,
 * and goes home. The emulator runs the work on this host and predicts the time on the machine.
 */
#include <htmt.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, CODE_WORDS = 500 };

/* Arguments: a parcel's own memory, copied when it is assembled. */
struct order {
    uint64_t n;
    uint64_t *answer; /* the host's variable */
};

/* Kernel: computes, on a thread of the host. It tells the operations that it did, never a time. */
static void add_up(struct htmt_kernel *k)
{
    const struct order *order = htmt_kernel_args(k);
    uint64_t *sum = htmt_kernel_result(k);
    for (uint64_t i = 1; i <= order->n; i++)
        *sum += i;
    htmt_count(k, HTMT_FLOP, order->n);
}

/* Control: short, in the order of virtual time. This one runs on the parcel's way home, on a
 * processor of the SRAM. Its stage is steered, so it may look at the result. */
static void take_down(struct htmt_context *c)
{
    const struct order *order = htmt_args(c);
    *order->answer = *(const uint64_t *)htmt_result(c);
}

static int check(const struct htmt_emulator *e, uint64_t answer)
{
    /* Nanoseconds on small-htmt: 500 words to SRAM at 1 word/ns and 100 of latency, to CRAM at
     * 5 words/ns and 20; 1000 flop at 10 flop/ns. Nothing goes home but the result, which is free.
     */
    long long ns = (500 + 100) + (500 / 5 + 20) + 1000 / 10;
    printf("1 + 2 + ... + %d = %llu\n", N, (unsigned long long)answer);
    printf("predicted: %lld fs\n", (long long)htmt_predicted(e));
    return answer == N * (N + 1) / 2 && htmt_predicted(e) == ns * 1000000 ? 0 : HTMT_EWRONG;
}

int main(int argc, char **argv)
{
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_type *type = NULL;
    struct htmt_fault fault = {0}; /* the line that says what is wrong */
    uint64_t answer = 0;
    htmt_machine_load("small-htmt", NULL, 0, &machine, &fault);
    struct htmt_options options = {.machine = machine};
    options.threads = argc > 1 ? (uint32_t)atoi(argv[1]) : 1; /* no prediction depends on it */
    htmt_emulator_create(&e, &options, &fault);
    struct htmt_type_desc d = {.name = "adder", .home = "dram", .exec = "cram"};
    d.execute.kernel = add_up;
    d.retire = (struct htmt_stage){.control = take_down, .steered = true};
    d.code_words = CODE_WORDS;
    d.args_bytes = sizeof(struct order);
    d.result_bytes = sizeof answer;
    htmt_type_create(e, &d, &type);
    struct htmt_parcel_desc parcel = {.type = type, .args = &(struct order){N, &answer}};
    htmt_assemble(htmt_root(e), &parcel, NULL);
    int rc = htmt_emulator_run(e); /* refuses if a call before failed: one test for all */
    if (rc)
        fprintf(stderr, "%s\n", e ? htmt_emulator_fault(e)->text : fault.text);
    rc = rc ? rc : check(e, answer);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return htmt_exit_status(rc);
}
