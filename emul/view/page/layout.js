// Where everything stands on the canvas, from top to bottom, before it is scrolled.
import { grouped } from "./time.js";

export const MOST_LANES = 16;
const HEAD = 24;
const GAP = 5;
const FILL = 30;
const QUEUE = 11;
const SECTIONS = 18;

/** @param {number} lanes */
function laneHeight(lanes) {
    return lanes <= 2 ? 18 : lanes <= 6 ? 14 : 11;
}

/**
 * A memory for which nothing ever waits has no lanes, but its fill alone; sections have lanes where
 * something waits at a gate.
 * @param {Row} row @param {Pyramid | null} pyramid @param {number} index
 */
function lanesOf(row, pyramid, index) {
    const calm = row.kind === "memory" ? pyramid?.calm[index] : row.kind === "sections" && (pyramid?.empty[index] ?? true);
    return calm ? 0 : Math.min(MOST_LANES, Math.max(1, row.lanes));
}

/**
 * Height of what stands below the lanes: the fill of a memory, or a line if there ever is one.
 * @param {Row} row @param {Pyramid | null} pyramid @param {number} index
 */
function belowOf(row, pyramid, index) {
    const line = !pyramid || pyramid.most[index] > 0;
    return row.kind === "memory" ? FILL : row.kind !== "sections" && line ? QUEUE : 0;
}

/** @param {Row} row @param {number} slice @param {number} index @param {number} y @param {Pyramid | null} pyramid @param {boolean} sections are there any? @returns {Band} */
function rowBand(row, slice, index, y, pyramid, sections) {
    const lanes = lanesOf(row, pyramid, index);
    const above = row.kind === "sections" && sections ? SECTIONS : 0;
    const height = laneHeight(lanes);
    const deeper = lanes && row.lanes > MOST_LANES ? height : 0;
    const below = belowOf(row, pyramid, index);
    return {
        kind: "row", y, slice, row: index, lanes, above, laneHeight: height, below,
        height: above + lanes * height + deeper + below + GAP, text: row.name,
    };
}

/** @param {Band["kind"]} kind @param {number} y @param {number} height @param {number} slice @param {string} text @param {number} [row] @returns {Band} */
function plain(kind, y, height, slice, text, row = -1) {
    return { kind, y, height, slice, row, lanes: 0, above: 0, laneHeight: 0, below: 0, text };
}

/**
 * What distinguishes a slice: its load, and whether it ends first or last.
 * @param {Manifest} manifest @param {number} slice
 */
function rankText(manifest, slice) {
    const { ranks, by_load, pyramid, rows } = manifest;
    const entry = pyramid.find((e) => e.slice === slice);
    const names = [];
    if (entry && entry.load > 0) {
        const share = (100 * entry.load).toPrecision(3);
        const busiest = by_load.length > 1 && by_load[0] === slice ? "the busiest: " : "";
        const least = by_load.length > 1 && by_load[by_load.length - 1] === slice ? "the least busy: " : "";
        names.push(`${busiest || least}${rows[entry.row].name} ${share} %`);
    }
    if (ranks && ranks.slowest !== ranks.fastest && !ranks.together) {
        names.push(...(ranks.slowest === slice ? ["ends last"] : ranks.fastest === slice ? ["ends first"] : []));
    }
    if (ranks && ranks.together) {
        names.push("all end together");
    }
    return names.length ? ` (${names.join("; ")})` : "";
}

/**
 * @param {Manifest} manifest @param {number} slice @returns {string} "Slice 3", or "Host"
 */
export function nameOf(manifest, slice) {
    return slice === manifest.host ? "Host" : `Slice ${slice}`;
}

/** @param {Manifest} manifest @param {Strip[]} strips @param {boolean} byNumber */
function stripsTitle(manifest, strips, byNumber) {
    const count = manifest.by_load.length;
    const { groups, single } = strips[0];
    const order = count > groups ? `by load: ${single} alone, then up to ${grouped(Math.ceil((count - single) / (groups - single)))} a line` : byNumber ? "by number" : "by load, the busiest on top";
    const all = count === manifest.played && !manifest.recorded ? "All " : "";
    const host = manifest.host !== null && manifest.by_load.includes(manifest.host);
    return `${all}${grouped(count - (host ? 1 : 0))} slices${host ? " and the host" : ""} ${order}; the stronger the colour, the busier. Click a line to unfold its slice.`;
}

export class Layout {
    constructor() {
        /** @type {Band[]} */
        this.bands = [];
        this.height = 0;
    }

    /** @param {Band} band */
    add(band) {
        this.bands.push(band);
        this.height = band.y + band.height;
    }

    /**
     * @param {Manifest} manifest @param {Strip[]} strips @param {boolean} all even those rows where nothing is busy
     * @param {boolean} byNumber @param {Set<number>} tall rows whose lines are high
     */
    addStrips(manifest, strips, all, byNumber, tall) {
        const shown = strips.filter((strip) => all || strip.busy.some((sum) => sum > 0) || strip.most > 0);
        if (!shown.length) {
            return;
        }
        this.add(plain("title", this.height, HEAD, -1, stripsTitle(manifest, shown, byNumber)));
        for (const strip of shown) {
            const height = Math.max(16, tall.has(strip.row) ? 6 * strip.groups : Math.min(48, strip.groups)) + GAP;
            this.add(plain("strip", this.height, height, -1, manifest.rows[strip.row].name, strip.row));
        }
    }

    /** @param {Manifest} manifest @param {number} slice @param {Pyramid | null} pyramid @param {boolean} all */
    addSlice(manifest, slice, pyramid, all) {
        const sums = manifest.tiles.some((tile) => tile.slice === slice) ? "" : ": sums only, no single intervals in this page";
        this.add(plain("head", this.height, HEAD, slice, `${nameOf(manifest, slice)}${rankText(manifest, slice)}${sums}`));
        manifest.rows.forEach((row, index) => {
            const none = pyramid?.empty[index] && (row.kind !== "sections" || manifest.sections.length === 0);
            if (all || !none) {
                this.add(rowBand(row, slice, index, this.height, pyramid, manifest.sections.length > 0));
            }
        });
    }

    /**
     * The band at a height.
     * @param {number} y @returns {Band | null}
     */
    at(y) {
        return this.bands.find((band) => y >= band.y && y < band.y + band.height) ?? null;
    }

    /**
     * The row of a slice.
     * @param {number} slice @param {number | null} row @returns {Band | null}
     */
    rowOf(slice, row) {
        return this.bands.find((band) => band.kind === "row" && band.slice === slice && band.row === row) ?? null;
    }
}

/**
 * Top of a lane in its band; 16 is the line below the sixteen.
 * @param {Band} band @param {number} lane
 */
export function laneTop(band, lane) {
    return band.y + band.above + Math.min(lane, band.lanes) * band.laneHeight;
}

/**
 * Top of what stands below the lanes: the queue, or the fill of the memory.
 * @param {Band} band
 */
export function belowTop(band) {
    return band.y + band.height - GAP - band.below;
}
