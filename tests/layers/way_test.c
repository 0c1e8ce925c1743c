/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What closed forms ask of the inside of a network.
 */
#include "layers/machine/way.h"
#include "tests/layers/machines.h"

#include <criterion/criterion.h>

#include <string.h>

Test(way, a_mesh_is_crossed_along_its_links)
{
    struct htmt_machine *m = machine_load("gcel", NULL);
    uint32_t channel[20];
    /* from (0, 0) to (1, 1): injection, two links, ejection */
    cr_assert_eq(htmt_machine_way(m, 0, 0, 9, NULL, channel, 20), 4);
    for (unsigned i = 0; i < 4; i++) {
        cr_assert_lt(channel[i], htmt_machine_channels(m, 0));
        cr_assert_geq(htmt_machine_channel_time(m, 0, channel[i], 16), 0);
    }
    cr_assert_eq(htmt_machine_way(m, 0, 3, 3, NULL, channel, 20), 0);
    cr_assert_eq(htmt_machine_planes(m, 0), 1);
    htmt_machine_destroy(&m);
}

Test(way, a_message_alone_takes_longer_the_farther_it_goes)
{
    struct htmt_machine *m = machine_load("gcel", NULL);
    cr_assert_lt(htmt_machine_alone(m, 0, 0, 1, 120), htmt_machine_alone(m, 0, 0, 2, 120));
    cr_assert_lt(htmt_machine_alone(m, 0, 0, 1, 120), htmt_machine_alone(m, 0, 0, 1, 121));
    htmt_machine_destroy(&m);
}

Test(way, without_ports_inside_there_is_the_latency_alone)
{
    struct htmt_machine *m = machine_load("small-htmt", NULL);
    uint32_t vortex = (uint32_t)htmt_machine_network(m, "vortex");
    cr_assert_eq(htmt_machine_channels(m, vortex), 0);
    cr_assert_eq(htmt_machine_planes(m, vortex), 1);
    cr_assert_eq(htmt_machine_way(m, vortex, 0, 1, NULL, NULL, 0), 0);
    cr_assert_eq(htmt_machine_alone(m, vortex, 0, 1, 8), htmt_machine_crossing(m, vortex, 1));
    cr_assert_eq(htmt_machine_channel_time(m, vortex, 0, 8), -1);
    htmt_machine_destroy(&m);
}

Test(way, a_route_leads_to_its_target_or_the_line_says_where)
{
    struct htmt_machine *m = machine_load("hpsc-simple", NULL);
    struct htmt_fault fault = {0};
    cr_assert_eq(htmt_machine_route_check(m, 0, 0, 5, (uint16_t[]){2, 3, 3}, 3, &fault), 0, "%s",
                 fault.text);
    cr_assert_neq(htmt_machine_route_check(m, 0, 0, 5, (uint16_t[]){2, 2}, 2, &fault), 0);
    cr_assert_gt(strlen(fault.text), 0);
    cr_assert_eq(htmt_machine_way(m, 0, 0, 5, (uint16_t[]){2, 3, 3}, NULL, 0), 4);
    cr_assert_eq(htmt_machine_route_check(m, 7, 0, 5, (uint16_t[]){2}, 1, NULL), HTMT_EINVAL);
    htmt_machine_destroy(&m);
}
