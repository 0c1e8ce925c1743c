/* SPDX-License-Identifier: BSD-3-Clause
 *
 * --timing: what times kernels.
 */
#ifndef HTMT_EMUL_LIB_OPTIONS_TIMING_H
#define HTMT_EMUL_LIB_OPTIONS_TIMING_H

#include "emul/lib/options/options.h"

#define HTMT__PROFILES_MOST 64

/* Zeros at first. */
struct htmt__timing {
    struct htmt__profile *profile[HTMT__PROFILES_MOST];
    struct htmt_profiles profiles;
};

/* Whether the value of --timing names profiles. */
bool htmt__timing_is_profile(const char *kind);
/* Then: loads profiles into *timing, to which request->emulator points. Errors: HTMT_EUSAGE, those
 * of htmt__profile_load(). */
int htmt__timing_make(const struct htmt__options *options, struct htmt_request *request,
                      struct htmt__timing *timing, struct htmt_fault *fault);
void htmt__timing_clear(struct htmt__timing *timing);

#endif
