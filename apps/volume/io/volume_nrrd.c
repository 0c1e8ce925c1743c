/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Headers of NRRD files, attached (voxels behind an empty line) or detached (voxels in a file of
 * their own): lines of `field: value`, of `key:=value` and of `# comment`. For example:
 *
 *     NRRD0004
 *     type: short
 *     dimension: 3
 *     sizes: 256 256 124
 *     space: left-posterior-superior
 *     space directions: (0.9,0,0) (0,0.9,0) (0,0,1.5)
 *     encoding: gzip
 *     endian: little
 *     data file: head.raw.gz
 *
 * Names and values have no case, as in teem, the format's own reader. The text before the first ":
 * " is a field's name if NRRD has it. Otherwise a line with ":=" is a key and a value, which may
 * hold colons. Any other name is refused, since a misspelt field would be a default. What a header
 * must have is checked when all of it has been read.
 *
 * Only fields that leave the meaning of the voxels as it is are passed over. `kinds` says of each
 * axis whether it lies in space: the three bytes of a colour are no three places. So an axis of any
 * other kind is refused by its name. One is none of a volume's: a fourth, slowest axis of kind time
 * or list numbers volumes that lie one after another, as NIfTI's fourth dimension does. Only
 * `kinds` tells it from planes of components. It has no place in space: its direction is `none`,
 * its distance and ends are passed over. Fields of axes follow `dimension`, as NRRD says, and have
 * as many values.
 *
 * Distances come from `spacings` or `space directions`, else from the ends of the axes: an axis of
 * 4 voxels from 0 to 2 has distances of 2/4 if its numbers lie in the middle of cells (`centers:
 * cell`, also NRRD's default), and of 2/3 between grid points (`centers: node`).
 */
#include "apps/volume/io/volume_file.h"
#include "runtime/base/input.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LINE_ROOM 4096

struct nrrd {
    const char *path;
    int line;
    struct htmt__volume_header h;
    bool type, sizes, encoding, endian; /* found */
    int dimension;                      /* 3 or 4; 0: not found */
    bool series;                        /* the fourth axis is one of volumes */
    double direction[3][3];             /* of the axes in the file's space; 0: not found */
    double side[3]; /* 1: that axis of the space runs to the right, front or head; 0: unknown */
    double low[3], high[3]; /* ends of the axes; equal or no numbers: not found */
    bool node[3];           /* the ends are those of grid points, not of cells */
    int64_t skip;
};

static int refuse(const struct nrrd *n, const char *what, const char *found, const char *expected,
                  struct htmt_fault *fault)
{
    return htmt_fault_set(fault, HTMT_EFORMAT, "%s:%d: found %s '%s', expected %s", n->path,
                          n->line, what, found, expected);
}

/* ---- fields --------------------------------------------------------------------------------- */

enum field {
    TYPE,
    DIMENSION,
    SIZES,
    ENCODING,
    ENDIAN,
    LINE_SKIP,
    BYTE_SKIP,
    DATA_FILE,
    SPACINGS,
    DIRECTIONS,
    SPACE,
    LOW,
    HIGH,
    KINDS,
    CENTERS
};

static const struct {
    const char *name;
    enum field field;
} fields[] = {
    {"type", TYPE},
    {"dimension", DIMENSION},
    {"sizes", SIZES},
    {"encoding", ENCODING},
    {"endian", ENDIAN},
    {"line skip", LINE_SKIP},
    {"lineskip", LINE_SKIP},
    {"byte skip", BYTE_SKIP},
    {"byteskip", BYTE_SKIP},
    {"data file", DATA_FILE},
    {"datafile", DATA_FILE},
    {"spacings", SPACINGS},
    {"space directions", DIRECTIONS},
    {"space", SPACE},
    {"axis mins", LOW},
    {"axismins", LOW},
    {"axis maxs", HIGH},
    {"axismaxs", HIGH},
    {"kinds", KINDS},
    {"centers", CENTERS},
    {"centerings", CENTERS},
};

/* Fields that inform a person only. */
static const char passed_over[] =
    "content,number,block size,blocksize,min,max,old min,oldmin,old max,oldmax,thicknesses,labels,"
    "units,sample units,sampleunits,space dimension,space units,space origin,measurement frame";

/* All names that NRRD gives a type. */
static const char *const types[] = {
    [HTMT__STORED_UINT8] = "uchar,unsigned char,uint8,uint8_t",
    [HTMT__STORED_INT8] = "signed char,int8,int8_t",
    [HTMT__STORED_INT16] = "short,short int,signed short,signed short int,int16,int16_t",
    [HTMT__STORED_UINT16] = "ushort,unsigned short,unsigned short int,uint16,uint16_t",
    [HTMT__STORED_INT32] = "int,signed int,int32,int32_t",
    [HTMT__STORED_UINT32] = "uint,unsigned int,uint32,uint32_t",
    [HTMT__STORED_INT64] = "longlong,long long,long long int,signed long long,signed long long int,"
                           "int64,int64_t",
    [HTMT__STORED_UINT64] = "ulonglong,unsigned long long,unsigned long long int,uint64,uint64_t",
    [HTMT__STORED_FLOAT32] = "float",
    [HTMT__STORED_FLOAT64] = "double"};

/* Whether a list of names, "a,b c,d", has this one, in whatever case. */
static bool listed(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; at; at = strchr(at, ','), at += at != NULL)
        if (length && strcspn(at, ",") == length && !strncasecmp(at, name, length))
            return true;
    return false;
}

