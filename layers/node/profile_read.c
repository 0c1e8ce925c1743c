/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiles from files, which people may have edited. The rows below say which keys there are and
 * the bounds of each number; what follows checks what one number says about another: regions by
 * name, accesses inside their region, blocks that follow, and that the whole of it ends and does
 * something. So a generator can trust a profile that was read.
 */
#include "layers/node/profile_code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_MOST    UINT64_C(1000000000) /* of blocks: some tens of seconds on the host */
#define ADDRESS_MOST (HTMT__TAPE_ADDRESS - 1)

/* ---- what a file holds ----------------------------------------------------------------------- */

#define WHOLE(name, from, to)                                                                      \
    .key = (name), .kind = HTMT_SCHEMA_WHOLE, .least = (from), .most = (to)
#define GROUPS(name, of, from, to)                                                                 \
    .key = (name), .kind = HTMT_SCHEMA_GROUPS, .rows = (of), .least = (from), .most = (to)
#define TEXT(name)    .key = (name), .kind = HTMT_SCHEMA_TEXT
#define ELSE(value)   .fallback = (value)
#define MAY_BE_ABSENT .optional = true

static const struct htmt_schema_row region_rows[] = {
    {TEXT("name")},
    {WHOLE("at", 0, ADDRESS_MOST)},
    {WHOLE("bytes", 1, ADDRESS_MOST)},
    {WHOLE("sets", 1, HTMT__PROFILE_SETS), ELSE("64")},
    {.key = "distances", .kind = HTMT_SCHEMA_LIST, .most = ADDRESS_MOST, MAY_BE_ABSENT},
    {.key = NULL}};

static const struct htmt_schema_row access_rows[] = {
    {WHOLE("load", 1, 255), MAY_BE_ABSENT},
    {WHOLE("store", 1, 255), MAY_BE_ABSENT},
    {TEXT("region")},
    {WHOLE("beside", 0, HTMT__PROFILE_ACCESSES), MAY_BE_ABSENT},
    {WHOLE("from", 0, ADDRESS_MOST), ELSE("0")},
    {WHOLE("low", 0, ADDRESS_MOST), ELSE("0")},
    {WHOLE("bytes", 1, ADDRESS_MOST), MAY_BE_ABSENT},
    {TEXT("strides"), ELSE("")},
    {.key = NULL}};

static const struct htmt_schema_row block_rows[] = {
    {.key = "runs", .kind = HTMT_SCHEMA_WHOLE, ELSE("0")}, /* for the reader */
    {WHOLE("number", 0, UINT32_MAX), MAY_BE_ABSENT},
    {WHOLE("at", 0, ADDRESS_MOST), MAY_BE_ABSENT},
    {WHOLE("instructions", 0, 255), ELSE("0")},
    {WHOLE("fetch", 0, 255), ELSE("0")},
    {TEXT("operations"), ELSE("")},
    {WHOLE("branch", 0, ADDRESS_MOST), MAY_BE_ABSENT},
    {TEXT("next")},
    {TEXT("taken"), ELSE("")},
    {GROUPS("accesses", access_rows, 0, HTMT__PROFILE_ACCESSES), MAY_BE_ABSENT},
    {.key = NULL}};

static const struct htmt_schema_row file_rows[] = {
    {.key = "htmt-profile", .kind = HTMT_SCHEMA_WHOLE},
    {TEXT("kernel")},
    {WHOLE("services", 1, 1e6L), ELSE("1")},
    {WHOLE("counts", 0, ADDRESS_MOST), ELSE("0")},
    {WHOLE("first", 0, HTMT__PROFILE_BLOCKS), ELSE("0")},
    {GROUPS("regions", region_rows, 0, 65536), MAY_BE_ABSENT},
    {GROUPS("code", htmt__profile_code_rows, 0, 65536), MAY_BE_ABSENT},
    {GROUPS("blocks", block_rows, 0, HTMT__PROFILE_BLOCKS)},
    {.key = NULL}};

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t whole(const struct htmt_parameters *p, const char *key)
{
    return (uint64_t)htmt_parameter_whole(p, key);
}

