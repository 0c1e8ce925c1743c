/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The public API in one line. Read parcels/parcel.h first.
 */
#ifndef HTMT_PARCELS_HTMT_H
#define HTMT_PARCELS_HTMT_H

#include "layers/machine/machine.h"
#include "parcels/blocks.h"
#include "parcels/cells.h"
#include "parcels/collective.h"
#include "parcels/control.h"
#include "parcels/emulator.h"
#include "parcels/grid.h"
#include "parcels/host.h"
#include "parcels/kernel.h"
#include "parcels/message.h"
#include "parcels/object.h"
#include "parcels/parcel.h"
#include "parcels/path.h"
#include "parcels/post.h"
#include "parcels/ranks.h"
#include "parcels/recording.h"
#include "parcels/replies.h"
#include "parcels/slope.h"
#include "parcels/sweeps.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __cplusplus
}
#endif

#endif
