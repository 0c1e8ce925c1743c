/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A replay of a tape for programs.
 */
#ifndef HTMT_EMUL_COMMAND_OPS_TIME_JSON_H
#define HTMT_EMUL_COMMAND_OPS_TIME_JSON_H

#include "layers/machine/machine.h"
#include "layers/node/replay.h"

#include <jansson.h>

struct htmt__ops_timed {
    const char *path;
    const struct htmt_machine *machine;
    uint32_t layer;
    const struct htmt__replay_options *options;
    const struct htmt__tape *tape;
    const struct htmt__replay *replay;
};

/* NULL: out of memory. The caller gives the object to json_decref(). */
json_t *htmt__ops_time_json(const struct htmt__ops_timed *timed);

#endif
