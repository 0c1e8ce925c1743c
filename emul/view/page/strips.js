// Heat strips: one a kind of resource over all slices; the slices of a group share a line.
import { belowTop } from "./layout.js";
import { colourOf } from "./levels.js";
import { serversOf } from "./model.js";
import { faded } from "./paint.js";
import { KEPT } from "./store.js";

const HEATS = 24;

/** @param {Page} page @param {Strip} strip @returns {string[]} */
function shades(page, strip) {
    const colour = colourOf(page.manifest.rows[strip.row], page.theme.palette);
    return Array.from({ length: HEATS + 1 }, (_, k) => faded(colour, 0.15 + (0.85 * k) / HEATS));
}

/**
 * The slices of a group, the busiest first.
 * @param {Manifest} manifest @param {Strip} strip @param {number} group @returns {number[]}
 */
export function slicesOf(manifest, strip, group) {
    const { groups, single } = strip;
    const edge = (/** @type {number} */ g) => (g <= single ? g : single + Math.ceil(((g - single) * (manifest.by_load.length - single)) / (groups - single)));
    return manifest.by_load.slice(edge(group), edge(group + 1));
}

/**
 * Groups from top to bottom: by load, or by number where each group is one slice.
 * @param {Page} page @param {Strip} strip @returns {number[]}
 */
export function groupsOf(page, strip) {
    const groups = Array.from({ length: strip.groups }, (_, g) => g);
    const { by_load } = page.manifest;
    return page.byNumber && by_load.length === strip.groups ? groups.sort((a, b) => by_load[a] - by_load[b]) : groups;
}

/**
 * What part of its time a row is in use, of the time inside its services: 1, or less where threads share it.
 * @param {Manifest} manifest @param {number} row
 */
export function issueOf(manifest, row) {
    const { resource } = manifest.rows[row];
    return resource === null ? 1 : manifest.resources[resource].issue;
}

/**
 * Busy shares of a group of a strip.
 * @param {Page} page @param {Strip} strip @param {number} group @returns {Float64Array}
 */
function sharesOf(page, strip, group) {
    const { kind } = page.manifest.rows[strip.row];
    const waits = kind === "memory" || kind === "sections";
    const slices = slicesOf(page.manifest, strip, group).length;
    const full = (strip.bin * serversOf(page.manifest, strip.row) * slices) / issueOf(page.manifest, strip.row);
    return new Float64Array(strip.bins).map((_, bin) => {
        const k = group * strip.bins + bin;
        return (waits ? strip.blocked[k] + strip.waiting[k] : strip.busy[k]) / full;
    });
}

/**
 * A strip as an image, one pixel a group and bin.
 * @param {Page} page @param {Strip} strip @returns {HTMLCanvasElement}
 */
function imageOf(page, strip) {
    const image = document.createElement("canvas");
    [image.width, image.height] = [strip.bins, strip.groups];
    const ctx = /** @type {CanvasRenderingContext2D} */ (image.getContext("2d"));
    const colours = shades(page, strip);
    groupsOf(page, strip).forEach((group, line) => {
        sharesOf(page, strip, group).forEach((share, bin) => {
            if (share > 0) {
                ctx.fillStyle = colours[shadeOf(share)];
                ctx.fillRect(bin, line, 1, 1);
            }
        });
    });
    return image;
}

/** @param {number} share above 0 */
function shadeOf(share) {
    return Math.max(1, Math.min(HEATS, Math.ceil(share * HEATS)));
}

/** Bins of a strip that are wider than so many pixels give way to single intervals, for so many of these. */
const COARSE = 3;
const MOST_REFINED = 0.2 * KEPT; /* slices that are unfolded take at most the rest of what is kept decoded */

/**
 * Time that the intervals of a row are under way in each pixel.
 * @param {Page} page @param {Tile} tile @param {number} row @param {Float64Array} sums
 */
function addRow(page, tile, row, sums) {
    const { view } = page;
    const origin = view.offset(tile.place.from);
    const scale = view.scale();
    for (const lane of tile.lanes.filter((l) => l.row === row)) {
        for (const i of lane.list) {
            const from = Math.max(0, (tile.begin[i] - origin) / scale);
            const to = Math.min(sums.length, (tile.end[i] - origin) / scale);
            for (let px = Math.floor(from); px < to; px++) {
                sums[px] += Math.min(to, px + 1) - Math.max(from, px);
            }
        }
    }
}