static int read_pattern(const struct htmt_parameters *at, const char *key,
                        struct htmt__pattern *pattern, struct htmt_fault *fault)
{
    char why[200];
    const char *text = htmt_parameter_text(at, key);
    const int rc = *text ? htmt__pattern_read(pattern, text, why, sizeof why) : 0;
    if (rc == HTMT_EFORMAT)
        return htmt_parameter_refuse(at, key, rc, fault, "%s", why);
    return rc ? htmt_fault_set(fault, rc, "no host memory for a profile") : 0;
}

/* All numbers of the pattern are from 0 to `most`, or `end`. */
static int check_numbers(const struct htmt_parameters *at, const char *key,
                         const struct htmt__pattern *p, int64_t most, struct htmt_fault *fault)
{
    const struct htmt__terms *const lists[] = {&p->top, &p->pool};
    for (int l = 0; l < 2; l++)
        for (uint32_t i = 0; i < lists[l]->n; i++) {
            const struct htmt__term *term = &lists[l]->at[i];
            if (term->body || term->what == HTMT__PATTERN_END ||
                (term->what >= 0 && term->what <= most))
                continue;
            if (term->what == HTMT__PATTERN_FAR)
                return htmt_parameter_refuse(at, key, HTMT_EFORMAT, fault,
                                             "found 'far', which is for strides alone");
            return htmt_parameter_refuse(at, key, HTMT_ERANGE, fault,
                                         "found %" PRId64 ", expected numbers from 0 to %" PRId64,
                                         term->what, most);
        }
    return 0;
}

/* ---- regions --------------------------------------------------------------------------------- */