static int axes_of(const struct nrrd *n)
{
    return n->dimension ? n->dimension : 3;
}

/* A number for each axis and nothing else. */
static bool take_numbers(const struct nrrd *n, const char *text, double number[4])
{
    for (int a = 0; a < axes_of(n); a++) {
        char *end = NULL;
        number[a] = strtod(text, &end);
        if (end == text)
            return false;
        text = end;
    }
    return !text[strspn(text, " \t")];
}

/* What the voxels are, and where they lie. */
static int take_layout(struct nrrd *n, enum field field, const char *value,
                       struct htmt_fault *fault)
{
    double size[4];
    char *end = NULL;
    switch (field) {
    case TYPE:
        n->type = false;
        for (unsigned i = 0; i < HTMT__STORED_TYPES && !n->type; i++)
            if ((n->type = listed(types[i], value)))
                n->h.type = (enum htmt__volume_stored)i;
        return n->type ? 0
                       : refuse(n, "type", value,
                                "an integer type of 8 to 64 bits, float or double", fault);
    case DIMENSION:
        n->dimension = value[0] == '4' ? 4 : 3;
        return !value[0] || value[1] || !strchr("34", value[0])
                   ? refuse(n, "dimension", value, "3, or 4 of a series of volumes", fault)
                   : 0;
    case SIZES:
        n->sizes = take_numbers(n, value, size);
        for (int a = 0; a < axes_of(n) && n->sizes; a++) {
            n->sizes = fabs(size[a]) < 1e15 && size[a] == floor(size[a]) && (a < 3 || size[a] >= 1);
            *(a < 3 ? &n->h.dims[a] : &n->h.frames) = n->sizes ? (int64_t)size[a] : 0;
        }
        return n->sizes            ? 0
               : n->dimension == 4 ? refuse(n, "sizes", value, "four whole numbers", fault)
                                   : refuse(n, "sizes", value, "three whole numbers", fault);
    case ENCODING:
        n->encoding = true;
        n->h.coding = strcasecmp(value, "raw") ? HTMT__GZIP : HTMT__PLAIN;
        if (n->h.coding == HTMT__PLAIN || listed("gzip,gz", value))
            return 0;
        return refuse(n, "encoding", value, "raw or gzip", fault);
    case ENDIAN:
        n->h.big_endian = !strcasecmp(value, "big");
        n->endian = true;
        return n->h.big_endian || !strcasecmp(value, "little")
                   ? 0
                   : refuse(n, "endian", value, "little or big", fault);
    case LINE_SKIP:
        return strcmp(value, "0") ? refuse(n, "line skip", value, "0", fault) : 0;
    default:
        errno = 0;
        n->skip = strtoll(value, &end, 10);
        if (end == value || *end || errno || n->skip < -1)
            return refuse(n, "byte skip", value, "-1 or a number of bytes", fault);
        return 0;
    }
}

