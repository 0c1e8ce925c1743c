/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * Each way to misuse the API ends with one clear line and its status, in every build.
 */
#include "tests/parcels/misuse.h"

#include <pthread.h>

static void no_args(struct htmt_type_desc *d)
{
    d->args_bytes = 0;
}

static void with_fiber(struct htmt_type_desc *d)
{
    static const struct htmt_stage fiber;
    d->fibers = &fiber;
    d->fiber_count = 1;
}

/* ---- pointers that are not there ------------------------------------------------------------- */

CONTROL(write_args, memset(htmt_args(c), 0xff, 512))
static void write_result(struct htmt_context *c)
{
    const unsigned char *result = htmt_result(c);
    for (int i = 0; i < 256; i++)
        cr_assert_eq(result[i], 0);
}
static void read_kernel_args(struct htmt_kernel *k)
{
    const unsigned char *args = htmt_kernel_args(k);
    for (int i = 0; i < 512; i++)
        cr_assert_eq(args[i], 0);
}
KERNEL(write_kernel_result, memset(htmt_kernel_result(k), 1, 256))
KERNEL(write_region, cr_assert_eq(htmt_size(k, 7), 0); memset(htmt_bytes(k, 7), 1, 64))
KERNEL(write_used, cr_assert_eq(htmt_used_size(k, 0), 0); memset(htmt_used(k, 0), 1, 64))
KERNEL(no_kernel, cr_assert_eq(htmt_size(NULL, 0), 0); memset(htmt_bytes(NULL, 0), 1, 64))
CONTROL(user_in_control, cr_assert_eq(memcmp(htmt_kernel_user(NULL), (char[512]){0}, 512), 0))
CONTROL(user_of_root, const unsigned char *user = htmt_user(htmt_root(htmt_emulator_of(c)));
        cr_assert_eq(memcmp(user, (char[512]){0}, 512), 0))
CONTROL(count_in_control, htmt_count(NULL, HTMT_FLOP, 1))
KERNEL(count_nothing_known, htmt_count(k, (enum htmt_op)99, 5))
KERNEL(count_negative, htmt_count(k, (enum htmt_op) - 1, 5))
KERNEL(count_too_far, htmt_count(k, HTMT_FLOP, UINT64_MAX - 1); htmt_count(k, HTMT_FLOP, 2))
COST(one_flop, ops->n[HTMT_FLOP] = 1)
static void with_cost(struct htmt_type_desc *d)
{
    d->execute.cost = one_flop;
}
KERNEL(one_count_short, htmt_count(k, HTMT_FLOP, UINT64_MAX / 2 + 1))
static void two_parts(struct htmt_type_desc *d)
{
    d->execute.parts = 2;
}
KERNEL(bytes_in_kernel, memset(htmt_object_bytes(misused.cram), 1, 64))
CONTROL(bytes_in_control, memset(htmt_object_bytes(misused.cram), 1, 64))
HOST(bytes_of_none, memset(htmt_object_bytes(NULL), 1, 512);
     memset(htmt_object_bytes(htmt_at(misused.frame, 9, 0).object), 1, 512))

KERNEL(fail_without_code, cr_assert_eq(htmt_kernel_fail(k, 0, "found %d", 3), HTMT_EINVAL))
KERNEL(fail_of_unknown_code, cr_assert_eq(htmt_kernel_fail(k, 7, "found %d", 3), HTMT_EINVAL))
KERNEL(fail_without_kernel, cr_assert_eq(htmt_kernel_fail(NULL, HTMT_ERANGE, "no"), HTMT_EINVAL))
KERNEL(fail_as_the_code_says, const char *none = NULL;
       cr_assert_eq(htmt_kernel_fail(k, HTMT_ERANGE, none), HTMT_ERANGE))
KERNEL(fail_with_lines, htmt_kernel_fail(k, HTMT_ERANGE, "two\nlines"))
CONTROL(fail_in_control,
        cr_assert_eq(htmt_kernel_fail((struct htmt_kernel *)misused.cram, HTMT_ERANGE, "no"),
                     HTMT_EINVAL))

Test(misuse, kernels_that_fail_without_a_code)
{
    static const struct misuse rows[] = {
        {"no code", .kernel = fail_without_code,
         .words = "htmt_kernel_fail() with code 0|found 3|type wrong, slice 0, execute"},
        {"unknown code", .kernel = fail_of_unknown_code,
         .words = "htmt_kernel_fail() with code 7|found 3|type wrong, slice 0, execute"},
        {"no kernel", .kernel = fail_without_kernel,
         .words = "htmt_kernel_fail()|another kernel|type wrong"},
        {"no words", .kernel = fail_as_the_code_says, .code = HTMT_ERANGE,
         .words = "type wrong, slice 0, execute|out of range|parcel 1"},
        {"two lines", .kernel = fail_with_lines, .code = HTMT_ERANGE, .words = "two\\nlines"},
        {"from a control", .control = fail_in_control,
         .words = "htmt_kernel_fail()|another kernel"},
    };
    misuse_play_all(ROWS(rows));
}

CONTROL(section_of_no_name, htmt_section(c, NULL))
CONTROL(section_of_long_name,
        htmt_section(c, "0123456789012345678901234567890123456789012345678901234567890123"))
static void sections_without_end(struct htmt_context *c)
{
    char name[16];
    for (unsigned i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "step %u", i);
        htmt_section(c, name);
    }
}
HOST(root_section_of_no_name, htmt_section(htmt_root(misused.w.e), NULL))
CONTROL(section_of_none, htmt_section(NULL, "section"))
CONTROL(keep_for_section, misused.kept = c)
KERNEL(section_in_kernel, htmt_section(misused.kept, "section"))
static void section_after(void)
{
    struct htmt_section_report r;
    cr_assert_eq(htmt_section_count(NULL), 0);
    cr_assert_eq(htmt_section_at(NULL, 0, &r), HTMT_EINVAL);
    cr_assert_eq(htmt_section_count(misused.w.e), 0);
    cr_assert_eq(htmt_section_at(misused.w.e, 0, &r), HTMT_EINVAL);
    htmt_section(htmt_root(misused.w.e), "section");
}

Test(misuse, sections)
{
    static const struct misuse rows[] = {
        {"no name", .control = section_of_no_name,
         .words = "htmt_section()|no name (NULL)|type wrong|execute|slice 0|at 0 s"},
        {"long name", .control = section_of_long_name,
         .words = "htmt_section()|64 bytes|at most 63|type wrong"},
        {"300 names", .control = sections_without_end,
         .words = "htmt_section()|256|at most 255|type wrong"},
        {"no name of the root", .before = root_section_of_no_name,
         .words = "htmt_section()|no name (NULL)"},
        {"no context", .control = section_of_none, .words = "htmt_section()|without a context"},
        {"in a kernel", .control = keep_for_section, .kernel = section_in_kernel,
         .words = "htmt_section() from a kernel|type wrong, slice 0, execute"},
        {"after the run", .after = section_after, .words = "htmt_section()|after the run"},
    };
    misuse_play_all(ROWS(rows));
}

