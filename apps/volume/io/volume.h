/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A scalar field on a regular grid, as its file stores it: read, or made from a formula.
 *
 * Voxel (x, y, z) has number x + dims[0] (y + dims[1] z). Grid points lie at whole numbers of index
 * space. The volume fills the box [0, dims[0]-1] x [0, dims[1]-1] x [0, dims[2]-1] between them.
 * Its value is slope * stored + intercept. Every fault of a file becomes one line in *fault.
 */
#ifndef HTMT_APPS_VOLUME_IO_VOLUME_H
#define HTMT_APPS_VOLUME_IO_VOLUME_H

#include "runtime/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cells of the box, not voxels, number dims - 1. */
#define HTMT__VOLUME_SIDE_MOST 32767

/* ---- types of voxels ------------------------------------------------------------------------- */

/* A type of voxels in memory. */
enum htmt__volume_voxel { HTMT__UINT8, HTMT__INT16, HTMT__UINT16, HTMT__FLOAT32 };

/* A type of voxels in a file. The first four have the numbers of the types in memory. */
enum htmt__volume_stored {
    HTMT__STORED_UINT8,
    HTMT__STORED_INT16,
    HTMT__STORED_UINT16,
    HTMT__STORED_FLOAT32,
    HTMT__STORED_INT8,
    HTMT__STORED_INT32,
    HTMT__STORED_UINT32,
    HTMT__STORED_FLOAT64,
    HTMT__STORED_INT64,
    HTMT__STORED_UINT64,
    HTMT__STORED_TYPES
};

/* "int8". */
const char *htmt__volume_stored_name(enum htmt__volume_stored type);
/* Of one voxel in the file. */
size_t htmt__volume_stored_bytes(enum htmt__volume_stored type);
/* The type in memory: int8 becomes int16; wider integers and float64 become float32. */
enum htmt__volume_voxel htmt__volume_stored_held(enum htmt__volume_stored type);
/* Errors: HTMT_EINVAL. */
int htmt__volume_stored_of_name(const char *name, enum htmt__volume_stored *type);
static inline bool htmt__volume_stored_kept(enum htmt__volume_stored type)
{
    return type < HTMT__STORED_INT8;
}

/* The integers from -2^53 to 2^53 are those that a double tells apart. */
#define HTMT__STORED_INTEGER_MOST (INT64_C(1) << 53)

/* Convert `count` voxels, in the host's byte order, of a type that is not kept. *rounding grows to
 * the largest difference. Returns the number converted: less than `count` if a voxel is finite in
 * its file and beyond the range of float32, or an integer beyond 2^53. */
size_t htmt__volume_stored_convert(const void *from, enum htmt__volume_stored type, size_t count,
                                   void *to, double *rounding);

/* ---- volumes --------------------------------------------------------------------------------- */

/* The origin of a volume, by its file. Axes are those of the file, x fastest. */
struct htmt__volume_source {
    enum htmt__volume_stored stored;
    double rounding;      /* largest difference between a number of the file and its voxel */
    uint64_t empty;       /* voxels of the planes read that are NaN in the file */
    bool spaced[3];       /* the file gives a usable distance of grid points... */
    bool has_distance[3]; /* ...or another number for it, which is... */
    double distance[3];   /* ...this one */
    double column[3];     /* distance by the file's orientation; 0: it gives none */
    char axes[4];         /* "LPS": x runs to the left, y to the back, z to the head; "": unknown */
    double tilt;          /* largest angle between an axis and that direction, degrees */
};

struct htmt__volume {
    uint32_t dims[3]; /* 2 to HTMT__VOLUME_SIDE_MOST each */
    enum htmt__volume_voxel type;
    double slope, intercept;
    double spacing[3]; /* distance of grid points in the file's unit; 1 where it gives none */
    uint32_t below;    /* planes of z that lie before those at `at`; 0 of a whole volume */
    void *at;          /* in the host's byte order */
    struct htmt__volume_source source;
};

/* 1, 2, 2, 4; "uint8", "int16", "uint16", "float32". */
size_t htmt__volume_voxel_bytes(enum htmt__volume_voxel type);
const char *htmt__volume_voxel_name(enum htmt__volume_voxel type);

/* Voxel number n as stored; exact. */
static inline __attribute__((always_inline)) float
htmt__volume_voxel_at(const void *at, enum htmt__volume_voxel type, size_t n)
{
    switch (type) {
    case HTMT__UINT8:
        return ((const uint8_t *)at)[n];
    case HTMT__INT16:
        return ((const int16_t *)at)[n];
    case HTMT__UINT16:
        return ((const uint16_t *)at)[n];
    case HTMT__FLOAT32:
        break;
    }
    return ((const float *)at)[n];
}