/* A word for each axis. */
static int take_words(struct nrrd *n, enum field field, const char *value, struct htmt_fault *fault)
{
    static const char *const what[] = {[KINDS] = "kinds", [CENTERS] = "centers"};
    char word[4][40], text[80];
    const int axes = axes_of(n);
    const char *at = value;
    for (int a = 0, used = 0; a < axes; a++, at += used)
        if (sscanf(at, "%39s %n", word[a], &used) != 1)
            return refuse(n, what[field], value,
                          axes == 3 ? "a word for each of three axes"
                                    : "a word for each of four axes",
                          fault);
    if (*at)
        return refuse(n, what[field], value,
                      axes == 3 ? "a word for each of three axes" : "a word for each of four axes",
                      fault);
    n->series = n->series || (field == KINDS && axes == 4);
    if (field == KINDS && axes == 4 && !listed("time,list", word[3]))
        return refuse(n, "kinds of axis 4", word[3], "time or list: a series of volumes", fault);
    for (int a = 0; a < 3; a++) {
        if (field == KINDS && !listed("domain,space,none,\?\?\?", word[a])) {
            snprintf(text, sizeof text, "kinds of axis %d", a + 1);
            return refuse(n, text, word[a],
                          axes == 3 ? "domain or space: a number at each place in space"
                                    : "domain or space; a series of volumes is the last axis",
                          fault);
        }
        if (field == CENTERS && !listed("cell,node,none,\?\?\?", word[a]))
            return refuse(n, "centers", word[a], "cell or node", fault);
        n->node[a] = field == CENTERS ? !strcasecmp(word[a], "node") : n->node[a];
    }
    return 0;
}

/* Distances and directions. "(x,y,z) (x,y,z) (x,y,z)": the lengths are the spacings. A space that
 * is not of the body, such as scanner-xyz, tells no orientation; one with an axis of time is no
 * space of three dimensions. */
static int take_space(struct nrrd *n, enum field field, const char *value, struct htmt_fault *fault)
{
    static const struct {
        const char *name, *letters;
        double side[3];
    } known[] = {{"right-anterior-superior", "RAS", {1, 1, 1}},
                 {"left-anterior-superior", "LAS", {-1, 1, 1}},
                 {"left-posterior-superior", "LPS", {-1, -1, 1}}};
    double(*d)[3] = n->direction, distance[4];
    const char *expected = axes_of(n) == 3 ? "three numbers" : "four numbers";
    int used = 0;
    if (field == LOW || field == HIGH) {
        if (!take_numbers(n, value, distance))
            return refuse(n, field == LOW ? "axis mins" : "axis maxs", value, expected, fault);
        memcpy(field == LOW ? n->low : n->high, distance, sizeof n->low);
        return 0;
    }
    if (field == SPACE) {
        if (strlen(value) > 5 && !strcasecmp(value + strlen(value) - 5, "-time"))
            return refuse(n, "space", value, "one of three dimensions", fault);
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (!strcasecmp(value, known[i].name) || !strcasecmp(value, known[i].letters))
                memcpy(n->side, known[i].side, sizeof n->side);
        return 0;
    }
    if (field == SPACINGS && !take_numbers(n, value, distance))
        return refuse(n, "spacings", value, expected, fault);
    if (field == DIRECTIONS) {
        if (sscanf(value, " (%lf,%lf,%lf) (%lf,%lf,%lf) (%lf,%lf,%lf) %n", &d[0][0], &d[0][1],
                   &d[0][2], &d[1][0], &d[1][1], &d[1][2], &d[2][0], &d[2][1], &d[2][2],
                   &used) != 9 ||
            strcasecmp(value + used, axes_of(n) == 3 ? "" : "none"))
            return refuse(n, "space directions", value,
                          axes_of(n) == 3 ? "three vectors (x,y,z)"
                                          : "three vectors (x,y,z) and none",
                          fault);
        for (int a = 0; a < 3; a++)
            distance[a] = sqrt(d[a][0] * d[a][0] + d[a][1] * d[a][1] + d[a][2] * d[a][2]);
    }
    for (int a = 0; a < 3; a++)
        htmt__volume_header_space(&n->h, a, distance[a]);
    return 0;
}