Test(misuse, pointers_that_are_not_there)
{
    static const struct misuse rows[] = {
        {"args of none", .control = write_args, .shape = no_args,
         .words = "htmt_args()|set args_bytes|type wrong|execute|slice 0|at 0 s"},
        {"result of none", .control = write_result,
         .words = "htmt_result()|steered|type wrong|slice 0"},
        {"args in a kernel", .kernel = read_kernel_args, .shape = no_args,
         .words =
             "htmt_kernel_args()|set args_bytes|type wrong, slice 0, execute|slice 0|parcel 1"},
        {"result in a kernel", .kernel = write_kernel_result,
         .words = "htmt_kernel_result()|set result_bytes|type wrong, slice 0, execute|slice 0"},
        {"region of none", .kernel = write_region,
         .words = "htmt_bytes() of region 7|has 0|type wrong"},
        {"use of none", .kernel = write_used,
         .words = "htmt_used() of use 0|declared 0|type wrong"},
        {"no kernel", .kernel = no_kernel, .words = "htmt_size()|another kernel|type wrong"},
        {"user of a kernel in a control", .control = user_in_control,
         .words = "htmt_kernel_user()|another kernel"},
        {"user of the root", .control = user_of_root, .words = "htmt_user()"},
        {"count in a control", .control = count_in_control, .words = "htmt_count()|another kernel"},
        {"count of class 99", .kernel = count_nothing_known,
         .words = "htmt_count()|class 99|type wrong, slice 0, execute"},
        {"count of class -1", .kernel = count_negative, .words = "htmt_count()|class 4294967295"},
        {"count that wraps", .kernel = count_too_far, .code = HTMT_EOVERFLOW,
         .words = "htmt_count()|2^64|type wrong|execute|slice 0"},
        {"count that wraps beside a cost function", .kernel = count_too_far, .shape = with_cost,
         .code = HTMT_EOVERFLOW, .words = "htmt_count()|2^64|type wrong|execute|slice 0"},
        {"parts that wrap", .kernel = one_count_short, .shape = two_parts, .code = HTMT_EOVERFLOW,
         .words = "htmt_count()|2^64|type wrong|execute|slice 0"},
        {"bytes in a kernel", .kernel = bytes_in_kernel,
         .words = "htmt_object_bytes()|while the run is on|type wrong, slice 0, execute"},
        {"bytes in a control", .control = bytes_in_control,
         .words = "htmt_object_bytes()|while the run is on|type wrong"},
        {"bytes of none", .before = bytes_of_none, .code = HTMT_EBOUNDS,
         .words = "htmt_object_bytes() of a slice of frame frame|0 to 1"},
    };
    misuse_play_all(ROWS(rows));
}

/* ---- objects, emulators, machines ------------------------------------------------------------ */

static int assemble_in(const struct htmt_region *r)
{
    return ASSEMBLE(htmt_root(misused.w.e), NULL, .type = misused.plain, .regions = r,
                    .region_count = 1);
}

static void region_of_destroyed(void)
{
    struct htmt_object *kept = misused.cram;
    htmt_object_destroy(&misused.cram);
    cr_assert_null(misused.cram);
    cr_assert_eq(htmt_object_size(misused.dram), 64);
    cr_assert_eq(assemble_in(&(struct htmt_region){.into = htmt_in(kept, 0), .bytes = 8}),
                 HTMT_EINVAL);
}
static void destroyed_under_parcel(void)
{
    struct htmt_object *kept = misused.cram;
    assemble_in(&(struct htmt_region){.into = htmt_in(kept, 0), .bytes = 8});
    htmt_object_destroy(&kept);
    cr_assert_not_null(kept);
}
static void destroyed_twice(void)
{
    struct htmt_object *kept = misused.spare;
    htmt_object_destroy(&misused.spare);
    htmt_object_destroy(&misused.spare);
    htmt_object_destroy(&kept);
}
HOST(size_of_destroyed, struct htmt_object *kept = misused.spare;
     htmt_object_destroy(&misused.spare); cr_assert_eq(htmt_object_size(kept), 0))
HOST(frame_destroyed, struct htmt_object *part = htmt_at(misused.frame, 1, 0).object;
     htmt_object_destroy(&part))
HOST(destroy_spare, struct htmt_object *kept = misused.spare; htmt_object_destroy(&kept))
CONTROL(use_destroyed, htmt_use(c, htmt_in(misused.spare, 0), 8, HTMT_READ))
CONTROL(put_destroyed,
        PUT(c, .src = htmt_in(misused.spare, 0), .dst = htmt_in(misused.cram, 0), .bytes = 8))
CONTROL(send_destroyed, htmt_send(c, misused.box, htmt_in(misused.spare, 0), 1,
                                  (struct htmt_slot){0}, (struct htmt_slot){0}))
CONTROL(destroy_in_control, htmt_object_destroy(&misused.spare); cr_assert_not_null(misused.spare))
KERNEL(destroy_in_kernel, htmt_object_destroy(&misused.spare); cr_assert_not_null(misused.spare))
CONTROL(create_in_control, struct htmt_object *o;
        htmt_object_create(htmt_emulator_of(c), 0, CRAM, 8, "late", &o))
CONTROL(destroy_emulator_in_control, htmt_emulator_destroy(&misused.w.e))
KERNEL(destroy_emulator_in_kernel, htmt_emulator_destroy(&misused.w.e))
CONTROL(run_in_control, misused.returned = htmt_emulator_run(htmt_emulator_of(c));
        cr_assert_eq(misused.returned, HTMT_EINVAL))
HOST(run_again, cr_assert_eq(htmt_emulator_run(misused.w.e), HTMT_EINVAL))
HOST(foreign_region,
     assemble_in(&(struct htmt_region){.into = htmt_in(misused.foreign, 0), .bytes = 8}))
HOST(foreign_type, ASSEMBLE(htmt_root(misused.w.e), NULL, .type = misused.foreign_type))
HOST(foreign_tree, struct htmt_tree *tree;
     const struct htmt_tree_desc d = {.frame = misused.foreign_frame, .bytes = 8};
     htmt_tree_create(misused.w.e, &d, &tree))
CONTROL(foreign_use, htmt_use(c, htmt_in(misused.foreign, 0), 8, HTMT_READ))
CONTROL(foreign_put,
        PUT(c, .src = htmt_in(misused.cram, 0), .dst = htmt_in(misused.foreign, 0), .bytes = 8))
CONTROL(foreign_send, htmt_send(c, misused.foreign_box, htmt_in(misused.cram, 0), 1,
                                (struct htmt_slot){0}, (struct htmt_slot){0}))
CONTROL(foreign_take, htmt_take(c, misused.foreign_box))
CONTROL(foreign_reduce, htmt_reduce(c, misused.foreign_tree, (struct htmt_slot){0}))
CONTROL(foreign_broadcast, htmt_broadcast(c, misused.foreign_tree, NULL))
CONTROL(foreign_allreduce, htmt_allreduce(c, misused.foreign_sum, (struct htmt_slot){0}))
CONTROL(foreign_signal, const struct htmt_ref far = {(UINT64_C(7) << 40) + 1, 0, CRAM};
        htmt_signal(c, htmt_slot_of(far, 1)))
CONTROL(signal_no_layer, struct htmt_ref self = htmt_self(c); self.layer = 200;
        htmt_signal(c, htmt_slot_of(self, 1)))
HOST(foreign_root, ASSEMBLE(htmt_root(misused.other.e), NULL, .type = misused.plain);
     cr_assert_eq(htmt_emulator_fault(misused.other.e)->code, HTMT_EINVAL); foreign_type())

