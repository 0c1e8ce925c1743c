/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading all of a volume.
 */
#include "apps/volume/io/volume_file.h"

static int create(const char *path, const struct htmt__volume *like, struct htmt__volume *v,
                  struct htmt_fault *fault)
{
    struct htmt_fault why = {0};
    int rc = htmt__volume_create(v, like->dims, like->type, &why);
    return rc ? htmt_fault_set(fault, rc, "%s: %s", path, why.text) : 0;
}

static int take_all(struct htmt__volume_planes *planes, struct htmt__volume *v,
                    struct htmt_fault *fault)
{
    void *at = v->at;
    int rc = htmt__volume_planes_take(planes, v->dims[2], at, fault);
    if (!rc)
        rc = htmt__volume_planes_end(planes, fault);
    *v = *htmt__volume_planes_volume(planes);
    v->at = at;
    return rc;
}

int htmt__volume_read(const char *path, const struct htmt__volume_raw *raw, struct htmt__volume *v,
                      struct htmt_fault *fault)
{
    struct htmt__volume_planes *planes = NULL;
    struct htmt__volume made = {.at = NULL};
    int rc = htmt__volume_planes_open(path, raw, &planes, fault);
    if (!rc)
        rc = create(path, htmt__volume_planes_volume(planes), &made, fault);
    if (!rc)
        rc = take_all(planes, &made, fault);
    htmt__volume_planes_close(&planes);
    if (rc)
        htmt__volume_destroy(&made);
    else
        *v = made;
    return rc;
}
