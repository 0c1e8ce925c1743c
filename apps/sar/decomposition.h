/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How the patches of a plan are divided into parcels for a machine, and what the parcels charge.
 *
 *   Read Patch         strips of lines, one for each DPIM of a slice: HRAM to DRAM
 *   Range Reference    one, stays in CRAM
 *   Range Line         one for each line
 *   Interpolator       one, stays in CRAM: the weights that correct range migration
 *   Azimuth Reference  one, stays in CRAM
 *   Azimuth Line       one for each column: forward transform, filter, inverse transform
 * or, with migration,
 *   Azimuth FFT        one for each column
 *   Migration          one for each tile: columns of the image x a band of Doppler bins
 *   Azimuth Focus      one for each column
 *   Write Patch        strips of lines, as Read Patch: DRAM to HRAM
 *
 * In DRAM a patch is a frame of `rows` x `cells` complex points, line after line. With migration a
 * second frame takes the straightened bins, with a row for each bin of the band.
 */
#ifndef HTMT_APPS_SAR_DECOMPOSITION_H
#define HTMT_APPS_SAR_DECOMPOSITION_H

#include "apps/sar/io/raw.h"
#include "apps/sar/plan.h"
#include "layers/machine/machine.h"

enum htmt__sar_stage {
    HTMT__SAR_READ,
    HTMT__SAR_RANGE_REFERENCE,
    HTMT__SAR_RANGE,
    HTMT__SAR_INTERPOLATOR,
    HTMT__SAR_AZIMUTH_REFERENCE,
    HTMT__SAR_AZIMUTH,
    HTMT__SAR_TRANSFORM,
    HTMT__SAR_MIGRATION,
    HTMT__SAR_FOCUS,
    HTMT__SAR_WRITE,
    HTMT__SAR_STAGES
};

/* Linear and n log2 n coefficients of a parcel that transforms lines of n points, in flop. */
struct htmt__sar_coefficients {
    uint64_t n, n_log_n;
};

/* Charges of a cost file, in place of the kernels' own counts. A cost file counts words as the
 * paper does: padded lines leave CRAM, and a point has `channel_words` words on the channels of
 * HRAM. */
struct htmt__sar_charges {
    bool from_file;
    struct htmt__sar_coefficients range_reference, range_line, azimuth_reference, azimuth_line;
    uint64_t read_cycles, write_cycles; /* of a DPIM, for a point */
    uint64_t channel_words;             /* for a point */
};

/* What a cost file gives: those, and the part of HRAM that holds raw patches. */
struct htmt__sar_costs {
    struct htmt__sar_charges charges;
    struct htmt_ratio hram_share;
};

/* Frames of a slice with several patches: the number of patches in work at once. */
#define HTMT__SAR_FRAMES 2

struct htmt__sar_decomposition {
    struct htmt__sar_plan plan;
    uint32_t patches; /* a model may have more patches than the plan */
    bool single;
    enum htmt__sar_format format; /* of the raw data */
    struct htmt__sar_charges charges;
    uint32_t hram, dram, sram, cram; /* layers */
    uint32_t outward, vortex, rti;   /* networks: HRAM to DRAM, DRAM to SRAM, SRAM to CRAM */
    uint32_t point;                  /* bytes of a complex point */
    uint32_t rows, cells;            /* of a frame; cells: distance of the starts of rows */
    uint32_t straight_cells;         /* of a row of the frame with straightened bins */
    uint32_t strips;                 /* of Read Patch; of Write Patch, if the patch gives as many
                                        lines */
    uint32_t bins, columns;          /* of a tile, except the last ones */
    uint32_t frames;        /* in the DRAM of a slice: 1 if it has one patch, otherwise 2 */
    uint32_t window;        /* parcels of a stage that are under way at once */
    uint64_t cram_resident; /* words of the resident objects in CRAM */
};

/* What of it does not depend on a machine; no stage is divided. */
struct htmt__sar_decomposition htmt__sar_undivided(const struct htmt__sar_plan *plan, bool single,
                                                   enum htmt__sar_format format,
                                                   const struct htmt__sar_charges *charges,
                                                   uint32_t patches);

/* `patches` 0: the patches of the plan. Errors: HTMT_EINVAL (the machine lacks a layer, its
 * processor or a network), HTMT_ECAPACITY with the arithmetic (no room in CRAM for a line beside
 * the references, in SRAM for a line, in DRAM for the frames, in HRAM for raw data and images).
 * *decomposition is untouched on failure. */
int htmt__sar_decomposition(const struct htmt_machine *m, const struct htmt__sar_plan *plan,
                            bool single, enum htmt__sar_format format,
                            const struct htmt__sar_charges *charges, uint32_t patches,
                            struct htmt__sar_decomposition *decomposition,
                            struct htmt_fault *fault);

/* Stages between HRAM and DRAM; stages that make a resident object once a patch. */
static inline bool htmt__sar_is_strip(enum htmt__sar_stage s)
{
    return s == HTMT__SAR_READ || s == HTMT__SAR_WRITE;
}