Test(misuse, objects_emulators_and_what_belongs_to_others)
{
    static const struct misuse rows[] = {
        {"region of a destroyed object", .before = region_of_destroyed,
         .words = "region 0 of type plain|object|was destroyed"},
        {"destroyed under a parcel", .before = destroyed_under_parcel,
         .words = "htmt_object_destroy() of object|a parcel needs it|after the run"},
        {"destroyed twice", .before = destroyed_twice,
         .words = "htmt_object_destroy() of spare object|was destroyed"},
        {"size of a destroyed object", .before = size_of_destroyed,
         .words = "htmt_object_size() of spare object|was destroyed"},
        {"part of a frame destroyed", .before = frame_destroyed,
         .words = "frame in slice 1|belongs to a frame"},
        {"use of a destroyed object", .before = destroy_spare, .control = use_destroyed,
         .words = "a kernel uses spare object|was destroyed|type wrong"},
        {"put of a destroyed object", .before = destroy_spare, .control = put_destroyed,
         .words = "a put comes from spare object|was destroyed|type wrong"},
        {"send of a destroyed object", .before = destroy_spare, .control = send_destroyed,
         .words = "records come from spare object|was destroyed|type wrong"},
        {"destroyed in a control", .control = destroy_in_control,
         .words = "htmt_object_destroy() while the run is on|type wrong"},
        {"destroyed in a kernel", .kernel = destroy_in_kernel,
         .words = "htmt_object_destroy() while the run is on|type wrong"},
        {"created in a control", .control = create_in_control,
         .words = "htmt_object_create() while the run is on|type wrong"},
        {"emulator destroyed in a control", .control = destroy_emulator_in_control,
         .words = "htmt_emulator_destroy() while the run is on|type wrong"},
        {"emulator destroyed in a kernel", .kernel = destroy_emulator_in_kernel,
         .words = "htmt_emulator_destroy() while the run is on|type wrong"},
        {"run in a control", .control = run_in_control,
         .words = "htmt_emulator_run() again|runs once|type wrong"},
        {"run again", .after = run_again, .words = "htmt_emulator_run() again|runs once"},
        {"region of another emulator", .before = foreign_region,
         .words = "region 0 of type plain|object, which belongs to another emulator"},
        {"type of another emulator", .before = foreign_type,
         .words = "htmt_assemble() of type plain|another emulator"},
        {"root of another emulator", .before = foreign_root,
         .words = "htmt_assemble() of type plain|another emulator"},
        {"frame of another emulator", .before = foreign_tree, .words = "tree|another emulator"},
        {"use of another emulator's", .control = foreign_use,
         .words = "a kernel uses object|another emulator|type wrong"},
        {"put to another emulator's", .control = foreign_put,
         .words = "a put goes to object|another emulator|type wrong"},
        {"send to another emulator's", .control = foreign_send,
         .words = "htmt_send()|mailbox box|another emulator|type wrong"},
        {"take of another emulator's", .control = foreign_take,
         .words = "htmt_take()|mailbox box|another emulator|type wrong"},
        {"reduce of another emulator's", .control = foreign_reduce,
         .words = "htmt_reduce()|tree|another emulator|type wrong"},
        {"broadcast of another emulator's", .control = foreign_broadcast,
         .words = "htmt_broadcast()|tree|another emulator|type wrong"},
        {"all-reduce of another emulator's", .control = foreign_allreduce,
         .words = "htmt_allreduce()|sum|another emulator|type wrong"},
        {"signal to a slice that is not there", .control = foreign_signal,
         .words = "a signal|slice 7|does not have"},
        {"signal to a layer that is not there", .control = signal_no_layer,
         .words = "a signal|layer 200|does not have"},
    };
    misuse_play_all(ROWS(rows));
}

/* ---- who calls ------------------------------------------------------------------------------- */

static const struct htmt_parcel_desc *plain(void)
{
    static struct htmt_parcel_desc d;
    d = (struct htmt_parcel_desc){.type = misused.plain};
    return &d;
}

