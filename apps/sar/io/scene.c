/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Scenes of point targets. For each line and each target that the beam lights then, the exact range
 * gives the delay and the phase of its echo, a chirp, which is added to the line; then the
 * receiver's noise, and its quantiser. Noise of a line is a function of seed and line alone.
 */
#include "apps/sar/io/scene.h"

#include "apps/fft/complex.h"
#include "apps/lib/host_parts.h"
#include "apps/lib/random.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Lines with one setting of the receiver's gain; number of settings before the first returns. */
enum { AGC_LINES = 64, AGC_SETTINGS = 4 };

double htmt__sar_scene_middle(unsigned bits)
{
    return bits ? ((1 << bits) - 1) / 2.0 : 0;
}

/* ---- geometry ------------------------------------------------------------------------------- */

/* Slow time after closest approach at which a point at range r0 has Doppler frequency f. */
static double time_of(const struct htmt__sar_radar *r, double r0, double f)
{
    double sine = htmt__sar_wavelength(r) * f / (2 * r->velocity);
    return -r0 * sine / (r->velocity * sqrt(1 - sine * sine));
}

void htmt__sar_target_truth(const struct htmt__sar_radar *r, const struct htmt__sar_target *target,
                            struct htmt__sar_truth *truth)
{
    double r0 = r->near_range + target->sample * htmt__sar_spacing(r);
    double zero = target->line - r->prf * time_of(r, r0, r->centroid);
    *truth = (struct htmt__sar_truth){
        .range = r0,
        .zero_doppler = zero,
        .first = zero + r->prf * time_of(r, r0, r->centroid + r->bandwidth / 2),
        .last = zero + r->prf * time_of(r, r0, r->centroid - r->bandwidth / 2)};
}

/* exp(j phase). */
static double complex rotation(double phase)
{
    return CMPLX(cos(phase), sin(phase));
}

/* ---- echoes --------------------------------------------------------------------------------- */

/* Add the echo of a target in line n, A exp(j phase) exp(j pi k (u - pulse/2)^2) for sample j at
 * u = (j - delay) / sampling. The phase advances by a constant second difference, so two rotations
 * a sample make the chirp; they lose about n^2 ulp over n samples: 1e-10 over 1349. */
static void add_echo(const struct htmt__sar_radar *r, const struct htmt__sar_target *target,
                     const struct htmt__sar_truth *truth, uint32_t n, double complex *line)
{
    if (n < truth->first || n > truth->last)
        return;
    double range = hypot(truth->range, r->velocity * (n - truth->zero_doppler) / r->prf);
    double turns = fmod(2 * range * r->carrier / HTMT__SPEED_OF_LIGHT, 1);
    double complex a = target->amplitude * rotation(target->phase - 2 * M_PI * turns);
    double delay = (range - r->near_range) / htmt__sar_spacing(r);
    double first = fmax(ceil(delay), 0),
           end = fmin(ceil(delay + r->pulse * r->sampling), r->samples);
    double step = 1 / r->sampling, u = (first - delay) * step - r->pulse / 2;
    double complex z = a * rotation(M_PI * r->chirp_rate * u * u);
    double complex turn = rotation(M_PI * r->chirp_rate * (2 * u + step) * step);
    double complex faster = rotation(2 * M_PI * r->chirp_rate * step * step);
    for (double j = first; j < end; j++) {
        line[(uint32_t)j] += z;
        z *= turn;
        turn *= faster;
    }
}

/* ---- receiver ------------------------------------------------------------------------------- */

/* In (0, 1]. */
static double next_uniform(uint64_t *state)
{
    return htmt__random_share(htmt__random_next(state));
}

/* Complex Gaussian noise. The noise of a line does not depend on the lines made before. */
static void add_noise(const struct htmt__sar_scene *s, uint32_t n, double complex *line)
{
    uint64_t state = s->seed;
    state = htmt__random_next(&state) ^ n;
    state = htmt__random_next(&state);
    for (uint32_t j = 0; j < s->radar.samples; j++) {
        double size = s->noise * sqrt(-log(next_uniform(&state)));
        line[j] += size * rotation(2 * M_PI * next_uniform(&state));
    }
}

