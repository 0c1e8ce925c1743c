/* SPDX-License-Identifier: BSD-3-Clause */
#include "layers/machine/queues.h"

#include <stdio.h>
#include <string.h>

#define KEY_ROOM  sizeof((struct htmt_figure){0}.key)
#define ROOM_MOST (UINT64_C(1) << 30)

#define OF_QUEUE(member)                                                                           \
    .offset = offsetof(struct htmt__layer_queue, member), .size = sizeof(uint32_t)
#define OF_ALL(member)                                                                             \
    .offset = offsetof(struct htmt__layer_queues, member),                                         \
    .size = sizeof(((struct htmt__layer_queues *)NULL)->member)

static const char *const no_yes[] = {"false", "true", NULL};

static const struct htmt_schema_row queue_rows[] = {
    {"room", HTMT_UNIT_COUNT, OF_QUEUE(room), .above_least = true, .most = ROOM_MOST,
     .optional = true, .absent = UINT32_MAX},
    {"own", HTMT_UNIT_COUNT, OF_QUEUE(own), .most = ROOM_MOST, .optional = true},
    {.key = NULL}};

static const struct htmt_schema_row all_rows[] = {
    {"stage", HTMT_UNIT_TIME, OF_ALL(stage), .most = HTMT_TIME_MAX / 4, .optional = true},
    {"overlap", HTMT_SCHEMA_CHOICE, OF_ALL(overlap), .words = no_yes},
    {.key = NULL}};

#define OF_AGGREGATE(member)                                                                       \
    .offset = offsetof(struct htmt__layer_aggregate, member),                                      \
    .size = sizeof(((struct htmt__layer_aggregate *)NULL)->member)

const struct htmt_schema_row htmt__aggregate_rows[] = {
    {"bytes", HTMT_UNIT_BYTES, OF_AGGREGATE(bytes), .above_least = true,
     .most = HTMT__AGGREGATE_MOST},
    {"wait", HTMT_UNIT_TIME, OF_AGGREGATE(wait), .most = HTMT_TIME_MAX / 4},
    {.key = NULL}};

int htmt__queues_read(struct htmt__figures *figures, const struct htmt_yaml *node, const char *key,
                      const struct htmt_schema_row *rows, struct htmt_fault *fault)
{
    char under[KEY_ROOM];
    int rc = htmt_yaml_expect(node, HTMT_YAML_MAPPING, key, fault);
    (void)rows;
    for (const struct htmt_yaml *child = node->first; child && !rc; child = child->next) {
        rc = htmt__figures_key(child, key, child->key, under, fault);
        if (!rc && strlen(child->key) >= HTMT_NAME_MAX)
            rc = htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s:%d: %s: found '%.60s', expected a name of up to %d letters",
                                child->file, child->key_line, key, child->key, HTMT_NAME_MAX - 1);
        if (rc)
            break;
        if (strcmp(child->key, "stage") == 0)
            rc = htmt__figures_read(figures, child, under, fault);
        else if (strcmp(child->key, "overlap") == 0)
            rc = htmt__figures_read_plain(figures, child, under, fault);
        else
            rc = htmt__figures_walk(figures, child, under, queue_rows, fault);
    }
    return rc;
}

/* The queue's name if the figure is one of a queue below `prefix`, which ends with a dot. */
static bool queue_of(const struct htmt_figure *f, const char *prefix, char name[HTMT_NAME_MAX])
{
    const size_t length = strlen(prefix);
    const char *dot = strncmp(f->key, prefix, length) == 0 ? strchr(f->key + length, '.') : NULL;
    if (!dot || dot - f->key - (ptrdiff_t)length >= HTMT_NAME_MAX)
        return false;
    snprintf(name, HTMT_NAME_MAX, "%.*s", (int)(dot - f->key - (ptrdiff_t)length), f->key + length);
    return true;
}

/* It may begin with a prefix of that length, which ends with ".queues." or ".aggregate.": most
 * figures of a machine are told apart by two characters. */
static inline bool may_begin(const struct htmt_figure *f, size_t length, char first, size_t letters)
{
    return length < sizeof f->key && f->key[length - 1] == '.' &&
           f->key[length - 1 - letters] == first;
}

#define QUEUES    'q', 6
#define AGGREGATE 'a', 9

static int build_aggregate(struct htmt__builder *b, const char *processor)
{
    struct htmt__layer_aggregate built;
    char group[KEY_ROOM];
    bool any = false;
    snprintf(group, sizeof group, "%s.aggregate", processor);
    for (const struct htmt_schema_row *r = htmt__aggregate_rows; r->key; r++)
        any |= htmt__figures_find_under(b->from, group, r->key) != NULL;
    return any ? htmt__build_group(b, htmt__aggregate_rows, group, &built) : 0;
}