static inline bool htmt__sar_is_reference(enum htmt__sar_stage s)
{
    return s == HTMT__SAR_RANGE_REFERENCE || s == HTMT__SAR_INTERPOLATOR ||
           s == HTMT__SAR_AZIMUTH_REFERENCE;
}

const char *htmt__sar_stage_name(enum htmt__sar_stage stage);

/* The number of parcels of a stage for a patch of the plan. 0: the patch does not need the stage.
 */
uint32_t htmt__sar_parcels(const struct htmt__sar_decomposition *c, enum htmt__sar_stage stage,
                           uint32_t patch);

/* The patch of the plan that the n-th of all patches repeats. */
static inline uint32_t htmt__sar_patch_of(const struct htmt__sar_decomposition *c, uint32_t n)
{
    return n % c->plan.patches;
}

/* Lines of a strip: first to end - 1 of `lines`. */
struct htmt__sar_strip {
    uint32_t first, end;
};
static inline struct htmt__sar_strip htmt__sar_strip(uint32_t lines, uint32_t strips, uint32_t i)
{
    return (struct htmt__sar_strip){(uint32_t)((uint64_t)lines * i / strips),
                                    (uint32_t)((uint64_t)lines * (i + 1) / strips)};
}

/* The bins of the band in the order of their rows, without gaps: rows 0 to low - 1 of the
 * transform, then rows first to first + high - 1. */
struct htmt__sar_band {
    uint32_t low, first, high;
};
static inline struct htmt__sar_band htmt__sar_band(const struct htmt__sar_plan *p)
{
    uint32_t row = htmt__sar_plan_bin_row(p, p->band_first), above = p->azimuth_length - row;
    uint32_t high = p->band < above ? p->band : above;
    return (struct htmt__sar_band){p->band - high, row, high};
}
/* The number of the i-th of these bins. */
static inline int64_t htmt__sar_bin(const struct htmt__sar_plan *p, uint32_t i)
{
    struct htmt__sar_band b = htmt__sar_band(p);
    return p->band_first + (i < b.low ? (int64_t)i + b.high : (int64_t)i - b.low);
}

struct htmt__sar_tile {
    uint32_t bin, bins;       /* of the band */
    uint32_t column, columns; /* of the image */
};
struct htmt__sar_tile htmt__sar_tile(const struct htmt__sar_decomposition *c, uint32_t i);

/* The cells of a row that columns `column` to column + columns - 1 need, inside the data. None if
 * first == end. */
struct htmt__sar_cells {
    uint32_t first, end;
};
struct htmt__sar_cells htmt__sar_cells(const struct htmt__sar_decomposition *c,
                                       const struct htmt__sar_track *track, uint32_t column,
                                       uint32_t columns);

/* Words that a parcel moves into and out of each memory, and the number of pieces in DRAM. A strip
 * of Read or Write Patch has DRAM's words only. */
struct htmt__sar_load {
    uint64_t into_dram, into_sram, into_cram;
    uint64_t out_of_cram, out_of_sram, out_of_dram;
    uint64_t gathered, scattered; /* pieces */
    uint64_t cram;                /* words held there while it runs, without resident objects */
};
struct htmt__sar_load htmt__sar_load(const struct htmt__sar_decomposition *c,
                                     enum htmt__sar_stage stage, uint32_t patch, uint32_t index);

/* Words of n complex points. */
static inline uint64_t htmt__sar_words(const struct htmt__sar_decomposition *c, uint64_t points)
{
    return (points * c->point + HTMT_WORD - 1) / HTMT_WORD;
}

/* Words of the results of the references in CRAM. Azimuth Reference: a double for each bin of the
 * band; a cost file counts a complex line. Interpolator: the weights. */
static inline uint64_t htmt__sar_azimuth_words(const struct htmt__sar_decomposition *c)
{
    return c->charges.from_file ? htmt__sar_words(c, c->plan.azimuth_length) : c->plan.band;
}
static inline uint64_t htmt__sar_interpolator_words(const struct htmt__sar_decomposition *c)
{
    return ((uint64_t)HTMT__SAR_TAPS << HTMT__SAR_PHASE_BITS) * (c->point / 2) / HTMT_WORD;
}

/* Bytes of the raw data of `lines` lines. Below: the words that a channel of HRAM counts for
 * `points` points when it moves `bytes` bytes. */
static inline uint64_t htmt__sar_raw_bytes(const struct htmt__sar_decomposition *c, uint64_t lines)
{
    return lines * c->plan.radar.samples * htmt__sar_pair_bytes(c->format);
}
/* Words of HRAM for lines of the image. With a cost file, points are as short there as raw points.
 */
static inline uint64_t htmt__sar_stored_words(const struct htmt__sar_decomposition *c,
                                              uint64_t lines)
{
    uint64_t bytes = c->charges.from_file ? htmt__sar_pair_bytes(c->format) : c->point;
    return (lines * c->plan.samples * bytes + HTMT_WORD - 1) / HTMT_WORD;
}
static inline uint64_t htmt__sar_channel_words(const struct htmt__sar_decomposition *c,
                                               uint64_t points, uint64_t bytes)
{
    return c->charges.from_file ? points * c->charges.channel_words
                                : (bytes + HTMT_WORD - 1) / HTMT_WORD;
}

#endif
