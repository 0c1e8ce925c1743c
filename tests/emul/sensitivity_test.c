/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every figure of the machine and cost files is changed, one at a time, and the predictions that
 * move are those that have it in their formula, and no others: no number of a paper hides in an
 * application.
 */
#include "emul/validate/validation.h"
#include "layers/machine/machine.h"
#include "tests/apps/table.h"
#include "tests/files/place.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define KEYS_ROOM       1200
#define SAME            1e-12

/* Which keys move a row: of its machine file, without "layers." and "networks."; of the cost file
 * of its application. */
static const struct expected {
    const char *row, *machine, *costs;
} expected[] = {
    {"A.T3.D_t", "slices dram.processor.load dram.processor.store dram.memory.ports",
     "problem.t problem.subblock-edge transform.accesses"},
    {"A.T3.M_S", "cram.processor.flop", "problem.subblock-edge multiply.flop"},
    {"A.T3.D_S.us", "cnet.latency cnet.ports.cram.out-rate", "problem.subblock-edge"},
    {"A.T3.IP_SC", "sram.memory.access rti.latency", "problem.subblock-edge"},
    {"A.T3.IP_DS", "dram.memory.access vortex.latency", "problem.t problem.subblock-edge"},
    {"H.C.T",
     "slices dram.processor.load dram.processor.store dram.memory.access "
     "dram.memory.ports sram.memory.access cram.processor.flop vortex.latency "
     "rti.latency",
     "problem.t problem.subblock-edge multiply.flop transform.accesses "
     "transform.accesses-c"},
    {"H.C.T.s64.overlap",
     "slices dram.processor.load dram.processor.store dram.memory.access "
     "dram.memory.ports sram.memory.access cram.processor.flop vortex.latency "
     "rti.latency",
     "problem.t problem.subblock-edge multiply.flop transform.accesses "
     "transform.accesses-c"},
    {"A.t", "sram.memory.capacity", "problem.subblock-edge"},
    {"A.b_c.reserve", "cram.memory.capacity", ""},
    {"H.T3.util.cram7", "cram.memory.capacity", "problem.subblock-edge"},
    {"H.S.patch_time", "cram.processor.clock cram.processor.flop",
     "problem.samples problem.lines range-reference.n range-reference.n-log-n "
     "range-line.n range-line.n-log-n azimuth-reference.n "
     "azimuth-reference.n-log-n azimuth-line.n azimuth-line.n-log-n"},
    {"H.T5.read.time", "dram.processor.count dram.processor.clock",
     "problem.samples problem.lines read-patch.cycles"},
    {"H.S.DtoH_time", "hram-channel.ports.dram.out-rate",
     "problem.samples problem.lines point.channel-words"},
    {"H.T5.read.HtoD.time", "hram-channel.ports.hram.out-rate",
     "problem.samples problem.lines point.channel-words"},
    {"H.T5.rref.time", "cram.processor.clock cram.processor.flop",
     "problem.samples range-reference.n range-reference.n-log-n"},
    {"H.T5.aline.util.StoD",
     "cram.processor.clock cram.processor.flop vortex.ports.dram.in-rate "
     "vortex.ports.sram.out-rate",
     "problem.lines azimuth-line.n azimuth-line.n-log-n"},
    {"H.S.cram.lines_dec", "cram.memory.capacity", "problem.samples"},
    {"H.S.patches", "slices hram.memory.capacity", "problem.samples problem.lines hram.share"},
    {"H.T6.assembly.time", "dram.processor.clock", "push.assembly"},
    {"H.T6.dv.time", "vortex.ports.dram.out-rate vortex.ports.sram.in-rate",
     "problem.particles-per-cell problem.cells-edge push.field-guard push.code"},
    {"H.T6.dispatch.time", "sram.processor.clock", "push.dispatch"},
    {"H.T6.rti.time", "rti.ports.sram.out-rate",
     "problem.particles-per-cell problem.cells-edge push.field-guard push.code"},
    {"H.F4.spell.end",
     "dram.processor.clock sram.processor.clock cram.processor.clock "
     "vortex.latency vortex.ports.dram.out-rate vortex.ports.sram.in-rate "
     "rti.latency rti.ports.sram.out-rate",
     "problem.particles-per-cell problem.cells-edge push.flop push.useful "
     "push.field-guard push.code push.assembly push.dispatch"},
    {"H.T6.eject.time", "rti.ports.cram.out-rate",
     "problem.particles-per-cell problem.cells-edge push.field-guard push.code"},
    {"H.T6.single.period",
     "cram.processor.clock cram.memory.capacity vortex.ports.dram.out-rate "
     "rti.latency rti.ports.sram.out-rate",
     "problem.particles-per-cell problem.cells-edge push.flop push.useful "
     "push.field-guard push.code"},
    {"H.T6.single.makespan.100",
     "dram.processor.clock sram.processor.clock cram.processor.clock "
     "cram.memory.capacity vortex.latency vortex.ports.dram.out-rate "
     "vortex.ports.sram.in-rate rti.latency rti.ports.sram.out-rate",
     "problem.particles-per-cell problem.cells-edge push.flop push.useful "
     "push.field-guard push.code push.assembly push.dispatch"},
    {"H.T7.slice.parcels", "dram.memory.capacity",
     "problem.particles-per-cell problem.cells-edge push.field-guard push.code"},
    {"H.T7.single.full.parcels_s",
     "slices cram.processor.clock cram.memory.capacity vortex.ports.dram.out-rate "
     "rti.latency rti.ports.sram.out-rate",
     "problem.particles-per-cell problem.cells-edge push.flop push.useful "
     "push.field-guard push.code"},
    {"H.T8.spell.time", "cram.processor.clock", "problem.subcube-edge cast.cycles cast.alpha"},
    {"H.T8.assemble.time", "dram.processor.clock", "problem.subcube-edge assemble.cycles"},
    {"H.T8.gather.time", "vortex.ports.dram.out-rate",
     "problem.subcube-edge parcel.code parcel.voxel"},
    {"H.T8.inject.time", "rti.ports.sram.out-rate",
     "problem.subcube-edge parcel.code parcel.voxel"},
    {"H.T8.eject.time", "rti.ports.cram.out-rate", "problem.subcube-edge"},
    {"H.T8.dispatch.time", "sram.processor.clock", "problem.subcube-edge dispatch.cycles"},
    {"H.T8.retire.time", "sram.processor.clock", "problem.subcube-edge retire.cycles"},
    {"H.T8.cram.fit_dec", "cram.memory.capacity", "problem.subcube-edge parcel.voxel"},
    {"H.V.rhs_SC", "cram.processor.clock rti.ports.sram.out-rate", "parcel.voxel"},
};
#define ROWS COUNT_OF(expected)

