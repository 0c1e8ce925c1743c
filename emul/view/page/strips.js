// Heat strips: one a kind of resource over all slices; the slices of a group share a line.
import { belowTop } from "./layout.js";
import { colourOf } from "./levels.js";
import { serversOf } from "./model.js";
import { faded } from "./paint.js";

const HEATS = 24;

/** @param {Page} page @param {Strip} strip @returns {string[]} */
function shades(page, strip) {
    const colour = colourOf(page.manifest.rows[strip.row], page.theme.palette);
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
 * Lines of a strip: of more groups, two share a line.
 * @param {Strip} strip
 */
export function linesOf(strip) {
    return strip.groups > 32 ? Math.ceil(strip.groups / 2) : strip.groups;
}

/**
 * Busy shares of a line of a strip.
 * @param {Page} page @param {Strip} strip @param {number} line @returns {Float64Array}
 */
function sharesOf(page, strip, line) {
    const { kind } = page.manifest.rows[strip.row];
    const each = strip.groups > 32 ? 2 : 1;
    const shares = new Float64Array(strip.bins);
    let slices = 0;
    for (let group = line * each; group < Math.min(strip.groups, (line + 1) * each); group++) {
        const { from, to } = slicesOf(page.manifest, strip, group);
        slices += to - from + 1;
        for (let bin = 0; bin < strip.bins; bin++) {
            const k = group * strip.bins + bin;
            shares[bin] += kind === "memory" || kind === "sections" ? strip.blocked[k] + strip.waiting[k] : strip.busy[k];
        }
    }
    const full = strip.bin * serversOf(page.manifest, strip.row) * slices;
    return shares.map((sum) => sum / full);
}

/**
 * A strip as an image, one pixel a line and bin.
 * @param {Page} page @param {Strip} strip @returns {HTMLCanvasElement}
 */
function imageOf(page, strip) {
    const image = document.createElement("canvas");
    [image.width, image.height] = [strip.bins, linesOf(strip)];
    const ctx = /** @type {CanvasRenderingContext2D} */ (image.getContext("2d"));
    const colours = shades(page, strip);
    for (let line = 0; line < image.height; line++) {
        sharesOf(page, strip, line).forEach((share, bin) => {
            if (share > 0) {
                ctx.fillStyle = colours[Math.max(1, Math.min(HEATS, Math.ceil(share * HEATS)))];
                ctx.fillRect(bin, line, 1, 1);
            }
        });
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
            ctx.drawImage(this.image(strip), first, 0, last - first, linesOf(strip), x, band.y, width, height);
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