/* Quantiser steps of a unit amplitude. Noise and echoes load the quantiser as in real receivers:
 * its half range is 2.7 standard deviations of I at 4 bits, where the loss is least, and more with
 * more codes. */
static double level_of(const struct htmt__sar_scene *s, const struct htmt__sar_truth *truth)
{
    double deviations = s->bits <= 4 ? 2.7 : s->bits == 5 ? 3.1 : 4;
    double strongest = 0, sum = 0, pulse = s->radar.pulse * s->radar.sampling;
    for (uint32_t k = 0; k < s->target_count; k++) {
        double echo = s->targets[k].amplitude * s->targets[k].amplitude;
        strongest = fmax(strongest, echo);
        sum += echo * (truth[k].last - truth[k].first) * pulse;
    }
    /* of the strongest echo, and the mean power of all */
    double echoes = strongest + sum / s->radar.lines / s->radar.samples;
    double power = (s->noise * s->noise + echoes) / 2;
    if (!s->bits || power == 0)
        return 1;
    return s->level > 0 ? s->level : (1 << s->bits) / 2 / (deviations * sqrt(power));
}

static uint8_t code_of(double x, double bias, unsigned bits)
{
    double middle = htmt__sar_scene_middle(bits);
    return (uint8_t)fmin(fmax(floor(x + bias + middle + 0.5), 0), 2 * middle);
}

static void receive(const struct htmt__sar_scene *s, uint32_t n, double level,
                    const double complex *line, struct htmt__sar_raw *raw)
{
    double steps = level * pow(10, -s->agc * (n / AGC_LINES % AGC_SETTINGS) / 20);
    uint8_t *code = (uint8_t *)raw->bytes + 2 * (size_t)n * raw->samples;
    float *number = (float *)raw->bytes + 2 * (size_t)n * raw->samples;
    raw->gain[n] = 1 / steps;
    for (uint32_t j = 0; j < raw->samples; j++) {
        double i = steps * creal(line[j]), q = steps * cimag(line[j]);
        if (s->bits) {
            code[2 * j] = code_of(i, s->bias_i, s->bits);
            code[2 * j + 1] = code_of(q, s->bias_q, s->bits);
        } else {
            number[2 * j] = (float)(i + s->bias_i);
            number[2 * j + 1] = (float)(q + s->bias_q);
        }
    }
}

/* ---- the scene ------------------------------------------------------------------------------ */

/* Lines are made independently of each other: on several threads, some in a row at a time. */
#define LINES 32u

struct making {
    const struct htmt__sar_scene *s;
    const struct htmt__sar_truth *truth;
    double level;
    struct htmt__sar_raw *raw;
    atomic_bool starved;
};

static void make_lines(void *user, uint32_t part)
{
    struct making *m = user;
    const struct htmt__sar_scene *s = m->s;
    const uint32_t first = part * LINES, left = s->radar.lines - first;
    double complex *line = malloc(s->radar.samples * sizeof *line);
    if (!line) {
        atomic_store(&m->starved, true);
        return;
    }
    for (uint32_t n = first; n < first + (left < LINES ? left : LINES); n++) {
        for (uint32_t j = 0; j < s->radar.samples; j++)
            line[j] = 0;
        for (uint32_t k = 0; k < s->target_count; k++)
            add_echo(&s->radar, &s->targets[k], &m->truth[k], n, line);
        if (s->noise > 0)
            add_noise(s, n, line);
        receive(s, n, m->level, line, m->raw);
    }
    free(line);
}

