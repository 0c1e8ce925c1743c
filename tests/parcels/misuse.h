/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests of misuse: a table of programs that misuse the API, each with the status and the words
 * of the one line that it ends with.
 *
 * A row is played on a machine of two slices, as a run with one and with three threads and as a
 * model. Its type `wrong` executes once, in CRAM of slice 0.
 */
#ifndef HTMT_TESTS_PARCELS_MISUSE_H
#define HTMT_TESTS_PARCELS_MISUSE_H

#include "tests/parcels/world.h"

struct misuse {
    const char *name;
    void (*before)(void); /* by the host, when all is set up */
    htmt_control_fn *control;
    htmt_kernel_fn *kernel; /* then there is no model of it */
    void (*shape)(struct htmt_type_desc *wrong);
    void (*after)(void); /* by the host, after the run */
    bool run_only;
    int code;          /* 0: HTMT_EINVAL, as of most */
    const char *words; /* expected in the line, separated by '|' */
};

/* What the host calls before or after. */
#define HOST(name, ...)                                                                            \
    static void name(void)                                                                         \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }
#define ROWS(table) (table), sizeof(table) / sizeof *(table)

/* What the programs find; there is one at a time. */
struct misuse_set {
    struct world w, other; /* other: a second emulator, never run */
    struct htmt_object *dram, *sram, *cram, *far, *foreign; /* 64 bytes; far: CRAM of slice 1 */
    struct htmt_object *spare;                              /* in no parcel's closure */
    struct htmt_frame *frame, *foreign_frame;               /* CRAM, 64 bytes */
    struct htmt_mailbox *box, *foreign_box;                 /* CRAM of slice 0, four records of 8 */
    struct htmt_tree *tree, *foreign_tree;                  /* with a fold */
    struct htmt_allreduce *sum, *foreign_sum;
    struct htmt_type *plain, *foreign_type; /* of CRAM, without anything */
    struct htmt_type *wrong;
    struct htmt_context *kept; /* of a control */
    struct htmt_ref self;
    int returned; /* of the call that is wrong, if it was kept */
    const struct misuse *row;
};
static struct misuse_set misused;

static inline void misuse_add(void *into, const void *from, uint64_t bytes)
{
    (void)from;
    memset(into, 0, bytes);
}

static inline void misuse_create(struct world *w, struct htmt_object **object,
                                 struct htmt_frame **frame, struct htmt_mailbox **box,
                                 struct htmt_tree **tree, struct htmt_allreduce **sum,
                                 struct htmt_type **type)
{
    *object = world_object(w, 0, CRAM, 64, "object");
    cr_assert_eq(htmt_frame_create(w->e, CRAM, 64, "frame", frame), 0);
    cr_assert_eq(htmt_mailbox_create(w->e, 0, CRAM, 8, 4, "box", box), 0);
    const struct htmt_tree_desc t = {
        .frame = *frame, .bytes = 8, .combine = misuse_add, .name = "tree"};
    const struct htmt_allreduce_desc a = {
        .frame = *frame, .bytes = 8, .combine = misuse_add, .name = "sum"};
    cr_assert_eq(htmt_tree_create(w->e, &t, tree), 0);
    cr_assert_eq(htmt_allreduce_create(w->e, &a, sum), 0);
    *type = TYPE(w, .name = "plain", .home = "cram", .exec = "cram");
}

static inline void misuse_set_up(const struct misuse *row, struct htmt_options o)
{
    struct world_spec spec = world_plain(2);
    struct misuse_set *s = &misused;
    *s = (struct misuse_set){.row = row};
    s->w = world_open(&spec, o);
    s->other = OPEN(&spec, .mode = HTMT_MODEL);
    misuse_create(&s->w, &s->cram, &s->frame, &s->box, &s->tree, &s->sum, &s->plain);
    misuse_create(&s->other, &s->foreign, &s->foreign_frame, &s->foreign_box, &s->foreign_tree,
                  &s->foreign_sum, &s->foreign_type);
    s->dram = world_object(&s->w, 0, DRAM, 64, "dram object");
    s->sram = world_object(&s->w, 0, SRAM, 64, "sram object");
    s->far = world_object(&s->w, 1, CRAM, 64, "far object");
    s->spare = world_object(&s->w, 0, CRAM, 64, "spare object");
    struct htmt_type_desc d = {.name = "wrong",
                               .home = "cram",
                               .exec = "cram",
                               .execute = {.kernel = row->kernel, .control = row->control},
                               .footprint = HTMT_RESIDENT,
                               .args_bytes = 8};
    if (row->shape)
        row->shape(&d);
    s->wrong = world_type(&s->w, d);
}

static inline void misuse_check_words(const struct misuse *row, const char *line, const char *how)
{
    char words[256];
    snprintf(words, sizeof words, "%s", row->words);
    cr_assert_null(strchr(line, '\n'), "%s, %s: more than a line: %s", row->name, how, line);
    for (char *rest, *word = strtok_r(words, "|", &rest); word; word = strtok_r(NULL, "|", &rest))
        cr_assert_not_null(strstr(line, word), "%s, %s: no '%s' in: %s", row->name, how, word,
                           line);
}

static inline void misuse_play(const struct misuse *row, struct htmt_options o, const char *how)
{
    const int code = row->code ? row->code : HTMT_EINVAL;
    misuse_set_up(row, o);
    struct htmt_emulator *e = misused.w.e;
    if (row->before)
        row->before();
    if (!htmt_emulator_fault(e)->code)
        START(&misused.w, .type = misused.wrong);
    int rc = htmt_emulator_run(e);
    if (row->after)
        row->after();
    else
        cr_assert_eq(rc, code, "%s, %s: %s: %s", row->name, how, htmt_err_name(rc),
                     htmt_emulator_fault(e)->text);
    cr_assert_eq(htmt_emulator_fault(e)->code, code, "%s, %s: %s: %s", row->name, how,
                 htmt_err_name(htmt_emulator_fault(e)->code), htmt_emulator_fault(e)->text);
    misuse_check_words(row, htmt_emulator_fault(e)->text, how);
    cr_assert_eq(misused.w.e, e, "%s, %s: the emulator was cleared", row->name, how);
    world_close(&misused.w);
    world_close(&misused.other);
    cr_assert_null(misused.w.e);
}

static inline void misuse_play_all(const struct misuse *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        misuse_play(&rows[i], (struct htmt_options){.threads = 1}, "one thread");
        misuse_play(&rows[i], (struct htmt_options){.threads = 3}, "three threads");
        misuse_play(&rows[i], (struct htmt_options){.threads = 2, .checked = true}, "checked");
        if (!rows[i].kernel && !rows[i].run_only)
            misuse_play(&rows[i], (struct htmt_options){.mode = HTMT_MODEL}, "model");
    }
}

#endif
