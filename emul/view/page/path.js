// The critical path: a line of its own above the rows, frames around its intervals, and single steps.
import { AXIS } from "./axis.js";
import { firstWhere } from "./lanes.js";
import { laneTop } from "./layout.js";
import { laneOf } from "./lanes.js";
import { BOLD, fitted, FONT, inkOn } from "./paint.js";

export const PATH = 26;

/**
 * What holds the path where no service does.
 * @param {Page} page @param {PathPart} part
 */
function heldBy(page, { flies, port }) {
    return port !== null ? `, queues for ${page.manifest.path?.ports?.[port] ?? "a port"}` : flies ? ", in flight" : "";
}

/** @param {Page} page @param {PathPart} part */
function partColour(page, { step, flies, port }) {
    const place = page.manifest.steps[step]?.place;
    const { palette } = page.theme;
    return port !== null ? palette.blocked : flies ? palette.flight : place === "served" ? palette.compute : place === "sent" || place === "received" ? palette.transfer
        : place === "paused" ? page.theme.ground : palette.blocked;
}

/**
 * Parts of the path in view, each pixel once.
 * @param {Page} page @returns {PathPart[]}
 */
function partsInView(page) {
    const { path, view } = page;
    const parts = [];
    const last = view.to();
    const scale = BigInt(Math.max(1, Math.floor(view.scale())));
    for (let k = firstWhere(path.length, (m) => path[m].to >= view.from); k < path.length && path[k].from <= last;) {
        parts.push(path[k]);
        const next = path[k].to - path[k].from >= scale ? path[k].to : path[k].from + scale;
        k = Math.max(k + 1, k + firstWhere(path.length - k, (m) => path[k + m].to > next));
    }
    return parts;
}

/** @param {Page} page */
export function drawPathRow(page) {
    const { ctx, view, theme, path } = page;
    ctx.fillStyle = theme.panel;
    ctx.fillRect(-page.gutter, AXIS, page.width, PATH);
    ctx.font = BOLD;
    ctx.textBaseline = "middle";
    for (const part of partsInView(page)) {
        const x0 = Math.max(-2, view.x(part.from));
        const x1 = Math.min(view.width + 2, Math.max(x0 + 1, view.x(part.to)));
        drawPart(page, part, x0, x1, part === path[page.pathAt]);
    }
    ctx.fillStyle = theme.panel;
    ctx.fillRect(-page.gutter, AXIS, page.gutter, PATH);
    ctx.fillStyle = theme.text;
    ctx.font = BOLD;
    ctx.fillText("critical path", -page.gutter + 8, AXIS + PATH / 2);
    ctx.font = FONT;
}

/** @param {Page} page @param {PathPart} part @param {number} x0 @param {number} x1 @param {boolean} current */
function drawPart(page, part, x0, x1, current) {
    const { ctx, theme, manifest } = page;
    const [y, h] = [AXIS + 4, PATH - 8];
    const colour = partColour(page, part);
    if (x1 - x0 >= 3) {
        ctx.fillStyle = theme.outline;
        ctx.fillRect(x0, y, x1 - x0, h);
    }
    ctx.fillStyle = colour;
    ctx.fillRect(x0 + 0.5, y + 1, Math.max(1, x1 - x0 - 1), h - 2);
    if (current) {
        ctx.fillStyle = theme.accent;
        ctx.fillRect(x0 - 2, y - 4, Math.max(5, x1 - x0 + 4), 3);
        ctx.fillRect(x0 - 2, y + h + 1, Math.max(5, x1 - x0 + 4), 3);
    }
    const left = Math.max(0, x0) + 4;
    const step = manifest.steps[part.step];
    ctx.font = FONT;
    const text = x1 - left > 24 && step ? fitted(ctx, `${step.type} ${step.stage}${heldBy(page, part)}`, x1 - left - 3) : "";
    ctx.fillStyle = inkOn(colour);
    ctx.fillText(text, left, AXIS + PATH / 2);
}

/**
 * Frames around the intervals of the path that are decoded, and lines between them.
 * @param {Page} page
 */
export function drawPathFrames(page) {
    const parts = partsInView(page);
    if (parts.length > 300) {
        return;
    }
    const { ctx, view, theme } = page;
    /** @type {{x: number, y: number} | null} */
    let before = null;
    ctx.lineWidth = 2;
    ctx.strokeStyle = theme.accent;
    for (const part of parts) {
        const y = middleOf(page, part);
        if (y === null) {
            before = null;
            continue;
        }
        const [x0, x1] = [Math.max(-4, view.x(part.from)), Math.min(view.width + 4, view.x(part.to))];
        if (x1 - x0 < 3) {
            before = null;
            continue;
        }
        ctx.strokeRect(x0, y.top, Math.max(2, x1 - x0), y.height);
        if (before) {
            ctx.beginPath();
            ctx.moveTo(before.x, before.y);
            ctx.lineTo(x0, y.top + y.height / 2);
            ctx.stroke();
        }
        before = { x: x1, y: y.top + y.height / 2 };
    }
}

/**
 * Where the bar of an interval stands, if its tile is decoded and its slice unfolded.
 * @param {Page} page @param {Ref} ref
 */
export function middleOf(page, ref) {
    const place = page.store.placeOf(ref);
    const tile = place && page.store.tile(place);
    if (!place || !tile) {
        return null;
    }
    const i = ref.number - place.first;
    const band = page.layout.rowOf(ref.slice, page.manifest.steps[tile.step[i]].row);
    if (band && page.manifest.steps[tile.step[i]].place === "section") {
        return { top: band.y, height: band.above - 2 };
    }
    return band ? { top: laneTop(band, laneOf(tile.flags[i])), height: band.laneHeight - 1 } : null;
}

/**
 * Go `by` parts along the path.
 * @param {Page} page @param {number} by
 */
export async function walkPath(page, by) {
    const { path, view } = page;
    if (!path.length) {
        page.say("This page has no critical path.");
        return;
    }
    page.pathAt = Math.max(0, Math.min(path.length - 1, page.pathAt + by));
    const part = path[page.pathAt];
    if (part.from < view.from || part.to > view.to() || Number(part.to - part.from) < view.span / 200) {
        view.show(part.from, part.to > part.from ? part.to : part.from + 1n, 2);
    }
    await page.selectAndScroll(part, `Step ${page.pathAt + 1} of ${path.length} of the critical path${heldBy(page, part)}. `);
}
