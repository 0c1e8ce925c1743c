/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything that an application can use: `#include <htmt.h>`.
 */
#ifndef HTMT_EMUL_HTMT_H
#define HTMT_EMUL_HTMT_H

#include "apps/lib/app.h"
#include "apps/lib/chain.h"
#include "apps/lib/per_slice.h"
#include "apps/lib/pgm.h"
#include "apps/lib/request.h"
#include "apps/lib/servers.h"
#include "apps/lib/steps.h"
#include "apps/lib/term_tree.h"
#include "emul/program.h"
#include "emul/report/htmt_report.h"
#include "emul/trace/htmt_trace.h"
#include "layers/machine/way.h"
#include "parcels/htmt.h"
#include "runtime/base/whole_file.h"

#endif