static int read_regions(const struct htmt_parameters *file, struct htmt__profile *p,
                        struct htmt_fault *fault)
{
    const unsigned regions = htmt_parameter_count(file, "regions");
    p->region = calloc(regions + 1, sizeof *p->region);
    if (!p->region)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a profile");
    for (; p->regions < regions; p->regions++) {
        const struct htmt_parameters *at = htmt_parameter_group(file, "regions", p->regions);
        struct htmt__profile_region *r = &p->region[p->regions];
        const double *list = NULL;
        unsigned count = 0;
        snprintf(r->name, sizeof r->name, "%s", htmt_parameter_text(at, "name"));
        r->at = whole(at, "at");
        r->bytes = whole(at, "bytes");
        r->sets = (uint32_t)whole(at, "sets");
        if (htmt_parameter_given(at, "distances"))
            list = htmt_parameter_list(at, "distances", &count);
        if (count > HTMT__PROFILE_CLASSES)
            return htmt_parameter_refuse(at, "distances", HTMT_EFORMAT, fault,
                                         "found %u numbers, expected at most %d", count,
                                         HTMT__PROFILE_CLASSES);
        for (unsigned i = 0; i < count; i++)
            r->distances[i] = (uint64_t)list[i];
    }
    return 0;
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* An access begins inside the bytes that its strides keep it in, which lie in its region. What is
 * beside another access stands behind it in the block, so its address is known in time. */
static int read_access(const struct htmt_parameters *at, const struct htmt__profile *p,
                       struct htmt__profile_access *a, uint32_t number, struct htmt_fault *fault)
{
    const bool load = htmt_parameter_known(at, "load");
    if (load == htmt_parameter_known(at, "store"))
        return htmt_parameter_refuse(at, "load", HTMT_EFORMAT, fault,
                                     "expected either 'load' or 'store', with its bytes");
    a->store = !load;
    a->width = (uint8_t)whole(at, load ? "load" : "store");
    a->beside = htmt_parameter_known(at, "beside") ? (int)whole(at, "beside") : -1;
    a->from = whole(at, "from");
    a->low = whole(at, "low");
    const char *name = htmt_parameter_text(at, "region");
    while (a->region < p->regions && strcmp(p->region[a->region].name, name) != 0)
        a->region++;
    if (a->region == p->regions)
        return htmt_parameter_refuse(at, "region", HTMT_EFORMAT, fault,
                                     "found '%.40s', expected the name of a region", name);
    const struct htmt__profile_region *r = &p->region[a->region];
    a->bytes = htmt_parameter_known(at, "bytes") ? whole(at, "bytes") : r->bytes - a->low;
    if (a->beside >= (int)number)
        return htmt_parameter_refuse(at, "beside", HTMT_ERANGE, fault,
                                     "found %d, expected an access before number %" PRIu32,
                                     a->beside, number);
    if (a->low >= r->bytes || a->bytes > r->bytes - a->low)
        return htmt_parameter_refuse(at, "low", HTMT_ERANGE, fault,
                                     "found %" PRIu64 " and %" PRIu64
                                     " bytes, expected a part of region '%s' of %" PRIu64 " bytes",
                                     a->low, a->bytes, r->name, r->bytes);
    if (a->from - a->low >= a->bytes)
        return htmt_parameter_refuse(at, "from", HTMT_ERANGE, fault,
                                     "found %" PRIu64 ", expected an offset from low, of so many "
                                     "bytes",
                                     a->from);
    return read_pattern(at, "strides", &a->strides, fault);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static uint64_t address(const struct htmt_parameters *at, const char *key)
{
    return htmt_parameter_known(at, key) ? whole(at, key) : HTMT__TAPE_ADDRESS;
}

static int read_block(const struct htmt_parameters *at, struct htmt__profile *p,
                      struct htmt__profile_block *b, unsigned blocks, struct htmt_fault *fault)
{
    b->annotated = !htmt_parameter_known(at, "number");
    b->number = b->annotated ? 0 : (uint32_t)whole(at, "number");
    b->code = address(at, "at");
    b->branch = address(at, "branch");
    b->instructions = (uint8_t)whole(at, "instructions");
    b->fetches = (uint8_t)whole(at, "fetch");
    if (!b->annotated && !(p->program && b->number < p->program->block_count))
        return htmt_parameter_refuse(at, "number", HTMT_ERANGE, fault,
                                     "found %" PRIu32 ", expected the number of an entry of 'code'",
                                     b->number);
    const char *text = htmt_parameter_text(at, "operations");
    for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
        struct htmt__operation_count c;
        if (!htmt__operation_read(&text, &c))
            return htmt__operation_refuse(at, "operations", text, fault);
        b->count[c.operation][c.type] += c.n;
    }
    int rc = read_pattern(at, "next", &b->next, fault);
    if (!rc)
        rc = check_numbers(at, "next", &b->next, (int64_t)blocks - 1, fault);
    if (!rc)
        rc = read_pattern(at, "taken", &b->taken, fault);
    if (!rc)
        rc = check_numbers(at, "taken", &b->taken, 1, fault);
    if (rc)
        return rc;
    const unsigned count =
        htmt_parameter_given(at, "accesses") ? htmt_parameter_count(at, "accesses") : 0;
    b->access = calloc(count + 1, sizeof *b->access);
    if (!b->access)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a profile");
    for (; b->accesses < count && !rc; b->accesses++)
        rc = read_access(htmt_parameter_group(at, "accesses", b->accesses), p,
                         &b->access[b->accesses], b->accesses, fault);
    return rc;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The blocks do something, lead to an end, and do not run for hours: how often each of them runs is
 * the length of its `next`. */
static int check_mass(const struct htmt_parameters *file, const struct htmt__profile *p,
                      struct htmt_fault *fault)
{
    bool mass = false, end = false;
    uint64_t runs = 0;
    for (uint32_t i = 0; i < p->blocks; i++) {
        const uint64_t length = htmt__pattern_length(&p->block[i].next);
        runs = length < RUNS_MOST ? runs + length : RUNS_MOST + 1;
        const struct htmt__profile_block *b = &p->block[i];
        const struct htmt__tape_block *code = b->annotated ? NULL : &p->program->blocks[b->number];
        mass = mass || b->accesses || (b->annotated && (b->fetches || b->instructions)) ||
               (code && (code->ops || code->instructions));
        for (unsigned o = 0; b->annotated && o < HTMT_OPERATIONS; o++)
            for (unsigned t = 0; t < HTMT_OPERAND_TYPES; t++)
                mass = mass || b->count[o][t];
        end = end || htmt__pattern_count(&b->next, HTMT__PATTERN_END);
    }
    if (!mass)
        return htmt_parameter_refuse(file, "blocks", HTMT_EFORMAT, fault,
                                     "a profile without mass: expected a block with operations or "
                                     "accesses");
    if (!end)
        return htmt_parameter_refuse(file, "blocks", HTMT_EFORMAT, fault,
                                     "expected 'end' in the 'next' of a block");
    if (runs > RUNS_MOST)
        return htmt_parameter_refuse(file, "blocks", HTMT_ERANGE, fault,
                                     "they run more than %" PRIu64 " times in all", RUNS_MOST);
    return 0;
}

static int read_profile(const struct htmt_parameters *file, struct htmt__profile *p,
                        struct htmt_fault *fault)
{
    if (htmt_parameter_whole(file, "htmt-profile") != 1)
        return htmt_parameter_refuse(file, "htmt-profile", HTMT_EFORMAT, fault,
                                     "found %" PRId64 ", expected 1",
                                     htmt_parameter_whole(file, "htmt-profile"));
    const unsigned count = htmt_parameter_count(file, "blocks");
    snprintf(p->kernel, sizeof p->kernel, "%s", htmt_parameter_text(file, "kernel"));
    p->services = whole(file, "services");
    p->counts = whole(file, "counts");
    p->first = (uint32_t)whole(file, "first");
    int rc = read_regions(file, p, fault);
    if (!rc)
        rc = htmt__profile_code_read(file, p, fault);
    if (rc)
        return rc;
    p->block = calloc(count + 1, sizeof *p->block);
    if (!p->block)
        return htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a profile");
    for (; p->blocks < count && !rc; p->blocks++)
        rc = read_block(htmt_parameter_group(file, "blocks", p->blocks), p, &p->block[p->blocks],
                        count, fault);
    if (!rc)
        rc = check_mass(file, p, fault);
    if (!rc && p->first >= p->blocks)
        rc = htmt_parameter_refuse(file, "first", HTMT_ERANGE, fault,
                                   "found %" PRIu32 ", expected the number of a block", p->first);
    return rc;
}

static int make_profile(struct htmt__profile **profile, const char *name,
                        struct htmt_parameters *file, struct htmt_fault *fault)
{
    struct htmt__profile *p = calloc(1, sizeof *p);
    if (p)
        p->file = strdup(name);
    int rc = p && p->file ? read_profile(file, p, fault)
                          : htmt_fault_set(fault, HTMT_ENOMEM, "no host memory for a profile");
    if (rc)
        htmt__profile_free(p);
    else
        *profile = p;
    htmt_parameters_destroy(&file);
    return rc;
}

int htmt__profile_load(struct htmt__profile **profile, const char *path, struct htmt_fault *fault)
{
    struct htmt_parameters *file;
    const int rc = htmt_parameters_read(path, "a profile", file_rows, &file, fault);
    return rc ? rc : make_profile(profile, path, file, fault);
}

int htmt__profile_parse(struct htmt__profile **profile, const char *name, const char *text,
                        struct htmt_fault *fault)
{
    struct htmt_parameters *file;
    const int rc =
        htmt_parameters_parse(name, text, strlen(text), "a profile", file_rows, &file, fault);
    return rc ? rc : make_profile(profile, name, file, fault);
}
