/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The default view: the volume fills the image.
 */
#ifndef HTMT_APPS_VOLUME_FRAMING_H
#define HTMT_APPS_VOLUME_FRAMING_H

#include "apps/volume/settings.h"

/* The view of frame 0. It has what the settings give. What they leave open makes the box of size
 * `extent` fit the image in every frame, about the focal point. Only a given eye of a perspective
 * view may be too near for that. */
void htmt__volume_frame(const struct htmt__volume_settings *s, const double extent[3],
                        struct htmt__volume_view *view);

#endif
