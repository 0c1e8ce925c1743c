/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The room of a cell. A cell has room for the fullest one of the beginning, and for the mean and
 * four times its root, if that is more, but at least 8. In a lattice the planes of atoms fall
 * unevenly on cells: with planes 0.84 apart a cell 2.8 wide has three or four of them along each
 * axis. Which numbers occur along an axis says which cells there are, without a look at each.
 */
#include "apps/md/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 8  /* of a thin gas, too, whose atoms may meet in drops */
#define TYPES      16 /* of cells along an axis, by the planes that fall into them */

struct planes {
    uint32_t n[TYPES][2]; /* whole and half planes */
    unsigned types;
};

static struct planes planes_along(const struct htmt__md_plan *p, unsigned axis, double a,
                                  uint32_t cubes)
{
    struct planes found = {.types = 0};
    uint32_t at = 0, n[2] = {0, 0};
    for (uint64_t half = 0; half <= 2 * (uint64_t)cubes; half++) {
        double x = htmt__md_plane(a, half);
        const uint32_t cell =
            half < 2 * (uint64_t)cubes ? htmt__md_cell_along(p, axis, &x) : HTMT__MD_NO;
        if (cell != at) {
            unsigned t = 0;
            while (t < found.types && memcmp(found.n[t], n, sizeof n) != 0)
                t++;
            if (t == found.types && t < TYPES)
                memcpy(found.n[found.types++], n, sizeof n);
            n[0] = n[1] = 0;
            at = cell;
        }
        n[half % 2]++;
    }
    return found;
}

static uint64_t fullest_of_lattice(const struct htmt__md_plan *p, double a, const uint32_t cubes[3])
{
    struct planes of[3];
    uint64_t most = 0;
    for (unsigned axis = 0; axis < 3; axis++)
        of[axis] = planes_along(p, axis, a, cubes[axis]);
    for (unsigned i = 0; i < of[0].types * of[1].types * of[2].types; i++) {
        const uint32_t *x = of[0].n[i % of[0].types], *y = of[1].n[i / of[0].types % of[1].types],
                       *z = of[2].n[i / of[0].types / of[1].types];
        const uint64_t n = (uint64_t)x[0] * y[0] * z[0] + (uint64_t)x[0] * y[1] * z[1] +
                           (uint64_t)x[1] * y[0] * z[1] + (uint64_t)x[1] * y[1] * z[0];
        most = n > most ? n : most;
    }
    return most;
}

static int fullest_of_file(const struct htmt__md_plan *p, const struct htmt__md_atoms *atoms,
                           uint64_t *most)
{
    uint32_t *n = calloc(htmt__md_cells(p->cells), sizeof *n);
    if (!n)
        return HTMT_ENOMEM;
    for (uint64_t i = 0; i < atoms->count; i++) {
        uint64_t cell = 0;
        for (unsigned a = 3; a-- > 0;)
            cell = cell * p->cells[a] + htmt__md_cell_along(p, a, &atoms->x[3 * i + a]);
        *most = ++n[cell] > *most ? n[cell] : *most;
    }
    free(n);
    return 0;
}

int htmt__md_choose_room(struct htmt_task *task, struct htmt__md_plan *p, double a,
                         const uint32_t cubes[3], const struct htmt__md_atoms *atoms)
{
    const double mean = htmt__md_mean(p),
                 liquid = fmax(ceil(mean + 4 * sqrt(mean) + 2), ROOM_LEAST);
    uint64_t most = 0;
    int rc = atoms->count ? fullest_of_file(p, atoms, &most) : 0;
    if (rc)
        return htmt_task_refuse(
            task, rc, "no host memory for the cells of the box; a larger --skin makes fewer");
    if (!atoms->count)
        most = fullest_of_lattice(p, a, cubes);
    const uint64_t room = p->whole ? p->atoms : most < liquid ? (uint64_t)liquid : most;
    if (room > 1u << 20)
        return htmt_task_refuse(task, HTMT_ERANGE,
                                "--cut: found %" PRIu64 " atoms in a cell of %g, expected at most "
                                "2^20",
                                room, p->edge[0]);
    p->room = (uint32_t)room;
    return htmt_request_whole32(htmt_task_request(task), "room", (uint32_t)(most ? most : 1),
                                1u << 20, &p->room, htmt_task_fault(task));
}
