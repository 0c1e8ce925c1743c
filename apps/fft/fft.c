/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One plan of FFTW each. Its planner keeps what it has learnt (wisdom) and would let an earlier
 * plan decide a later one: it is made to forget first. An estimated plan looks at no element, so
 * that any address of the right alignment serves to make it; it is executed on the caller's.
 *
 * In kernels whose operations are recorded (HTMT_RECORDED) the transforms of apps/fft/own.c take
 * its place, as a library cannot be recorded. Cubes, which only checks use, stay its own.
 *
 * Elements of another alignment are copied, for 1.1 to 1.3 times the time; plans that take any
 * alignment (FFTW_UNALIGNED) take 1.1 to 4.6 times as long for all, at lengths of 1024 to 32768.
 */
#include "apps/fft/fft.h"

#include "apps/fft/own.h"
#include "runtime/base/process.h"

#include <assert.h>
#include <complex.h>
#include <fftw3.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 16u /* bytes; what FFTW tells apart */

#ifdef HTMT_RECORDED
struct htmt__fft {
    struct htmt__fft_own own;
};
#else
struct htmt__fft {
    struct htmt__fft_shape shape;
    union {
        fftw_plan wide;
        fftwf_plan narrow;
    };
};
#endif

struct htmt__fft_cube {
    fftw_plan forward, backward;
};

/* ---- the library ---------------------------------------------------------------------------- */

/* FFTW calls these functions of its own, which it exports, where it has no memory, and then aborts.
 * The definitions here take their place. */
__attribute__((visibility("default"))) void fftw_assertion_failed(const char *what, int line,
                                                                  const char *file);
__attribute__((visibility("default"))) void fftwf_assertion_failed(const char *what, int line,
                                                                   const char *file);

static void end(const char *file, int line)
{
    char text[160];
    snprintf(text, sizeof text, "htmt: FFTW cannot go on (%s:%d), most likely for want of memory\n",
             file, line);
    htmt_process_end(HTMT_ENOMEM, text);
}

void fftw_assertion_failed(const char *what, int line, const char *file)
{
    (void)what;
    end(file, line);
}

void fftwf_assertion_failed(const char *what, int line, const char *file)
{
    (void)what;
    end(file, line);
}

/* ---- plans ---------------------------------------------------------------------------------- */

static int no_plan(struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_ENOMEM, "no memory to plan a Fourier transform");
}

/* Without zeros. */
static int complete(const struct htmt__fft_shape *shape, struct htmt__fft_shape *s,
                    struct htmt_fault *fault)
{
    *s = *shape;
    s->count = s->count ? s->count : 1;
    s->stride = s->stride ? s->stride : 1;
    s->distance = s->distance ? s->distance : s->length * s->stride;
    if (s->length && s->length <= INT_MAX && s->count <= INT_MAX && s->stride <= INT_MAX &&
        s->distance <= INT_MAX)
        return 0;
    return htmt_fault_set(fault, HTMT_ERANGE,
                          "a Fourier transform of length %u, %u of them, stride %llu, distance "
                          "%llu: expected 1 to %d each",
                          s->length, s->count, (unsigned long long)s->stride,
                          (unsigned long long)s->distance, INT_MAX);
}

void *htmt__fft_alloc(size_t bytes)
{
    size_t whole = bytes / ALIGNMENT + 1;
    return whole > SIZE_MAX / ALIGNMENT ? NULL : aligned_alloc(ALIGNMENT, whole * ALIGNMENT);
}

static bool is_aligned(const void *at)
{
    return (uintptr_t)at % ALIGNMENT == 0;
}

#ifdef HTMT_RECORDED