/* Nothing is predicted with other figures than these: they must fit what the program does. */
static const char refused[] = "cram.memory.reserve cram.subblocks-a "
                              "cram.subblocks-b cram.subblocks-c sram.blocks "
                              "bundle.inward-blocks bundle.outward-blocks "
                              "block-multiply.inward-subblocks "
                              "block-multiply.outward-subblocks point.raw-bytes "
                              "point.words push.words-point push.words-particle "
                              "problem.rays parcel.ray parcel.eject";

struct state {
    struct htmt__golden all, some;
    double value[ROWS]; /* as the files stand */
    char machine[ROWS][KEYS_ROOM], costs[ROWS][KEYS_ROOM];
    char refused[KEYS_ROOM];
};

static void choose_rows(struct state *s)
{
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt__golden_load(&s->all, NULL, &fault), 0, "%s", fault.text);
    s->some.count = 1;
    s->some.table = calloc(1, sizeof *s->some.table);
    s->some.table[0] = (struct htmt__golden_table){.name = "some", .title = "some"};
    s->some.table[0].row = calloc(ROWS, sizeof(struct htmt__golden_row));
    for (size_t i = 0; i < ROWS; i++) {
        const struct htmt__golden_row *row = htmt__golden_find(&s->all, expected[i].row);
        cr_assert_not_null(row, "%s", expected[i].row);
        s->some.table[0].row[s->some.table[0].count++] = *row;
    }
}