int htmt__sar_scene_make(const struct htmt__sar_scene *s, struct htmt__sar_raw *raw,
                         struct htmt_fault *fault)
{
    struct htmt__sar_raw r = {0};
    int rc = htmt__sar_radar_check(&s->radar, fault);
    if (!rc)
        rc = htmt__sar_raw_create(&r, s->radar.lines, s->radar.samples,
                                  s->bits ? HTMT__SAR_U8 : HTMT__SAR_C64, fault);
    if (rc)
        return rc;
    struct htmt__sar_truth *truth = calloc(s->target_count + 1, sizeof *truth);
    struct making m = {.s = s, .truth = truth, .raw = &r};
    r.gain = calloc(s->radar.lines, sizeof *r.gain);
    if (truth && r.gain) {
        for (uint32_t k = 0; k < s->target_count; k++)
            htmt__sar_target_truth(&s->radar, &s->targets[k], &truth[k]);
        m.level = level_of(s, truth);
        htmt_host_parts(s->threads, (s->radar.lines + LINES - 1) / LINES, make_lines, &m);
    }
    if (!truth || !r.gain || atomic_load(&m.starved)) {
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for a line of the scene");
        htmt__sar_raw_destroy(&r);
    } else {
        r.mean_i = htmt__sar_scene_middle(s->bits) + s->bias_i;
        r.mean_q = htmt__sar_scene_middle(s->bits) + s->bias_q;
        *raw = r;
    }
    free(truth);
    return rc;
}

/* Columns from closest approach to the first sample of the farthest echo. */
static double migration(const struct htmt__sar_radar *r, double range)
{
    double f = fmax(fabs(r->centroid + r->bandwidth / 2), fabs(r->centroid - r->bandwidth / 2));
    double along = r->velocity * time_of(r, range, f);
    return (hypot(range, along) - range) / htmt__sar_spacing(r);
}

void htmt__sar_five_targets(const struct htmt__sar_radar *r, struct htmt__sar_target targets[5])
{
    static const double line[] = {0.3, 0.55, 0.5, 0.42, 0.7},
                        sample[] = {0.02, 0.27, 0.5, 0.76, 0.98};
    static const double off_line[] = {0, 0.37, 0, 0.5, 0.81},
                        off_sample[] = {0, 0.61, 0, 0.25, 0.5};
    double far = r->near_range + r->samples * htmt__sar_spacing(r);
    double room = fmax(r->samples - r->pulse * r->sampling - migration(r, far) - 2, 0);
    for (int k = 0; k < 5; k++) {
        targets[k] = (struct htmt__sar_target){.line = floor(line[k] * r->lines),
                                               .sample = floor(sample[k] * room) + off_sample[k],
                                               .amplitude = 1};
        /* so far from both ends that the data holds all of the exposure; if none is, in the middle
         */
        struct htmt__sar_truth truth;
        htmt__sar_target_truth(r, &targets[k], &truth);
        double at = targets[k].line, before = at - truth.first, after = truth.last - at;
        at = before + after > r->lines - 1 ? (r->lines - 1) / 2.0 + (before - after) / 2
                                           : fmin(fmax(at, before), r->lines - 1 - after);
        targets[k].line = floor(at + 0.5) + off_line[k];
    }
}

void htmt__sar_scatter(const struct htmt__sar_radar *r, uint64_t seed, uint32_t count,
                       struct htmt__sar_target *targets)
{
    struct htmt__sar_truth t;
    uint64_t state = seed;
    htmt__sar_target_truth(r, &(struct htmt__sar_target){.sample = r->samples}, &t);
    double before = -t.first, after = t.last,
           first = -r->pulse * r->sampling - migration(r, t.range);
    for (uint32_t k = 0; k < count; k++)
        targets[k] = (struct htmt__sar_target){
            .line = -after + (r->lines + before + after) * next_uniform(&state),
            .sample = first + (r->samples - first) * next_uniform(&state),
            .amplitude = next_uniform(&state),
            .phase = 2 * M_PI * next_uniform(&state)};
}

/* ---- the shipped radars --------------------------------------------------------------------- */

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
