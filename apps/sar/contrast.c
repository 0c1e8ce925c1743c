/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/contrast.h"

#include "apps/fft/fft.h"
#include "apps/sar/geometry.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a line goes through. */
struct filter {
    uint32_t length, pulse;
    struct htmt__fft *there, *back;
    double complex *spectrum, *line; /* of the filter; the line's numbers, then its cells */
};

static void close_filter(struct filter *f)
{
    htmt__fft_destroy(&f->there);
    htmt__fft_destroy(&f->back);
    free(f->spectrum);
    free(f->line);
}

static int fill_filter(const struct htmt__sar_radar *r, bool opposite, struct filter *f)
{
    for (uint32_t n = 0; n < f->pulse; n++)
        f->spectrum[n] = cexp((opposite ? -I : I) * htmt__sar_pulse_phase(r, n));
    int rc = htmt__fft_run(f->there, f->spectrum);
    for (uint32_t k = 0; k < f->length; k++)
        f->spectrum[k] = conj(f->spectrum[k]);
    return rc;
}

static int open_filter(const struct htmt__sar_radar *r, bool opposite, struct filter *f,
                       struct htmt_fault *fault)
{
    *f = (struct filter){.length = htmt__fft_fast_length(r->samples),
                         .pulse = htmt__sar_pulse_samples(r)};
    struct htmt__fft_shape shape = {.length = f->length};
    int rc = htmt__fft_create(&shape, &f->there, fault);
    shape.backward = true;
    if (!rc)
        rc = htmt__fft_create(&shape, &f->back, fault);
    f->spectrum = calloc(f->length, sizeof *f->spectrum);
    f->line = calloc(f->length, sizeof *f->line);
    if (!rc && (!f->spectrum || !f->line || fill_filter(r, opposite, f)))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the spectrum of a line");
    if (rc)
        close_filter(f);
    return rc;
}

static int compress(const struct htmt__sar_raw *raw, uint32_t line, struct filter *f)
{
    memset(f->line, 0, f->length * sizeof *f->line);
    htmt__sar_raw_line(raw, line, f->line);
    int rc = htmt__fft_run(f->there, f->line);
    for (uint32_t k = 0; k < f->length; k++)
        f->line[k] *= f->spectrum[k];
    return rc ? rc : htmt__fft_run(f->back, f->line);
}

/* Sum of the powers of the line's cells. */
static double add_powers(const double complex *line, const struct htmt__sar_contrast *c)
{
    double sum = 0;
    for (uint32_t j = 0; j < c->cells; j++) {
        double p = creal(line[j]) * creal(line[j]) + cimag(line[j]) * cimag(line[j]);
        sum += p;
        c->squares[j] += p * p;
    }
    return sum;
}

static int measure(const struct htmt__sar_raw *raw, struct filter *f, struct htmt__sar_contrast *c)
{
    uint32_t step = (raw->lines - 1) / HTMT__SAR_CONTRAST_LINES + 1;
    double sum = 0, squares = 0, count = 0;
    for (uint32_t line = step / 2; line < raw->lines; line += step, count += c->cells) {
        int rc = compress(raw, line, f);
        if (rc)
            return rc;
        sum += add_powers(f->line, c);
    }
    for (uint32_t j = 0; j < c->cells; j++)
        squares += c->squares[j];
    c->value = sum > 0 ? count * squares / (sum * sum) : 0;
    c->error = sqrt(20 / count);
    return 0;
}

int htmt__sar_contrast(const struct htmt__sar_raw *raw, const struct htmt__sar_radar *radar,
                       bool opposite, struct htmt__sar_contrast *contrast, struct htmt_fault *fault)
{
    struct filter f;
    int rc = open_filter(radar, opposite, &f, fault);
    if (rc)
        return rc;
    struct htmt__sar_contrast c = {.cells = raw->samples - f.pulse + 1};
    c.squares = calloc(c.cells, sizeof *c.squares);
    if (!c.squares || measure(raw, &f, &c)) {
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the cells of a line");
        free(c.squares);
    } else {
        *contrast = c;
    }
    close_filter(&f);
    return rc;
}
