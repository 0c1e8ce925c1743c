/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which format a graph file has, gzip that packs any of them, and what is written.
 *
 * A stream of C's own reads what zlib unpacks, so that readers need not know of it. What zlib finds
 * wrong with the packed bytes ends the stream with an error, and is the line then.
 */
#define _GNU_SOURCE /* fopencookie() */
#include "apps/formats/graph_parts.h"
#include "apps/formats/matrix_market.h"
#include "runtime/base/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

const char *const htmt__graph_format_words[] = {
#define HTMT__GRAPH_FORMAT_WORD(name, word) word,
    HTMT__GRAPH_FORMAT_MAP(HTMT__GRAPH_FORMAT_WORD)
#undef HTMT__GRAPH_FORMAT_WORD
        NULL};

/* ---- gzip ------------------------------------------------------------------------------------ */

static ssize_t gz_read(void *gz, char *bytes, size_t count)
{
    int n = gzread(gz, bytes, (unsigned)(count < INT32_MAX ? count : INT32_MAX)), code = 0;
    if (n >= 0 && n < (int)count)
        gzerror(gz, &code);
    return code < 0 ? -1 : n;
}

static int gz_seek(void *gz, off64_t *offset, int whence)
{
    z_off_t at = gzseek(gz, *offset, whence);
    *offset = at;
    return at < 0 ? -1 : 0;
}

static int gz_close(void *gz)
{
    return gzclose(gz) == Z_OK ? 0 : EOF;
}

/* The line of a packed file whose bytes are wrong takes the place of the reader's. */
static int gz_judge(const char *path, gzFile gz, int rc, struct htmt_fault *fault)
{
    int code = 0;
    const char *why = gzerror(gz, &code);
    if (code >= 0 || code == Z_ERRNO)
        return rc;
    if (fault)
        *fault = (struct htmt_fault){.code = 0};
    if (code == Z_MEM_ERROR)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory to unpack it", path);
    return htmt_fault_set(fault, HTMT_EFORMAT, "%s: found packed bytes that are %s (%s)", path,
                          code == Z_BUF_ERROR ? "truncated" : "corrupt", why);
}

/* *gz is NULL of a plain file, and belongs to *in else. */
static int open_any(const char *path, FILE **in, gzFile *gz, struct htmt_fault *fault)
{
    static const cookie_io_functions_t unpacked = {
        .read = gz_read, .seek = gz_seek, .close = gz_close};
    unsigned char magic[2] = {0};
    int fd = -1, rc = htmt_input_open(path, HTMT_INPUT_DATA, &fd, fault);
    if (rc)
        return rc;
    if (pread(fd, magic, sizeof magic, 0) < 0)
        rc = htmt_input_failed(path, "read", errno, fault);
    *gz = NULL;
    if (!rc && magic[0] == 0x1f && magic[1] == 0x8b) {
        *gz = gzdopen(fd, "rb");
        *in = *gz ? fopencookie(*gz, "r", unpacked) : NULL;
    } else if (!rc) {
        *in = fdopen(fd, "rb");
    }
    if (!rc && !*in)
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory to read it", path);
    if (rc && *gz)
        gzclose(*gz);
    else if (rc)
        close(fd);
    return rc;
}

/* ---- formats --------------------------------------------------------------------------------- */

/* Whether the name ends so, but for ".gz". */
static bool ends_in(const char *path, const char *suffix)
{
    size_t n = strlen(path), k = strlen(suffix);
    if (n > 3 && !strcmp(path + n - 3, ".gz"))
        n -= 3;
    return n > k && !strncmp(path + n - k, suffix, k);
}

static int find_format(const char *path, FILE *in, enum htmt__graph_format *format,
                       struct htmt_fault *fault)
{
    static const struct {
        const char *suffix;
        enum htmt__graph_format format;
    } known[] = {{".bin", HTMT__GRAPH_GRAPH500}, {".graph", HTMT__GRAPH_METIS},
                 {".metis", HTMT__GRAPH_METIS},  {".edgelist", HTMT__GRAPH_LIST},
                 {".txt", HTMT__GRAPH_SNAP},     {".snap", HTMT__GRAPH_SNAP}};
    char start[sizeof HTMT__MATRIX_MARKET_MAGIC - 1] = "";
    size_t n = fread(start, 1, sizeof start, in);
    if (ferror(in) || fseek(in, 0, SEEK_SET))
        return htmt_fault_set(fault, HTMT_EIO, "%s: cannot read: %s", path, strerror(errno));
    if (n == sizeof start && !memcmp(start, HTMT__MATRIX_MARKET_MAGIC, n)) {
        *format = HTMT__GRAPH_MARKET;
        return 0;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (ends_in(path, known[i].suffix)) {
            *format = known[i].format;
            return 0;
        }
    if (n && start[0] == '#') {
        *format = HTMT__GRAPH_SNAP;
        return 0;
    }
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "%s: found no sign of its format, expected a name that ends in .mtx, "
                          ".txt, .edgelist, .bin or .graph, or --format",
                          path);
}