/* All that belongs to controls, with a context that is not open here. */
static void call_all(struct htmt_context *c)
{
    struct htmt_ref ref = misused.self;
    struct htmt_put put = {
        .src = htmt_in(misused.cram, 0), .dst = htmt_in(misused.cram, 8), .bytes = 8};
    cr_assert_eq(htmt_assemble(c, plain(), NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_dispatch(c, ref), HTMT_EINVAL);
    cr_assert_eq(htmt_execute(c, ref), HTMT_EINVAL);
    cr_assert_eq(htmt_retire(c, ref), HTMT_EINVAL);
    cr_assert_eq(htmt_scatter(c, ref), HTMT_EINVAL);
    cr_assert_eq(htmt_discard(c, ref), HTMT_EINVAL);
    memset(htmt_args(c), 1, 8);
    cr_assert_not_null(htmt_user(c));
    cr_assert_eq(htmt_slice(c), 0);
    cr_assert_eq(htmt_fiber(c), 0);
    cr_assert(htmt_ref_none(htmt_self(c)));
    cr_assert_not_null(htmt_result(c));
    cr_assert_eq(htmt_fail(c, HTMT_ERANGE, "no"), HTMT_EINVAL);
    htmt_charge(c, HTMT_FLOP, 1);
    htmt_work(c);
    htmt_use(c, put.src, 8, HTMT_READ);
    cr_assert(htmt_ref_none(htmt_slot(c, 1).owner));
    htmt_slot_set(c, 1, 1, 1);
    htmt_signal(c, htmt_slot_of(ref, 1));
    cr_assert_eq(htmt_put(c, &put), HTMT_EINVAL);
    cr_assert_eq(
        htmt_send(c, misused.box, put.src, 1, (struct htmt_slot){0}, (struct htmt_slot){0}),
        HTMT_EINVAL);
    cr_assert_eq(htmt_take(c, misused.box), 0);
    cr_assert_eq(htmt_broadcast(c, misused.tree, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_reduce(c, misused.tree, (struct htmt_slot){0}), HTMT_EINVAL);
    cr_assert_eq(htmt_allreduce(c, misused.sum, (struct htmt_slot){0}), HTMT_EINVAL);
    cr_assert_eq(htmt_barrier(c, NULL, (struct htmt_slot){0}), HTMT_EINVAL);
    cr_assert_eq(htmt_put_neighbour(c, &(struct htmt_grid){{2, 1, 1}, {true, false, false}},
                                    (int[3]){1, 0, 0}, &put),
                 HTMT_EINVAL);
    cr_assert_eq(htmt_blocks(c, &(struct htmt_blocks_desc){.type = misused.plain}, NULL),
                 HTMT_EINVAL);
}

/* All that the host does before the run. */
static void set_up_all(void)
{
    struct htmt_emulator *e = misused.w.e;
    struct htmt_object *o;
    struct htmt_frame *f;
    struct htmt_mailbox *b;
    struct htmt_type *t;
    struct htmt_tree *tree;
    struct htmt_allreduce *sum;
    struct htmt_barrier *barrier;
    char memory[8];
    const struct htmt_type_desc type = {.name = "late", .home = "cram", .exec = "cram"};
    const struct htmt_tree_desc td = {.frame = misused.frame, .bytes = 8};
    const struct htmt_allreduce_desc ad = {
        .frame = misused.frame, .bytes = 8, .combine = misuse_add};
    cr_assert_eq(htmt_object_create(e, 0, CRAM, 8, "late", &o), HTMT_EINVAL);
    cr_assert_eq(htmt_object_wrap(e, 0, CRAM, memory, 8, 1, "late", &o), HTMT_EINVAL);
    cr_assert_eq(htmt_frame_create(e, CRAM, 8, "late", &f), HTMT_EINVAL);
    cr_assert_eq(htmt_mailbox_create(e, 0, CRAM, 8, 4, "late", &b), HTMT_EINVAL);
    cr_assert_eq(htmt_type_create(e, &type, &t), HTMT_EINVAL);
    cr_assert_eq(htmt_tree_create(e, &td, &tree), HTMT_EINVAL);
    cr_assert_eq(htmt_allreduce_create(e, &ad, &sum), HTMT_EINVAL);
    cr_assert_eq(htmt_barrier_create(e, CRAM, "late", &barrier), HTMT_EINVAL);
    cr_assert_eq(htmt_emulator_run(e), HTMT_EINVAL);
}

CONTROL(keep_context, misused.kept = c; misused.self = htmt_self(c))
KERNEL(call_from_kernel, call_all(misused.kept))
KERNEL(root_from_kernel, call_all(htmt_root(misused.w.e)))
KERNEL(assemble_from_kernel,
       cr_assert_eq(htmt_assemble(htmt_root(misused.w.e), plain(), NULL), HTMT_EINVAL))
KERNEL(set_up_from_kernel, set_up_all())
CONTROL(root_in_control,
        cr_assert_eq(htmt_assemble(htmt_root(misused.w.e), plain(), NULL), HTMT_EINVAL))
CONTROL(set_up_in_control, set_up_all())
CONTROL(no_context, misused.self = (struct htmt_ref){1, 0, CRAM}; call_all(NULL);
        cr_assert(!htmt_is_model(NULL)))

static void *call_in_thread(void *c)
{
    call_all(c);
    return NULL;
}
static void *set_up_in_thread(void *unused)
{
    set_up_all();
    return unused;
}
static void in_thread(void *(*what)(void *), void *argument)
{
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, what, argument), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
}
CONTROL(call_from_thread, keep_context(c); in_thread(call_in_thread, c))
CONTROL(root_from_thread, keep_context(c); in_thread(call_in_thread, htmt_root(misused.w.e)))
CONTROL(set_up_from_thread, in_thread(set_up_in_thread, NULL))
static void *destroy_in_thread(void *unused)
{
    htmt_emulator_destroy(&misused.w.e);
    htmt_object_destroy(&misused.spare);
    memset(htmt_object_bytes(misused.cram), 1, 64);
    cr_assert_not_null(misused.w.e);
    return unused;
}
CONTROL(destroy_from_thread, in_thread(destroy_in_thread, NULL))
HOST(assemble_after,
     cr_assert_eq(htmt_assemble(htmt_root(misused.w.e), plain(), NULL), HTMT_EINVAL))
HOST(call_after, call_all(misused.kept))
HOST(type_after, struct htmt_type *t;
     const struct htmt_type_desc type = {.name = "late", .home = "cram", .exec = "cram"};
     cr_assert_eq(htmt_type_create(misused.w.e, &type, &t), HTMT_EINVAL))
COST(kept_by_cost, ops->n[HTMT_CYCLE] = 1; if (misused.kept) call_all(misused.kept))
static void twice(struct htmt_type_desc *d)
{
    static struct htmt_stage fiber = {.cost = kept_by_cost, .count = 1};
    d->fibers = &fiber;
    d->fiber_count = 1;
}
CONTROL(keep_and_signal, keep_context(c); htmt_signal(c, htmt_slot(c, 1)))
static void services_of_root(void)
{
    struct htmt_context *root = htmt_root(misused.w.e);
    cr_assert_eq(htmt_slice(root), 0);
    cr_assert_eq(htmt_fiber(root), 0);
    cr_assert(htmt_ref_none(htmt_self(root)));
    cr_assert_eq(htmt_emulator_fault(misused.w.e)->code, 0);
    htmt_charge(root, HTMT_FLOP, 1);
}
HOST(slot_of_root, htmt_slot(htmt_root(misused.w.e), 1))

Test(misuse, calls_of_who_may_not_make_them)
{
    static const struct misuse rows[] = {
        {"all from a kernel", .control = keep_context, .kernel = call_from_kernel,

         .words =
             "htmt_assemble() from a kernel|control|type wrong, slice 0, execute|slice 0|parcel 1"},
        {"root from a kernel", .control = keep_context, .kernel = root_from_kernel,

         .words = "htmt_assemble() from a kernel|type wrong, slice 0, execute"},
        {"assemble from a kernel", .kernel = assemble_from_kernel,
         .words = "htmt_assemble() from a kernel|type wrong, slice 0, execute"},
        {"set-up from a kernel", .kernel = set_up_from_kernel,
         .words = "htmt_object_create() while the run is on|type wrong, slice 0, execute"},
        {"root in a control", .control = root_in_control,
         .words = "htmt_assemble() with htmt_root() while the run is on|type wrong"},
        {"set-up in a control", .control = set_up_in_control,
         .words = "htmt_object_create() while the run is on|type wrong"},
        {"no context", .control = no_context, .words = "htmt_assemble() without a context"},
        {"from another thread", .control = call_from_thread,
         .words = "htmt_assemble() from another thread"},
        {"root from another thread", .control = root_from_thread,
         .words = "htmt_assemble() from another thread"},
        {"set-up from another thread", .control = set_up_from_thread,
         .words = "htmt_object_create() while the run is on"},
        {"destroyed from another thread", .control = destroy_from_thread,
         .words = "htmt_emulator_destroy() while the run is on"},
        {"assemble after the run", .after = assemble_after,
         .words = "htmt_assemble() after the run"},
        {"a context after the run", .control = keep_context, .after = call_after,
         .words = "htmt_assemble() after the run"},
        {"a type after the run", .after = type_after, .words = "htmt_type_create() after the run"},
        {"a context in a cost function", .control = keep_and_signal, .shape = twice,
         .words = "htmt_assemble() after its control has returned"},
        {"a service of the root", .before = services_of_root,
         .words = "htmt_charge() outside a service"},
        {"a slot of the root", .before = slot_of_root, .words = "htmt_slot() outside a service"},
    };
    misuse_play_all(ROWS(rows));
}

/* ---- what a control says --------------------------------------------------------------------- */

CONTROL(fail_with_zero, cr_assert_eq(htmt_fail(c, 0, "found %d", 3), HTMT_EINVAL))
CONTROL(fail_with_seven, cr_assert_eq(htmt_fail(c, 7, "found %d", 3), HTMT_EINVAL))
static void fail_without_words(struct htmt_context *c)
{
    const char *volatile none = NULL;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
    cr_assert_eq(htmt_fail(c, HTMT_ERANGE, none), HTMT_ERANGE);
#pragma GCC diagnostic pop
}
CONTROL(retire_twice, htmt_retire(c, htmt_self(c)); htmt_retire(c, htmt_self(c)))
CONTROL(retire_self, htmt_retire(c, htmt_self(c)))
CONTROL(dispatch_self, htmt_dispatch(c, htmt_self(c)))
CONTROL(execute_self, htmt_execute(c, htmt_self(c)))
CONTROL(scatter_self, htmt_scatter(c, htmt_self(c)))
CONTROL(discard_self, htmt_discard(c, htmt_self(c)))
CONTROL(discard_twice, htmt_discard(c, htmt_self(c)); htmt_discard(c, htmt_self(c)))
static void gate_execute(struct htmt_type_desc *d)
{
    d->gates = HTMT_GATE(HTMT_EXECUTE);
}
static void call_wrong_before(void)
{
    struct htmt_ref ref;
    struct htmt_context *root = htmt_root(misused.w.e);
    cr_assert_eq(ASSEMBLE(root, &ref, .type = misused.wrong), 0);
    cr_assert_eq(htmt_execute(root, ref), 0);
}
CONTROL(call_nobody, htmt_retire(c, (struct htmt_ref){0}))
CONTROL(charge_nothing_known, htmt_charge(c, (enum htmt_op)99, 5))
CONTROL(use_not_at_all, htmt_use(c, htmt_in(misused.cram, 0), 8, (enum htmt_use)0))
CONTROL(use_strangely, htmt_use(c, htmt_in(misused.cram, 0), 8, (enum htmt_use)8))
CONTROL(work_twice, htmt_work(c); htmt_work(c))
CONTROL(signal_disarmed, htmt_signal(c, htmt_slot(c, 1)))
CONTROL(signal_fiber_9, htmt_signal(c, htmt_slot(c, 9)))
CONTROL(signal_the_gone, htmt_signal(c, htmt_slot_of((struct htmt_ref){99, 0, CRAM}, 1)))
CONTROL(set_fiber_0, htmt_slot_set(c, 0, 1, 1))
CONTROL(set_fiber_9, htmt_slot_set(c, 9, 1, 1))
CONTROL(broadcast_with_fold, htmt_broadcast(c, misused.tree, NULL))
CONTROL(reduce_again, htmt_reduce(c, misused.tree, (struct htmt_slot){0});
        htmt_reduce(c, misused.tree, (struct htmt_slot){0}))

Test(misuse, what_a_control_says)
{
    static const struct misuse rows[] = {
        {"fail with code 0", .control = fail_with_zero,
         .words = "htmt_fail() with code 0|found 3|type wrong"},
        {"fail with code 7", .control = fail_with_seven,
         .words = "htmt_fail() with code 7|found 3|type wrong"},
        {"fail without words", .control = fail_without_words, .code = HTMT_ERANGE,
         .words = "value out of range"},
        {"retire twice", .control = retire_twice, .shape = with_fiber,
         .words = "htmt_retire()|type wrong|slice 0|twice|at 0 s"},
        {"retire without fibers", .control = retire_self,
         .words = "htmt_retire()|type wrong|no gate before retire|or fibers"},
        {"dispatch without a gate", .control = dispatch_self,
         .words = "htmt_dispatch()|type wrong|no gate before dispatch"},
        {"execute without a gate", .control = execute_self,
         .words = "htmt_execute()|type wrong|no gate before execute"},
        {"scatter without a gate", .control = scatter_self,
         .words = "htmt_scatter()|type wrong|no gate before scatter"},
        {"discard without gates", .control = discard_self,
         .words = "htmt_discard()|type wrong|no gate"},
        {"discard twice", .control = discard_twice, .shape = with_fiber,
         .words = "htmt_discard()|type wrong|twice"},
        {"discard after the last gate", .before = call_wrong_before, .control = discard_self,
         .shape = gate_execute, .words = "htmt_discard()|type wrong|after its last gate"},
        {"execute twice", .before = call_wrong_before, .control = execute_self,
         .shape = gate_execute, .words = "htmt_execute()|type wrong|twice"},
        {"call of nobody", .control = call_nobody,
         .words = "htmt_retire() of a parcel that is gone|type wrong"},
        {"charge of class 99", .control = charge_nothing_known,
         .words = "htmt_charge()|class 99|type wrong"},
        {"use as nothing", .control = use_not_at_all, .words = "htmt_use() as 0|type wrong"},
        {"use as 8", .control = use_strangely, .words = "htmt_use() as 8|type wrong"},
        {"work twice", .control = work_twice, .words = "htmt_work() twice|type wrong"},
        {"signal to a slot that is not set", .control = signal_disarmed, .shape = with_fiber,

         .words = "a signal to fiber 1 of wrong in slice 0|htmt_slot_set()|at 0 s"},
        {"signal to fiber 9", .control = signal_fiber_9, .shape = with_fiber,
         .words = "a signal to fiber 9|type wrong in slice 0, which has 1"},
        {"signal to who is gone", .control = signal_the_gone,
         .words = "a signal to fiber 1 of parcel 99 of slice 0|gone"},
        {"slot of fiber 0", .control = set_fiber_0, .shape = with_fiber,
         .words = "htmt_slot_set() of fiber 0|1 to 1|type wrong"},
        {"slot of fiber 9", .control = set_fiber_9, .shape = with_fiber,
         .words = "htmt_slot_set() of fiber 9|1 to 1|type wrong"},
        {"broadcast with a fold", .control = broadcast_with_fold,
         .words = "htmt_broadcast()|fold|type wrong"},
        {"reduce again", .control = reduce_again, .words = "htmt_reduce() again|type wrong"},
    };
    misuse_play_all(ROWS(rows));
}

/* ---- addresses of nothing, and what is not given --------------------------------------------- */

HOST(region_outside,
     assemble_in(&(struct htmt_region){.into = htmt_at(misused.frame, 99, 0), .bytes = 8}))
HOST(region_in_null, assemble_in(&(struct htmt_region){.from = htmt_in(NULL, 0), .bytes = 8}))
HOST(region_at_null, assemble_in(&(struct htmt_region){.to = htmt_at(NULL, 0, 0), .bytes = 8}))
CONTROL(use_outside, htmt_use(c, htmt_at(misused.frame, 2, 0), 8, HTMT_READ))
CONTROL(use_null, htmt_use(c, htmt_in(NULL, 0), 8, HTMT_READ))
CONTROL(put_from_null, PUT(c, .src = htmt_in(NULL, 0), .dst = htmt_in(misused.cram, 0), .bytes = 8))
CONTROL(put_outside,
        PUT(c, .src = htmt_in(misused.cram, 0), .dst = htmt_at(misused.frame, 99, 0), .bytes = 8))
CONTROL(put_nothing, PUT(c, .src = htmt_in(misused.cram, 0), .dst = htmt_in(misused.cram, 8)))
CONTROL(put_null, cr_assert_eq(htmt_put(c, NULL), HTMT_EINVAL))
CONTROL(send_from_null, htmt_send(c, misused.box, htmt_in(NULL, 0), 1, (struct htmt_slot){0},
                                  (struct htmt_slot){0}))
CONTROL(send_to_null, htmt_send(c, NULL, htmt_in(misused.cram, 0), 0, (struct htmt_slot){0},
                                (struct htmt_slot){0}))
CONTROL(take_null, cr_assert_eq(htmt_take(c, NULL), 0))
CONTROL(reduce_null, cr_assert_eq(htmt_reduce(c, NULL, (struct htmt_slot){0}), HTMT_EINVAL))
CONTROL(broadcast_null, cr_assert_eq(htmt_broadcast(c, NULL, NULL), HTMT_EINVAL))
CONTROL(allreduce_null, cr_assert_eq(htmt_allreduce(c, NULL, (struct htmt_slot){0}), HTMT_EINVAL))
CONTROL(assemble_null, cr_assert_eq(htmt_assemble(c, NULL, NULL), HTMT_EINVAL))
CONTROL(assemble_no_type,
        cr_assert_eq(htmt_assemble(c, &(struct htmt_parcel_desc){0}, NULL), HTMT_EINVAL))
CONTROL(assemble_no_regions, ASSEMBLE(c, NULL, .type = misused.plain, .region_count = 3))
HOST(assemble_in_slice_9, ASSEMBLE(htmt_root(misused.w.e), NULL, .type = misused.plain, .slice = 9))

HOST(args_of_none,
     ASSEMBLE(htmt_root(misused.w.e), NULL, .type = misused.plain, .args = "12345678"))

Test(misuse, addresses_of_nothing_and_what_is_not_given)
{
    static const struct misuse rows[] = {
        {"arguments of a type without", .before = args_of_none,
         .words = "htmt_assemble() of type plain with arguments|args_bytes"},
        {"region outside a frame", .before = region_outside, .code = HTMT_EBOUNDS,
         .words = "region 0 of type plain lies in slice 99 of frame frame|0 to 1"},
        {"region in NULL", .before = region_in_null,
         .words = "region 0 of type plain comes from htmt_in(NULL)"},
        {"region at NULL", .before = region_at_null,
         .words = "region 0 of type plain goes to htmt_at(NULL)"},
        {"use outside a frame", .control = use_outside, .code = HTMT_EBOUNDS,
         .words = "a kernel uses slice 2 of frame frame|type wrong"},
        {"use of NULL", .control = use_null, .words = "a kernel uses htmt_in(NULL)|type wrong"},
        {"put from NULL", .control = put_from_null,
         .words = "a put comes from htmt_in(NULL)|type wrong"},
        {"put outside a frame", .control = put_outside, .code = HTMT_EBOUNDS,
         .words = "a put goes to slice 99 of frame frame|type wrong"},
        {"put of nothing", .control = put_nothing, .code = HTMT_EBOUNDS,
         .words = "a put comes from 0 bytes|type wrong"},
        {"no put", .control = put_null, .words = "htmt_put()|NULL|type wrong"},
        {"send from NULL", .control = send_from_null,
         .words = "records come from htmt_in(NULL)|type wrong"},
        {"send to NULL", .control = send_to_null,
         .words = "htmt_send(): found no mailbox|type wrong"},
        {"take of NULL", .control = take_null, .words = "htmt_take(): found no mailbox|type wrong"},
        {"reduce of NULL", .control = reduce_null, .words = "htmt_reduce(): found no|type wrong"},
        {"broadcast of NULL", .control = broadcast_null,
         .words = "htmt_broadcast(): found no|type wrong"},
        {"all-reduce of NULL", .control = allreduce_null,
         .words = "htmt_allreduce(): found no|type wrong"},
        {"no description", .control = assemble_null,
         .words = "htmt_assemble(): found no description|type wrong"},
        {"no type", .control = assemble_no_type,
         .words = "htmt_assemble(): found no type|type wrong"},
        {"no regions", .control = assemble_no_regions,
         .words = "htmt_assemble() of type plain with 3 regions|type wrong"},
        {"slice 9", .before = assemble_in_slice_9,
         .words = "htmt_assemble() of type plain in slice 9|0 to 1"},
    };
    misuse_play_all(ROWS(rows));
}

/* ---- set-up ---------------------------------------------------------------------------------- */

HOST(object_without_name, struct htmt_object *o;
     cr_assert_eq(htmt_object_create(misused.w.e, 0, CRAM, 8, NULL, &o), HTMT_EINVAL))
HOST(object_to_nowhere,
     cr_assert_eq(htmt_object_create(misused.w.e, 0, CRAM, 8, "lost", NULL), HTMT_EINVAL))
HOST(object_in_slice_9, struct htmt_object *o;
     cr_assert_eq(htmt_object_create(misused.w.e, 9, CRAM, 8, "lost", &o), HTMT_EINVAL))
HOST(object_too_large, struct htmt_object *o;
     cr_assert_neq(htmt_object_create(misused.w.e, 0, CRAM, UINT64_MAX, "huge", &o), 0))
HOST(wrap_nothing, struct htmt_object *o;
     cr_assert_eq(htmt_object_wrap(misused.w.e, 0, CRAM, NULL, 8, 1, "none", &o), HTMT_EINVAL))
HOST(wrap_without_name, struct htmt_object *o; char memory[8];
     cr_assert_eq(htmt_object_wrap(misused.w.e, 0, CRAM, memory, 8, 1, NULL, &o), HTMT_EINVAL))
HOST(wrap_too_many_words, struct htmt_object *o; static char memory[8];
     cr_assert_eq(htmt_object_wrap(misused.w.e, 0, CRAM, memory, 8, UINT64_MAX, "huge", &o),
                  HTMT_ECAPACITY))
HOST(frame_without_name, struct htmt_frame *f;
     cr_assert_eq(htmt_frame_create(misused.w.e, CRAM, 8, NULL, &f), HTMT_EINVAL))
HOST(frame_to_nowhere,
     cr_assert_eq(htmt_frame_create(misused.w.e, CRAM, 8, "lost", NULL), HTMT_EINVAL))
HOST(mailbox_without_name, struct htmt_mailbox *b;
     cr_assert_eq(htmt_mailbox_create(misused.w.e, 0, CRAM, 8, 4, NULL, &b), HTMT_EINVAL))
HOST(mailbox_to_nowhere,
     cr_assert_eq(htmt_mailbox_create(misused.w.e, 0, CRAM, 8, 4, "lost", NULL), HTMT_EINVAL))
HOST(mailbox_too_large, struct htmt_mailbox *b;
     cr_assert_eq(htmt_mailbox_create(misused.w.e, 0, CRAM, 1 << 20, UINT64_MAX / 2, "huge", &b),
                  HTMT_EINVAL))
static void create_type(struct htmt_type_desc d)
{
    struct htmt_type *t;
    d.home = d.home ? d.home : "cram";
    d.exec = "cram";
    cr_assert_eq(htmt_type_create(misused.w.e, &d, &t), HTMT_EINVAL);
}
HOST(type_without_name, create_type((struct htmt_type_desc){0}))
HOST(type_of_nothing, struct htmt_type *t;
     cr_assert_eq(htmt_type_create(misused.w.e, NULL, &t), HTMT_EINVAL))
HOST(type_to_nowhere,
     const struct htmt_type_desc d = {.name = "lost", .home = "cram", .exec = "cram"};
     cr_assert_eq(htmt_type_create(misused.w.e, &d, NULL), HTMT_EINVAL))
HOST(type_without_layers, struct htmt_type *t;
     cr_assert_eq(htmt_type_create(misused.w.e, &(struct htmt_type_desc){.name = "lost"}, &t),
                  HTMT_EINVAL))
static void type_of_layer(const char *home, const char *exec)
{
    struct htmt_type *t;
    const struct htmt_type_desc d = {.name = "lost", .home = home, .exec = exec};
    cr_assert_eq(htmt_type_create(misused.w.e, &d, &t), HTMT_EINVAL);
}
HOST(type_at_home_nowhere, type_of_layer("attic", "cram"))
HOST(type_executed_nowhere, type_of_layer("cram", "moon"))
HOST(type_without_fibers, create_type((struct htmt_type_desc){.name = "hollow", .fiber_count = 3}))
HOST(type_of_footprint_7,
     create_type((struct htmt_type_desc){.name = "odd", .footprint = (enum htmt_footprint)7}))
HOST(type_that_departs_oddly, create_type((struct htmt_type_desc){.name = "odd", .departures = 8}))
HOST(type_with_gate_of_gather,
     create_type((struct htmt_type_desc){.name = "odd", .gates = HTMT_GATE(HTMT_GATHER)}))
HOST(type_with_gate_it_lacks,
     create_type((struct htmt_type_desc){.name = "odd", .gates = HTMT_GATE(HTMT_DISPATCH)}))
HOST(tree_of_nothing, struct htmt_tree *t;
     cr_assert_eq(htmt_tree_create(misused.w.e, NULL, &t), HTMT_EINVAL))
HOST(tree_without_frame, struct htmt_tree *t;
     cr_assert_eq(htmt_tree_create(misused.w.e, &(struct htmt_tree_desc){.bytes = 8}, &t),
                  HTMT_EINVAL))
HOST(tree_to_nowhere, const struct htmt_tree_desc d = {.frame = misused.frame, .bytes = 8};
     cr_assert_eq(htmt_tree_create(misused.w.e, &d, NULL), HTMT_EINVAL))
HOST(allreduce_of_nothing, struct htmt_allreduce *a;
     cr_assert_eq(htmt_allreduce_create(misused.w.e, NULL, &a), HTMT_EINVAL))
HOST(allreduce_to_nowhere, const struct htmt_allreduce_desc d = {.frame = misused.frame,
                                                                 .bytes = 8,
                                                                 .combine = misuse_add};
     cr_assert_eq(htmt_allreduce_create(misused.w.e, &d, NULL), HTMT_EINVAL))
HOST(allreduce_without_fold, struct htmt_allreduce *a;
     const struct htmt_allreduce_desc d = {.frame = misused.frame, .bytes = 8};
     cr_assert_eq(htmt_allreduce_create(misused.w.e, &d, &a), HTMT_EINVAL))

Test(misuse, set_up_from_what_is_not_given)
{
    static const struct misuse rows[] = {
        {"object without a name", .before = object_without_name,
         .words = "htmt_object_create(): found no name"},
        {"object to nowhere", .before = object_to_nowhere,
         .words = "htmt_object_create(): found no place"},
        {"object in slice 9", .before = object_in_slice_9,
         .words = "object lost: found slice 9, expected 0 to 1"},
        {"object of 2^64 - 1 bytes", .before = object_too_large, .run_only = true,
         .code = HTMT_ENOMEM, .words = "huge"},
        {"wrap of nothing", .before = wrap_nothing, .run_only = true,
         .words = "object none: no memory to wrap"},
        {"wrap without a name", .before = wrap_without_name,
         .words = "htmt_object_wrap(): found no name"},
        {"wrap of 2^64 - 1 words", .before = wrap_too_many_words, .code = HTMT_ECAPACITY,
         .words = "huge takes 18446744073709551615 words"},
        {"frame without a name", .before = frame_without_name,
         .words = "htmt_frame_create(): found no name"},
        {"frame to nowhere", .before = frame_to_nowhere,
         .words = "htmt_frame_create(): found no place"},
        {"mailbox without a name", .before = mailbox_without_name,
         .words = "htmt_mailbox_create(): found no name"},
        {"mailbox to nowhere", .before = mailbox_to_nowhere,
         .words = "htmt_mailbox_create(): found no place"},
        {"mailbox that wraps", .before = mailbox_too_large, .words = "mailbox huge|too many"},
        {"type without a name", .before = type_without_name,
         .words = "htmt_type_create(): found no name"},
        {"type of nothing", .before = type_of_nothing,
         .words = "htmt_type_create(): found no description"},
        {"type to nowhere", .before = type_to_nowhere,
         .words = "htmt_type_create(): found no place"},
        {"type without layers", .before = type_without_layers,
         .words = "type lost: home: machine made has no layer"},
        {"type at home nowhere", .before = type_at_home_nowhere,
         .words = "type lost: home: machine made has no layer 'attic'"},
        {"type executed nowhere", .before = type_executed_nowhere,
         .words = "type lost: exec: machine made has no layer 'moon'"},
        {"type without fibers", .before = type_without_fibers,
         .words = "type hollow: no table of fibers"},
        {"footprint 7", .before = type_of_footprint_7, .words = "type odd: footprint 7"},
        {"departures 8", .before = type_that_departs_oddly, .words = "type odd: departures 0x8"},
        {"gate of gather", .before = type_with_gate_of_gather, .words = "type odd: a gate before"},
        {"gate of a stage that is not there", .before = type_with_gate_it_lacks,
         .words = "type odd: a gate before dispatch|executes at home"},
        {"tree of nothing", .before = tree_of_nothing,
         .words = "htmt_tree_create(): found no description"},
        {"tree without a frame", .before = tree_without_frame,
         .words = "tree tree: found 8 bytes of a frame of 0"},
        {"tree to nowhere", .before = tree_to_nowhere,
         .words = "htmt_tree_create(): found no place"},
        {"all-reduce of nothing", .before = allreduce_of_nothing,
         .words = "htmt_allreduce_create(): found no description"},
        {"all-reduce to nowhere", .before = allreduce_to_nowhere,
         .words = "htmt_allreduce_create(): found no place"},
        {"all-reduce without a fold", .before = allreduce_without_fold,
         .words = "all-reduce|no function that combines"},
    };
    misuse_play_all(ROWS(rows));
}

/* ---- others who are called --------------------------------------------------------------------
 */

static void observe(void *user, const struct htmt_event *event)
{
    (void)event;
    int *calls = user;
    ++*calls;
    cr_assert_eq(htmt_assemble(htmt_root(misused.w.e), plain(), NULL), HTMT_EINVAL);
    htmt_emulator_destroy(&misused.w.e);
    cr_assert_not_null(misused.w.e);
}

COST(short_cost, ops->n[HTMT_CYCLE] = 1)

Test(misuse, an_observer_may_not_act)
{
    static const struct misuse row = {"observer", .words = "htmt_assemble() with htmt_root()"};
    int calls = 0;
    misuse_set_up(&row,
                  (struct htmt_options){.mode = HTMT_MODEL, .observe = observe, .user = &calls});
    struct htmt_type *t = TYPE(&misused.w, .name = "t", .home = "cram", .exec = "cram",
                               .execute = {.cost = short_cost});
    START(&misused.w, .type = t);
    cr_assert_eq(htmt_emulator_run(misused.w.e), HTMT_EINVAL);
    cr_assert_eq(calls, 1);
    misuse_check_words(&row, htmt_emulator_fault(misused.w.e)->text, "model");
    world_close(&misused.w);
    world_close(&misused.other);
}

/* ---- what is right --------------------------------------------------------------------------- */

static void nest(struct htmt_context *c)
{
    struct world_spec spec = world_plain(1);
    struct world inner = OPEN(&spec, .threads = 1);
    struct htmt_type *t = TYPE(&inner, .name = "inner", .home = "cram", .exec = "cram");
    START(&inner, .type = t);
    world_run(&inner);
    world_close(&inner);
    htmt_charge(c, HTMT_CYCLE, 5);
    misused.returned++;
}

Test(misuse, a_control_may_run_an_emulator_of_its_own)
{
    static const struct misuse row = {"nested", .control = nest};
    misuse_set_up(&row, (struct htmt_options){.threads = 2});
    START(&misused.w, .type = misused.wrong);
    cr_assert_eq(world_run(&misused.w), 5 * NS);
    cr_assert_eq(misused.returned, 1);
    world_close(&misused.w);
    world_close(&misused.other);
}

/* The parcel of slice 0 stands for all, and each slice calls it. */
Test(misuse, a_call_of_each_folded_slice_is_one_a_parcel)
{
    struct world_spec spec = world_plain(4);
    struct world w = OPEN(&spec, .mode = HTMT_MODEL, .symmetry = HTMT_FOLDED);
    struct htmt_type *t = TYPE(&w, .name = "gated", .home = "cram", .exec = "cram",
                               .execute = {.cost = short_cost}, .gates = HTMT_GATE(HTMT_EXECUTE));
    for (uint32_t i = 0; i < 4; i++) {
        struct htmt_ref ref;
        const struct htmt_parcel_desc d = {.type = t, .slice = i};
        cr_assert_eq(htmt_assemble(htmt_root(w.e), &d, &ref), 0);
        cr_assert_eq(htmt_execute(htmt_root(w.e), ref), 0);
    }
    cr_assert_eq(world_run(&w), NS);
    world_close(&w);
}

static void *fill_in_thread(void *k)
{
    memset(htmt_bytes(k, 0), 7, htmt_size(k, 0));
    return NULL;
}
KERNEL(fill_by_thread, in_thread(fill_in_thread, k))

Test(misuse, threads_of_a_kernel_see_what_it_sees)
{
    static const struct misuse row = {"helped", .kernel = fill_by_thread};
    misuse_set_up(&row, (struct htmt_options){.threads = 2});
    struct htmt_region r = {.to = htmt_in(misused.cram, 0), .bytes = 64};
    START(&misused.w, .type = misused.wrong, .regions = &r, .region_count = 1);
    world_run(&misused.w);
    cr_assert_eq(((unsigned char *)htmt_object_bytes(misused.cram))[63], 7);
    world_close(&misused.w);
    world_close(&misused.other);
}

/* ---- without an emulator --------------------------------------------------------------------- */

Test(misuse, an_emulator_of_nothing_is_refused)
{
    struct world_spec spec = world_plain(1);
    struct htmt_machine *m = world_machine(&spec);
    struct htmt_emulator *e = NULL;
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_emulator_create(&e, NULL, &fault), HTMT_EINVAL);
    cr_assert_not_null(strstr(fault.text, "htmt_emulator_create(): no options"));
    fault = (struct htmt_fault){0};
    cr_assert_eq(htmt_emulator_create(NULL, &(struct htmt_options){.machine = m}, &fault),
                 HTMT_EINVAL);
    cr_assert_not_null(strstr(fault.text, "no place for the emulator"));
    fault = (struct htmt_fault){0};
    cr_assert_eq(htmt_emulator_create(&e, &(struct htmt_options){0}, &fault), HTMT_EINVAL);
    cr_assert_not_null(strstr(fault.text, "no machine"));
    cr_assert_eq(htmt_emulator_create(&e, NULL, NULL), HTMT_EINVAL);
    fault = (struct htmt_fault){0};
    const struct htmt_profiles none = {NULL, 3};
    cr_assert_eq(
        htmt_emulator_create(&e, &(struct htmt_options){.machine = m, .profiles = &none}, &fault),
        HTMT_EINVAL);
    cr_assert_not_null(strstr(fault.text, "a number of profiles, and none of them"));
    cr_assert_null(e);
    htmt_machine_destroy(&m);
}

