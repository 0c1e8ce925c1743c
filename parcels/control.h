/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a control function may call: the five calls on parcels, operations of its own, the footprint
 * of its kernel, sync slots.
 *
 * A control runs for one slice, in the virtual-time order of that slice. With several clock threads
 * (htmt_options.clock_threads; one unless asked for) controls of different slices run at the same
 * time. It may write its own parcel's arguments and program data that belong to its slice alone;
 * totals over slices are summed after the run. It may read what was set up before the run and does
 * not change. So slices can be played apart. Cost functions write nothing.
 */
#ifndef HTMT_PARCELS_CONTROL_H
#define HTMT_PARCELS_CONTROL_H

#include "parcels/parcel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the five calls ------------------------------------------------------------------------- */

/* Assemble a parcel: from here on it percolates by itself, up to a gate of its type.
 * From: a control of the same slice (it starts at the moment of the log; in another slice signal a
 * fiber that assembles there), or the host thread before the run with
 * htmt_root() (it starts at time 0). Never suspends. `ref` may be NULL.
 * Errors: HTMT_EINVAL, HTMT_EBOUNDS, HTMT_EROUTE, HTMT_ECAPACITY (larger than an empty memory),
 * HTMT_ENOMEM; in a control they also end the run, so a control may ignore them. */
int htmt_assemble(struct htmt_context *c, const struct htmt_parcel_desc *desc,
                  struct htmt_ref *ref);
/* Of a parcel of the same slice. Let it pass the gate before that stage, whether it waits there
 * already or comes later. htmt_retire() of the activation itself says that it is done. Each at most
 * once a parcel. From: a control, or the host before the run with htmt_root(). Errors: HTMT_EINVAL
 * (gone, a second call, no such gate), HTMT_EROUTE (another slice). */
int htmt_dispatch(struct htmt_context *c, struct htmt_ref parcel);
int htmt_execute(struct htmt_context *c, struct htmt_ref parcel);
int htmt_retire(struct htmt_context *c, struct htmt_ref parcel);
int htmt_scatter(struct htmt_context *c, struct htmt_ref parcel);
/* A parcel that is not wanted any more: at the gate where it waits, or at its next one, it gives
 * back its space and ends; nothing goes out, on_done is signalled. Once a parcel. Errors:
 * HTMT_EINVAL (gone, a second call, no gate ahead). */
int htmt_discard(struct htmt_context *c, struct htmt_ref parcel);

/* ---- who and where -------------------------------------------------------------------------- */

/* Of the host; open until htmt_emulator_run(). It is in slice 0, in no parcel and no service. */
struct htmt_context *htmt_root(struct htmt_emulator *e);
struct htmt_emulator *htmt_emulator_of(struct htmt_context *c);
/* Of this parcel; kernels issued later see changes. A type without arguments: HTMT_EINVAL. */
void *htmt_args(struct htmt_context *c);
/* Of the type, as the type gave it, which may be NULL. From: a control. */
const void *htmt_user(const struct htmt_context *c);
uint32_t htmt_slice(const struct htmt_context *c);
uint32_t htmt_fiber(const struct htmt_context *c); /* which runs; 0: a stage of the parcel */
struct htmt_ref htmt_self(const struct htmt_context *c);
bool htmt_is_model(const struct htmt_context *c);
/* Of a steered stage; NULL in a model run. A stage that is not, or a type without a result:
 * HTMT_EINVAL. */
const void *htmt_result(const struct htmt_context *c);

/* The program cannot go on: the run ends with this error and this line. An earlier error stays.
 * `code`: of runtime/base/error.h, not 0 (HTMT_EINVAL). Returns the code. */
int htmt_fail(struct htmt_context *c, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Operations of the control itself: what follows in the log happens later by their time. */
void htmt_charge(struct htmt_context *c, enum htmt_op op, uint64_t n);
/* So much virtual time of the control, fs, at this place of its log: as operations that take it. */
void htmt_delay(struct htmt_context *c, htmt_time fs);
/* The service ends so much later, fs, and its server stays with it, but is not in use: the control
 * waits for an instant and does nothing, as a source does for its next arrival. Reports count such
 * pauses apart from use. Once in a service, behind all other time of it (HTMT_EINVAL). */
void htmt_pause(struct htmt_context *c, htmt_time fs);
/* Virtual time, fs, at which this service began; and at which it was asked for: of a fiber, when
 * its slot had counted down. For what a program reports after the run. */
htmt_time htmt_began(const struct htmt_context *c);
htmt_time htmt_enabled(const struct htmt_context *c);
/* The kernel runs here in the log: what was written before happens at its start, what follows at
 * its end. A control that never says so acts after its kernel. At most once. */
void htmt_work(struct htmt_context *c);
/* Footprint of this stage's kernel beyond the closure: at most 8, before htmt_work(). Not in an
 * `execute` of footprint HTMT_CLOSURE, whose kernel may have run by then. */
enum htmt_use {
    HTMT_READ = 1,
    HTMT_WRITE = 2,
    HTMT_UPDATE = 3,
    HTMT_COMMUTE = 7, /* an update that others may come before or behind, as of a sum of integers */
};
void htmt_use(struct htmt_context *c, struct htmt_addr at, uint64_t bytes, enum htmt_use use);
/* The same of `bytes` in pieces, as rows of a tile: the kernel sees all from the first byte to the
 * last, and leaves alone what lies between. The distance of pieces is not less than a piece, that
 * of planes not less than from the first byte of one to its last; planes are whole. */
void htmt_use_pieces(struct htmt_context *c, struct htmt_addr at, uint64_t bytes,
                     struct htmt_pieces pieces, enum htmt_use use);

/* A section begins: this slice's time belongs to the section of that name (copied, at most 63
 * bytes) from this place of the log on, until another one begins. The same name is the same
 * section. With htmt_root(), every slice's time from 0 on. Before the first section, and with "",
 * time belongs to section "". It is free of charge: no time and no event depends on it. An interval
 * that begins in one section and ends in another is split where the slice changes. If two sections
 * begin at one instant, the last one stays, in the order in which their controls ran. At most 255
 * names (HTMT_EINVAL). A change takes 16 bytes of the host as long as the emulator lives. See
 * htmt_section_at(). */
void htmt_section(struct htmt_context *c, const char *name);

/* Sync slots. A slot counts down; at zero its fiber is enabled once more (no enabling is lost) and
 * the count is set to `reset` (0: disarmed; a signal to a disarmed slot ends the run with
 * HTMT_EINVAL). Fibers of one layer's processors are served first enabled, first served. Setting an
 * own slot happens at once and is free. Signalling a slot of the same slice and layer is free;
 * elsewhere it is a message of one word over each network on its way. */
struct htmt_slot htmt_slot(const struct htmt_context *c, uint32_t fiber);
struct htmt_slot htmt_slot_of(struct htmt_ref parcel, uint32_t fiber);
void htmt_slot_set(struct htmt_context *c, uint32_t fiber, uint32_t count, uint32_t reset);
void htmt_signal(struct htmt_context *c, struct htmt_slot slot);

#ifdef __cplusplus
}
#endif

#endif
