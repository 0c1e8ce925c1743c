/* SPDX-License-Identifier: BSD-3-Clause */
#include "apps/sar/io/gains.h"

#include "runtime/base/input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r\n"

struct reader {
    const char *path;
    char *rest;      /* of the file; NULL: read to the end */
    uint32_t number; /* of the line in the file */
};

/* The line's first word without its comment; NULL: the line has none. */
static char *word_of(char *line)
{
    line[strcspn(line, "#")] = '\0';
    char *word = line + strspn(line, BLANKS);
    size_t n = strlen(word);
    while (n && strchr(BLANKS, word[n - 1]))
        word[--n] = '\0';
    return n ? word : NULL;
}

static int number_of(const struct reader *r, const char *word, double *value,
                     struct htmt_fault *fault)
{
    char *end;
    *value = strtod(word, &end);
    if (end != word && !*end && fabs(*value) <= 200)
        return 0;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s:%" PRIu32 ": found '%.40s', expected a gain in dB, -200 to 200",
                          r->path, r->number, word);
}

static int read_numbers(struct reader *r, uint32_t lines, double *decibels,
                        struct htmt_fault *fault)
{
    uint32_t count = 0;
    for (r->number = 1; r->rest; r->number++) {
        double value;
        char *word = word_of(strsep(&r->rest, "\n"));
        int rc = word ? number_of(r, word, &value, fault) : 0;
        if (rc)
            return rc;
        if (word && count == lines)
            return htmt_fault_set(fault, HTMT_EFORMAT,
                                  "%s:%" PRIu32 ": found more than %" PRIu32
                                  " gains, expected one a line of data",
                                  r->path, r->number, lines);
        if (word)
            decibels[count++] = value;
    }
    if (count == lines)
        return 0;
    return htmt_fault_set(fault, HTMT_EFORMAT,
                          "%s: found %" PRIu32 " gains, expected %" PRIu32 ", one a line of data",
                          r->path, count, lines);
}

int htmt__sar_gains_read(const char *path, uint32_t lines, double **decibels,
                         struct htmt_fault *fault)
{
    char *text = NULL;
    size_t length = 0;
    int rc = htmt_input_read(path, HTMT_INPUT_LIST, &text, &length, fault);
    if (rc)
        return rc;
    struct reader r = {.path = path, .rest = text};
    double *list = calloc(lines, sizeof *list);
    if (!list)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for its gains", path);
    else if (memchr(text, '\0', length))
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found a zero byte, expected text", path);
    else
        rc = read_numbers(&r, lines, list, fault);
    free(text);
    if (rc)
        free(list);
    else
        *decibels = list;
    return rc;
}

int htmt__sar_gains_of(const double *decibels, uint32_t first, bool each, uint32_t count,
                       double **gain, struct htmt_fault *fault)
{
    double *g = calloc(count, sizeof *g);
    if (!g)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no memory for the gains of lines");
    for (uint32_t n = 0; n < count; n++)
        g[n] = pow(10, decibels[each ? first + n : first] / 20);
    *gain = g;
    return 0;
}
