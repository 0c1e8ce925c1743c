/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Resident objects: named state that lies in a virtual memory over many parcels.
 *
 * An object belongs to one layer of one slice and takes its words from that memory's bounded store
 * from creation to destruction. A frame is the same object on every slice, under one name. An
 * address is an object and an offset in bytes; where the bytes lie on the host is looked up when
 * they move, so a move may hand over pages instead of copying. Every address is checked against its
 * object's bounds when it enters the library.
 *
 * In a model run objects have a size and no bytes.
 *
 * Callable by the host, before or after htmt_emulator_run(), unless said otherwise; during the run
 * they are refused (HTMT_EINVAL), so by kernels and controls. None suspends. Names and places for
 * results must be given.
 */
#ifndef HTMT_PARCELS_OBJECT_H
#define HTMT_PARCELS_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct htmt_emulator;
struct htmt_object;
struct htmt_frame;
struct htmt_mailbox;

struct htmt_addr {
    struct htmt_object *object; /* NULL: nowhere */
    uint64_t offset;            /* bytes */
};

/* How the bytes of a region lie at one end: `count` pieces of `bytes` contiguous bytes whose starts
 * are `stride` bytes apart. All zero: one piece. With `planes` above 1 these are a plane, and
 * `planes` of them follow, their starts `plane_stride` apart: the rows of a box in an array of
 * three dimensions. Each piece of each plane counts as a piece where time is charged. */
struct htmt_pieces {
    uint64_t bytes, count;
    int64_t stride;
    uint64_t planes; /* 0 is 1 */
    int64_t plane_stride;
};

/* An object of `bytes` bytes, cleared. It takes ceil(bytes / 8) words.
 * Errors: HTMT_ECAPACITY (does not fit beside what is there; see htmt_emulator_fault()),
 * HTMT_EINVAL (no such slice or layer, no name), HTMT_ENOMEM. The emulator owns it; destroying it
 * gives the words back, and all are destroyed with the emulator. `name` is copied. */
int htmt_object_create(struct htmt_emulator *e, uint32_t slice, uint32_t layer, uint64_t bytes,
                       const char *name, struct htmt_object **object);

/* The same over the caller's memory, which must outlive the emulator; it takes `words` words. Two
 * objects may lie over the same memory when no parcel writes what another one touches.
 * In a model run `memory` may be NULL. */
int htmt_object_wrap(struct htmt_emulator *e, uint32_t slice, uint32_t layer, void *memory,
                     uint64_t bytes, uint64_t words, const char *name, struct htmt_object **object);
/* Clears *object; NULL accepted. A copy of the handle stays valid until the emulator goes, and
 * every call refuses it. Refused (HTMT_EINVAL in htmt_emulator_fault(), *object stays): a second
 * time, during the run, before the run if a parcel needs the object, the part of a frame. */
void htmt_object_destroy(struct htmt_object **object);

/* Its bytes, all parcels' writes included; NULL in a model run, of no bytes, or where another
 * process plays the object's slice (htmt_options.ranks; htmt_app.ranks). During the run:
 * HTMT_EINVAL, and zeros of that size. */
void *htmt_object_bytes(struct htmt_object *object);
uint64_t htmt_object_size(const struct htmt_object *object); /* callable anywhere */
/* After the run, in all ranks alike (htmt_options.ranks): the bytes come from the rank that plays
 * the object's slice to rank 0, where they are valid until the next such call. *bytes is NULL in
 * the other ranks and in a model run; in one process it is htmt_object_bytes(). Errors:
 * HTMT_EINVAL: no object, nowhere to put the address, or before the end of the run; HTMT_ENOMEM;
 * HTMT_ESYSTEM: other ranks are gone. */
int htmt_object_fetch(struct htmt_object *object, const void **bytes);

/* One object on every slice. Errors as htmt_object_create(). */
int htmt_frame_create(struct htmt_emulator *e, uint32_t layer, uint64_t bytes, const char *name,
                      struct htmt_frame **frame);
/* An array whose parts lie in the slices: slice i has its `bytes` bytes from i * bytes on, at the
 * beginning of its part of the frame; from `array` into the frame, and back. Before or after the
 * run; in several ranks (htmt_options.ranks) what is here is loaded, and after the run all ranks
 * gather, in the same order, all parts. In a model run nothing is copied, and `array` may be NULL.
 * Arrays of more dimensions, with room for what neighbours send: parcels/grid.h. Errors:
 * HTMT_EINVAL (NULL), HTMT_EBOUNDS (more than a slice's part). */
int htmt_frame_load(struct htmt_frame *frame, const void *array, uint64_t bytes);
int htmt_frame_gather(const struct htmt_frame *frame, void *array, uint64_t bytes);
/* Address in the frame of a slice. Callable anywhere. A slice or frame that is not there gives an
 * address that is refused where it is used (HTMT_EBOUNDS, HTMT_EINVAL): it is not nowhere. */
struct htmt_addr htmt_at(const struct htmt_frame *frame, uint32_t slice, uint64_t offset);
/* Address in an object. Callable anywhere. NULL gives an address that is refused, too. */
struct htmt_addr htmt_in(struct htmt_object *object, uint64_t offset);

/* A mailbox: records of fixed size from many senders, appended in the order of virtual arrival
 * (ties by the order in which each sender made its messages, then by sending slice). It holds at
 * most `records`; what does not fit waits at its sender, in order. It takes records *
 * record_bytes of the memory. Before the run. See htmt_send() and htmt_take(). */
int htmt_mailbox_create(struct htmt_emulator *e, uint32_t slice, uint32_t layer,
                        uint64_t record_bytes, uint64_t records, const char *name,
                        struct htmt_mailbox **mailbox);

#ifdef __cplusplus
}
#endif

#endif