/**
 * Tiles in view of the slices that are drawn from single intervals: the busiest, as many as there is room for.
 * @param {Page} page @returns {Map<number, Place[]>}
 */
function refined(page) {
    const { manifest } = page;
    /** @type {Map<number, Place[]>} */
    const places = new Map();
    let count = 0;
    for (const slice of manifest.full ? manifest.by_load : []) {
        const near = page.placesInView(slice);
        count += near.reduce((sum, place) => sum + place.count, 0);
        if (count > MOST_REFINED) {
            break;
        }
        places.set(slice, near);
    }
    return places;
}

/** The images, for as long as the colours stay the same. */
export class Strips {
    /** @param {Page} page */
    constructor(page) {
        this.page = page;
        /** @type {Theme | null} */
        this.theme = null;
        this.byNumber = false;
        /** @type {Map<number, HTMLCanvasElement>} */
        this.images = new Map();
    }

    /** @param {Strip} strip */
    image(strip) {
        if (this.theme !== this.page.theme || this.byNumber !== this.page.byNumber) {
            this.theme = this.page.theme;
            this.byNumber = this.page.byNumber;
            this.images.clear();
        }
        const image = this.images.get(strip.row) ?? imageOf(this.page, strip);
        this.images.set(strip.row, image);
        return image;
    }

    /** @param {Strip} strip @param {Band} band */
    draw(strip, band) {
        const { ctx, view, theme } = this.page;
        const height = belowTop(band) - band.y;
        ctx.fillStyle = theme.panel;
        ctx.fillRect(0, band.y, view.width, height);
        const first = Math.max(0, Math.floor(view.offset(0n) / strip.bin));
        const last = Math.min(strip.bins, Math.ceil((view.offset(0n) + view.span) / strip.bin));
        const x = (first * strip.bin - view.offset(0n)) / view.scale();
        const width = ((last - first) * strip.bin) / view.scale();
        ctx.imageSmoothingEnabled = strip.bin < view.scale();
        if (last > first) {
            ctx.drawImage(this.image(strip), first, 0, last - first, strip.groups, x, band.y, width, height);
        }
        if (strip.bin > COARSE * view.scale()) {
            const places = refined(this.page);
            const each = height / strip.groups;
            groupsOf(this.page, strip).forEach((group, line) => this.drawExact(strip, group, places, band.y + line * each, each));
        }
    }

    /**
     * A line of a strip from single intervals: as fine as the pixels, once these are decoded.
     * @param {Strip} strip @param {number} group @param {Map<number, Place[]>} places @param {number} y @param {number} height
     */
    drawExact(strip, group, places, y, height) {
        const { page } = this;
        const { ctx, view, store, manifest, theme } = page;
        const slices = slicesOf(manifest, strip, group);
        const near = slices.flatMap((slice) => places.get(slice) ?? []);
        const missing = near.filter((place) => !store.tiles.has(place.index));
        missing.forEach((place) => void store.load(place));
        if (missing.length || !slices.every((slice) => places.has(slice))) {
            return;
        }
        const colours = shades(page, strip);
        const sums = new Float64Array(Math.ceil(view.width));
        for (const place of near) {
            const tile = store.tile(place);
            tile && addRow(page, tile, strip.row, sums);
        }
        const full = (serversOf(manifest, strip.row) * slices.length) / issueOf(manifest, strip.row);
        const shade = (/** @type {number} */ k) => (sums[k] > 0 ? shadeOf(sums[k] / full) : 0);
        ctx.fillStyle = theme.panel;
        ctx.fillRect(0, y, view.width, height);
        for (let px = 1, from = 0; px <= sums.length; px++) {
            if (px === sums.length || shade(px) !== shade(from)) {
                if (shade(from)) {
                    ctx.fillStyle = colours[shade(from)];
                    ctx.fillRect(from, y, px - from, height);
                }
                from = px;
            }
        }
    }
}

/**
 * The slices at a height of a strip.
 * @param {Page} page @param {Strip} strip @param {Band} band @param {number} y @returns {number[]}
 */
export function slicesAt(page, strip, band, y) {
    const height = belowTop(band) - band.y;
    const line = Math.max(0, Math.min(strip.groups - 1, Math.floor(((y - band.y) * strip.groups) / height)));
    return slicesOf(page.manifest, strip, groupsOf(page, strip)[line]);
}
