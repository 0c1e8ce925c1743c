/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/lib/trace: reads trace files; docs/trace-format.md has their bytes.
 *
 * The parts of an open trace, and the structures that lie in its file.
 */
#ifndef HTMT_EMUL_LIB_TRACE_FILE_H
#define HTMT_EMUL_LIB_TRACE_FILE_H

#include "emul/lib/trace/ports.h"
#include "emul/trace/htmt_trace.h"

#include <jansson.h>
#include <libdeflate.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "structures are read as they lie");

#define HTMT__TRACE_BEGIN      "HTMTTRC"
#define HTMT__TRACE_END        "HTMTEND"
#define HTMT__TRACE_MAGIC      8 /* bytes: the letters and the version */
#define HTMT__TRACE_COLUMNS    10
#define HTMT__TRACE_FOOTER_MAX (UINT32_C(16) << 20) /* bytes of JSON */
#define HTMT__TRACE_SLICES_MAX (UINT32_C(1) << 24)
#define HTMT__TRACE_NUMBERS    (UINT64_C(1) << 40) /* of one slice */

/* One block in the index. */
struct htmt__trace_entry {
    uint64_t offset;
    uint32_t bytes, raw, crc, slice;
    uint64_t first;
    uint32_t intervals, samples;
    int64_t from, to;
    uint64_t zero;
};
_Static_assert(sizeof(struct htmt__trace_entry) == 64, "as in the file");

struct htmt__trace_trailer {
    uint64_t index, blocks, footer;
    uint32_t footer_bytes, footer_raw, index_crc, footer_crc;
    char magic[HTMT__TRACE_MAGIC];
};
_Static_assert(sizeof(struct htmt__trace_trailer) == 48, "as in the file");

/* A block's place in the order by slice and number. */
struct htmt__trace_key {
    htmt_trace_ref ref; /* of its first interval */
    bool has_intervals;
    uint64_t index;
};

/* What the values before of one step were, in the block that is read. */
struct htmt__trace_before {
    uint64_t service, wait;
};

struct htmt__trace_bytes {
    uint8_t *at;
    size_t room;
};

struct htmt_trace {
    char *path;
    int fd;
    uint64_t size;
    struct htmt__trace_trailer trailer;
    struct htmt__trace_entry *entry;
    struct htmt__trace_key *key;
    struct htmt_trace_info info;
    uint8_t version;
    struct htmt__trace_ports ports;
    /* What info points to; texts are in the footer. */
    json_t *footer;
    char *about, *filter;
    struct htmt_trace_layer *layer;
    struct htmt_trace_resource *resource;
    struct htmt_trace_step *step;
    const char **section, **network, **open;
    /* To read blocks. */
    struct libdeflate_decompressor *inflater;
    struct htmt__trace_bytes packed, raw;
    struct htmt__trace_before *before; /* of each step */
};

/* "PATH: byte N: ..."; returns HTMT_EFORMAT. */
int htmt__trace_refuse(const struct htmt_trace *t, uint64_t byte, struct htmt_fault *fault,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

int htmt__trace_out_of_memory(const struct htmt_trace *t, struct htmt_fault *fault);

/* `length` bytes of the file from `offset` on. */
int htmt__trace_bytes_at(const struct htmt_trace *t, uint64_t offset, void *bytes, size_t length,
                         struct htmt_fault *fault);

/* A zlib stream of the file into t->raw, where it is `raw` bytes long. */
int htmt__trace_inflate(struct htmt_trace *t, uint64_t offset, uint32_t bytes, uint32_t crc,
                        uint32_t raw, struct htmt_fault *fault);

/* Fills in t->info from the JSON text in t->raw. */
int htmt__trace_footer_read(struct htmt_trace *t, struct htmt_fault *fault);
void htmt__trace_footer_clear(struct htmt_trace *t);

/* For how long the resource of a step was busy by it, over all slices, where the intervals do not
 * tell. false: they do, or it is not known. */
bool htmt__trace_step_busy(const struct htmt_trace *t, uint32_t step, htmt_wide *busy);
/* fs, over all slices, that servers of the resource were held and not in use. */
htmt_wide htmt__trace_paused(const struct htmt_trace *t, uint32_t resource);
/* What set its pace, where it is a link; "": not known. The trace's. */
const char *htmt__trace_term(const struct htmt_trace *t, uint32_t resource);

/* Decimal digits without a sign; false: another value. */
bool htmt__trace_sum_read(const json_t *digits, htmt_wide *sum);

#endif
