/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/report/charts.h"

#include "emul/lib/report/document.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In a second the SPELL does 900 flop and 500 loads in Push, 700 loads and 100 flop in Sort: 1,000
 * flop and 1,200 loads, though most of the flop are those of the phase with most operations. The
 * link brings 200 words to Push and 50 to Sort. */
static char *chart(bool with_classes)
{
    struct htmt__stage phase[] = {
        {.type = "Push", .stage = "execute", .resource = "SPELL", .quantity = 900, .unit = "flop"},
        {.type = "Sort", .stage = "execute", .resource = "SPELL", .quantity = 700, .unit = "loads"},
        {.type = "Push", .stage = "inject", .resource = "rti", .quantity = 200, .unit = "words"},
        {.type = "Sort", .stage = "inject", .resource = "rti", .quantity = 50, .unit = "words"}};
    struct htmt__resource resource[] = {
        {.name = "SPELL", .kind = "bank", .layer_name = "cram", .count = 1, .served = 2},
        {.name = "rti", .kind = "link in", .layer_name = "cram", .served = 2, .words = 250}};
    struct htmt__document d = {.results = {.predicted = HTMT_SECOND,
                                           .phase_count = 4,
                                           .phase = phase,
                                           .resource_count = 2,
                                           .resource = resource}};
    char *text = NULL;
    size_t length;
    resource[0].peak.of_class[HTMT_LOAD] = resource[0].peak.of_class[HTMT_FLOP] = 1e4;
    resource[1].peak.words = 1e3;
    if (with_classes) {
        phase[0].classes.of[HTMT_FLOP] = 900;
        phase[0].classes.of[HTMT_LOAD] = 500;
        phase[1].classes.of[HTMT_LOAD] = 700;
        phase[1].classes.of[HTMT_FLOP] = 100;
    }
    FILE *out = open_memstream(&text, &length);
    cr_assert(out && !htmt__chart_rooflines(&d, out));
    fclose(out);
    return text;
}

Test(roofline, operations_of_a_class_count_whichever_class_leads_their_phase)
{
    char *text = chart(true);
    cr_expect(strstr(text, "<h3>SPELL: loads</h3>"), "%s", text);
    cr_expect(strstr(text, "data-y=\"1200\""), "%s", text);
    cr_expect(strstr(text, "data-y=\"500\""), "the loads of Push: %s", text);
    cr_expect(strstr(text, "data-y=\"700\""), "the loads of Sort: %s", text);
    free(text);
}

Test(roofline, a_file_without_classes_has_the_class_that_leads_each_phase)
{
    char *text = chart(false);
    cr_expect(strstr(text, "<h3>SPELL: flop</h3>"), "%s", text);
    cr_expect(strstr(text, "data-y=\"900\""), "%s", text);
    free(text);
}
