/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sizes of subcubes, bundles and lanes, by the rules in plan.h, and who owns what.
 *
 * Owners. A layer of subcubes across any axis should lie on as many slices as possible, since all
 * bundles pass through such a layer at about the same time. So subcubes are dealt in the order of
 * their numbers, but each row along x is shifted by one against the row before it, and each layer
 * along y against the layer below: on 4 slices, with 4 subcubes along x, the owners are
 *
 *     y = 0    0 1 2 3
 *     y = 1    1 2 3 0     a column along y has all four slices, too
 *     y = 2    2 3 0 1
 *
 * Bundles are dealt row by row of the image, each row shifted by the golden section (0.382) of a
 * round, so that no slice gets a whole column, where all tiles may be full or empty.
 */
#include "apps/volume/plan.h"

#include "apps/lib/chain.h"
#include "apps/volume/counts.h"

#include <inttypes.h>

#define LANES      16
#define SIDE_LEAST 8
/* Fewest bundles a slice, where pixels allow. */
#define BUNDLES 4

/* The edge of choice (docs/volume.md, sizes), and the most subcubes a slice for which it is kept.
 */
#define EDGE          24
#define SUBCUBES_MOST 4096

/* ---- layers --------------------------------------------------------------------------------- */

static int find_layers(const struct htmt_machine *m, struct htmt__volume_plan *p,
                       struct htmt_fault *fault)
{
    static const char who[] = "volume rendering";
    uint32_t across;
    int rc = htmt_chain_layers(m, who, &p->outer, &p->middle, &p->inner, fault);
    if (!rc)
        rc = htmt_chain_network(m, who, p->middle, p->inner, false, &p->up, fault);
    if (!rc)
        rc = htmt_chain_network(m, who, p->outer, p->middle, false, &p->down, fault);
    if (rc || p->slices == 1)
        return rc;
    /* The viewpoint goes from DRAM to DRAM. A subcube is requested, and arrives. */
    rc = htmt_chain_network(m, who, p->outer, p->outer, true, &across, fault);
    if (!rc)
        rc = htmt_chain_network(m, who, p->middle, p->outer, true, &across, fault);
    return rc ? rc : htmt_chain_network(m, who, p->outer, p->middle, true, &across, fault);
}

/* ---- subcubes ------------------------------------------------------------------------------- */

/* Words of a parcel whose subcube the border of the volume does not truncate. */
static uint64_t words_of(const struct htmt__volume_plan *p, uint32_t side)
{
    const struct htmt__volume_subcubes *s = &p->subcubes;
    struct htmt__volume_subcube c;
    for (int a = 0; a < 3; a++) {
        uint32_t edge = s->edge < s->dims[a] ? s->edge : s->dims[a];
        uint32_t cells = s->cells < edge - 1 ? s->cells : edge - 1;
        c.axis[a] = (struct htmt__volume_extent){.high = edge - 1, .end = cells};
    }
    return htmt__volume_inject_words(p, &c, (uint64_t)side * side);
}

static uint64_t room_a_parcel(const struct htmt_machine *m, const struct htmt__volume_plan *p)
{
    uint64_t room = htmt_machine_room(m, p->inner);
    uint64_t rest = room > p->table_words ? room - p->table_words : 0;
    return rest / (p->problem.double_buffer ? 2 : 1);
}

/* The subcubes of an edge, and the words of its parcels. */
static int try_edge(struct htmt__volume_plan *p, uint32_t edge, uint32_t side, uint64_t *words,
                    struct htmt_fault *fault)
{
    const struct htmt__volume_problem *o = &p->problem;
    int rc = htmt__volume_subcubes_plan(o->dims, edge, o->shaded, o->voxel, &p->subcubes, fault);
    if (!rc)
        *words = words_of(p, side ? side : edge);
    return rc;
}

static int refuse_words(const struct htmt_machine *m, const struct htmt__volume_plan *p,
                        uint32_t edge, uint64_t words, struct htmt_fault *fault)
{
    return htmt_fault_set(
        fault, HTMT_ECAPACITY,
        "%s of machine %s: a parcel of a subcube of %u voxels a side takes %" PRIu64
        " words, expected at most %" PRIu64 "%s: %" PRIu64 " words, less %" PRIu64
        " for the table of the transfer function",
        m->layer[p->inner].memory.name, m->name, edge, words, room_a_parcel(m, p),
        p->problem.double_buffer ? " for each of two" : "", htmt_machine_room(m, p->inner),
        p->table_words);
}

