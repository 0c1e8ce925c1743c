/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pictures as PNG, row by row: a caller computes one row of samples at a time, so a picture needs
 * the memory of one row and not of all.
 *
 * libpng reports an error by calling back, and that call must not return; setjmp() is its way out.
 * A long jump leaves variables of a function undefined that have changed since setjmp(). So nothing
 * that is needed afterwards is a variable of encode(): all of it stands in a struct of its caller.
 * Samples of 16 bits are big-endian in the file; libpng swaps them.
 */
#include "apps/formats/picture.h"

#include "runtime/base/whole_file.h"

#include <errno.h>
#include <png.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_PNG 1000000 /* libpng's own limit of a side */

/* What must outlive a long jump stands here, not in a function's variables. */
struct writing {
    const struct htmt__picture *picture;
    void (*row)(void *context, uint32_t y, void *samples);
    void *context;
    FILE *out;
    png_structp png;
    png_infop info;
    void *samples; /* of one row */
    char why[200];
};

static size_t row_bytes(const struct htmt__picture *p)
{
    return (size_t)p->width * p->channels * (p->bits / 8);
}

static void fail(png_structp png, png_const_charp what)
{
    struct writing *w = png_get_error_ptr(png);
    snprintf(w->why, sizeof w->why, "%s", ferror(w->out) ? strerror(errno) : what);
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp what)
{
    (void)png;
    (void)what;
}

/* After a failure libpng comes back to setjmp(); nothing that has changed since is read there. */
static int encode(struct writing *w)
{
    const struct htmt__picture *p = w->picture;
    if (setjmp(png_jmpbuf(w->png)))
        return HTMT_EIO;
    png_init_io(w->png, w->out);
    png_set_IHDR(w->png, w->info, p->width, p->height, (int)p->bits,
                 p->channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(w->png, w->info);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (p->bits == 16)
        png_set_swap(w->png);
#endif
    for (uint32_t y = 0; y < w->picture->height; y++) {
        w->row(w->context, y, w->samples);
        png_write_row(w->png, w->samples);
    }
    png_write_end(w->png, NULL);
    return 0;
}

int htmt__picture_write_rows(const char *path, const struct htmt__picture *p,
                             void (*row)(void *context, uint32_t y, void *samples), void *context,
                             struct htmt_fault *fault)
{
    struct htmt_whole_file *file = NULL;
    struct writing w = {.picture = p, .row = row, .context = context};
    bool sized =
        p->width >= 1 && p->height >= 1 && p->width <= SIZE_MAX_PNG && p->height <= SIZE_MAX_PNG;
    if (!sized || (p->channels != 1 && p->channels != 3) || (p->bits != 8 && p->bits != 16))
        return htmt_fault_set(fault, HTMT_EINVAL,
                              "%s: a picture of %u x %u, %u channels of %u bits; expected 1 to %d "
                              "a side, 1 or 3 channels of 8 or 16 bits",
                              path, p->width, p->height, p->channels, p->bits, SIZE_MAX_PNG);
    int rc = htmt_whole_file_open(path, &file, fault);
    if (rc)
        return rc;
    w.out = htmt_whole_file_stream(file);
    w.samples = malloc(row_bytes(p));
    w.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &w, fail, ignore);
    w.info = w.png ? png_create_info_struct(w.png) : NULL;
    rc = w.samples && w.info ? encode(&w) : HTMT_ENOMEM;
    png_destroy_write_struct(&w.png, &w.info);
    free(w.samples);
    if (!rc)
        return htmt_whole_file_commit(&file, fault);
    htmt_whole_file_abandon(&file);
    return htmt_fault_set(fault, rc, "%s: cannot write: %s", path,
                          *w.why ? w.why : htmt_strerror(rc));
}

struct array {
    const char *samples;
    size_t row;
};

static void copy_row(void *context, uint32_t y, void *samples)
{
    const struct array *a = context;
    memcpy(samples, a->samples + y * a->row, a->row);
}

int htmt__picture_write(const char *path, const struct htmt__picture *picture, const void *samples,
                        struct htmt_fault *fault)
{
    struct array a = {samples, row_bytes(picture)};
    return htmt__picture_write_rows(path, picture, copy_row, &a, fault);
}