int htmt__fft_create(const struct htmt__fft_shape *shape, struct htmt__fft **fft,
                     struct htmt_fault *fault)
{
    struct htmt__fft_shape s;
    int rc = complete(shape, &s, fault);
    if (!rc && s.length > HTMT__FFT_OWN_MOST)
        rc = htmt_fault_set(fault, HTMT_ERANGE,
                            "a recorded Fourier transform of length %u, expected at most %u",
                            s.length, HTMT__FFT_OWN_MOST);
    struct htmt__fft *f = rc ? NULL : htmt__fft_alloc(htmt__fft_own_bytes(&s));
    if (!f)
        return rc ? rc : no_plan(fault);
    htmt__fft_own_make(&s, &f->own);
    *fft = f;
    return 0;
}

void htmt__fft_destroy(struct htmt__fft **fft)
{
    if (!fft)
        return;
    free(*fft);
    *fft = NULL;
}

size_t htmt__fft_bytes(const struct htmt__fft *fft)
{
    return htmt__fft_own_bytes(&fft->own.shape);
}

int htmt__fft_run(const struct htmt__fft *fft, void *elements)
{
    htmt__fft_own_run(&fft->own, elements);
    return 0;
}

#else

/* The guru's 64-bit interface: the last of many columns may lie beyond 2^31 elements. */
static void plan(struct htmt__fft *fft)
{
    static _Alignas(64) double complex somewhere[4];
    const struct htmt__fft_shape *s = &fft->shape;
    ptrdiff_t stride = (ptrdiff_t)s->stride, distance = (ptrdiff_t)s->distance;
    fftw_iodim64 one = {s->length, stride, stride}, many = {s->count, distance, distance};
    int sign = s->backward ? FFTW_BACKWARD : FFTW_FORWARD;
    if (s->single) {
        fftwf_complex *at = (fftwf_complex *)somewhere;
        fftwf_forget_wisdom();
        fft->narrow = fftwf_plan_guru64_dft(1, (fftwf_iodim64 *)&one, 1, (fftwf_iodim64 *)&many, at,
                                            at, sign, FFTW_ESTIMATE);
    } else {
        fftw_forget_wisdom();
        fft->wide =
            fftw_plan_guru64_dft(1, &one, 1, &many, somewhere, somewhere, sign, FFTW_ESTIMATE);
    }
}

int htmt__fft_create(const struct htmt__fft_shape *shape, struct htmt__fft **fft,
                     struct htmt_fault *fault)
{
    struct htmt__fft_shape s;
    const int rc = complete(shape, &s, fault);
    struct htmt__fft *f = rc ? NULL : calloc(1, sizeof *f);
    if (!f)
        return rc ? rc : no_plan(fault);
    f->shape = s;
    htmt_process_lock();
    plan(f);
    htmt_process_unlock();
    if (!(s.single ? (void *)f->narrow : (void *)f->wide)) {
        free(f);
        return no_plan(fault);
    }
    *fft = f;
    return 0;
}

void htmt__fft_destroy(struct htmt__fft **fft)
{
    if (!fft || !*fft)
        return;
    htmt_process_lock();
    if ((*fft)->shape.single)
        fftwf_destroy_plan((*fft)->narrow);
    else
        fftw_destroy_plan((*fft)->wide);
    htmt_process_unlock();
    free(*fft);
    *fft = NULL;
}

size_t htmt__fft_bytes(const struct htmt__fft *fft)
{
    return sizeof *fft;
}

/* ---- runs ----------------------------------------------------------------------------------- */

static void execute(const struct htmt__fft *fft, void *at)
{
    if (fft->shape.single)
        fftwf_execute_dft(fft->narrow, at, at);
    else
        fftw_execute_dft(fft->wide, at, at);
}

/* Copies what is transformed and nothing between: that may be another thread's. Elements of stride
 * 1 go row by row, others one by one. */
static void copy(const struct htmt__fft_shape *s, void *to, const void *from)
{
    size_t element = s->single ? sizeof(float complex) : sizeof(double complex);
    size_t run = s->stride == 1 ? s->length : 1;
    for (uint64_t i = 0; i < s->count; i++)
        for (uint64_t j = 0; j < s->length; j += run) {
            size_t at = (i * s->distance + j * s->stride) * element;
            memcpy((char *)to + at, (const char *)from + at, run * element);
        }
}