int htmt__graph_read(const char *path, const char *format, struct htmt__graph *g,
                     struct htmt_fault *fault)
{
    static htmt__graph_reader *const readers[] = {[HTMT__GRAPH_MARKET] = htmt__graph_read_market,
                                                  [HTMT__GRAPH_SNAP] = htmt__graph_read_snap,
                                                  [HTMT__GRAPH_LIST] = htmt__graph_read_list,
                                                  [HTMT__GRAPH_GRAPH500] = htmt__graph_read_500,
                                                  [HTMT__GRAPH_METIS] = htmt__graph_read_metis};
    enum htmt__graph_format which = 0;
    struct htmt__graph_list list = {.vertices = 0};
    FILE *in = NULL;
    gzFile gz = NULL;
    int rc = open_any(path, &in, &gz, fault);
    if (rc)
        return rc;
    if (format)
        while (which < HTMT__GRAPH_FORMATS && strcmp(format, htmt__graph_format_words[which]))
            which++;
    else
        rc = find_format(path, in, &which, fault);
    if (which == HTMT__GRAPH_FORMATS)
        rc = htmt_fault_set(fault, HTMT_EUSAGE,
                            "--format: found '%s', expected matrix-market, snap, list, graph500 or "
                            "metis",
                            format);
    rc = rc ? rc : readers[which](path, in, &list, fault);
    if (gz)
        rc = gz_judge(path, gz, rc, fault);
    fclose(in);
    rc = rc ? rc : htmt__graph_build(&list, g, fault);
    htmt__graph_list_clear(&list);
    return rc;
}

/* ---- writing --------------------------------------------------------------------------------- */

int htmt__graph_suffix(const char *path, enum htmt__graph_format *format, struct htmt_fault *fault)
{
    *format = HTMT__GRAPH_LIST;
    if (!path || ends_in(path, ".edgelist"))
        return 0;
    *format = ends_in(path, ".bin") ? HTMT__GRAPH_GRAPH500 : HTMT__GRAPH_MARKET;
    size_t n = strlen(path);
    if ((ends_in(path, ".bin") || ends_in(path, ".mtx")) && strcmp(path + n - 3, ".gz"))
        return 0;
    return htmt_fault_set(fault, HTMT_EUSAGE,
                          "--out: found '%s', expected a name that ends in .edgelist, .mtx or .bin",
                          path);
}

static void put_low(FILE *out, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        putc_unlocked((int)(v >> 8 * i & 0xff), out);
}

static void print_market(FILE *out, const struct htmt__graph_list *list)
{
    fprintf(out, "%%%%MatrixMarket matrix coordinate %s %s\n%u %u %" PRIu64 "\n",
            list->weighted ? "real" : "pattern", list->both ? "symmetric" : "general",
            list->vertices, list->vertices, list->count);
    for (uint64_t i = 0; i < list->count; i++) {
        const struct htmt__graph_line *l = &list->at[i];
        bool turned = list->both && l->from < l->to;
        fprintf(out, "%" PRIu64 " %" PRIu64, (uint64_t)(turned ? l->to : l->from) + 1,
                (uint64_t)(turned ? l->from : l->to) + 1);
        if (list->weighted)
            fprintf(out, " %.9g", (double)l->weight);
        putc('\n', out);
    }
}

/* This list has no undirected edges: each is written in both directions. */
static void print_list(FILE *out, const struct htmt__graph_list *list)
{
    uint64_t edges = list->count;
    for (uint64_t i = 0; list->both && i < list->count; i++)
        edges += list->at[i].from != list->at[i].to;
    fprintf(out, "%u\t%u\n%" PRIu64 "\n", list->vertices, list->vertices, edges);
    for (uint64_t i = 0; i < list->count; i++) {
        const struct htmt__graph_line *l = &list->at[i];
        fprintf(out, "%u\t%u\t%.9g\n", l->from, l->to, (double)l->weight);
        if (list->both && l->from != l->to)
            fprintf(out, "%u\t%u\t%.9g\n", l->to, l->from, (double)l->weight);
    }
}

void htmt__graph_print(FILE *out, const struct htmt__graph_list *list,
                       enum htmt__graph_format format)
{
    if (format == HTMT__GRAPH_MARKET)
        print_market(out, list);
    else if (format == HTMT__GRAPH_LIST)
        print_list(out, list);
    for (uint64_t i = 0; format == HTMT__GRAPH_GRAPH500 && i < list->count; i++) {
        put_low(out, list->at[i].from);
        put_low(out, list->at[i].to);
        put_low(out, 0);
    }
}