/* The figures of one queue follow each other; a file that is derived may tell them apart. */
int htmt__queues_build(struct htmt__builder *b, const char *processor)
{
    char group[KEY_ROOM], prefix[KEY_ROOM], queue[2 * KEY_ROOM], name[HTMT_NAME_MAX];
    struct htmt__layer_queues all = {.count = 0};
    const size_t length = strlen(processor) + strlen(".queues.");
    bool queues = false, aggregate = false;
    for (unsigned i = 0; i < b->from->count; i++) {
        queues |= may_begin(&b->from->at[i], length, QUEUES);
        aggregate |= may_begin(&b->from->at[i], length + 3, AGGREGATE);
    }
    int rc = aggregate ? build_aggregate(b, processor) : 0;
    if (rc || !queues) /* as in most machines, of which a study makes many */
        return rc;
    snprintf(group, sizeof group, "%s.queues", processor);
    snprintf(prefix, sizeof prefix, "%s.queues.", processor);
    for (unsigned i = 0; i < b->from->count && !rc; i++) {
        const struct htmt_figure *f = &b->from->at[i];
        uint32_t k = 0;
        if (!may_begin(f, length, QUEUES) || !queue_of(f, prefix, name))
            continue;
        while (k < all.count && strcmp(all.at[k].name, name) != 0)
            k++;
        if (k < all.count)
            continue;
        if (k == HTMT__QUEUES_MOST)
            return htmt__figure_refuse(f, HTMT_ERANGE, b->fault, "more than %u queues",
                                       HTMT__QUEUES_MOST);
        snprintf(all.at[all.count++].name, HTMT_NAME_MAX, "%s", name);
        snprintf(queue, sizeof queue, "%s%s", prefix, name);
        for (const struct htmt_schema_row *r = queue_rows; r->key && !rc; r++)
            if (htmt__figures_find_under(b->from, queue, r->key))
                rc = htmt__build_row(b, r, queue, &all.at[k]);
    }
    for (const struct htmt_schema_row *r = all_rows; r->key && !rc; r++)
        if (htmt__figures_find_under(b->from, group, r->key))
            rc = htmt__build_row(b, r, group, &all);
    return rc;
}

/* The figure was checked when the machine was built. */
static uint64_t number(const struct htmt_figure *f, const struct htmt_schema_row *row)
{
    struct htmt_quantity q;
    char why[200];
    if (!htmt__figure_modelled(f) || htmt_quantity_read(f->value, (enum htmt_dimension)row->kind,
                                                        row->noun, &q, why, sizeof why))
        return row->absent;
    return q.value.num / q.value.den;
}

struct htmt__layer_queues htmt__layer_queues(const struct htmt_machine *m, uint32_t layer)
{
    char prefix[KEY_ROOM], name[HTMT_NAME_MAX];
    struct htmt__layer_queues all = {.count = 0};
    const int written =
        snprintf(prefix, sizeof prefix, "layers.%s.processor.queues.", m->layer[layer].name);
    const size_t length = (size_t)written;
    for (uint32_t i = 0; i < m->figure_count; i++) {
        const struct htmt_figure *f = &m->figure[i];
        if (!may_begin(f, length, QUEUES) || strncmp(f->key, prefix, length) != 0)
            continue;
        const char *last = strrchr(f->key, '.');
        if (queue_of(f, prefix, name)) {
            if (!all.count || strcmp(all.at[all.count - 1].name, name) != 0) {
                all.at[all.count].room = UINT32_MAX;
                memcpy(all.at[all.count++].name, name, sizeof name);
            }
            struct htmt__layer_queue *q = &all.at[all.count - 1];
            if (strcmp(last, ".room") == 0)
                q->room = (uint32_t)number(f, &queue_rows[0]);
            else
                q->own = (uint32_t)number(f, &queue_rows[1]);
        } else if (strcmp(last, ".stage") == 0) {
            all.stage = (htmt_time)number(f, &all_rows[0]);
        } else {
            all.overlap = strcmp(f->value, "true") == 0;
        }
    }
    return all;
}

struct htmt__layer_aggregate htmt__layer_aggregate(const struct htmt_machine *m, uint32_t layer)
{
    char prefix[KEY_ROOM];
    struct htmt__layer_aggregate all = {.bytes = 0};
    const int length =
        snprintf(prefix, sizeof prefix, "layers.%s.processor.aggregate.", m->layer[layer].name);
    for (uint32_t i = 0; i < m->figure_count; i++) {
        const struct htmt_figure *f = &m->figure[i];
        if (strncmp(f->key, prefix, (size_t)length) != 0)
            continue;
        if (strcmp(f->key + length, "bytes") == 0)
            all.bytes = number(f, &htmt__aggregate_rows[0]);
        else
            all.wait = (htmt_time)number(f, &htmt__aggregate_rows[1]);
    }
    return all;
}
