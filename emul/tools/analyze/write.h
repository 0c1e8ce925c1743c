/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The nest file (docs/loops.md) as text.
 */
#ifndef HTMT_EMUL_TOOLS_ANALYZE_WRITE_H
#define HTMT_EMUL_TOOLS_ANALYZE_WRITE_H

#include "emul/tools/analyze/boxes.h"
#include "emul/tools/analyze/nests.h"
#include "emul/tools/analyze/relations.h"

#include <stdio.h>

struct htmt__writing {
    struct htmt__walk *walk;
    const struct htmt__nest_list *nests;
    const struct htmt__relations *relations;
    const struct htmt__actual *actuals;
    const char *const *source; /* files, up to NULL */
    const char *guessed;       /* of modules that are missing; NULL: nothing */
};

void htmt__write_nests(const struct htmt__writing *w, FILE *out);

#endif
