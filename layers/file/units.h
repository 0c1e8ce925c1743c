/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Quantities with their units written out: "256 GHz", "1 MiB", "0.97 ns/word", "90 deg".
 *
 * There are two families. Figures of machines and costs are exact: never negative, held as ratios.
 * Physical parameters of applications are signed doubles: a decimal prefix moves the exponent of
 * the text before it becomes a double, so "18.962468 MHz" is the double nearest to 18962468.
 *
 * Prefixes are decimal or binary (Ki Mi Gi Ti, of bytes and words); a word has 8 bytes.
 * docs/machines.md has the table of the exact units.
 */
#ifndef HTMT_LAYERS_FILE_UNITS_H
#define HTMT_LAYERS_FILE_UNITS_H

#include "runtime/base/error.h"
#include "runtime/base/ratio.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum htmt_dimension {
    /* Exact. */
    HTMT_UNIT_COUNT,      /* "128": a whole number */
    HTMT_UNIT_SHARE,      /* "0.88", "50 %": a number */
    HTMT_UNIT_FREQUENCY,  /* "256 GHz": Hz */
    HTMT_UNIT_SIZE,       /* "1 MiB", "32 Mword": whole words */
    HTMT_UNIT_RATE,       /* "10 Gword/s", "512 GB/s": fs a word */
    HTMT_UNIT_TIME,       /* "85 ns": whole fs */
    HTMT_UNIT_ACCESS,     /* "0.97 ns/word", "5 ns/access", "7 cycles at 450 MHz": fs */
    HTMT_UNIT_OPERATION,  /* "3 ps/flop", "2 cycles", "1 flop/cycle": fs or cycles an operation */
    HTMT_UNIT_CYCLES,     /* "140500 cycles": a number of cycles */
    HTMT_UNIT_OPERATIONS, /* "200 flop": a whole number of operations */
    /* Doubles. */
    HTMT_UNIT_NUMBER,            /* "0.88", "-1.5e3" */
    HTMT_UNIT_HERTZ,             /* Hz, kHz, MHz, GHz, THz */
    HTMT_UNIT_HERTZ_PER_SECOND,  /* Hz/s, kHz/s, ..., THz/s; MHz/us likewise */
    HTMT_UNIT_SECONDS,           /* s, ms, us, ns, ps, fs */
    HTMT_UNIT_METRES,            /* m, km, cm, mm, um */
    HTMT_UNIT_METRES_PER_SECOND, /* m/s, km/s */
    HTMT_UNIT_RADIANS,           /* rad, mrad, deg */
    HTMT_UNITS,
    /* Exact, of packets; behind what a schema counts from HTMT_UNITS on. */
    HTMT_UNIT_BYTES = 64, /* "120 B", "2 KiB": whole bytes */
    HTMT_UNIT_BUFFER,     /* the same, or "2 packet" */
    HTMT_UNIT_BYTE_RATE,  /* "160 MB/s": fs a byte */
    HTMT_UNIT_BYTE_TIME,  /* "0.1 us/B": fs a byte */
    /* Exact, of banks that a host joins. */
    HTMT_UNIT_BYTE_CYCLES, /* "2 B/cycle", "700 MB/s": cycles or fs a byte */
    HTMT_UNIT_BANDWIDTH    /* "6.68 GB/s": bytes a second */
};

/* What one quantity is for: an operation and its access have several ways to be written. */
enum htmt_basis { HTMT_PER_ITEM, HTMT_PER_WORD, HTMT_IN_CYCLES, HTMT_IN_PACKETS };

struct htmt_quantity {
    struct htmt_ratio value; /* in the unit of the dimension above */
    enum htmt_basis basis;   /* PER_WORD: access time of a word; IN_CYCLES, IN_PACKETS: what
                                value counts */
};

/* Read an exact quantity. `noun` names the operation of HTMT_UNIT_OPERATION and
 * HTMT_UNIT_OPERATIONS
 * ("flop"), else NULL. On failure `why` holds "found '256', expected a frequency such as
 * '256 GHz'". Errors: HTMT_EUNIT (unit missing or of something else), HTMT_ERANGE (negative, not
 * whole where it must be, or too large), HTMT_EFORMAT (not a number). Zero is for the caller to
 * judge. */
int htmt_quantity_read(const char *text, enum htmt_dimension dimension, const char *noun,
                       struct htmt_quantity *out, char *why, size_t room);

/* Read a double in Hz, Hz/s, s, m, m/s or radians. `why` and errors: as above; HTMT_ERANGE is for
 * what no double can hold. */
int htmt_quantity_double(const char *text, enum htmt_dimension dimension, double *out, char *why,
                         size_t room);

/* "Hz", "m/s": the unit in which a double counts; "" where there is none. */
const char *htmt_unit_name(enum htmt_dimension dimension);

#ifdef __cplusplus
}
#endif

#endif
