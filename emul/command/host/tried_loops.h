/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops that `htmt host measure` predicts and times with the file that it has written: by what they
 * are off, the intervals of all predictions are found (calibrate.c). Between them they are bound by
 * what bounds a loop: chains, units, issue, accesses, forwarding, lines of each cache,
 * translations, branches, calls. None has the text or the shape of a kernel that the model is
 * judged by. This file is compiled as it stands, so it includes nothing of the project's.
 */
#include <math.h>
#include <stdint.h>

/* ---- chains ---------------------------------------------------------------------------------- */

double horner(long n, double x, const double *a)
{
    double s = 0;
    for (long i = 0; i < n; i++)
        s = s * x + a[i];
    return s;
}

double fraction(long n, const double *a)
{
    double s = 1;
    for (long i = 0; i < n; i++)
        s = a[i] + 1 / s;
    return s;
}

uint64_t checksum(long n, const uint64_t *a)
{
    uint64_t h = 7;
    for (long i = 0; i < n; i++)
        h = (h ^ a[i]) * 31 + (h >> 7);
    return h;
}

/* Through memory, a few turns apart. */
void ring(long n, double *t, const double *a)
{
    for (long i = 0; i < n; i++)
        t[i & 15] = t[(i + 5) & 15] * 0.5 + a[i];
}

void running(long n, int64_t *a)
{
    for (long i = 1; i < n; i++)
        a[i] += a[i - 1];
}

void moments(long n, const double *a, double *t)
{
    for (long i = 0; i < n; i++) {
        t[0] += a[i];
        t[1] += a[i] * a[i];
    }
}

/* ---- units, issue ---------------------------------------------------------------------------- */

void contrast(long n, const double *a, const double *b, double *c)
{
    for (long i = 0; i < n; i++)
        c[i] = (a[i] - b[i]) / (a[i] + b[i]);
}

void quotient(long n, const int64_t *a, int64_t *b)
{
    for (long i = 0; i < n; i++)
        b[i] = 1000 * a[i] / (a[i] + 7);
}

void series(long n, const double *a, double *b)
{
    for (long i = 0; i < n; i++) {
        const double x = a[i];
        b[i] = ((((x * 0.2 + 0.3) * x - 0.7) * x + 1.1) * x - 0.4) * x + 0.6;
    }
}

void scramble(long n, const uint64_t *a, uint64_t *b)
{
    for (long i = 0; i < n; i++) {
        uint64_t x = a[i] + 1;
        x ^= x << 13;
        x ^= x >> 7;
        b[i] = x ^ x << 17;
    }
}

void grey(long n, const int32_t *r, const int32_t *g, const int32_t *b, int32_t *y)
{
    for (long i = 0; i < n; i++)
        y[i] = (77 * r[i] + 150 * g[i] + 29 * b[i]) >> 8;
}

void turn(long n, const float *x, const float *y, float *u, float *v)
{
    for (long i = 0; i < n; i++) {
        u[i] = 0.6f * x[i] - 0.8f * y[i];
        v[i] = 0.8f * x[i] + 0.6f * y[i];
    }
}

void clamp(long n, const double *a, double *b)
{
    for (long i = 0; i < n; i++) {
        const double v = a[i] < 1.1 ? 1.1 : a[i];
        b[i] = v > 1.3 ? 1.3 : v;
    }
}

void negate(long n, int64_t *a)
{
    for (long i = 0; i < n; i++)
        a[i] = -a[i];
}

long present(long n, const int32_t *a)
{
    long count = 0;
    for (long i = 0; i < n; i++)
        count += a[i] != 0;
    return count;
}

int32_t highest(long n, const int32_t *a)
{
    int32_t most = 0;
    for (long i = 0; i < n; i++)
        most = a[i] > most ? a[i] : most;
    return most;
}

long level(long n, const float *a)
{
    long i = 0;
    while (i < n && a[i] != 3)
        i++;
    return i;
}

/* Branches that always go one way. */
void cap(long n, double *a)
{
    for (long i = 0; i < n; i++)
        if (a[i] > 3)
            a[i] = 3;
}

void fold(long n, const float *a, float *b)
{
    for (long i = n - 1; i >= 0; i--)
        b[i] = a[i] * a[i];
}

/* ---- loops in loops ---------------------------------------------------------------------------
 */

void rank_one(long n, long m, double *a, const double *x, const double *y)
{
    for (long i = 0; i < n; i++)
        for (long k = 0; k < m; k++)
            a[i * m + k] -= x[i] * y[k];
}

void lengths(long n, long m, const double *a, double *t)
{
    for (long i = 0; i < n; i++) {
        double s = 0;
        for (long k = 0; k < m; k++)
            s += fabs(a[i * m + k]);
        t[i] = s;
    }
}

void exchange_rows(long n, long m, float *a)
{
    for (long i = 0; i < n / 2; i++)
        for (long k = 0; k < m; k++) {
            const float x = a[i * m + k];
            a[i * m + k] = a[(n - 1 - i) * m + k];
            a[(n - 1 - i) * m + k] = x;
        }
}

void integral(long n, long m, const uint16_t *v, uint32_t *s)
{
    for (long i = 1; i < n; i++) {
        uint32_t row = 0;
        for (long k = 0; k < m; k++) {
            row += v[i * m + k];
            s[i * m + k] = s[(i - 1) * m + k] + row;
        }
    }
}

