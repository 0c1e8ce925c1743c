/* SPDX-License-Identifier: BSD-3-Clause
 *
 * To be preloaded: every run of a program becomes a checked one.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "parcels/emulator.h"

#include <dlfcn.h>
#include <string.h>

int htmt_emulator_create(struct htmt_emulator **emulator, const struct htmt_options *options,
                         struct htmt_fault *fault)
{
    int (*create)(struct htmt_emulator **, const struct htmt_options *, struct htmt_fault *);
    void *const at = dlsym(RTLD_NEXT, "htmt_emulator_create");
    struct htmt_options checked = *options;
    memcpy(&create, &at, sizeof create);
    checked.checked = true;
    return create(emulator, &checked, fault);
}