static int execute_aside(const struct htmt__fft *fft, void *elements)
{
    const struct htmt__fft_shape *s = &fft->shape;
    size_t element = s->single ? sizeof(float complex) : sizeof(double complex);
    size_t span = (s->count - 1) * s->distance + (s->length - 1) * s->stride + 1;
    void *aside = htmt__fft_alloc(span * element);
    if (!aside)
        return HTMT_ENOMEM;
    copy(s, aside, elements);
    execute(fft, aside);
    copy(s, elements, aside);
    free(aside);
    return 0;
}

int htmt__fft_run(const struct htmt__fft *fft, void *elements)
{
    if (!is_aligned(elements))
        return execute_aside(fft, elements);
    execute(fft, elements);
    return 0;
}

#endif

/* ---- lengths and names ---------------------------------------------------------------------- */

/* FFTW has code for products of 2, 3, 5 and 7; the next one is never far. */
uint32_t htmt__fft_fast_length(uint32_t least)
{
    static const unsigned factor[] = {2, 3, 5, 7};
    for (uint64_t n = least ? least : 1; n <= INT_MAX; n++) {
        uint64_t rest = n;
        for (unsigned i = 0; i < sizeof factor / sizeof *factor; i++)
            while (rest % factor[i] == 0)
                rest /= factor[i];
        if (rest == 1)
            return (uint32_t)n;
    }
    return 0;
}

/* fftw_version is "fftw-3.3.10-sse2-avx...". */
void htmt__fft_name(char *text, size_t room)
{
#ifdef HTMT_RECORDED
    snprintf(text, room, "own transforms");
#else
    const char *number = strchr(fftw_version, '-');
    number = number ? number + 1 : fftw_version;
    snprintf(text, room, "FFTW %.*s", (int)strcspn(number, "-"), number);
#endif
}

/* ---- real data in three dimensions ---------------------------------------------------------- */

int htmt__fft_cube_create(const uint32_t size[static 3], struct htmt__fft_cube **cube,
                          struct htmt_fault *fault)
{
    static _Alignas(64) double real[8];
    static _Alignas(64) double complex spectrum[4];
    for (int i = 0; i < 3; i++)
        if (!size[i] || size[i] > INT_MAX)
            return htmt_fault_set(fault, HTMT_ERANGE,
                                  "a Fourier transform of length %u, expected 1 to %d", size[i],
                                  INT_MAX);
    struct htmt__fft_cube *c = calloc(1, sizeof *c);
    if (!c)
        return no_plan(fault);
    const int n[3] = {(int)size[0], (int)size[1], (int)size[2]};
    htmt_process_lock();
    fftw_forget_wisdom();
    c->forward = fftw_plan_dft_r2c(3, n, real, spectrum, FFTW_ESTIMATE);
    fftw_forget_wisdom();
    c->backward = fftw_plan_dft_c2r(3, n, spectrum, real, FFTW_ESTIMATE);
    htmt_process_unlock();
    if (c->forward && c->backward) {
        *cube = c;
        return 0;
    }
    htmt__fft_cube_destroy(&c);
    return no_plan(fault);
}

void htmt__fft_cube_destroy(struct htmt__fft_cube **cube)
{
    if (!cube || !*cube)
        return;
    htmt_process_lock();
    fftw_destroy_plan((*cube)->forward);
    fftw_destroy_plan((*cube)->backward);
    htmt_process_unlock();
    free(*cube);
    *cube = NULL;
}

void htmt__fft_cube_forward(const struct htmt__fft_cube *cube, double *real,
                            double complex *spectrum)
{
    assert(is_aligned(real) && is_aligned(spectrum));
    fftw_execute_dft_r2c(cube->forward, real, spectrum);
}

void htmt__fft_cube_backward(const struct htmt__fft_cube *cube, double complex *spectrum,
                             double *real)
{
    assert(is_aligned(real) && is_aligned(spectrum));
    fftw_execute_dft_c2r(cube->backward, spectrum, real);
}
