/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a user asks of volume rendering: the options, read and checked, and the input they name.
 */
#ifndef HTMT_APPS_VOLUME_SETTINGS_H
#define HTMT_APPS_VOLUME_SETTINGS_H

#include "apps/app.h"
#include "apps/volume/plan.h"

struct htmt__volume_settings {
    const char *volume, *transfer, *out; /* volume, out: NULL when not given */
    bool dims, raw;                      /* dims: given; raw: the file has no header */
    struct htmt__raw shape;              /* of a raw file; its dims of what is generated */
    struct htmt__window window;
    struct htmt__view view;
    bool eye, focal, half_height; /* given; else the view shows the whole volume */
    bool file_spacing;
    uint32_t frames;
    unsigned bits; /* of a PNG */
    struct htmt__casting casting;
    uint32_t edge, side; /* 0 when neither an option nor a cost file gives it */
    bool double_buffer, rays_in_dram, check;
    uint64_t voxel_bytes;
    struct htmt_ratio alpha; /* zero: not given, nor a cost file */
    struct htmt__volume_charges charges;
};

extern const struct htmt_app_option htmt__volume_options[];

/* Options before cost file before defaults. Errors: HTMT_EUSAGE, HTMT_ERANGE; those of
 * htmt__image_check_output() and htmt__volume_costs_read(). */
int htmt__volume_settings_read(const struct htmt_request *r, struct htmt__volume_settings *s,
                               struct htmt_fault *fault);

/* What the settings name. */
struct htmt__volume_input {
    struct htmt__volume volume; /* without a file and without kernels: only its shape */
    struct htmt__lookup lookup;
    struct htmt__casting casting;
    struct htmt__camera *camera; /* one for each frame */
};

/* Read or generate; `data` false: a volume without a file is but a shape. Errors: those of the
 * volume, transfer function and camera; HTMT_EUSAGE. Nothing to destroy after a failure. */
int htmt__volume_input_read(const struct htmt__volume_settings *s, bool data,
                            struct htmt__volume_input *input, struct htmt_fault *fault);
void htmt__volume_input_destroy(struct htmt__volume_input *input);

/* Errors: as htmt__volume_plan(). *machine becomes the request's with as many slices as it asks
 * for; it shares the rest. */
int htmt__volume_settings_plan(const struct htmt_request *r, const struct htmt__volume_settings *s,
                               const struct htmt__volume_input *input, struct htmt_machine *machine,
                               struct htmt__volume_plan *plan, struct htmt_fault *fault);

/* One line: the problem and how it is cut. */
void htmt__volume_describe(const struct htmt__volume_settings *s,
                           const struct htmt__volume_plan *plan, char *text, size_t room);

#endif