/* The voxels lie beside the header, unless their path is absolute. */
static int take_data_file(struct nrrd *n, const char *value, struct htmt_fault *fault)
{
    const char *slash = value[0] == '/' ? NULL : strrchr(n->path, '/');
    int folder = slash ? (int)(slash - n->path) + 1 : 0;
    size_t room = (size_t)folder + strlen(value) + 1;
    if (!strncmp(value, "LIST", 4) || strchr(value, '%'))
        return refuse(n, "data file", value, "the name of one file", fault);
    free(n->h.data);
    n->h.data = malloc(room);
    if (!n->h.data)
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: no memory for a file name", n->path);
    snprintf(n->h.data, room, "%.*s%s", folder, n->path, value);
    return 0;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static int take_line(struct nrrd *n, char *line, struct htmt_fault *fault)
{
    char *colon = strstr(line, ": ");
    const bool pair = strstr(line, ":=") != NULL;
    if (line[0] == '#')
        return 0;
    if (!colon && line[strlen(line) - 1] == ':')
        colon = line + strlen(line) - 1; /* an empty value */
    if (!colon)
        return pair ? 0 : refuse(n, "a line", line, "field: value", fault);
    const char *value = colon + 1 + strspn(colon + 1, " \t");
    *colon = '\0';
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const enum field f = fields[i].field;
        if (!strcasecmp(line, fields[i].name))
            return f < DATA_FILE    ? take_layout(n, f, value, fault)
                   : f == DATA_FILE ? take_data_file(n, value, fault)
                   : f < KINDS      ? take_space(n, f, value, fault)
                                    : take_words(n, f, value, fault);
    }
    if (pair || listed(passed_over, line))
        return 0;
    return refuse(n, "field", line, "one of NRRD's", fault);
}

/* Up to the empty line that ends an attached header, or to the end of a detached one. */
static int take_lines(struct nrrd *n, FILE *in, struct htmt_fault *fault)
{
    char line[LINE_ROOM];
    int rc = 0;
    while (!rc && fgets(line, sizeof line, in)) {
        n->line++;
        if (!strchr(line, '\n') && !feof(in))
            return refuse(n, "a line", "...", "less than 4096 characters", fault);
        size_t length = strlen(line);
        while (length && isspace((unsigned char)line[length - 1]))
            line[--length] = '\0';
        if (!line[0])
            break;
        if (n->line > 1)
            rc = take_line(n, line, fault);
    }
    if (!rc && ferror(in))
        rc = htmt_fault_set(fault, HTMT_EIO, "%s: cannot read: %s", n->path, strerror(errno));
    long at = ftell(in);
    if (!rc && at < 0)
        rc = htmt_fault_set(fault, HTMT_EIO, "%s: cannot find the place in it", n->path);
    n->h.offset = n->h.data || at < 0 ? 0 : (uint64_t)at;
    return rc;
}

int htmt__volume_header_nrrd(const char *path, struct htmt__volume_header *out,
                             struct htmt_fault *fault)
{
    struct nrrd n = {.path = path, .h = {.slope = 1, .spacing = {1, 1, 1}}};
    FILE *in = NULL;
    int rc = htmt_input_stream(path, HTMT_INPUT_DATA, &in, fault);
    if (rc)
        return rc;
    rc = take_lines(&n, in, fault);
    fclose(in);
    const char *missing = !n.type        ? "type"
                          : !n.dimension ? "dimension"
                          : !n.sizes     ? "sizes"
                          : !n.encoding  ? "encoding"
                                         : NULL;
    if (!missing && !n.endian && htmt__volume_stored_bytes(n.h.type) > 1)
        missing = "endian";
    if (!rc && missing)
        rc = htmt_fault_set(fault, HTMT_EFORMAT, "%s: found no field '%s' in the header", path,
                            missing);
    if (!rc && n.dimension == 4 && !n.series)
        rc = htmt_fault_set(fault, HTMT_EFORMAT,
                            "%s: found a dimension of 4 without kinds, expected 'kinds' with time "
                            "or list as the last: a series of volumes",
                            path);
    for (int a = 0; a < 3 && !rc; a++) {
        double cells = (double)n.h.dims[a] - n.node[a], whole = n.high[a] - n.low[a];
        if (!n.h.source.has_distance[a] && cells > 0 && isfinite(whole) && whole != 0)
            htmt__volume_header_space(&n.h, a, whole / cells);
    }
    n.h.from_end = n.skip < 0;
    n.h.skip = n.skip < 0 ? 0 : (uint64_t)n.skip;
    for (int a = 0; a < 3; a++) /* from the file's space to right, front and head */
        for (int i = 0; i < 3; i++)
            n.direction[a][i] *= n.side[i];
    htmt__volume_header_orient(&n.h, n.direction);
    if (rc)
        free(n.h.data);
    else
        *out = n.h;
    return rc;
}
