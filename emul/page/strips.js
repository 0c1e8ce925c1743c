// Heat strips: one a kind of resource over all slices; the slices of a group share a line.
import { belowTop } from "./layout.js";
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
 * The sums of `count` bins from `bin` on.
 * @param {Float64Array} values @param {number} bin @param {number} count
 */
function sum(values, bin, count) {
    let total = 0;
    for (let k = bin; k < bin + count; k++) {
        total += values[k];
    }
    return total;
}

/**
 * The slices of a group.
 * @param {Manifest} manifest @param {Strip} strip @param {number} group
 */
export function slicesOf(manifest, strip, group) {
    const edge = (/** @type {number} */ g) => Math.floor((g * manifest.played) / strip.groups);
    return { from: edge(group), to: Math.max(edge(group), edge(group + 1) - 1) };
}

/** @param {Page} page @param {Strip} strip @param {Band} band */
export function drawStrip(page, strip, band) {
    const { ctx, view, theme, manifest } = page;
    const height = belowTop(band) - band.y;
    const colours = shades(page, strip);
    const lanes = Math.max(1, manifest.rows[strip.row].lanes);
    const join = Math.max(1, Math.ceil(view.scale() / strip.bin));
    const offset = view.offset(0n);
    const first = Math.max(0, Math.floor(offset / strip.bin / join) * join);
    const lineHeight = height / strip.groups;
    const waits = manifest.rows[strip.row].kind === "memory";
    ctx.fillStyle = theme.panel;
    ctx.fillRect(0, band.y, view.width, height);
    for (let bin = first; bin < strip.bins && bin * strip.bin < offset + view.span; bin += join) {
        const count = Math.min(join, strip.bins - bin);
        const x = (bin * strip.bin - offset) / view.scale();
        const w = (count * strip.bin) / view.scale();
        for (let group = 0; group < strip.groups; group++) {
            const total = sum(waits ? strip.blocked : strip.busy, group * strip.bins + bin, count);
            const { from, to } = slicesOf(manifest, strip, group);
            const share = total / (count * strip.bin * lanes * (to - from + 1));
            if (total > 0) {
                ctx.fillStyle = colours[Math.max(1, Math.min(HEATS, Math.ceil(share * HEATS)))];
                ctx.fillRect(x, band.y + group * lineHeight, Math.max(1, w), lineHeight + 0.3);
            }
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