Test(misuse, a_stage_that_is_none_has_no_name)
{
    cr_assert_str_eq(htmt_stage_name(HTMT_STAGES), "?");
    cr_assert_str_eq(htmt_stage_name((enum htmt_stage_id)(HTMT_STAGES - 1)), "put");
    cr_assert_str_eq(htmt_stage_name(HTMT_ASSEMBLE), "assemble");
}

/* What a program does that looked at no code. */
Test(misuse, no_emulator_has_a_fault_and_nothing_else)
{
    struct htmt_emulator *e = NULL;
    struct htmt_object *o = NULL;
    struct htmt_frame *f = NULL;
    struct htmt_type *t = NULL;
    struct htmt_mailbox *b = NULL;
    struct htmt_tree *tree = NULL;
    struct htmt_allreduce *a = NULL;
    struct htmt_path path = {0};
    struct htmt_host_report host;
    char memory[8];
    cr_assert_eq(htmt_emulator_layer(e, "cram"), -1);
    cr_assert_eq(htmt_note_count(e), 0);
    cr_assert_null(htmt_note_at(e, 0));
    cr_assert_eq(htmt_object_create(e, 0, 0, 8, "o", &o), HTMT_EINVAL);
    cr_assert_eq(htmt_object_wrap(e, 0, 0, memory, 8, 1, "o", &o), HTMT_EINVAL);
    cr_assert_eq(htmt_frame_create(e, 0, 8, "f", &f), HTMT_EINVAL);
    cr_assert_eq(htmt_mailbox_create(e, 0, 0, 8, 1, "b", &b), HTMT_EINVAL);
    cr_assert_eq(htmt_type_create(e, &(struct htmt_type_desc){.name = "t"}, &t), HTMT_EINVAL);
    cr_assert_eq(htmt_tree_create(e, &(struct htmt_tree_desc){.bytes = 8}, &tree), HTMT_EINVAL);
    cr_assert_eq(htmt_allreduce_create(e, &(struct htmt_allreduce_desc){.bytes = 8}, &a),
                 HTMT_EINVAL);
    cr_assert_eq(ASSEMBLE(htmt_root(e), NULL, .type = t), HTMT_EINVAL);
    cr_assert_eq(htmt_emulator_run(e), HTMT_EINVAL);
    cr_assert_eq(htmt_emulator_fault(e)->code, HTMT_EINVAL);
    cr_assert_not_null(strstr(htmt_emulator_fault(e)->text, "htmt_emulator_create()"));
    cr_assert_eq(htmt_emulator_machine(e)->layer_count, 0);
    cr_assert_eq(htmt_emulator_slices(e) + htmt_emulator_played(e), 0);
    cr_assert_eq(htmt_predicted(e), 0);
    cr_assert_eq(htmt_event_count(e) + htmt_parcel_count(e) + htmt_history_hash(e), 0);
    cr_assert_eq(htmt_resource_count(e) + htmt_phase_count(e) + htmt_departure_count(e), 0);
    htmt_host_report(e, &host);
    cr_assert_eq(htmt_resource_at(e, 0, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_memory_at(e, 0, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_phase_at(e, 0, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_departure_at(e, 0, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_audit(e, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_deadlock_print(e, stderr), HTMT_EINVAL);
    cr_assert_eq(htmt_path_find(e, &path), HTMT_EINVAL);
    cr_assert_eq(htmt_path_sum(NULL, HTMT_PATH_WORK), 0);
    htmt_path_clear(NULL);
    htmt_object_destroy(&o);
    htmt_object_destroy(NULL);
    memset(htmt_object_bytes(o), 1, 512);
    cr_assert_eq(htmt_object_size(o), 0);
    cr_assert_null(htmt_emulator_of(NULL));
    htmt_emulator_destroy(&e);
    htmt_emulator_destroy(NULL);
}

Test(misuse, reports_of_a_run_to_nowhere)
{
    struct world_spec spec = world_plain(1);
    struct world w = OPEN(&spec, .mode = HTMT_MODEL, .explain = true);
    struct htmt_path path;
    START(&w, .type = world_type(&w, world_eight()));
    cr_assert_eq(htmt_path_find(w.e, &path), HTMT_EINVAL, "before the run");
    world_run(&w);
    cr_assert_eq(htmt_path_find(w.e, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_resource_at(w.e, 0, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_memory_at(w.e, 0, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_phase_at(w.e, 0, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_departure_at(w.e, 0, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_deadlock_print(w.e, stderr), HTMT_EINVAL, "it is none");
    htmt_host_report(w.e, NULL);
    cr_assert_eq(htmt_path_find(w.e, &path), 0);
    htmt_path_clear(&path);
    world_close(&w);
}

/* Of a place that is not there, of no emulator, and into no struct. */
#define NONE_AT(call, type)                                                                        \
    do {                                                                                           \
        struct type r;                                                                             \
        cr_assert_eq(call(w.e, 9999, &r), HTMT_EINVAL);                                            \
        cr_assert_eq(call(NULL, 0, &r), HTMT_EINVAL);                                              \
        cr_assert_eq(call(w.e, 0, NULL), HTMT_EINVAL);                                             \
    } while (0)

Test(misuse, reports_of_what_is_not_there)
{
    struct world_spec spec = world_plain(1);
    struct world w = OPEN(&spec, .mode = HTMT_MODEL, .lint = true);
    struct htmt_operations_report operations;
    struct htmt_port_report port;
    START(&w, .type = world_type(&w, world_eight()));
    world_run(&w);
    NONE_AT(htmt_profiled_at, htmt_profiled);
    NONE_AT(htmt_resource_at, htmt_resource_report);
    NONE_AT(htmt_inside_at, htmt_inside_report);
    NONE_AT(htmt_routing_at, htmt_routing_report);
    NONE_AT(htmt_memory_at, htmt_memory_report);
    NONE_AT(htmt_phase_at, htmt_phase_report);
    NONE_AT(htmt_operations_at, htmt_operations_report);
    NONE_AT(htmt_departure_at, htmt_departure_report);
    NONE_AT(htmt_section_at, htmt_section_report);
    NONE_AT(htmt_issue_at, htmt_issue_report);
    NONE_AT(htmt_threads_at, htmt_threads_report);
    cr_assert_eq(htmt_operations_at(w.e, 0, &operations), HTMT_EINVAL, "none was played");
    cr_assert_eq(htmt_port_at(w.e, 0, 0, &port), HTMT_EINVAL, "no ports inside");
    cr_assert_eq(htmt_port_at(w.e, 9, 0, &port), HTMT_EINVAL);
    cr_assert_null(htmt_note_at(w.e, htmt_note_count(w.e)));
    world_close(&w);
}

/* ---- machines -------------------------------------------------------------------------------- */

static htmt_time run_eight(bool early)
{
    struct world_spec spec = world_plain(2);
    struct world w = OPEN(&spec, .threads = 2);
    if (early) {
        memset(w.m->layer, 0xff, sizeof w.m->layer);
        htmt_machine_destroy(&w.m);
    }
    struct world_work work = {1, 2, 3, 4, 5};
    struct htmt_type *t = world_type(&w, world_eight());
    START(&w, .type = t, .args = &work);
    htmt_time end = world_run(&w);
    cr_assert_str_eq(htmt_emulator_machine(w.e)->layer[CRAM].name, "cram");
    world_close(&w);
    return end;
}

Test(misuse, a_machine_may_go_before_its_emulator)
{
    cr_assert_eq(run_eight(true), run_eight(false));
}

Test(misuse, questions_to_a_machine_about_what_it_lacks)
{
    struct world_spec spec = world_plain(1);
    struct htmt_machine *m = world_machine(&spec), *none = NULL;
    struct htmt_fault fault = {0};
    const struct htmt_ops ops = {{1}};
    cr_assert_eq(htmt_machine_layer(m, NULL), -1);
    cr_assert_eq(htmt_machine_layer(none, "cram"), -1);
    cr_assert_eq(htmt_machine_network(m, NULL), -1);
    cr_assert_eq(htmt_machine_network(none, "rti"), -1);
    cr_assert_eq(htmt_machine_route(m, 0, 9, false), -1);
    cr_assert_eq(htmt_machine_route(none, 0, 1, false), -1);
    cr_assert_eq(htmt_machine_room(m, 9), 0);
    cr_assert_eq(htmt_machine_servers(m, 9), 0);
    cr_assert_eq(htmt_machine_work(m, 9, &ops), -1);
    cr_assert_eq(htmt_machine_work(m, 0, NULL), -1);
    cr_assert_eq(htmt_machine_out_time(m, 9, 0, 1, 1, 1, 1), -1);
    cr_assert_eq(htmt_machine_out_time(m, 0, 9, 1, 1, 1, 1), -1);
    cr_assert_eq(htmt_machine_out_time(m, 0, 0, 9, 1, 1, 1), -1);
    cr_assert_eq(htmt_machine_in_time(m, 9, 0, 1, 1), -1);
    cr_assert_eq(htmt_machine_in_time(m, 0, 9, 1, 1), -1);
    cr_assert_eq(htmt_machine_crossing(m, 9, 1), -1);
    cr_assert_eq(htmt_machine_dump(none, stderr), HTMT_EINVAL);
    cr_assert_eq(htmt_machine_dump(m, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_machine_load(NULL, NULL, 0, &none, &fault), HTMT_EINVAL);
    cr_assert_not_null(strstr(fault.text, "htmt_machine_load(): found no name"));
    cr_assert_eq(htmt_machine_load("small-htmt", NULL, 2, &none, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_machine_load("small-htmt", NULL, 0, NULL, NULL), HTMT_EINVAL);
    cr_assert_eq(htmt_machine_parse("made", NULL, &none, NULL), HTMT_EINVAL);
    htmt_machine_destroy(&m);
    htmt_machine_destroy(NULL);
}
