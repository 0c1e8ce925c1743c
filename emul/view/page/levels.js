// Rows from the pyramid: shares of the lanes that are busy or blocked in each bin, as an area over
// time. Sums of bins are exact, so even the shortest interval leaves a pixel.
import { belowTop, laneTop } from "./layout.js";
import { serversOf } from "./model.js";
import { faded } from "./paint.js";
import { issueOf } from "./strips.js";

/**
 * The finest level whose bins are a pixel wide.
 * @param {Pyramid} pyramid @param {number} scale femtoseconds a pixel
 */
function levelFor(pyramid, scale) {
    return pyramid.levels.find((level) => level.bin >= scale) ?? pyramid.levels[pyramid.levels.length - 1];
}

/**
 * Memories and gates have waits alone.
 * @param {Row} row @param {Palette} palette
 */
export function colourOf(row, palette) {
    return row.kind === "bank" ? palette.compute : row.kind === "memory" || row.kind === "sections" ? palette.blocked : palette.transfer;
}

/**
 * Call `draw` with each bin in view: its index in the level, left edge and width in pixels.
 * @param {Pyramid} pyramid @param {Level} level @param {View} view @param {number} row
 * @param {(at: number, x: number, w: number) => void} draw
 */
function eachBin(pyramid, level, view, row, draw) {
    const offset = view.offset(pyramid.from);
    const first = Math.max(0, Math.floor(offset / level.bin));
    const last = Math.min(level.bins - 1, Math.floor((offset + view.span) / level.bin));
    for (let bin = first; bin <= last; bin++) {
        const x = Math.floor((bin * level.bin - offset) / view.scale());
        const next = Math.floor(((bin + 1) * level.bin - offset) / view.scale());
        draw(row * level.bins + bin, x, Math.max(1, next - x));
    }
}

/** @param {Bars} bars @param {Manifest} manifest @param {Pyramid} pyramid @param {Band} band */
export function drawLevels(bars, manifest, pyramid, band) {
    const { view, theme } = bars.tools();
    const level = levelFor(pyramid, view.scale());
    const row = manifest.rows[band.row];
    const waits = row.kind === "memory" || row.kind === "sections";
    const colour = colourOf(row, theme.palette);
    const height = belowTop(band) - band.y - band.above - 1;
    const top = band.y + band.above;
    const full = (level.bin * serversOf(manifest, band.row)) / issueOf(manifest, band.row);
    const least = (/** @type {number} */ sum) => Math.ceil(Math.min(1, sum / full) * height);
    eachBin(pyramid, level, view, band.row, (at, x, w) => {
        const busy = least(level.busy[at]);
        const blocked = waits ? least(level.blocked[at] + level.waiting[at]) : 0;
        busy && bars.rect(colour, x, top + height - busy, w, busy);
        busy && bars.rect(theme.outline, x, top + height - Math.max(2, busy), w, 1);
        blocked && bars.rect(bars.pattern(true), x, top + height - Math.min(height, busy + blocked), w, Math.min(height, blocked));
        belowLevels(bars, pyramid, level, at, x, w, band);
    });
}

/**
 * What stands below the lanes.
 * @param {Bars} bars
 * @param {Pyramid} pyramid
 * @param {Level} level
 * @param {number} at
 * @param {number} x
 * @param {number} w
 * @param {Band} band
 */
function belowLevels(bars, pyramid, level, at, x, w, band) {
    const { theme } = bars.tools();
    const foot = belowTop(band) + band.below;
    const { kind } = bars.manifest.rows[band.row];
    const memory = kind === "memory";
    const waiting = memory || kind === "sections" ? 0 : level.waiting[at] + level.blocked[at];
    if (waiting > 0) {
        const h = Math.max(1, Math.min(1, waiting / level.bin / pyramid.most[band.row]) * band.below);
        drawLine(bars, x, foot - h, w, h);
    }
    const layer = memory ? bars.manifest.rows[band.row].layer : null;
    if (layer !== null) {
        const capacity = bars.top(layer, pyramid.fullest[band.row]);
        const h = Math.min(1, level.greatest[at] / capacity) * (band.below - 2);
        bars.rect(faded(theme.outline, 0.55), x, foot - h, w, h);
        bars.level(level.least[at] / capacity, x, w, band);
    }
}

/** @param {Bars} bars @param {number} x @param {number} y @param {number} w @param {number} h */
function drawLine(bars, x, y, w, h) {
    bars.rect(bars.pattern(false), x, y, w, h);
    bars.rect(bars.tools().theme.faint, x, y, w, 1);
}

/**
 * A queue over the pixels of the canvas.
 * @param {Bars} bars @param {Band} band @param {Float64Array} sums @param {number} most
 */
export function drawQueue(bars, band, sums, most) {
    const foot = belowTop(band) + band.below;
    const height = (/** @type {number} */ mean) => (mean > 0 ? Math.max(1, Math.round(2 * Math.min(1, mean / most) * band.below) / 2) : 0);
    for (let px = 0; px < sums.length;) {
        const h = height(sums[px]);
        const from = px;
        while (px < sums.length && height(sums[px]) === h) {
            px++;
        }
        h && drawLine(bars, from, foot - h, px - from, h);
    }
}

/**
 * How many lie deeper than sixteen lanes, the darker the more.
 * @param {Bars} bars @param {Band} band @param {Float64Array} sums
 */
export function drawDepth(bars, band, sums) {
    const { ctx, theme } = bars.tools();
    const y = laneTop(band, band.lanes);
    const deeper = bars.manifest.rows[band.row].lanes - band.lanes;
    sums.forEach((mean, px) => {
        if (mean > 0) {
            ctx.globalAlpha = 0.25 + 0.75 * Math.min(1, mean / deeper);
            bars.rect(colourOf(bars.manifest.rows[band.row], theme.palette), px, y, 1, band.laneHeight - 1);
            ctx.globalAlpha = 1;
            bars.rect(theme.outline, px, y + band.laneHeight - 2, 1, 1);
        }
    });
}