/* The edge that was asked for, or else the largest one whose parcel fits, by bisection, but no
 * larger than wanted: EDGE, or the edge with SUBCUBES_MOST subcubes a slice. */
static int plan_subcubes(const struct htmt_machine *m, struct htmt__volume_plan *p, uint32_t side,
                         struct htmt_fault *fault)
{
    const struct htmt__volume_problem *o = &p->problem;
    const uint32_t *dims = o->dims;
    htmt_uwide voxels = (htmt_uwide)dims[0] * dims[1] * dims[2];
    htmt_uwide share = voxels / ((uint64_t)SUBCUBES_MOST * p->slices);
    uint32_t low = htmt__volume_subcube_edge_least(o->shaded), wanted = EDGE;
    uint64_t words, room = room_a_parcel(m, p);
    int rc;
    if (o->edge) {
        rc = try_edge(p, o->edge, side, &words, fault);
        return !rc && words > room ? refuse_words(m, p, o->edge, words, fault) : rc;
    }
    while ((htmt_uwide)(wanted + 1) * (wanted + 1) * (wanted + 1) <= share)
        wanted++;
    uint32_t high = dims[0] > dims[1] ? dims[0] : dims[1];
    high = dims[2] > high ? dims[2] : high;
    high += 2 * (uint32_t)o->shaded;
    high = high < HTMT__EDGE_MOST ? high : HTMT__EDGE_MOST;
    high = high < wanted ? high : wanted;
    rc = try_edge(p, low, side, &words, NULL);
    if (!rc && words > room)
        return refuse_words(m, p, low, words, fault);
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        rc = try_edge(p, middle, side, &words, NULL);
        if (rc == HTMT_ERANGE || (!rc && words <= room))
            low = middle;
        else
            high = middle - 1;
    }
    rc = try_edge(p, low, side, &words, fault);
    return !rc && words > room ? refuse_words(m, p, low, words, fault) : rc;
}

/* ---- bundles -------------------------------------------------------------------------------- */

static int plan_bundles(struct htmt__volume_plan *p, uint32_t side, struct htmt_fault *fault)
{
    if (side > HTMT__SIDE_MOST)
        return htmt_fault_set(fault, HTMT_ERANGE, "--bundle: found %u, expected at most %u", side,
                              HTMT__SIDE_MOST);
    if (!side) {
        uint64_t pixels = (uint64_t)p->problem.width * p->problem.height;
        side = SIDE_LEAST;
        while (side < p->subcubes.edge && (side + 1ul) * (side + 1) * BUNDLES * p->slices <= pixels)
            side++;
    }
    p->tiling = (struct htmt__volume_tiling){p->problem.width, p->problem.height, side};
    p->bundles = htmt__volume_tiling_count(&p->tiling);
    p->parcel_words = words_of(p, side);
    return 0;
}

/* With fewer slices than the smallest bundles the rule chooses larger ones, at least BUNDLES a
 * slice. */
uint32_t htmt__volume_fed(const struct htmt__volume_problem *o, uint32_t most)
{
    uint32_t side = o->side ? o->side : SIDE_LEAST;
    const struct htmt__volume_tiling tiling = {o->width, o->height, side};
    uint32_t bundles = htmt__volume_tiling_count(&tiling);
    return bundles < most ? bundles : most;
}

/* A list of visits has at most as many entries as there are subcubes. The view determines the real
 * length. */
static int plan_lanes(const struct htmt_machine *m, struct htmt__volume_plan *p,
                      struct htmt_fault *fault)
{
    uint64_t rays = (uint64_t)p->tiling.side * p->tiling.side;
    uint64_t path = p->problem.rays_in_dram ? 0 : htmt__volume_path_words();
    uint64_t guests = p->slices > 1 ? 2 * htmt__volume_subcube_stride(&p->subcubes) / HTMT_WORD : 0;
    uint64_t room = htmt_machine_room(m, p->middle);
    uint64_t share = htmt_ceil_div(p->bundles, p->slices);
    p->lane_words = rays * (path + htmt__volume_state_words(p)) + guests;
    uint64_t most = room / (p->lane_words + 2 * p->parcel_words);
    uint64_t lanes = p->problem.lanes ? p->problem.lanes : share < LANES ? share : LANES;
    p->lanes = (uint32_t)(lanes < most ? lanes : most);
    p->middle_words = p->lanes * (p->lane_words + 2 * p->parcel_words);
    if (p->lanes)
        return 0;
    return htmt_fault_set(fault, HTMT_ECAPACITY,
                          "%s of machine %s: a bundle of %" PRIu64 " rays takes %" PRIu64
                          " words and two parcels %" PRIu64 ", expected at most %" PRIu64,
                          m->layer[p->middle].memory.name, m->name, rays, p->lane_words,
                          2 * p->parcel_words, room);
}

