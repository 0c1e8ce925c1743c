/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/study/store.h"

#include "emul/lib/plugin/plugin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int htmt__study_place_open(const char *verb, const char *given, struct htmt__study_place *place,
                           struct htmt_fault *fault)
{
    void *found = NULL;
    const char *folder = getenv("TMPDIR");
    int file = -1;
    *place = (struct htmt__study_place){.path = given};
    int rc = htmt__plugin_part("study", HTMT__STUDY_PART, verb, &found, fault);
    place->part = found;
    if (rc || given)
        return rc;
    place->temporary.path = place->own;
    for (int i = 0; i < 100 && file < 0 && (!i || errno == EEXIST); i++) {
        snprintf(place->own, sizeof place->own, "%s/htmt-study-%ld-%d.db",
                 folder && *folder ? folder : "/tmp", (long)getpid(), i);
        file = htmt__temporary_create(&place->temporary);
    }
    if (file < 0)
        return htmt_fault_set(fault, HTMT_EIO, "%s: %s", place->own, strerror(errno));
    close(file);
    place->path = place->own;
    return 0;
}

void htmt__study_place_close(struct htmt__study_place *place)
{
    if (place->path == place->own)
        (void)htmt__temporary_end(&place->temporary, NULL);
    place->path = NULL;
}

int htmt__study_place_store(const struct htmt__study_place *place, struct htmt__store **store,
                            struct htmt_fault *fault)
{
    return place->part->open(place->path, place->path != place->own, store, fault);
}
