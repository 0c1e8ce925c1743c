// The axis of virtual time, the names of the rows, and the sections.
import { axisTicks, decimal, exactTime, grouped, unitOf } from "./time.js";
import { BOLD, fitted, FONT, textWidth } from "./paint.js";

export const AXIS = 30;

/** @param {Page} page @param {number} height down to which the grid goes */
export function drawAxis(page, height) {
    const { ctx, view, theme } = page;
    const { origin, ticks } = axisTicks(view.from, view.to(), view.width / 110);
    ctx.fillStyle = theme.panel;
    ctx.fillRect(-page.gutter, 0, page.width, AXIS);
    ctx.font = FONT;
    ctx.textBaseline = "middle";
    let free = 0;
    for (const tick of ticks) {
        const x = Math.round(view.x(tick.at));
        if (x >= 0 && x < view.width) {
            ctx.fillStyle = theme.grid;
            ctx.fillRect(x, AXIS - 8, 1, height - AXIS + 8);
            free = tickText(page, tick.text, x, free);
        }
    }
    axisName(page, origin);
}

/**
 * The time of a tick at its right, or at its left where the canvas ends.
 * @param {Page} page @param {string} text @param {number} x @param {number} free pixel from which there is no other text
 * @returns {number} pixel behind the text
 */
function tickText(page, text, x, free) {
    const { ctx, view, theme } = page;
    const width = textWidth(ctx, text);
    const left = x + 4 + width <= view.width ? x + 4 : x - 4 - width;
    if (left < free) {
        return free;
    }
    ctx.fillStyle = theme.text;
    ctx.fillText(text, left, AXIS / 2 - 1);
    return left + width;
}

/** @param {Page} page @param {bigint | null} origin */
function axisName(page, origin) {
    const { ctx, theme } = page;
    ctx.fillStyle = theme.panel;
    ctx.fillRect(-page.gutter, 0, page.gutter, AXIS);
    ctx.fillStyle = theme.text;
    ctx.font = BOLD;
    const text = origin === null || origin === 0n ? "virtual time" : exactTime(origin) + " and";
    ctx.fillText(fitted(ctx, text, page.gutter - 14) || text, -page.gutter + 8, AXIS / 2 - 1);
    ctx.font = FONT;
}

/**
 * The name of a band in the gutter at the left.
 * @param {Page} page @param {Band} band
 */
export function drawName(page, band) {
    const { ctx, theme } = page;
    const left = -page.gutter;
    ctx.textBaseline = "middle";
    ctx.fillStyle = theme.text;
    ctx.font = FONT;
    const row = page.manifest.rows[band.row];
    const top = Math.max(band.y, Math.min(page.scroll + 20, band.y + band.height - 52));
    const y = top + Math.min(8, band.height / 2);
    ctx.fillText(fitted(ctx, band.text, page.gutter - 20), left + 14, y);
    const notes = nameNotes(page, band, row);
    ctx.fillStyle = theme.faint;
    notes.forEach((note, k) => {
        if (y + 13 * (k + 1) + 4 < band.y + band.height) {
            ctx.fillText(fitted(ctx, note, page.gutter - 30), left + 14, y + 13 * (k + 1));
        }
    });
}

/** @param {Page} page @param {Band} band @param {Row} row @returns {string[]} */
function nameNotes(page, band, row) {
    if (band.kind === "strip" || band.lanes === 0 && row.kind === "sections") {
        return [];
    }
    const lanes = row.lanes > band.lanes ? `${band.lanes} of ${row.lanes} lanes, then depth` : `${row.lanes} lanes`;
    const layer = row.kind === "memory" && row.layer !== null ? page.manifest.layers[row.layer] : null;
    const most = page.store.pyramid(band.slice)?.fullest[band.row];
    const filled = layer ? [`filled to ${grouped(most ?? 0)}`, `of ${grouped(layer.capacity_words)} words`] : [];
    return row.lanes > 1 && band.lanes > 0 ? [lanes, ...filled] : filled;
}

/**
 * The head of a slice or the title of the strips.
 * @param {Page} page @param {Band} band
 */
export function drawHead(page, band) {
    const { ctx, theme } = page;
    ctx.fillStyle = theme.panel;
    ctx.fillRect(-page.gutter, band.y + 3, page.width, band.height - 7);
    ctx.fillStyle = theme.text;
    ctx.font = BOLD;
    ctx.textBaseline = "middle";
    ctx.fillText((band.kind === "head" ? "▾ " : "") + band.text, -page.gutter + 8, band.y + band.height / 2);
    ctx.font = FONT;
}

/**
 * Sections of a slice, from change to change.
 * @param {Page} page @param {Pyramid} pyramid @param {Band} band
 */
export function drawSections(page, pyramid, band) {
    const { ctx, view, theme } = page;
    const height = band.above - 2;
    pyramid.sections.forEach((change, k) => {
        const next = pyramid.sections[k + 1];
        const x0 = Math.max(-2, view.x(change.at));
        const x1 = Math.min(view.width + 2, next ? view.x(next.at) : view.x(page.store.end));
        if (x1 < 0 || x0 > view.width) {
            return;
        }
        ctx.fillStyle = theme.outline;
        ctx.fillRect(x0, band.y, Math.max(1, x1 - x0), height);
        ctx.fillStyle = k % 2 ? theme.panel : theme.ground;
        ctx.fillRect(x0 + 1, band.y + 1, x1 - x0 - 1, height - 2);
        const left = Math.max(0, x0) + 5;
        ctx.fillStyle = theme.text;
        ctx.textBaseline = "middle";
        ctx.fillText(fitted(ctx, page.manifest.sections[change.section] ?? "", x1 - left - 4), left, band.y + height / 2);
    });
}

/**
 * A line at the pointer with its exact instant.
 * @param {Page} page @param {number} x @param {number} height
 */
export function drawPointer(page, x, height) {
    const { ctx, view, theme } = page;
    const at = view.at(x);
    const [, unit] = unitOf(at);
    const text = decimal(at, unit) + " " + unitOf(at)[0];
    ctx.fillStyle = theme.accent;
    ctx.fillRect(x, AXIS - 4, 1, height);
    const width = ctx.measureText(text).width + 10;
    const left = Math.max(0, Math.min(view.width - width, x - width / 2));
    ctx.fillRect(left, 2, width, AXIS - 6);
    ctx.fillStyle = theme.ground;
    ctx.fillText(text, left + 5, AXIS / 2 - 1);
}
