// Colours, hatches and text of the canvas.

/** @param {string} colour #rrggbb @returns {number[]} */
function channels(colour) {
    return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/**
 * Relative luminance as WCAG defines it.
 * @param {string} colour @returns {number}
 */
export function luminance(colour) {
    const linear = channels(colour).map((c) => (c <= 10.31 ? c / 3294.6 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

/**
 * Black or white, whichever can be read on the colour.
 * @param {string} colour
 */
export function inkOn(colour) {
    return luminance(colour) > 0.18 ? "#000000" : "#ffffff";
}

/** @param {string} colour @param {number} alpha */
export function faded(colour, alpha) {
    return `rgba(${channels(colour).join(",")},${alpha})`;
}

/**
 * The colours of the style sheet, and those of the states.
 * @param {Manifest} manifest @param {boolean} gantt @returns {Theme}
 */
export function readTheme(manifest, gantt) {
    const style = getComputedStyle(document.documentElement);
    const of = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    return {
        dark: matchMedia("(prefers-color-scheme: dark)").matches,
        ground: of("--ground"), panel: of("--panel"), text: of("--text"), faint: of("--faint"),
        grid: of("--grid"), outline: of("--outline"), accent: of("--accent"),
        palette: gantt ? manifest.palette.gantt : manifest.palette.default,
    };
}

/**
 * Diagonal lines of a colour on a tint of it.
 * @param {string} colour @param {boolean} rising @returns {CanvasPattern | string}
 */
export function hatch(colour, rising) {
    const cell = document.createElement("canvas");
    cell.width = cell.height = 6;
    const ctx = cell.getContext("2d");
    if (!ctx) {
        return colour;
    }
    ctx.fillStyle = faded(colour, 0.22);
    ctx.fillRect(0, 0, 6, 6);
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.6;
    ctx.beginPath();
    for (const shift of [-6, 0, 6]) {
        ctx.moveTo(shift, rising ? 6 : 0);
        ctx.lineTo(shift + 6, rising ? 0 : 6);
    }
    ctx.stroke();
    return ctx.createPattern(cell, "repeat") ?? colour;
}

export const FONT = "11px system-ui, sans-serif";
export const SMALL = "9.5px system-ui, sans-serif";
export const BOLD = "600 12px system-ui, sans-serif";

/** @type {Map<string, number>} */
const widths = new Map();

/** @param {CanvasRenderingContext2D} ctx @param {string} text @returns {number} */
export function textWidth(ctx, text) {
    const key = ctx.font + text;
    let width = widths.get(key);
    if (width === undefined) {
        if (widths.size > 20000) {
            widths.clear();
        }
        width = ctx.measureText(text).width;
        widths.set(key, width);
    }
    return width;
}

/**
 * The text, or its beginning that fits, or nothing.
 * @param {CanvasRenderingContext2D} ctx @param {string} text @param {number} room
 */
export function fitted(ctx, text, room) {
    if (textWidth(ctx, text) <= room) {
        return text;
    }
    const letters = Math.floor((text.length * room) / textWidth(ctx, text)) - 1;
    return letters >= 4 ? text.slice(0, letters) + "…" : "";
}