static void drop_rows(struct state *s)
{
    free(s->some.table[0].row);
    free(s->some.table);
    htmt__golden_clear(&s->all);
}

/* NAN: it cannot be predicted so. */
static void predict(const struct state *s, const char *machine, const char *set, double *value)
{
    struct htmt__validation v;
    struct htmt_fault fault = {0};
    const struct htmt__validation_options o = {
        .closed_forms_only = true, .set = &set, .set_count = set ? 1 : 0, .machine = machine};
    cr_assert_eq(htmt__validate(&s->some, htmt_apps, &o, &v, &fault), 0, "%s", fault.text);
    for (size_t i = 0; i < ROWS; i++) {
        const struct htmt__finding *f = &v.section[0].finding[i];
        value[i] = f->is_predicted ? f->predicted : (double)NAN;
    }
    htmt__validation_clear(&v);
}

static bool moved(double from, double to)
{
    return fabs(to - from) > SAME * fabs(from);
}

static void note(char *keys, const char *key)
{
    size_t used = strlen(keys);
    snprintf(keys + used, KEYS_ROOM - used, "%s%s", used ? " " : "", key);
}

/* A key that moves a row, or with another figure of which it is not predicted. */
static void note_row(char *moving, char *unknown, const char *key, double from, double to)
{
    size_t length = strlen(key), end = strlen(unknown);
    bool known = end >= length && !strcmp(unknown + end - length, key);
    if (!isfinite(to) && !known)
        note(unknown, key);
    else if (isfinite(to) && moved(from, to))
        note(moving, key);
}

/* The figure by a factor. False: it is no number, or none that may be so. */
static bool change(const char *from, double factor, char *to, size_t room)
{
    char *unit;
    double x = strtod(from, &unit), y = x > 0 ? x * factor : 20;
    bool whole = x >= 1 && x < 1e6 && x == floor(x);
    if (unit == from || (whole && y < 1))
        return false;
    y = whole ? floor(y) : y;
    snprintf(to, room, "%.12g%s", y, unit);
    return true;
}

/* Half of it; where that cannot be, twice as much. A number of slices stays a square. */
static const double ways[] = {0.5, 2}, slices_ways[] = {0.25, 4};

/* What was not predicted the first way, the second way. */
static void fill_gaps(double *found, const double *other)
{
    for (size_t i = 0; i < ROWS; i++)
        if (!isfinite(found[i]))
            found[i] = other[i];
}

static bool has_gaps(const double *found)
{
    for (size_t i = 0; i < ROWS; i++)
        if (!isfinite(found[i]))
            return true;
    return false;
}

/* ---- machines ------------------------------------------------------------------------------- */

static void move_machine_key(struct state *s, const char *machine, const struct htmt_figure *f)
{
    char set[200], value[80];
    const double *way = strcmp(f->key, "slices") ? ways : slices_ways;
    const char *name = strchr(f->key, '.');
    double found[ROWS], other[ROWS];
    unsigned tried = 0;
    for (int k = 0; k < 2 && (!tried || has_gaps(found)); k++) {
        if (!change(f->value, way[k], value, sizeof value))
            continue;
        snprintf(set, sizeof set, "%s=%s", f->key, value);
        predict(s, machine, set, tried ? other : found);
        if (tried++)
            fill_gaps(found, other);
    }
    for (size_t i = 0; tried && i < ROWS; i++)
        if (!strcmp(s->some.table[0].row[i].machine, machine))
            note_row(s->machine[i], s->refused, name ? name + 1 : f->key, s->value[i], found[i]);
}

static void move_machine(struct state *s, const char *machine)
{
    struct htmt_machine *m = machine_load(machine, NULL);
    for (uint32_t i = 0; i < m->figure_count; i++)
        move_machine_key(s, machine, &m->figure[i]);
    htmt_machine_destroy(&m);
}

/* ---- cost files ----------------------------------------------------------------------------- */

