// Heat strips: one a kind of resource over all slices; the slices of a group share a line.
import { belowTop } from "./layout.js";
import { serversOf } from "./model.js";
import { faded } from "./paint.js";

const HEATS = 24;

/** @param {Page} page @param {Strip} strip @returns {string[]} */
function shades(page, strip) {
    const kind = page.manifest.rows[strip.row].kind;
    const { palette } = page.theme;
    const colour = kind === "bank" ? palette.compute : kind === "memory" ? palette.blocked : palette.transfer;
    return Array.from({ length: HEATS + 1 }, (_, k) => faded(colour, 0.15 + (0.85 * k) / HEATS));
}

/**
 * The slices of a group.
 * @param {Manifest} manifest @param {Strip} strip @param {number} group
 */
export function slicesOf(manifest, strip, group) {
    const edge = (/** @type {number} */ g) => (g < strip.groups ? manifest.groups?.[g] : undefined) ?? Math.ceil((g * manifest.played) / strip.groups);
    return { from: edge(group), to: Math.max(edge(group), edge(group + 1) - 1) };
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
    const { kind } = page.manifest.rows[strip.row];
    const full = strip.bin * serversOf(page.manifest, strip.row);
    const waits = kind === "memory" || kind === "sections";
    const sums = waits ? strip.blocked.map((sum, k) => sum + strip.waiting[k]) : strip.busy;
    for (let k = 0; k < sums.length; k++) {
        const group = Math.floor(k / strip.bins);
        const { from, to } = slicesOf(page.manifest, strip, group);
        const share = sums[k] / (full * (to - from + 1));
        if (sums[k] > 0) {
            ctx.fillStyle = colours[Math.max(1, Math.min(HEATS, Math.ceil(share * HEATS)))];
            ctx.fillRect(k % strip.bins, group, 1, 1);
        }
    }
    return image;
}

/** The images, for as long as the colours stay the same. */
export class Strips {
    /** @param {Page} page */
    constructor(page) {
        this.page = page;
        /** @type {Theme | null} */
        this.theme = null;
        /** @type {Map<number, HTMLCanvasElement>} */
        this.images = new Map();
    }

    /** @param {Strip} strip */
    image(strip) {
        if (this.theme !== this.page.theme) {
            this.theme = this.page.theme;
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
    }
}

/**
 * The group at a height of a strip.
 * @param {Strip} strip @param {Band} band @param {number} y
 */
export function groupAt(strip, band, y) {
    const height = belowTop(band) - band.y;
    return Math.max(0, Math.min(strip.groups - 1, Math.floor(((y - band.y) * strip.groups) / height)));
}
