/* SPDX-License-Identifier: BSD-3-Clause
 *
 * 09: mailbox and back-pressure. Three slices send records to slice 0, which reads more slowly than
 * they write. The mailbox has room for one: the others wait where they are. (Try room for two.)
 */
#include <htmt.h>
#include <stdio.h>

enum { SLICES = 4, RECORDS = 30, ALL = (SLICES - 1) * RECORDS, ROOM = 1, READ = 1 };

struct post {
    struct htmt_mailbox *box;
    struct htmt_frame *record;
    struct htmt_object *sum;
    uint32_t read;
};

static void begin(struct htmt_context *c)
{
    const struct post *p = htmt_args(c);
    struct htmt_slot none = {0}, reader = htmt_slot_in(htmt_slot(c, READ), 0); /* of slice 0 */
    if (htmt_slice(c) == 0)
        return;                       /* the reader: its fiber comes later */
    for (int i = 0; i < RECORDS; i++) /* a send that waits for room lets the control go on */
        htmt_send(c, p->box, htmt_at(p->record, htmt_slice(c), 0), 1, none, reader);
    htmt_retire(c, htmt_self(c));
}

static void add(struct htmt_kernel *k)
{
    uint64_t *sum = htmt_used(k, 0), records = htmt_used_size(k, 1) / 8;
    for (uint64_t i = 0; i < records; i++)
        *sum += ((const uint64_t *)htmt_used(k, 1))[i];
    htmt_count(k, HTMT_CYCLE, 1000 * records);
}

static void came(struct htmt_context *c) /* enabled once for each record */
{
    struct post *p = htmt_args(c);
    htmt_use(c, htmt_in(p->sum, 0), 8, HTMT_COMMUTE);
    htmt_take(c, p->box); /* all that lie there, as use 1; their room is free at the end */
    if (++p->read == ALL)
        htmt_retire(c, htmt_self(c));
}

int main(void)
{
    /* Nanoseconds: a word asks for room; per record one grants it, the record comes, is read. */
    const double ns = 20.5 + ALL * (20.5 + 20.5 + 100);
    struct htmt_machine *machine = NULL;
    struct htmt_emulator *e = NULL;
    struct htmt_type *type = NULL;
    struct post post = {0};
    htmt_machine_load("small-htmt", NULL, 0, &machine, NULL);
    htmt_emulator_create(&e, &(struct htmt_options){.machine = machine, .threads = 2}, NULL);
    uint32_t cram = (uint32_t)htmt_emulator_layer(e, "cram");
    htmt_mailbox_create(e, 0, cram, 8, ROOM, "box", &post.box);
    htmt_object_create(e, 0, cram, 8, "sum", &post.sum);
    htmt_frame_create(e, cram, 8, "record", &post.record);
    htmt_frame_load(post.record, (uint64_t[SLICES]){0, 1, 2, 3}, 8);
    struct htmt_stage fiber = {.kernel = add, .control = came, .count = 1, .reset = 1};
    struct htmt_type_desc d = {.name = "post", .home = "cram", .exec = "cram", .fibers = &fiber};
    d.fiber_count = 1;
    d.execute.control = begin;
    d.args_bytes = sizeof post;
    htmt_type_create(e, &d, &type);
    struct htmt_parcel_desc p = {.type = type, .args = &post};
    for (p.slice = 0; p.slice < SLICES; p.slice++)
        htmt_assemble(htmt_root(e), &p, NULL);
    int rc = htmt_emulator_run(e);
    const uint64_t sum = *(const uint64_t *)htmt_object_bytes(post.sum);
    const htmt_time fs = htmt_predicted(e);
    printf("sum: %llu\npredicted: %lld fs\n", (unsigned long long)sum, (long long)fs);
    if (rc)
        fprintf(stderr, "%s\n", htmt_emulator_fault(e)->text);
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return rc ? htmt_exit_status(rc) : sum != RECORDS * (1 + 2 + 3) || fs != ns * 1e6;
}
