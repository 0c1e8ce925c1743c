/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What htmt.h of version 0.1.0 declares; made by tests/abi/freeze. */
/* clang-format off */
#ifndef HTMT_FROZEN_H
#define HTMT_FROZEN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define HTMT_NAME_MAX 32
struct htmt_figure {
    char key[112];
    char value[64];
    char source[200];
    char file[128];
    int line;
    uint64_t hash;
};
#define HTMT_WORD 8
enum htmt_op { HTMT_CYCLE, HTMT_FLOP, HTMT_IOP, HTMT_LOAD, HTMT_STORE, HTMT_OP_CLASSES };
struct htmt_ops {
    uint64_t n[HTMT_OP_CLASSES];
};
#define HTMT_ERR_MAP(XX) XX(EWRONG, -1, 1, "the result is wrong") XX(EINVAL, -2, 2, "invalid argument") XX(EUSAGE, -3, 2, "wrong usage") XX(ENOENT, -4, 2, "no such thing") XX(EFORMAT, -5, 2, "malformed input") XX(EUNIT, -6, 2, "missing or wrong unit") XX(ERANGE, -7, 2, "value out of range") XX(EBOUNDS, -8, 3, "address outside its object") XX(EROUTE, -9, 3, "no network joins these places") XX(ECAPACITY, -10, 3, "does not fit the virtual memory") XX(EDEADLOCK, -11, 3, "nothing can move and work remains") XX(EOVERFLOW, -12, 3, "virtual time or a count overflows") XX(EPAST, -13, 3, "dispatch into the past") XX(ECOST, -14, 4, "a kernel charged other operations than its cost function declares") XX(ENOMEM, -15, 4, "out of host memory") XX(EHOSTFIT, -16, 3, "the run does not fit the host") XX(EIO, -17, 4, "input or output failed") XX(ESYSTEM, -18, 4, "a system call failed") XX(EAUDIT, -19, 4, "the accounts do not balance") XX(ENONDET, -20, 4, "two runs of one program differ") XX(ECANCELLED, -21, 4, "the run was interrupted") XX(ESYMMETRY, -22, 3, "the slices do not do what was said of them") XX(ELIVELOCK, -23, 3, "events without end at one instant") XX(ELEFT, -24, 3, "mail or signals are left over")
enum htmt_err {
#define HTMT_ERR_ENUM(name,value,status,text) HTMT_ ##name = (value),
    HTMT_EWRONG = (-1), HTMT_EINVAL = (-2), HTMT_EUSAGE = (-3), HTMT_ENOENT = (-4), HTMT_EFORMAT = (-5), HTMT_EUNIT = (-6), HTMT_ERANGE = (-7), HTMT_EBOUNDS = (-8), HTMT_EROUTE = (-9), HTMT_ECAPACITY = (-10), HTMT_EDEADLOCK = (-11), HTMT_EOVERFLOW = (-12), HTMT_EPAST = (-13), HTMT_ECOST = (-14), HTMT_ENOMEM = (-15), HTMT_EHOSTFIT = (-16), HTMT_EIO = (-17), HTMT_ESYSTEM = (-18), HTMT_EAUDIT = (-19), HTMT_ENONDET = (-20), HTMT_ECANCELLED = (-21), HTMT_ESYMMETRY = (-22), HTMT_ELIVELOCK = (-23), HTMT_ELEFT = (-24),
};
const char *htmt_err_name(int code);
const char *htmt_strerror(int code);
int htmt_exit_status(int code);
struct htmt_fault {
    int code;
    char text[500];
};
int htmt_fault_set(struct htmt_fault *f, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
typedef int64_t htmt_time;
__extension__ typedef __int128 htmt_wide;
__extension__ typedef unsigned __int128 htmt_uwide;
#define HTMT_SECOND INT64_C(1000000000000000)
#define HTMT_TIME_MAX INT64_MAX
struct htmt_ratio {
    uint64_t num, den;
};
int htmt_ratio_decimal(uint64_t mantissa, int exponent10, struct htmt_ratio *out);
int htmt_ratio_mul(struct htmt_ratio a, struct htmt_ratio b, struct htmt_ratio *out);
int htmt_ratio_div(struct htmt_ratio a, struct htmt_ratio b, struct htmt_ratio *out);
int htmt_ratio_cmp(struct htmt_ratio a, struct htmt_ratio b);
double htmt_ratio_value(struct htmt_ratio a);
static inline htmt_time htmt_charge_time(struct htmt_ratio r, uint64_t n)
{
    uint64_t product;
    if (!__builtin_mul_overflow(n, r.num, &product) && product <= UINT64_MAX - r.den / 2) {
        uint64_t t = (product + r.den / 2) / r.den;
        return t <= (uint64_t)INT64_MAX ? (htmt_time)t : -1;
    }
    htmt_uwide t = ((htmt_uwide)n * r.num + r.den / 2) / r.den;
    return t <= (htmt_uwide)INT64_MAX ? (htmt_time)t : -1;
}
#define HTMT_LAYERS_MAX 8
#define HTMT_NETWORKS_MAX 8
#define HTMT_CHANNELS_MAX 16
#define HTMT_INSIDE_MAX 16
struct htmt_processor {
    char name[32];
    uint32_t count;
    struct htmt_ratio clock;
    struct htmt_ratio time[HTMT_OP_CLASSES];
    struct htmt_ratio lambda;
};
struct htmt_memory {
    char name[32];
    uint64_t capacity;
    uint64_t reserve;
    struct htmt_ratio access;
    uint64_t access_words;
    uint32_t ports;
};
struct htmt__processor_model;
struct htmt__network_model;
struct htmt__bank_host;
struct htmt_layer {
    char name[32];
    struct htmt_processor processor;
    struct htmt_memory memory;
    const struct htmt__processor_model *model;
    uint64_t inside[16];
};
struct htmt_port {
    uint32_t out, in;
    struct htmt_ratio out_word, in_word;
};
struct htmt_network {
    char name[32];
    bool machine_wide;
    htmt_time startup;
    htmt_time latency;
    struct htmt_port port[8];
    const struct htmt__network_model *model;
    uint64_t inside[16];
};
struct htmt_machine {
    char name[64];
    char about[160];
    char path[1024];
    uint32_t slices;
    uint32_t layer_count, network_count;
    struct htmt_layer layer[8];
    struct htmt_network network[8];
    uint32_t figure_count;
    struct htmt_figure *figure;
    uint64_t hash;
    struct htmt__bank_host *bank_host;
};
int htmt_machine_load(const char *name, const char *const *set, unsigned set_count,
                      struct htmt_machine **machine, struct htmt_fault *fault);
int htmt_machine_parse(const char *name, const char *text, struct htmt_machine **machine,
                       struct htmt_fault *fault);
void htmt_machine_destroy(struct htmt_machine **machine);
int htmt_machine_layer(const struct htmt_machine *m, const char *name);
int htmt_machine_network(const struct htmt_machine *m, const char *name);
int htmt_machine_route(const struct htmt_machine *m, uint32_t from, uint32_t to, bool across);
uint64_t htmt_machine_room(const struct htmt_machine *m, uint32_t layer);
uint32_t htmt_machine_servers(const struct htmt_machine *m, uint32_t layer);
htmt_time htmt_machine_work(const struct htmt_machine *m, uint32_t layer,
                            const struct htmt_ops *ops);
htmt_time htmt_machine_out_time(const struct htmt_machine *m, uint32_t network, uint32_t from,
                                uint32_t to, uint64_t words, uint64_t from_pieces,
                                uint64_t to_pieces);
htmt_time htmt_machine_in_time(const struct htmt_machine *m, uint32_t network, uint32_t to,
                               uint64_t words, uint64_t to_pieces);
htmt_time htmt_machine_crossing(const struct htmt_machine *m, uint32_t network, uint64_t words);
uint32_t htmt_machine_threads(const struct htmt_machine *m, uint32_t layer);
int htmt_machine_instructions(const struct htmt_machine *m, const char *operation,
                              struct htmt_ratio *count);
int htmt_machine_dump(const struct htmt_machine *m, FILE *out);
struct htmt_emulator;
struct htmt_object;
struct htmt_frame;
struct htmt_mailbox;
struct htmt_addr {
    struct htmt_object *object;
    uint64_t offset;
};
struct htmt_pieces {
    uint64_t bytes, count;
    int64_t stride;
};
int htmt_object_create(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t bytes,
                       const char *name, struct htmt_object **object);
int htmt_object_wrap(struct htmt_emulator *e, uint32_t slice, uint32_t layer, void *memory,
                     uint64_t bytes, uint64_t words, const char *name, struct htmt_object **object);
void htmt_object_destroy(struct htmt_object **object);
void *htmt_object_bytes(struct htmt_object *object);
uint64_t htmt_object_size(const struct htmt_object *object);
int htmt_object_fetch(struct htmt_object *object, const void **bytes);
int htmt_frame_create(struct htmt_emulator *e, uint32_t layer, uint64_t bytes, const char *name,
                      struct htmt_frame **frame);
int htmt_frame_load(struct htmt_frame *frame, const void *array, uint64_t bytes);
int htmt_frame_gather(const struct htmt_frame *frame, void *array, uint64_t bytes);
struct htmt_addr htmt_at(const struct htmt_frame *frame, uint32_t slice, uint64_t offset);
struct htmt_addr htmt_in(struct htmt_object *object, uint64_t offset);
int htmt_mailbox_create(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                        uint64_t record_bytes, uint64_t records, const char *name,
                        struct htmt_mailbox **mailbox);
struct htmt_emulator;
struct htmt_type;
struct htmt_kernel;
struct htmt_context;
enum htmt_stage_id {
    HTMT_ASSEMBLE,
    HTMT_GATHER,
    HTMT_DISPATCH,
    HTMT_INJECT,
    HTMT_EXECUTE,
    HTMT_EJECT,
    HTMT_RETIRE,
    HTMT_SCATTER,
    HTMT_PLACE,
    HTMT_FIBER,
    HTMT_PUT,
    HTMT_STAGES
};
const char *htmt_stage_name(enum htmt_stage_id stage);
struct htmt_ref {
    uint64_t serial;
    uint32_t index;
    uint32_t layer;
};
static inline bool htmt_ref_none(struct htmt_ref ref)
{
    return ref.serial == 0;
}
static inline uint32_t htmt_ref_slice(struct htmt_ref ref)
{
    return (uint32_t)(ref.serial >> 40);
}
struct htmt_slot {
    struct htmt_ref owner;
    uint32_t fiber;
};
static inline struct htmt_slot htmt_slot_in(struct htmt_slot slot, uint32_t slice)
{
    const uint64_t number = slot.owner.serial & ((UINT64_C(1) << 40) - 1);
    if (!htmt_ref_none(slot.owner))
        slot.owner.serial = (uint64_t)slice << 40 | number;
    return slot;
}
typedef void htmt_kernel_fn(struct htmt_kernel *k);
typedef void htmt_cost_fn(const void *args, const void *user, struct htmt_ops *ops);
typedef void htmt_control_fn(struct htmt_context *c);
struct htmt_stage {
    htmt_kernel_fn *kernel;
    htmt_cost_fn *cost;
    htmt_control_fn *control;
    uint32_t parts;
    bool steered;
    bool constant;
    uint32_t count,
        reset;
};
enum htmt_footprint {
    HTMT_CLOSURE,
    HTMT_RESIDENT,
};
enum htmt_departure {
    HTMT_DEPARTS_RESIDENT = 1,
    HTMT_DEPARTS_OPEN = 2,
    HTMT_DEPARTS_EXCHANGE = 4,
};
#define HTMT_DEPARTURES 3u
struct htmt_type_desc {
    size_t size;
    const char *name;
    const char *home, *exec;
    struct htmt_stage assemble, dispatch, execute, retire, scatter;
    enum htmt_footprint footprint;
    const struct htmt_stage *fibers;
    uint32_t fiber_count;
    uint32_t gates;
    uint64_t code_words;
    bool code_resident;
    uint64_t header_words;
    bool in_place;
    unsigned departures;
    size_t args_bytes;
    size_t result_bytes;
    const void *user;
};
#define HTMT_GATE(stage) (1u << (stage))
static inline struct htmt_type_desc htmt_type_desc_init(void)
{
    struct htmt_type_desc d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
int htmt_type_create(struct htmt_emulator *e, const struct htmt_type_desc *desc,
                     struct htmt_type **type);
struct htmt_region {
    size_t size;
    struct htmt_addr from;
    struct htmt_addr to;
    struct htmt_addr into;
    uint64_t bytes;
    struct htmt_pieces from_pieces, to_pieces;
    bool read_only;
    bool filled;
    bool handover;
    uint64_t in_words[8];
    uint64_t out_words[8];
};
static inline struct htmt_region htmt_region_init(void)
{
    struct htmt_region d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
struct htmt_parcel_desc {
    const struct htmt_type *type;
    uint32_t slice;
    const struct htmt_region *regions;
    uint32_t region_count;
    const void *args;
    struct htmt_slot on_ready;
    struct htmt_slot on_done;
};
int htmt_assemble(struct htmt_context *c, const struct htmt_parcel_desc *desc,
                  struct htmt_ref *ref);
int htmt_dispatch(struct htmt_context *c, struct htmt_ref parcel);
int htmt_execute(struct htmt_context *c, struct htmt_ref parcel);
int htmt_retire(struct htmt_context *c, struct htmt_ref parcel);
int htmt_scatter(struct htmt_context *c, struct htmt_ref parcel);
int htmt_discard(struct htmt_context *c, struct htmt_ref parcel);
struct htmt_context *htmt_root(struct htmt_emulator *e);
struct htmt_emulator *htmt_emulator_of(struct htmt_context *c);
void *htmt_args(struct htmt_context *c);
const void *htmt_user(const struct htmt_context *c);
uint32_t htmt_slice(const struct htmt_context *c);
uint32_t htmt_fiber(const struct htmt_context *c);
struct htmt_ref htmt_self(const struct htmt_context *c);
bool htmt_is_model(const struct htmt_context *c);
const void *htmt_result(const struct htmt_context *c);
int htmt_fail(struct htmt_context *c, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void htmt_charge(struct htmt_context *c, enum htmt_op op, uint64_t n);
void htmt_delay(struct htmt_context *c, htmt_time fs);
htmt_time htmt_began(const struct htmt_context *c);
htmt_time htmt_enabled(const struct htmt_context *c);
void htmt_work(struct htmt_context *c);
enum htmt_use { HTMT_READ = 1, HTMT_WRITE = 2, HTMT_UPDATE = 3 };
void htmt_use(struct htmt_context *c, struct htmt_addr at, uint64_t bytes, enum htmt_use use);
void htmt_section(struct htmt_context *c, const char *name);
struct htmt_slot htmt_slot(const struct htmt_context *c, uint32_t fiber);
struct htmt_slot htmt_slot_of(struct htmt_ref parcel, uint32_t fiber);
void htmt_slot_set(struct htmt_context *c, uint32_t fiber, uint32_t count, uint32_t reset);
void htmt_signal(struct htmt_context *c, struct htmt_slot slot);
struct htmt_blocked {
    struct htmt_addr at;
    uint64_t bytes;
    uint64_t block;
    uint64_t beyond;
    enum htmt_use use;
    bool filled;
};
struct htmt_blocks_desc {
    size_t size;
    const struct htmt_type *type;
    const struct htmt_blocked *blocked;
    uint32_t blocked_count;
    const void *args;
    void (*each)(void *args, uint32_t block, const void *user);
    const void *user;
    struct htmt_slot on_done;
};
static inline struct htmt_blocks_desc htmt_blocks_desc_init(void)
{
    struct htmt_blocks_desc d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
int htmt_blocks(struct htmt_context *c, const struct htmt_blocks_desc *desc, uint32_t *count);
uint32_t htmt_block_count(const struct htmt_blocks_desc *desc);
struct htmt_tree_desc {
    struct htmt_frame *frame;
    uint64_t bytes;
    void (*combine)(void *into, const void *from, uint64_t bytes);
    struct htmt_ops ops;
    const char *name;
};
struct htmt_tree;
int htmt_tree_create(struct htmt_emulator *e, const struct htmt_tree_desc *desc,
                     struct htmt_tree **tree);
int htmt_broadcast(struct htmt_context *c, struct htmt_tree *tree, const struct htmt_slot *arrived);
int htmt_reduce(struct htmt_context *c, struct htmt_tree *tree, struct htmt_slot arrived);
struct htmt_allreduce_desc {
    struct htmt_frame *frame;
    uint64_t bytes;
    void (*combine)(void *into, const void *from, uint64_t bytes);
    struct htmt_ops ops;
    const char *name;
};
struct htmt_allreduce;
int htmt_allreduce_create(struct htmt_emulator *e, const struct htmt_allreduce_desc *desc,
                          struct htmt_allreduce **allreduce);
int htmt_allreduce(struct htmt_context *c, struct htmt_allreduce *a, struct htmt_slot arrived);
struct htmt_barrier;
int htmt_barrier_create(struct htmt_emulator *e, uint32_t layer, const char *name,
                        struct htmt_barrier **barrier);
int htmt_barrier(struct htmt_context *c, struct htmt_barrier *barrier, struct htmt_slot passed);
struct htmt_bytes {
    const void *at;
    size_t size;
};
struct htmt_ranks {
    size_t size;
    uint32_t rank, count;
    void *self;
    int (*exchange)(void *self, const struct htmt_bytes *to, struct htmt_bytes *from);
};
static inline struct htmt_ranks htmt_ranks_init(void)
{
    struct htmt_ranks d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
struct htmt_slice_range {
    uint32_t first, last;
};
struct htmt_recording {
    size_t size;
    const char *path;
    const char *about;
    const struct htmt_slice_range *slices;
    uint32_t slice_ranges;
    uint32_t layers;
    const char *const *types;
    uint32_t type_count;
    htmt_time from, to;
};
static inline struct htmt_recording htmt_recording_init(void)
{
    struct htmt_recording d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
enum htmt_mode {
    HTMT_RUN,
    HTMT_MODEL
};
enum htmt_symmetry {
    HTMT_NO_SYMMETRY,
    HTMT_INDEPENDENT,
    HTMT_FOLDED
};
struct htmt_event {
    htmt_time time;
    uint32_t resource;
    uint32_t slice;
    uint64_t serial;
    uint32_t stage;
    uint32_t target;
    uint64_t words;
};
enum htmt_clock {
    HTMT_CLOCK_AUTO,
    HTMT_CLOCK_SEQUENTIAL,
    HTMT_CLOCK_WINDOWS
};
struct htmt__profile;
struct htmt_profiles {
    const struct htmt__profile *const *profile;
    uint32_t count;
};
struct htmt__tape;
struct htmt_operations {
    const char *type;
    struct htmt__tape *tape;
    uint64_t
        service;
};
struct htmt_options {
    size_t size;
    const struct htmt_machine *machine;
    uint32_t slices;
    enum htmt_mode mode;
    uint32_t threads;
    uint32_t layer_threads[8];
    uint64_t run_ahead_bytes;
    enum htmt_symmetry symmetry;
    bool explain;
    bool lint;
    unsigned what_if;
    bool checked;
    bool diagnose;
    uint32_t watchdog;
    uint64_t delay_seed;
    void (*observe)(void *user, const struct htmt_event *event);
    void (*progress)(void *user, htmt_time now, uint64_t events);
    bool (*cancelled)(void *user);
    void *user;
    const struct htmt_recording *recording;
    enum htmt_clock clock;
    htmt_time window_most;
    uint32_t clock_threads;
    uint32_t clock_partitions;
    const uint32_t *partition_of;
    const struct htmt_ranks *ranks;
    const struct htmt_operations *operations;
    const struct htmt_profiles *profiles;
};
static inline struct htmt_options htmt_options_init(void)
{
    struct htmt_options d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
int htmt_emulator_create(struct htmt_emulator **emulator, const struct htmt_options *options,
                         struct htmt_fault *fault);
void htmt_emulator_destroy(struct htmt_emulator **emulator);
int htmt_emulator_run(struct htmt_emulator *e);
const struct htmt_fault *htmt_emulator_fault(const struct htmt_emulator *e);
const struct htmt_machine *htmt_emulator_machine(const struct htmt_emulator *e);
const struct htmt_options *htmt_emulator_options(const struct htmt_emulator *e);
bool htmt_emulator_ended(const struct htmt_emulator *e);
uint32_t htmt_emulator_slices(const struct htmt_emulator *e);
uint32_t htmt_emulator_played(const struct htmt_emulator *e);
int htmt_emulator_layer(const struct htmt_emulator *e, const char *name);
htmt_time htmt_predicted(const struct htmt_emulator *e);
uint64_t htmt_event_count(const struct htmt_emulator *e);
uint64_t htmt_parcel_count(const struct htmt_emulator *e);
uint64_t htmt_history_hash(const struct htmt_emulator *e);
struct htmt_host_report {
    uint64_t jobs, helped;
    uint64_t layer_jobs[8];
    uint64_t run_ahead_peak_bytes;
    uint32_t workers;
};
void htmt_host_report(const struct htmt_emulator *e, struct htmt_host_report *report);
bool htmt_slice_here(const struct htmt_emulator *e, uint32_t slice);
int htmt_slices_share(struct htmt_emulator *e, void *first, size_t bytes, size_t stride);
struct htmt_profiled {
    const char *type;
    int fiber;
    uint32_t layer;
    htmt_time least, most;
};
uint32_t htmt_profiled_count(const struct htmt_emulator *e);
int htmt_profiled_at(const struct htmt_emulator *e, uint32_t index, struct htmt_profiled *profiled);
struct htmt_clock_report {
    const char *in_order;
    htmt_time lookahead;
    uint64_t windows;
    uint32_t partitions;
    uint32_t threads;
    uint32_t ranks;
    uint64_t shared;
    int64_t awaited;
};
void htmt_clock_report(const struct htmt_emulator *e, struct htmt_clock_report *report);
enum htmt_resource_kind { HTMT_BANK, HTMT_LINK_OUT, HTMT_LINK_IN };
struct htmt_resource_report {
    char name[2 * 32 + 8];
    enum htmt_resource_kind kind;
    uint32_t layer, network;
    uint32_t count;
    uint64_t served;
    uint64_t words;
    htmt_wide busy, waited, queue_integral;
    uint64_t max_queue;
};
uint32_t htmt_resource_count(const struct htmt_emulator *e);
int htmt_resource_at(const struct htmt_emulator *e, uint32_t index,
                     struct htmt_resource_report *report);
uint32_t htmt_resource_places(const struct htmt_emulator *e, uint32_t index);
struct htmt_inside_report {
    uint32_t network;
    uint32_t channels, planes;
    uint64_t packets, hops;
    htmt_uwide bytes;
    uint64_t contentions;
    htmt_wide busy, blocked, waiting;
    htmt_uwide queued;
};
int htmt_inside_at(const struct htmt_emulator *e, uint32_t network,
                   struct htmt_inside_report *report);
struct htmt_port_report {
    char name[64];
    uint32_t network, channel, plane;
    uint64_t packets, bytes, contentions;
    htmt_wide busy, blocked, waiting, idle;
    htmt_uwide queued;
    uint64_t max_queue;
};
int htmt_port_at(const struct htmt_emulator *e, uint32_t network, uint32_t index,
                 struct htmt_port_report *report);
struct htmt_routing_report {
    char name[32];
    uint32_t layer, count;
    uint64_t packets;
    htmt_wide route, copy;
    htmt_wide put_off;
    htmt_wide busy;
};
int htmt_routing_at(const struct htmt_emulator *e, uint32_t layer,
                    struct htmt_routing_report *report);
uint64_t htmt_network_history(const struct htmt_emulator *e);
struct htmt_memory_report {
    char name[32];
    uint32_t layer;
    uint64_t capacity;
    uint64_t peak;
    uint64_t resident;
    htmt_wide stalled, queue_integral;
    uint64_t max_queue;
    htmt_uwide taken, given;
};
int htmt_memory_at(const struct htmt_emulator *e, uint32_t layer,
                   struct htmt_memory_report *report);
uint32_t htmt_memory_places(const struct htmt_emulator *e, uint32_t layer);
struct htmt_phase_report {
    char type[64];
    enum htmt_stage_id stage;
    uint32_t resource;
    uint64_t count;
    htmt_uwide words;
    htmt_uwide ops[HTMT_OP_CLASSES];
    htmt_wide busy;
    htmt_wide waited;
    htmt_wide stalled;
    htmt_time longest;
    htmt_time first, last;
};
uint32_t htmt_phase_count(const struct htmt_emulator *e);
int htmt_phase_at(const struct htmt_emulator *e, uint32_t index, struct htmt_phase_report *report);
enum htmt_miss_kind {
    HTMT_MISS_REGION,
    HTMT_MISS_USE = 8,
    HTMT_MISS_ARGUMENTS = 16,
    HTMT_MISS_RESULT,
    HTMT_MISS_STACK,
    HTMT_MISS_IMAGE,
    HTMT_MISS_CONSTANTS,
    HTMT_MISS_OTHER,
    HTMT_MISS_KINDS
};
enum htmt_operations_part {
    HTMT_OPERATIONS_ISSUE,
    HTMT_OPERATIONS_UNITS,
    HTMT_OPERATIONS_CHAIN,
    HTMT_OPERATIONS_L1,
    HTMT_OPERATIONS_L2,
    HTMT_OPERATIONS_BUS,
    HTMT_OPERATIONS_PAGES,
    HTMT_OPERATIONS_REFRESH,
    HTMT_OPERATIONS_BRANCHES,
    HTMT_OPERATIONS_PARTS
};
struct htmt_operations_report {
    char type[64];
    enum htmt_stage_id stage;
    uint32_t resource;
    uint64_t services;
    uint64_t counted;
    char why[200];
    htmt_wide part[HTMT_OPERATIONS_PARTS];
    uint64_t instructions, loads, stores, l1_misses, l1_code_misses, l2_misses, write_backs,
        page_hits, page_misses, branches_missed;
    uint64_t misses[HTMT_MISS_KINDS];
};
uint32_t htmt_operations_count(const struct htmt_emulator *e);
int htmt_operations_at(const struct htmt_emulator *e, uint32_t index,
                       struct htmt_operations_report *report);
struct htmt_departure_report {
    char type[64];
    enum htmt_departure kind;
    bool declared;
    uint64_t count;
    htmt_uwide words;
    htmt_wide time;
};
uint32_t htmt_departure_count(const struct htmt_emulator *e);
int htmt_departure_at(const struct htmt_emulator *e, uint32_t index,
                      struct htmt_departure_report *report);
struct htmt_section_report {
    char name[64];
    htmt_wide busy;
    htmt_wide waited;
    htmt_wide stalled;
    htmt_wide time;
};
uint32_t htmt_section_count(const struct htmt_emulator *e);
int htmt_section_at(const struct htmt_emulator *e, uint32_t index,
                    struct htmt_section_report *report);
int htmt_section_resource_at(const struct htmt_emulator *e, uint32_t index, uint32_t resource,
                             htmt_wide *busy, htmt_wide *waited);
int htmt_audit(const struct htmt_emulator *e, struct htmt_fault *fault);
uint32_t htmt_note_count(const struct htmt_emulator *e);
const char *htmt_note_at(const struct htmt_emulator *e, uint32_t index);
int htmt_deadlock_print(const struct htmt_emulator *e, FILE *out);
struct htmt_put {
    size_t size;
    struct htmt_addr dst, src;
    uint64_t bytes;
    struct htmt_pieces dst_pieces, src_pieces;
    uint64_t words;
    struct htmt_slot on_sent, on_arrived;
    bool handover, ask;
    uint32_t on_arrived_too;
    uint32_t route;
};
static inline struct htmt_put htmt_put_init(void)
{
    struct htmt_put d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
int htmt_put(struct htmt_context *c, const struct htmt_put *put);
int htmt_route_create(struct htmt_emulator *e, uint32_t network, const uint16_t *ports,
                      uint32_t count, uint32_t *route);
int htmt_send(struct htmt_context *c, struct htmt_mailbox *mailbox, struct htmt_addr src,
              uint64_t records, struct htmt_slot on_sent, struct htmt_slot on_arrived);
uint64_t htmt_take(struct htmt_context *c, struct htmt_mailbox *mailbox);
struct htmt_grid {
    uint32_t extent[3];
    bool wrap[3];
};
uint32_t htmt_grid_slices(const struct htmt_grid *grid);
bool htmt_grid_place(const struct htmt_grid *grid, uint32_t slice, uint32_t place[3]);
bool htmt_grid_neighbour(const struct htmt_grid *grid, uint32_t slice, const int step[3],
                         uint32_t *neighbour);
uint32_t htmt_grid_neighbours(const struct htmt_grid *grid, uint32_t slice);
int htmt_put_neighbour(struct htmt_context *c, const struct htmt_grid *grid, const int step[3],
                       const struct htmt_put *put);
struct htmt_tile {
    uint64_t bytes;
    uint64_t extent[3], margin[3];
};
int htmt_frame_load_tiles(struct htmt_frame *frame, const struct htmt_grid *grid,
                          const struct htmt_tile *tile, const void *array);
int htmt_frame_gather_tiles(const struct htmt_frame *frame, const struct htmt_grid *grid,
                            const struct htmt_tile *tile, void *array);
uint32_t htmt_host(const struct htmt_emulator *e);
enum htmt_host_mode {
    HTMT_SERIAL,
    HTMT_PARALLEL,
    HTMT_BROADCAST
};
struct htmt_transfer {
    size_t size;
    struct htmt_addr host;
    uint64_t stride;
    struct htmt_frame *frame;
    uint64_t offset;
    uint32_t first, count;
    uint64_t bytes;
    const uint64_t *each;
    enum htmt_host_mode mode;
    struct htmt_slot on_done;
};
static inline struct htmt_transfer htmt_transfer_init(void)
{
    struct htmt_transfer d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
int htmt_push(struct htmt_context *c, const struct htmt_transfer *transfer);
int htmt_pull(struct htmt_context *c, const struct htmt_transfer *transfer);
struct htmt_launch {
    size_t size;
    struct htmt_slot slot;
    uint32_t first, count;
    bool wait;
    struct htmt_slot on_done;
};
static inline struct htmt_launch htmt_launch_init(void)
{
    struct htmt_launch d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
int htmt_launch(struct htmt_context *c, const struct htmt_launch *launch);
int htmt_ended(struct htmt_context *c);
struct htmt_host_commands {
    uint64_t pushes, pulls, launches;
    htmt_uwide pushed, pulled;
    htmt_wide push, pull, launch;
    bool held;
};
int htmt_host_commands(const struct htmt_emulator *e, struct htmt_host_commands *commands);
struct htmt_issue_report {
    uint64_t instructions;
    htmt_time busy;
};
int htmt_issue_at(const struct htmt_emulator *e, uint32_t slice, struct htmt_issue_report *report);
struct htmt_threads_report {
    htmt_wide issuing, copying, waiting;
    htmt_wide ran;
    uint64_t code_bytes, code_memory;
};
int htmt_threads_at(const struct htmt_emulator *e, uint32_t slice,
                    struct htmt_threads_report *report);
void *htmt_bytes(const struct htmt_kernel *k, uint32_t region);
uint64_t htmt_size(const struct htmt_kernel *k, uint32_t region);
void *htmt_used(const struct htmt_kernel *k, uint32_t use);
uint64_t htmt_used_size(const struct htmt_kernel *k, uint32_t use);
const void *htmt_kernel_args(const struct htmt_kernel *k);
const void *htmt_kernel_user(const struct htmt_kernel *k);
uint32_t htmt_kernel_slice(const struct htmt_kernel *k);
uint32_t htmt_kernel_fiber(const struct htmt_kernel *k);
uint32_t htmt_kernel_part(const struct htmt_kernel *k);
void *htmt_kernel_result(struct htmt_kernel *k);
void htmt_count(struct htmt_kernel *k, enum htmt_op op, uint64_t n);
void htmt_constants(struct htmt_kernel *k, const void *at, uint64_t bytes);
int htmt_kernel_fail(struct htmt_kernel *k, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#define HTMT_HAS_CLONES 0
#define HTMT_CLONES(...) 
enum htmt_path_cause {
    HTMT_PATH_WORK,
    HTMT_PATH_FILL,
    HTMT_PATH_QUEUE,
    HTMT_PATH_STALL,
    HTMT_PATH_OVERHEAD,
    HTMT_PATH_DRAIN,
    HTMT_PATH_BLOCKED,
    HTMT_PATH_CAUSES
};
const char *htmt_path_cause_name(enum htmt_path_cause cause);
enum htmt_path_place { HTMT_PATH_SERVED, HTMT_PATH_SENT, HTMT_PATH_FLYING, HTMT_PATH_RECEIVED };
struct htmt_path_part {
    enum htmt_path_cause cause;
    uint32_t of;
    char type[64];
    enum htmt_stage_id stage;
    enum htmt_path_place place;
    uint32_t resource;
    const char *inside;
    uint64_t count;
    htmt_time time;
    char port[96];
    uint32_t source, target;
};
struct htmt_path {
    htmt_time total;
    uint32_t principal;
    uint64_t length;
    uint32_t count;
    struct htmt_path_part *part;
};
int htmt_path_find(const struct htmt_emulator *e, struct htmt_path *path);
void htmt_path_clear(struct htmt_path *path);
htmt_time htmt_path_sum(const struct htmt_path *path, enum htmt_path_cause cause);
struct htmt_sweeps {
    size_t size;
    const struct htmt_type *type;
    uint64_t row, rows;
    uint64_t halo, band;
    uint64_t sweeps;
    bool wrap;
    struct htmt_frame *frame[2];
    struct htmt_grid grid;
    struct htmt_tile tile;
};
static inline struct htmt_sweeps htmt_sweeps_init(void)
{
    struct htmt_sweeps d;
    memset(&d, 0, sizeof d);
    d.size = sizeof d;
    return d;
}
struct htmt_sweeps_args {
    uint64_t sweep, row;
};
int htmt_sweeps_create(struct htmt_emulator *e, struct htmt_sweeps *s);
int htmt_sweeps_load(const struct htmt_sweeps *s, const void *array);
int htmt_sweeps_gather(const struct htmt_sweeps *s, void *array);
#define HTMT_ABI 1u
#define HTMT_APP_BEGIN .abi = HTMT_ABI, .size = sizeof(struct htmt_app)
struct htmt_task;
struct htmt_request;
struct htmt_prediction;
#define HTMT_APP_OPTIONS_MAX 64
struct htmt_app_option {
    const char *name, *value_name;
    const char *fallback;
    const char *help;
};
struct htmt_app_verb {
    const char *name, *summary;
    const struct htmt_app_option *options;
    int (*run)(const struct htmt_request *request, FILE *out, struct htmt_fault *fault);
};
struct htmt_paper_figure {
    const char *row;
    const char *options;
    const char
        *term;
    const char *
        measure;
    const char *input;
};
struct htmt_app_size {
    const char *option;
    const char *format;
    const char *meaning;
    uint64_t least, most, step;
};
struct htmt_app {
    uint32_t abi;
    uint32_t size;
    const char *name, *summary;
    const struct htmt_app_option *options;
    size_t work_bytes;
    int (*plan)(struct htmt_task *task, void *work);
    int (*tell)(struct htmt_task *task, void *work, struct htmt_prediction *prediction);
    int (*input)(struct htmt_task *task, void *work);
    void (*describe)(struct htmt_task *task, void *work);
    int (*prepare)(struct htmt_task *task, void *work, struct htmt_options *options);
    int (*create)(struct htmt_task *task, void *work, struct htmt_emulator *e);
    int (*explain)(struct htmt_task *task, void *work, int rc);
    int (*salvage)(struct htmt_task *task, void *work);
    int (*collect)(struct htmt_task *task, void *work);
    int (*check)(struct htmt_task *task, void *work);
    int (*write)(struct htmt_task *task, void *work);
    int (*conclude)(struct htmt_task *task, void *work);
    void (*destroy)(struct htmt_task *task, void *work);
    const struct htmt_app_verb *verbs;
    bool folds;
    bool reads_costs;
    const struct htmt_paper_figure *paper_figures;
    uint32_t (*slices)(const struct htmt_request *request);
    const char *slices_why;
    const struct htmt_app_size *sizes;
    const char *const *outputs;
    const char *operand;
    bool hosted;
};
extern const struct htmt_app htmt_app __attribute__((visibility("default")));
int htmt_chain_layers(const struct htmt_machine *m, const char *who, uint32_t *outer,
                      uint32_t *middle, uint32_t *inner, struct htmt_fault *fault);
int htmt_chain_network(const struct htmt_machine *m, const char *who, uint32_t from, uint32_t to,
                       bool across, uint32_t *network, struct htmt_fault *fault);
#define HTMT_PER_SLICE_BYTES 64
#define HTMT_PER_SLICE _Alignas(HTMT_PER_SLICE_BYTES)
void *htmt_per_slice_create(uint32_t slices, size_t bytes);
int htmt_per_slice_fetch(struct htmt_emulator *e, uint32_t slice, void **at, size_t *size);
int htmt_pgm_write(const char *path, const double *values, uint32_t width, uint32_t height,
                   struct htmt_fault *fault);
const struct htmt_machine *htmt_request_machine(const struct htmt_request *r);
uint32_t htmt_request_slices(const struct htmt_request *r);
enum htmt_mode htmt_request_mode(const struct htmt_request *r);
enum htmt_symmetry htmt_request_symmetry(const struct htmt_request *r);
uint64_t htmt_request_seed(const struct htmt_request *r);
uint32_t htmt_request_threads(const struct htmt_request *r);
uint32_t htmt_request_ranks(const struct htmt_request *r);
const char *htmt_request_costs(const struct htmt_request *r);
const char *const *htmt_request_cost_set(const struct htmt_request *r, unsigned *count);
bool htmt_request_plan_only(const struct htmt_request *r);
bool htmt_request_strict(const struct htmt_request *r);
bool htmt_request_progress(const struct htmt_request *r);
const char *htmt_request_value(const struct htmt_request *r, const char *name);
int htmt_request_whole(const struct htmt_request *r, const char *name, uint64_t least,
                       uint64_t most, uint64_t *value, struct htmt_fault *fault);
int htmt_request_whole32(const struct htmt_request *r, const char *name, uint32_t least,
                         uint32_t most, uint32_t *value, struct htmt_fault *fault);
int htmt_request_reals(const struct htmt_request *r, const char *name, unsigned count,
                       double *values, struct htmt_fault *fault);
int htmt_request_real(const struct htmt_request *r, const char *name, double least, double most,
                      double *value, struct htmt_fault *fault);
int htmt_request_choice(const struct htmt_request *r, const char *name, const char *const *words,
                        unsigned *value, struct htmt_fault *fault);
int htmt_request_suffix(const struct htmt_request *r, const char *name, const char *suffix,
                        struct htmt_fault *fault);
struct htmt_move_path {
    uint32_t network, from, to;
    uint64_t from_pieces, to_pieces;
};
struct htmt_move {
    htmt_time out, in;
    htmt_time busy;
    htmt_time latency;
    htmt_time length;
    uint32_t out_channels, in_channels;
};
int htmt_move(const struct htmt_machine *m, struct htmt_move_path path, uint64_t words,
              struct htmt_move *move);
enum htmt_server {
    HTMT_SERVE_D_TO_S,
    HTMT_SERVE_S_TO_C,
    HTMT_SERVE_C_TO_S,
    HTMT_SERVE_S_TO_D,
    HTMT_SERVE_ACROSS,
    HTMT_SERVE_DPIM,
    HTMT_SERVE_SPIM,
    HTMT_SERVE_SPELL,
    HTMT_SERVERS
};
struct htmt_servers {
    const struct htmt_machine *m;
    struct htmt_move_path path[HTMT_SERVERS];
};
struct htmt_servers htmt_servers(const struct htmt_machine *m, uint32_t outer, uint32_t middle,
                                 uint32_t inner, uint32_t across);
void htmt_servers_chain(struct htmt_servers *s, uint32_t down, uint32_t up);
struct htmt_move htmt_servers_move(const struct htmt_servers *s, unsigned server, uint64_t words);
htmt_time htmt_move_length(const void *servers, unsigned server, uint64_t words);
htmt_time htmt_move_busy(const void *servers, unsigned server, uint64_t words);
htmt_time htmt_move_out(const void *servers, unsigned server, uint64_t words);
htmt_time htmt_move_apart(const void *servers, unsigned server, uint64_t words);
htmt_time htmt_serve_cycles(const void *servers, unsigned server, uint64_t cycles);
htmt_time htmt_serve_flop(const void *servers, unsigned server, uint64_t flop);
struct htmt_warnings;
int htmt_warnings_create(struct htmt_warnings **warnings, struct htmt_fault *fault);
void htmt_warnings_destroy(struct htmt_warnings **warnings);
void htmt_warn(struct htmt_warnings *w, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void htmt_warnings_add(struct htmt_warnings *w, const struct htmt_warnings *more);
unsigned htmt_warnings_count(const struct htmt_warnings *w);
const char *htmt_warnings_text(const struct htmt_warnings *w, unsigned index);
#define HTMT_GIB (1024.0 * 1024 * 1024)
const struct htmt_request *htmt_task_request(const struct htmt_task *t);
const struct htmt_machine *htmt_task_machine(const struct htmt_task *t);
bool htmt_task_is_model(const struct htmt_task *t);
bool htmt_task_is_prediction(const struct htmt_task *t);
struct htmt_emulator *htmt_task_emulator(const struct htmt_task *t);
const char *htmt_task_value(const struct htmt_task *t, const char *name);
int htmt_task_whole(struct htmt_task *t, const char *name, uint64_t least, uint64_t most,
                    uint64_t *value);
int htmt_task_real(struct htmt_task *t, const char *name, double least, double most, double *value);
struct htmt_fault *htmt_task_fault(struct htmt_task *t);
int htmt_task_refuse(struct htmt_task *t, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int htmt_task_fits(struct htmt_task *t, double bytes, const char *arithmetic, ...)
    __attribute__((format(printf, 3, 4)));
void htmt_task_held(struct htmt_task *t, double bytes);
void htmt_task_warn(struct htmt_task *t, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
struct htmt_warnings *htmt_task_warnings(struct htmt_task *t);
void htmt_task_problem(struct htmt_task *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void htmt_task_flops(struct htmt_task *t, double flops);
void htmt_task_precision(struct htmt_task *t, const char *type);
void htmt_task_kernel_set(struct htmt_task *t, const char *name);
void htmt_task_expected(struct htmt_task *t, double seconds);
void htmt_task_note(struct htmt_task *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void htmt_task_note_at(struct htmt_task *t, unsigned place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void htmt_task_found(struct htmt_task *t, const char *name, double value, const char *unit);
void htmt_task_found_text(struct htmt_task *t, const char *name, const char *text);
void htmt_task_checked(struct htmt_task *t, const char *name, double value, double tolerance,
                       bool correct);
void htmt_task_unchecked(struct htmt_task *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void htmt_task_compare(struct htmt_task *t, const double *found, const double *wanted,
                       uint64_t count, double tolerance);
void htmt_task_closed_form(struct htmt_task *t, htmt_wide total, const char *name, ...)
    __attribute__((format(printf, 3, 4)));
void htmt_task_closed_form_causes(struct htmt_task *t, const htmt_wide causes[HTMT_PATH_CAUSES]);
struct htmt_term {
    unsigned depth;
    char name[48];
    char meaning[96];
    double value;
    char unit[16];
    char expression[160];
    char values[800];
    char inputs[200];
};
void htmt_prediction_total(struct htmt_prediction *p, double seconds);
void htmt_prediction_flops(struct htmt_prediction *p, double flops);
void htmt_prediction_problem(struct htmt_prediction *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void htmt_prediction_term(struct htmt_prediction *p, const struct htmt_term *term);
unsigned htmt_prediction_count(const struct htmt_prediction *p);
struct htmt_term *htmt_prediction_term_at(struct htmt_prediction *p, unsigned index);
struct htmt_exact {
    htmt_wide num, den;
};
static inline struct htmt_exact htmt_exact_whole(htmt_wide n)
{
    struct htmt_exact e = {n, 1};
    return e;
}
static inline struct htmt_exact htmt_exact_ratio(struct htmt_ratio r)
{
    struct htmt_exact e = {r.num, r.den};
    return e;
}
int htmt_exact_apply(char op, struct htmt_exact a, struct htmt_exact b, struct htmt_exact *out);
int htmt_exact_compare(struct htmt_exact a, struct htmt_exact b);
htmt_wide htmt_exact_ceil(struct htmt_exact a);
htmt_wide htmt_exact_floor(struct htmt_exact a);
htmt_wide htmt_exact_round(struct htmt_exact a);
long double htmt_exact_value(struct htmt_exact a);
struct htmt_exact htmt_exact_double(double x);
enum htmt_term_rounding { HTMT_TERM_EXACT, HTMT_TERM_HALF_UP, HTMT_TERM_DOWN };
typedef htmt_time htmt_term_service(const void *user, unsigned server, uint64_t count);
struct htmt_term_row {
    unsigned depth;
    const char *name;
    const char *meaning;
    const char *unit;
    const char *text;
    const char *by;
    htmt_term_service *service;
    unsigned server;
    enum htmt_term_rounding rounding;
    bool may_divide_by_zero;
};
#define HTMT_ROW(depth,unit,name,text,meaning) { depth, name, meaning, unit, text, NULL, NULL, 0, HTMT_TERM_EXACT, false }
#define HTMT_ROW_SERVED(depth,name,text,by,service,server,meaning) { depth, name, meaning, "s", text, by, service, server, HTMT_TERM_EXACT, false }
#define HTMT_ROW_ROUNDED(depth,unit,name,text,rounding,meaning) { depth, name, meaning, unit, text, NULL, NULL, 0, rounding, false }
#define HTMT_ROW_QUOTIENT(unit,name,text,meaning) { 0, name, meaning, unit, text, NULL, NULL, 0, HTMT_TERM_EXACT, true }
#define HTMT_ROW_COMPUTED(depth,unit,name,by,meaning) { depth, name, meaning, unit, NULL, by, NULL, 0, HTMT_TERM_EXACT, false }
#define HTMT_ROW_PART(unit,name,text) HTMT_ROW(HTMT_TERM_HIDDEN, unit, name, text, "a part")
#define HTMT_ROWS_END { .name = NULL }
struct htmt_term_tree;
int htmt_term_tree_create(const void *user, struct htmt_term_tree **tree, struct htmt_fault *fault);
void htmt_term_tree_destroy(struct htmt_term_tree **tree);
void htmt_term_tree_add(struct htmt_term_tree *tree, const char *scope, unsigned depth,
                        const struct htmt_term_row *rows);
void htmt_term_tree_set(struct htmt_term_tree *tree, const char *scope, const char *name,
                        const char *unit, struct htmt_exact value);
void htmt_term_tree_set_time(struct htmt_term_tree *tree, const char *scope, const char *name,
                             htmt_wide fs);
void htmt_term_tree_set_count(struct htmt_term_tree *tree, const char *scope, const char *name,
                              uint64_t n);
struct htmt_term_count {
    const char *name;
    uint64_t n;
};
void htmt_term_tree_set_counts(struct htmt_term_tree *tree, const struct htmt_term_count *of,
                               size_t count);
int htmt_term_tree_evaluate(struct htmt_term_tree *tree, struct htmt_fault *fault);
struct htmt_exact htmt_term_tree_value(const struct htmt_term_tree *tree, const char *name);
htmt_wide htmt_term_tree_whole(const struct htmt_term_tree *tree, const char *name);
void htmt_term_tree_tell(const struct htmt_term_tree *tree, struct htmt_prediction *out);
int htmt_main(int argc, char **argv, const struct htmt_app *app);
int htmt_report_print(const struct htmt_emulator *e, FILE *out);
int htmt_report_json(const struct htmt_emulator *e, FILE *out);
int htmt_report_summary(const struct htmt_emulator *e, FILE *out);
int htmt_report_explanation(const struct htmt_emulator *e, FILE *out);
int htmt_report_lint(const struct htmt_emulator *e, FILE *out);
int htmt_report_bottlenecks(const struct htmt_emulator *e, FILE *out);
struct htmt_limit_report {
    char name[2 * 32 + 8];
    bool space;
    bool binding;
    double utilization;
    double mean_wait_s;
    double mean_queue;
};
uint32_t htmt_limit_count(const struct htmt_emulator *e);
int htmt_limit_at(const struct htmt_emulator *e, uint32_t index, struct htmt_limit_report *limit);
struct htmt_determinism_desc {
    size_t size;
    const struct htmt_options *options;
    int (*create)(struct htmt_emulator *e, void *user);
    uint64_t (*result)(struct htmt_emulator *e, void *user);
    void (*destroy)(void *user);
    void *user;
};
static inline struct htmt_determinism_desc htmt_determinism_desc_init(void)
{
    struct htmt_determinism_desc d = {
        sizeof(struct htmt_determinism_desc), NULL, NULL, NULL, NULL, NULL};
    return d;
}
#define HTMT_DETERMINISM_RUNS 4
struct htmt_determinism_report {
    bool equal;
    uint32_t runs;
    uint64_t events;
    uint32_t threads;
    uint64_t delay_seed;
    char difference[500];
    uint64_t number;
    char first[240], differing[240];
};
int htmt_determinism_check(const struct htmt_determinism_desc *desc,
                           struct htmt_determinism_report *report, struct htmt_fault *fault);
int htmt_determinism_print(const struct htmt_determinism_report *report, FILE *out);
#define HTMT_TRACE_VERSION 2
#define HTMT_TRACE_INTERVALS_MAX 65536u
#define HTMT_TRACE_SAMPLES_MAX 1048576u
struct htmt_trace;
int htmt_trace_open(struct htmt_trace **t, const char *path, struct htmt_fault *fault);
void htmt_trace_close(struct htmt_trace **t);
typedef uint64_t htmt_trace_ref;
#define HTMT_TRACE_NONE UINT64_MAX
static inline htmt_trace_ref htmt_trace_ref_of(uint32_t slice, uint64_t number)
{
    return (htmt_trace_ref)slice << 40 | number;
}
static inline uint32_t htmt_trace_ref_slice(htmt_trace_ref ref)
{
    return (uint32_t)(ref >> 40);
}
static inline uint64_t htmt_trace_ref_number(htmt_trace_ref ref)
{
    return ref & ((UINT64_C(1) << 40) - 1);
}
enum htmt_trace_place {
    HTMT_TRACE_SERVED,
    HTMT_TRACE_SENT,
    HTMT_TRACE_RECEIVED,
    HTMT_TRACE_STALLED,
    HTMT_TRACE_ROOM,
    HTMT_TRACE_SECTION,
    HTMT_TRACE_GATE,
    HTMT_TRACE_PLACES
};
const char *htmt_trace_place_name(enum htmt_trace_place place);
struct htmt_trace_step {
    char type[64];
    enum htmt_stage_id stage;
    enum htmt_trace_place place;
    uint32_t resource, layer;
};
struct htmt_trace_places {
    uint32_t count, played;
    uint32_t stands_for;
};
struct htmt_trace_resource {
    char name[2 * 32 + 8];
    enum htmt_resource_kind kind;
    uint32_t layer, network;
    uint32_t count;
    htmt_time startup;
    htmt_wide busy, waited;
    htmt_wide inside;
    struct htmt_trace_places places;
};
struct htmt_trace_layer {
    char name[32], processor[32], memory[32];
    uint64_t capacity;
    uint32_t servers;
    htmt_wide stalled;
    struct htmt_trace_places places;
};
struct htmt_trace_info {
    uint32_t version;
    uint32_t slices, played;
    uint32_t stands_for;
    uint32_t layers, networks, resources, steps, sections, open_lines;
    uint64_t blocks, intervals;
    uint64_t bytes, inflated;
    htmt_time end;
    uint64_t history_hash;
    htmt_trace_ref last;
    bool complete;
    bool filtered;
    const char *app, *machine, *mode;
    const char *fault;
    const char *about, *filter;
    const struct htmt_trace_layer *layer;
    const struct htmt_trace_resource *resource;
    const struct htmt_trace_step *step;
    const char *const *section, *const *network;
    const char *const *open;
    uint32_t host;
    uint32_t places;
};
const struct htmt_trace_info *htmt_trace_info(const struct htmt_trace *t);
struct htmt_trace_interval {
    htmt_time end, service, wait;
    uint64_t serial;
    htmt_trace_ref cause;
    htmt_trace_ref line;
    uint32_t step;
    bool open;
};
struct htmt_trace_sample {
    htmt_time at;
    uint32_t layer;
    uint64_t words;
};
struct htmt_trace_block {
    uint32_t slice;
    uint64_t first;
    uint32_t count, samples;
    htmt_time from, to;
    struct htmt_trace_interval *interval;
    struct htmt_trace_sample *sample;
    uint64_t *level;
    uint64_t room[3];
};
int htmt_trace_block_at(const struct htmt_trace *t, uint64_t index, struct htmt_trace_block *b);
int htmt_trace_block_of(const struct htmt_trace *t, htmt_trace_ref ref, uint64_t *index);
int htmt_trace_block_sorted(const struct htmt_trace *t, uint64_t place, uint64_t *index);
int htmt_trace_block_read(struct htmt_trace *t, uint64_t index, struct htmt_trace_block *b,
                          struct htmt_fault *fault);
void htmt_trace_block_clear(struct htmt_trace_block *b);
uint32_t htmt_machine_channels(const struct htmt_machine *m, uint32_t network);
uint32_t htmt_machine_planes(const struct htmt_machine *m, uint32_t network);
bool htmt_machine_routes_in_time(const struct htmt_machine *m, uint32_t network);
uint32_t htmt_machine_way(const struct htmt_machine *m, uint32_t network, uint32_t source,
                          uint32_t target, const uint16_t *ports, uint32_t *channel, uint32_t room);
int htmt_machine_route_check(const struct htmt_machine *m, uint32_t network, uint32_t source,
                             uint32_t target, const uint16_t *ports, uint32_t count,
                             struct htmt_fault *fault);
htmt_time htmt_machine_channel_time(const struct htmt_machine *m, uint32_t network,
                                    uint32_t channel, uint64_t bytes);
htmt_time htmt_machine_alone(const struct htmt_machine *m, uint32_t network, uint32_t source,
                             uint32_t target, uint64_t bytes);
struct htmt_whole_file;
int htmt_whole_file_check(const char *path, struct htmt_fault *fault);
int htmt_whole_file_target(const char *path, char **target, struct htmt_fault *fault);
char *htmt_whole_file_folder(const char *path);
int htmt_whole_file_open(const char *path, struct htmt_whole_file **file, struct htmt_fault *fault);
FILE *htmt_whole_file_stream(struct htmt_whole_file *file);
int htmt_whole_file_commit(struct htmt_whole_file **file, struct htmt_fault *fault);
void htmt_whole_file_abandon(struct htmt_whole_file **file);
int htmt_whole_file_write(const char *path, const void *bytes, size_t length,
                          struct htmt_fault *fault);
#endif