void polynomials(long n, long m, const double *x, const double *c, double *y)
{
    for (long k = 0; k < m; k++)
        for (long i = 0; i < n; i++)
            y[i] = y[i] * x[i] * 0.25 + c[k];
}

void distances(long n, const double *p, double *d)
{
    for (long i = 0; i < n; i++)
        for (long k = 0; k < i; k++) {
            const double x = p[3 * i] - p[3 * k], y = p[3 * i + 1] - p[3 * k + 1],
                         z = p[3 * i + 2] - p[3 * k + 2];
            d[i * n + k] = x * x + y * y + z * z;
        }
}

void smooth_band(long n, const double *b, const double *x, double *y)
{
    for (long i = 3; i < n - 3; i++) {
        double s = 0;
        for (long k = 0; k < 7; k++)
            s += b[7 * i + k] * x[i + k - 3];
        y[i] = s;
    }
}

void products(long n, const double *a, const double *b, double *c)
{
    for (long i = 0; i < n; i++) {
        c[2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
        c[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    }
}

/* ---- accesses -------------------------------------------------------------------------------- */

void mesh(long n, const double *x, const double *y, double *b)
{
    for (long i = 0; i < n; i++) {
        b[2 * i] = x[i];
        b[2 * i + 1] = y[i];
    }
}

void transpose(long n, const double *a, double *t)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            t[j * n + i] = a[i * n + j];
}

void widths(long n, const int16_t *a, int64_t *b)
{
    for (long i = 0; i < n; i++)
        b[i] += a[i];
}

void pairs(long n, const double *a, double *b)
{
    for (long i = 0; i < n; i++) {
        double s = 0;
        for (long j = 0; j < n; j++)
            s += fabs(a[i] - a[j]);
        b[i] = s;
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

void scale(long n, const float *a, float *b)
{
    for (long i = 0; i < n; i++)
        b[i] = 3 * a[i];
}

uint64_t every_line(long n, const uint64_t *a)
{
    uint64_t s = 0;
    for (long i = 0; i < n; i++)
        s ^= a[8 * i];
    return s;
}

void mark_lines(long n, uint64_t *a)
{
    for (long i = 0; i < n; i++)
        a[8 * i] += 3;
}

uint64_t walk(long n, long m, const uint64_t *t)
{
    uint64_t x = 1;
    for (long i = 0; i < n; i++)
        x = t[(x * 5 + 12345) & (uint64_t)(m - 1)] + x;
    return x;
}

double draw(long n, long m, const double *t)
{
    uint64_t x = 1;
    double s = 0;
    for (long i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        s += t[(x >> 33) & (uint64_t)(m - 1)];
    }
    return s;
}

/* ---- branches, calls ------------------------------------------------------------------------- */

long sieve(long n, int8_t *p)
{
    long count = 0;
    for (long i = 2; i < n; i++)
        p[i] = 1;
    for (long i = 2; i < n; i++)
        if (p[i]) {
            count++;
            for (long j = 2 * i; j < n; j += i)
                p[j] = 0;
        }
    return count;
}

void insertion(long n, uint32_t *a)
{
    uint32_t x = 1;
    for (long i = 0; i < n; i++) {
        long j = i;
        x = x * 1664525u + 1013904223u;
        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

uint64_t euclid(long n)
{
    uint64_t s = 0;
    for (long i = 1; i < n; i++)
        for (uint64_t a = (uint64_t)i * 7919, b = 5040, c; b; a = b, b = c) {
            c = a % b;
            s += c;
        }
    return s;
}

void coin(long n, const double *a, double *b)
{
    uint64_t x = 1;
    for (long i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        if (x >> 63)
            b[i & 63] += a[i];
        else
            b[i & 63] *= 0.5;
    }
}

/* What these three draw is kept for the next call: no call goes the ways of the one before. */
void toss(long n, const double *a, double *b, uint64_t *drawn)
{
    uint64_t x = *drawn;
    for (long i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        if (x >> 63)
            b[i & 63] += a[i];
        else
            b[i & 63] *= 0.5;
    }
    *drawn = x;
}

uint64_t spans(long n, const uint64_t *a, uint64_t *drawn)
{
    uint64_t x = *drawn, s = 0;
    for (long i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        for (uint64_t k = x >> 61; k; k--)
            s += a[k];
    }
    *drawn = x;
    return s;
}

void heap(long n, uint32_t *a, uint64_t *drawn)
{
    uint64_t x = *drawn;
    for (long k = 0; k < n; k++) {
        long i = k;
        x = x * 6364136223846793005u + 1442695040888963407u;
        for (; i > 0 && a[(i - 1) / 2] < x >> 32; i = (i - 1) / 2)
            a[i] = a[(i - 1) / 2];
        a[i] = (uint32_t)(x >> 32);
    }
    *drawn = x;
}

void squash(long n, const double *a, double *b)
{
    for (long i = 0; i < n; i++)
        b[i] = tanh(a[i]);
}

void angles(long n, const double *a, const double *b, double *c)
{
    for (long i = 0; i < n; i++)
        c[i] = atan2(a[i], b[i]) + 1;
}
