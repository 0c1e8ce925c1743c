/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The options of volume rendering, read and checked, and what follows from them.
 */
#ifndef HTMT_APPS_VOLUME_SETTINGS_H
#define HTMT_APPS_VOLUME_SETTINGS_H

#include "apps/lib/request.h"
#include "apps/volume/io/transfer.h"
#include "apps/volume/plan.h"

#define HTMT__FRAMES_MOST 10000

enum htmt__volume_side {
    HTMT__FRONT,
    HTMT__BACK,
    HTMT__LEFT,
    HTMT__RIGHT,
    HTMT__ABOVE,
    HTMT__BELOW,
    HTMT__OBLIQUE
};
enum htmt__volume_spacing { HTMT__INDEX_SPACE, HTMT__FILE_SPACE, HTMT__GIVEN_SPACE };

struct htmt__volume_settings {
    unsigned threads;   /* of the host, for input and check */
    const char *volume; /* file; NULL: there is none */
    bool is_raw;        /* `raw` describes the file or, without one, the volume of a model run */
    struct htmt__volume_raw raw;
    bool has_frame; /* of a series in the file */
    uint32_t frame;
    uint32_t phantom; /* side of the phantom, if there is neither */
    const char *transfer;
    bool has_window; /* --window, else the function's own */
    struct htmt__volume_window window;
    enum htmt__volume_spacing spacing;
    bool reoriented; /* to right, front and head, if the file gives its orientation */

    enum htmt__volume_side from;
    bool has_eye, has_focal, has_up, has_half_height;
    struct htmt__volume_view view; /* what was given of it */
    uint32_t frames;
    bool has_step;
    struct htmt__volume_casting casting; /* spacing and default step once the volume is known */

    const char *out, *npy; /* NULL: not written */
    unsigned bits;
    bool check;

    uint32_t edge, side, lanes; /* of subcube and bundle; 0: neither option nor cost file */
    uint64_t voxel_bytes;       /* 0: not given */
    bool double_buffer, rays_in_dram;
    struct htmt_ratio alpha; /* 0: neither an option nor a cost file gives it */
    struct htmt__volume_charges charges;
};

extern const struct htmt_app_option htmt__volume_options[];
extern const struct htmt_paper_figure htmt__volume_paper_figures[]; /* ends with a NULL row */

/* A cost file's constants. Errors: those of htmt_costs_load(); HTMT_ERANGE (a number that no parcel
 * can have). */
int htmt__volume_costs_read(const struct htmt_request *r, struct htmt__volume_charges *charges,
                            struct htmt_fault *fault);

/* Options override the cost file, and the cost file overrides defaults. Errors: HTMT_EUSAGE,
 * HTMT_ERANGE; those of htmt__volume_image_check_output() and htmt__volume_costs_read(). */
int htmt__volume_settings_read(const struct htmt_request *r, struct htmt__volume_settings *s,
                               struct htmt_fault *fault);

/* Slices without --slices: at most one a bundle. All of the machine where the request is wrong. */
uint32_t htmt__volume_slices(const struct htmt_request *r);
#define HTMT__VOLUME_SLICES_WHY "each has at least one bundle of rays"

/* The input that the settings name. NaN of a file stands for the least value, which is the stored
 * number `least`. */
struct htmt__volume_input {
    struct htmt__volume volume; /* at is NULL without data */
    bool known;                 /* its values are, */
    double range[2];            /* and their range */
    float least;
    struct htmt__volume_window window; /* in use */
    struct htmt__volume_transfer_table table;
    struct htmt__volume_casting casting;
    struct htmt__volume_camera *camera; /* of each frame */
};

enum htmt__volume_voxels {
    HTMT__SIZE_ALONE, /* of a volume without a file, which may exceed the host's memory; all of one
                         in a file */
    HTMT__ALL_VOXELS,
    HTMT__RANGE_ALONE /* all were looked at; none is kept */
};

/* Read or make the volume, read the function, place the cameras. Errors: those of reading and
 * making. On success the caller owns *input. */
int htmt__volume_input_read(const struct htmt_machine *m, const struct htmt__volume_settings *s,
                            enum htmt__volume_voxels wanted, struct htmt__volume_input *input,
                            struct htmt_fault *fault);
void htmt__volume_input_destroy(struct htmt__volume_input *input);
/* All of the volume alone, and its planes (apps/volume/io/volume.h); the caller owns them. A volume
 * that must be turned is read at once for its planes, too. */
int htmt__volume_input_volume(const struct htmt__volume_settings *s, struct htmt__volume *v,
                              struct htmt_fault *fault);
int htmt__volume_input_planes(const struct htmt__volume_settings *s,
                              struct htmt__volume_planes **planes, struct htmt_fault *fault);

/* The problem of the plan. */
struct htmt__volume_problem htmt__volume_problem_of(const struct htmt__volume_settings *s,
                                                    const struct htmt__volume_input *input);

/* Errors: as htmt__volume_plan(). */
int htmt__volume_settings_plan(const struct htmt_machine *m, const struct htmt__volume_settings *s,
                               const struct htmt__volume_input *input,
                               struct htmt__volume_plan *plan, struct htmt_fault *fault);

/* One line: the problem and its decomposition. */
void htmt__volume_describe(const struct htmt__volume_settings *s,
                           const struct htmt__volume_plan *plan, char *text, size_t room);

#endif
