/* SPDX-License-Identifier: BSD-3-Clause
 *
 * htmt-rec and htmt-rec-O3: the command with applications whose kernels htmt-cc compiled, without
 * vectors and with them. `htmt` hands over to them for `--timing operations` and `ops record`.
 */
#include "emul/command/command.h"
#include "emul/lib/program_run.h"
#include "layers/node/tape/tape_units.h"

#include <stddef.h>

extern const char *const malloc_conf;
const char *const malloc_conf = "narenas:1";

extern const struct htmt_app htmt_app_cannon, htmt_app_kernels, htmt_app_md, htmt_app_pic,
    htmt_app_prim, htmt_app_sar, htmt_app_stencil, htmt_app_volume;

int main(int argc, char **argv)
{
    static const struct htmt_app *const linked[] = {
        &htmt_app_cannon, &htmt_app_kernels, &htmt_app_md,     &htmt_app_pic, &htmt_app_prim,
        &htmt_app_sar,    &htmt_app_stencil, &htmt_app_volume, NULL};
    struct htmt__command program = {.name = "htmt",
                                    .verbs = htmt__command_verbs,
                                    .records = htmt__tape_units_tape(),
                                    .apps = {.linked = linked, .recorded = true}};
    return htmt__program_run(&program, argc, argv);
}
