/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Each profile names the type that it times; several may be given. They live as long as the request
 * that points to them.
 */
#include "emul/lib/options/timing.h"

#include "layers/node/profile.h"
#include "parcels/emulator.h"

#include <stdlib.h>
#include <string.h>

#define PROFILE "profile="

static int load(struct htmt__timing *t, const char *list, struct htmt_fault *fault)
{
    int rc = 0;
    for (bool more = true; more && !rc;) {
        const size_t length = strcspn(list, ",");
        char *path = strndup(list, length);
        if (!path)
            rc = htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a profile");
        else if (!*path)
            rc = htmt_fault_set(fault, HTMT_EUSAGE, "--timing: the name of a profile is missing");
        else if (t->profiles.count == HTMT__PROFILES_MOST)
            rc = htmt_fault_set(fault, HTMT_EUSAGE, "--timing: expected at most %d profiles",
                                HTMT__PROFILES_MOST);
        else
            rc = htmt__profile_load(&t->profile[t->profiles.count], path, fault);
        t->profiles.count += !rc;
        free(path);
        more = list[length] == ',';
        list += length + more;
    }
    return rc;
}

bool htmt__timing_is_profile(const char *kind)
{
    return strncmp(kind, PROFILE, strlen(PROFILE)) == 0;
}

int htmt__timing_make(const struct htmt__options *options, struct htmt_request *request,
                      struct htmt__timing *timing, struct htmt_fault *fault)
{
    const char *kind = options->common[HTMT__TIMING];
    if (!htmt__timing_is_profile(kind))
        return 0;
    const int rc = load(timing, kind + strlen(PROFILE), fault);
    timing->profiles.profile = (const struct htmt__profile *const *)timing->profile;
    request->emulator.profiles = &timing->profiles;
    return rc;
}

void htmt__timing_clear(struct htmt__timing *timing)
{
    for (uint32_t i = 0; i < timing->profiles.count; i++)
        htmt__profile_free(timing->profile[i]);
    *timing = (struct htmt__timing){0};
}
