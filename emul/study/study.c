/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Points are numbered case by case; within a case the last axis changes fastest, as the digits of a
 * number do. So the plan is no list: the value of an axis at a point is a digit of its number.
 */
#include "emul/study/study.h"

#include "runtime/base/array.h"

#include <stdlib.h>
#include <string.h>

const struct htmt__study_case *htmt__study_case_of(const struct htmt__study *s, uint64_t point)
{
    return &s->cases[s->variant ? s->variant[point].of_case : point / s->of_case];
}

static uint64_t digit(const struct htmt__study *s, uint64_t point, unsigned axis)
{
    uint64_t rest = point % s->of_case;
    for (unsigned i = s->axis_count; i-- > axis + 1;)
        rest /= s->axis[i].count;
    return rest % s->axis[axis].count;
}

double htmt__study_number(const struct htmt__study *s, uint64_t point, unsigned axis)
{
    return s->samples ? s->factor[point % s->of_case * s->axis_count + axis]
                      : s->axis[axis].number[digit(s, point, axis)];
}

const char *htmt__study_value(const struct htmt__study *s, uint64_t point, unsigned axis,
                              char *room, size_t bytes)
{
    if (!s->samples)
        return s->axis[axis].text[digit(s, point, axis)];
    snprintf(room, bytes, "%.12gx", htmt__study_number(s, point, axis));
    return room;
}

int htmt__study_axis(struct htmt__study *s, struct htmt__axis *axis, struct htmt_fault *fault)
{
    int rc = s->axis_count == HTMT__STUDY_AXES ? HTMT_EUSAGE : 0;
    if (!rc && htmt__array_fits(&s->axis, &s->axis_room, s->axis_count + 1u, sizeof *s->axis)) {
        s->axis[s->axis_count++] = *axis;
        return 0;
    }
    rc = rc ? rc : HTMT_ENOMEM;
    htmt__axis_fini(axis);
    return htmt_fault_set(fault, rc,
                          rc == HTMT_EUSAGE ? "more than %u axes" : "no memory for %u axes",
                          HTMT__STUDY_AXES);
}

void htmt__study_fini(struct htmt__study *s)
{
    for (unsigned i = 0; i < s->case_count; i++) {
        for (unsigned k = 0; k < s->cases[i].bases; k++) {
            htmt__machine_base_destroy(&s->cases[i].base[k].base);
            free(s->cases[i].base[k].name);
        }
        free(s->cases[i].base);
        if (s->cases[i].words)
            free(s->cases[i].argv);
        free(s->cases[i].words);
    }
    for (unsigned i = 0; i < s->axis_count; i++)
        htmt__axis_fini(&s->axis[i]);
    free(s->cases);
    free(s->axis);
    free(s->factor);
    *s = (struct htmt__study){.points = 0};
}