uint64_t htmt__volume_voxels(const struct htmt__volume *v);

/* Create a volume of zeros with slope 1, intercept 0, spacing 1. Errors: HTMT_ERANGE (dimensions),
 * HTMT_EHOSTFIT, HTMT_ENOMEM. On success the caller owns *v and gives it to htmt__volume_destroy().
 */
int htmt__volume_create(struct htmt__volume *v, const uint32_t dims[3],
                        enum htmt__volume_voxel type, struct htmt_fault *fault);
/* Leaves an empty volume, which may be destroyed again. */
void htmt__volume_destroy(struct htmt__volume *v);

/* The description of a raw file, which has no header. */
struct htmt__volume_raw {
    uint64_t dims[3];
    enum htmt__volume_stored type;
    bool big_endian;
};

/* Which volume: of bytes of the shape `raw`, or number *frame of the series in a file. NULL: a file
 * with a header; a file with one volume. */
struct htmt__volume_choice {
    const struct htmt__volume_raw *raw;
    const uint32_t *frame;
};

/* Read a file: NIfTI-1 or NIfTI-2 (.nii, .nii.gz, .hdr with .img), recognised by its content, or
 * NRRD (attached .nrrd, detached .nhdr). Raw bytes may be gzip or not. A voxel that is NaN becomes
 * the least value of the others; infinite ones are refused. Errors: HTMT_ENOENT, HTMT_EFORMAT,
 * HTMT_ERANGE, HTMT_EHOSTFIT, HTMT_ENOMEM, HTMT_EIO; *v is untouched on failure. */
int htmt__volume_read(const char *path, struct htmt__volume_choice choice, struct htmt__volume *v,
                      struct htmt_fault *fault);

/* A volume plane by plane of z, in that order, of which no more is in memory than is asked for. */
struct htmt__volume_planes;
/* On success the caller owns *planes. Errors: as htmt__volume_read(). */
int htmt__volume_planes_open(const char *path, struct htmt__volume_choice choice,
                             struct htmt__volume_planes **planes, struct htmt_fault *fault);
/* Let the number `stored` stand for NaN in planes that are taken from now on. Otherwise a NaN
 * stays. */
void htmt__volume_planes_fill(struct htmt__volume_planes *planes, float stored);
/* Of htmt__volume_phantom(). */
int htmt__volume_planes_phantom(uint32_t side, struct htmt__volume_planes **planes,
                                struct htmt_fault *fault);
/* Of a volume that is in memory: it takes *v. */
int htmt__volume_planes_of(struct htmt__volume *v, struct htmt__volume_planes **planes,
                           struct htmt_fault *fault);
/* Its description, at is the caller's; what rounding did is known of the planes that were taken. */
const struct htmt__volume *htmt__volume_planes_volume(const struct htmt__volume_planes *planes);
/* The next planes. Errors: as htmt__volume_read(), HTMT_EINVAL (there are not so many). */
int htmt__volume_planes_take(struct htmt__volume_planes *planes, uint32_t count, void *to,
                             struct htmt_fault *fault);
/* What follows the last plane is as it should be. */
int htmt__volume_planes_end(struct htmt__volume_planes *planes, struct htmt_fault *fault);
/* Clears it; NULL accepted. */
void htmt__volume_planes_close(struct htmt__volume_planes **planes);

/* Flip and exchange axes as source.axes says, so that x runs to the right, y to the front and z to
 * the head. An unknown orientation stays. Errors: as htmt__volume_create(). */
int htmt__volume_reorient(struct htmt__volume *v, struct htmt_fault *fault);
/* Whether that leaves it as it is. */
bool htmt__volume_lies_right(const struct htmt__volume *v);

/* Make the three-dimensional phantom head of Shepp and Logan (Kak and Slaney, Principles of
 * Computerized Tomographic Imaging, table 3.1, contrast raised), uint8, side^3 voxels, on so many
 * threads of the host. Errors: as htmt__volume_create(). */
int htmt__volume_phantom(uint32_t side, unsigned threads, struct htmt__volume *v,
                         struct htmt_fault *fault);

/* Least and greatest number as stored, NaN left out. False: there is no other. */
bool htmt__volume_extremes(const struct htmt__volume *v, float stored[2]);
/* Their values, in ascending order. */
void htmt__volume_values(const struct htmt__volume *v, const float stored[2], double range[2]);
/* The one with the least value. */
float htmt__volume_least(const struct htmt__volume *v, const float stored[2]);
/* Least and greatest value of a volume without NaN. */
void htmt__volume_range(const struct htmt__volume *v, double range[2]);

#endif