/* The same file with another number at `at`. False: there is none such. */
static bool write_changed(const char *path, const char *text, const char *at, double factor)
{
    char changed[16384], from[80], value[80];
    size_t before = (size_t)(at - text), length = strcspn(at, ",");
    snprintf(from, sizeof from, "%.*s", (int)length, at);
    if (!change(from, factor, value, sizeof value))
        return false;
    int all = snprintf(changed, sizeof changed, "%.*s%s%s", (int)before, text, value, at + length);
    file_write(path, changed, (size_t)all);
    return true;
}

static void move_cost_key(struct state *s, const char *path, const char *text, const char *at,
                          const char *app, const char *key)
{
    double found[ROWS], other[ROWS];
    unsigned tried = 0;
    for (int k = 0; k < 2 && (!tried || has_gaps(found)); k++) {
        if (!write_changed(path, text, at, ways[k]))
            continue;
        predict(s, NULL, NULL, tried ? other : found);
        if (tried++)
            fill_gaps(found, other);
    }
    for (size_t i = 0; tried && i < ROWS; i++) {
        const struct htmt_app *by = NULL;
        htmt__paper_figure_find(htmt_apps, expected[i].row, &by);
        if (!strcmp(by->name, app))
            note_row(s->costs[i], s->refused, key, s->value[i], found[i]);
        else
            cr_expect_not(moved(s->value[i], found[i]), "%s of %s moves %s", key, app,
                          expected[i].row);
    }
}

/* "  group:" and below it "    key: {value: 3, source: ...}". */
static void move_costs(struct state *s, const char *folder, const char *app, const char *name)
{
    char path[100], source[100], group[60] = "", last[60], key[130];
    snprintf(source, sizeof source, "costs/%s.yaml", name);
    snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
    char *text = file_content(source, NULL);
    for (const char *line = strstr(text, "\ncosts:"); line; line = strchr(line + 1, '\n')) {
        bool is_key = strncmp(line, "\n    ", 5) == 0;
        if (!is_key)
            sscanf(line, "\n  %59[a-z-]:", group);
        if (!is_key || sscanf(line, "\n    %59[a-z-]: {value:", last) != 1)
            continue;
        snprintf(key, sizeof key, "%s.%s", group, last);
        move_cost_key(s, path, text, strstr(line, "value: ") + strlen("value: "), app, key);
    }
    file_write(path, text, strlen(text));
    free(text);
}

static void move_all_costs(struct state *s)
{
    static const char *const files[][2] = {{"cannon", "cannon-amaral"},
                                           {"sar", "sar-hereld"},
                                           {"pic", "pic-hereld"},
                                           {"volume", "volume-hereld"}};
    struct place p = place("");
    char path[100], *text;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        snprintf(path, sizeof path, "costs/%s.yaml", files[i][1]);
        text = file_content(path, NULL);
        snprintf(path, sizeof path, "%s.yaml", files[i][1]);
        place_put(&p, path, text);
        free(text);
    }
    setenv("HTMT_COSTS_PATH", p.folder, 1);
    for (size_t i = 0; i < COUNT_OF(files); i++)
        move_costs(s, p.folder, files[i][0], files[i][1]);
    place_remove(&p);
}

/* ---- all ------------------------------------------------------------------------------------ */

Test(sensitivity, a_prediction_moves_with_what_is_in_its_formula_and_with_nothing_else)
{
    static struct state s;
    choose_rows(&s);
    predict(&s, NULL, NULL, s.value);
    for (size_t i = 0; i < ROWS; i++)
        cr_assert(isfinite(s.value[i]), "%s", expected[i].row);
    move_machine(&s, "htmt-2007");
    move_machine(&s, "hereld-tables");
    move_all_costs(&s);
    for (size_t i = 0; i < ROWS; i++) {
        cr_expect_str_eq(s.machine[i], expected[i].machine, "%s moves with '%s'", expected[i].row,
                         s.machine[i]);
        cr_expect_str_eq(s.costs[i], expected[i].costs, "%s moves with costs '%s'", expected[i].row,
                         s.costs[i]);
    }
    cr_expect_str_eq(s.refused, refused, "refused '%s'", s.refused);
    drop_rows(&s);
}
