/* SPDX-License-Identifier: BSD-3-Clause
 *
 * htmt-rec: the command with applications whose kernels htmt-cc compiled. `htmt` hands over to it
 * for `--timing operations`.
 */
#include "emul/command.h"
#include "emul/program_run.h"
#include "emul/questions/interrupt.h"

#include <stddef.h>

extern const char *const malloc_conf;
const char *const malloc_conf = "narenas:1";

extern const struct htmt_app htmt_app_cannon, htmt_app_kernels, htmt_app_pic, htmt_app_sar,
    htmt_app_volume;

int main(int argc, char **argv)
{
    static const struct htmt_app *const linked[] = {
        &htmt_app_cannon, &htmt_app_kernels, &htmt_app_pic, &htmt_app_sar, &htmt_app_volume, NULL};
    struct htmt__command program = {
        .name = "htmt", .verbs = htmt__command_verbs, .records = true, .apps = {.linked = linked}};
    return htmt__program_run(&program, argc, argv);
}