int htmt__volume_plan(const struct htmt_machine *m, const struct htmt__volume_problem *problem,
                      const struct htmt__volume_charges *charges, struct htmt__volume_plan *plan,
                      struct htmt_fault *fault)
{
    struct htmt__volume_plan p = {.problem = *problem, .charges = *charges, .slices = m->slices};
    uint32_t side = problem->side;
    p.voxel_bytes = problem->voxel_bytes   ? problem->voxel_bytes
                    : charges->voxel_bytes ? charges->voxel_bytes
                                           : problem->voxel;
    p.table_words = htmt_ceil_div(
        (uint64_t)problem->table_rows * 2 * (1 + problem->channels) * sizeof(float), HTMT_WORD);
    int rc = find_layers(m, &p, fault);
    if (!rc)
        rc = plan_subcubes(m, &p, side, fault);
    if (!rc)
        rc = plan_bundles(&p, side, fault);
    if (!rc)
        rc = plan_lanes(m, &p, fault);
    if (rc)
        return rc;
    /* The mean share of a slice in the stored voxels and the image. The lists of visits are
     * additional; the view determines them. */
    htmt_uwide voxels = (htmt_uwide)htmt__volume_subcubes_voxels(&p.subcubes) * p.voxel_bytes;
    htmt_uwide pixels = (htmt_uwide)problem->width * problem->height * problem->channels;
    htmt_uwide words = (voxels + pixels * sizeof(float)) / HTMT_WORD / p.slices;
    uint64_t room = htmt_machine_room(m, p.outer);
    if (words > room)
        return htmt_fault_set(fault, HTMT_ECAPACITY,
                              "%s of machine %s: the subcubes and the image of a slice take %.0Lf "
                              "words, expected at most %" PRIu64,
                              m->layer[p.outer].memory.name, m->name, (long double)words, room);
    p.fit = (htmt_machine_room(m, p.inner) - p.table_words) / p.parcel_words;
    p.inner_words = p.table_words + (p.problem.double_buffer ? 2 : 1) * p.parcel_words;
    *plan = p;
    return 0;
}

/* ---- dealing -------------------------------------------------------------------------------- */

struct htmt__volume_home htmt__volume_home(const struct htmt__volume_plan *p, uint32_t number)
{
    const uint32_t *count = p->subcubes.count;
    uint32_t x = number % count[0], y = number / count[0] % count[1];
    uint32_t z = number / count[0] / count[1];
    x = (x + y) % count[0];
    y = (y + z) % count[1];
    uint32_t dealt = x + count[0] * (y + count[1] * z);
    return (struct htmt__volume_home){dealt % p->slices, dealt / p->slices};
}

/* All subcubes of a row except those at its ends have the same size. */
void htmt__volume_count_words(const struct htmt__volume_plan *p, uint64_t *words)
{
    uint64_t one = 0;
    for (uint32_t n = 0, x = 0, row = p->subcubes.count[0]; n < p->subcubes.all; n++) {
        if (x < 2 || x + 1 == row) {
            struct htmt__volume_subcube c = htmt__volume_subcube_at(&p->subcubes, n);
            one = htmt__volume_voxel_words(p, &c);
        }
        words[htmt__volume_home(p, n).slice] += one;
        x = x + 1 < row ? x + 1 : 0;
    }
}

uint32_t htmt__volume_bundle_owner(const struct htmt__volume_plan *p, uint32_t bundle)
{
    uint64_t columns = htmt__volume_tiling_columns(&p->tiling), row = bundle / columns;
    uint64_t around = p->slices % columns ? p->slices : columns;
    uint64_t shift = (382 * around * around / p->slices + 500) / 1000;
    uint64_t slice = (bundle % columns + row * (shift ? shift : 1)) % around;
    return (uint32_t)(slice + around * (row % (p->slices / around)));
}
