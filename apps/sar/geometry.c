/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/geometry.h"

#include <math.h>

/* s(f): the sine of the angle off broadside. */
static double sine(const struct htmt__sar_radar *r, double f)
{
    return htmt__sar_wavelength(r) * f / (2 * r->velocity);
}

double htmt__sar_range(const struct htmt__sar_radar *r, double column)
{
    return r->near_range + column * htmt__sar_spacing(r);
}

double htmt__sar_cosine(const struct htmt__sar_radar *r, double f)
{
    double s = sine(r, f);
    return sqrt(1 - s * s);
}

double htmt__sar_migration(const struct htmt__sar_radar *r, double range, double f)
{
    double s = sine(r, f), d = htmt__sar_cosine(r, f);
    return range / htmt__sar_spacing(r) * (s * s / (d * (1 + d)));
}

double htmt__sar_exposure(const struct htmt__sar_radar *r, double range, double f)
{
    return -sine(r, f) * range / (r->velocity * htmt__sar_cosine(r, f)) * r->prf;
}

double htmt__sar_fm_rate(const struct htmt__sar_radar *r, double range)
{
    double d = htmt__sar_cosine(r, r->centroid);
    return 2 * r->velocity * r->velocity * d * d * d / (htmt__sar_wavelength(r) * range);
}

double htmt__sar_aperture(const struct htmt__sar_radar *r, double range)
{
    double half = r->bandwidth / 2;
    return htmt__sar_exposure(r, range, r->centroid - half) -
           htmt__sar_exposure(r, range, r->centroid + half);
}

/* 1 / K_src at any frequency. */
static double coupling(const struct htmt__sar_radar *r, double range, double f)
{
    double s = sine(r, f), d = htmt__sar_cosine(r, f);
    return 2 * range * s * s / (HTMT__SPEED_OF_LIGHT * r->carrier * d * d * d);
}

double htmt__sar_src(const struct htmt__sar_radar *r, double range)
{
    return coupling(r, range, r->centroid);
}

uint32_t htmt__sar_pulse_samples(const struct htmt__sar_radar *r)
{
    return (uint32_t)lround(r->pulse * r->sampling);
}

double htmt__sar_pulse_phase(const struct htmt__sar_radar *r, double n)
{
    double t = n / r->sampling - r->pulse / 2;
    return M_PI * r->chirp_rate * t * t;
}

double htmt__sar_src_phase(const struct htmt__sar_radar *r, double range, double g)
{
    return -M_PI * g * g * htmt__sar_src(r, range);
}

double htmt__sar_azimuth_phase(const struct htmt__sar_radar *r, double range, double f)
{
    double s = sine(r, f), d = htmt__sar_cosine(r, f), b = htmt__sar_chirp_bandwidth(r);
    double left = coupling(r, range, f) - htmt__sar_src(r, range);
    return -4 * M_PI / htmt__sar_wavelength(r) * range * (s * s / (1 + d)) -
           M_PI * b * b / 12 * left;
}
