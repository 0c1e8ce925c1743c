/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/doctor/doctor.h"

#define SCHEMA "htmt-doctor-1"

/* NULL: memory is short. */
static json_t *look(const struct htmt__applications *apps)
{
    return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "schema", SCHEMA, "program",
                     htmt__doctor_program(), "libraries", htmt__doctor_libraries(), "applications",
                     htmt__doctor_applications(apps), "kernels", htmt__doctor_kernels(), "cpus",
                     htmt__doctor_cpus(""), "memory", htmt__doctor_memory(""), "limits",
                     htmt__doctor_limits(), "folders", htmt__doctor_folders());
}

json_t *htmt__doctor_examine(const struct htmt__applications *apps, int *code)
{
    json_t *all = look(apps);
    *code = HTMT_ENOMEM;
    if (all && !json_object_set_new(all, "warnings", htmt__doctor_warnings(all)) &&
        !json_object_set_new(all, "self_test", htmt__doctor_self_test(code)))
        return all;
    json_decref(all);
    return NULL;
}
