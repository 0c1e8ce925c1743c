/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shipped radars for scenes.
 */
#include "apps/sar/io/scene.h"

#include <string.h>

static const struct {
    const char *name;
    struct htmt__sar_radar radar;
} radars[] = {
    /* ERS-1 and ERS-2, image mode. */
    {"ers",
     {.lines = 4096,
      .samples = 5906,
      .carrier = 5.3e9,
      .sampling = 18.962468e6,
      .chirp_rate = 4.18989e11,
      .pulse = 37.12e-6,
      .prf = 1679.902,
      .velocity = 7098.0194,
      .near_range = 831e3,
      .centroid = 0,
      .bandwidth = 1300}},
    /* RADARSAT-1, Fine 2, squinted by six ambiguities. */
    {"radarsat",
     {.lines = 3072,
      .samples = 4096,
      .carrier = 5.3e9,
      .sampling = 32.317e6,
      .chirp_rate = -0.72135e12,
      .pulse = 41.75e-6,
      .prf = 1256.98,
      .velocity = 7062,
      .near_range = 988.647e3,
      .centroid = -7000,
      .bandwidth = 1000}},
    /* The bands and velocity of ERS, but low and with short pulses: a few hundred lines hold a
     * whole exposure. Squinted by two ambiguities, so that migration exceeds a cell. */
    {"small",
     {.lines = 512,
      .samples = 1024,
      .carrier = 5.3e9,
      .sampling = 18.962468e6,
      .chirp_rate = 1.944e12,
      .pulse = 8e-6,
      .prf = 1679.902,
      .velocity = 7098.0194,
      .near_range = 150e3,
      .centroid = 3600,
      .bandwidth = 1300}},
};

int htmt__sar_radar_named(const char *name, struct htmt__sar_radar *radar, struct htmt_fault *fault)
{
    for (size_t k = 0; k < sizeof radars / sizeof *radars; k++)
        if (!strcmp(name, radars[k].name)) {
            *radar = radars[k].radar;
            return 0;
        }
    return htmt_fault_set(fault, HTMT_ENOENT,
                          "no radar '%s', expected one of 'ers', 'radarsat', 'small'", name);
}
