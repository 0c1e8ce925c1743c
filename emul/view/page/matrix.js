// Who sends to whom: messages from the slices of each line to those of each column.
import { readData } from "./bytes.js";
import { nameOf } from "./layout.js";
import { faded } from "./paint.js";
import { button, element } from "./selection.js";
import { grouped } from "./time.js";

const MOST_PAIRS = 12;
const EDGE = 46;

export class Matrix {
    /** @param {Page} page @param {HTMLDetailsElement} box */
    constructor(page, box) {
        this.page = page;
        this.box = box;
        this.side = page.manifest.matrix.first.length;
        /** @type {Float64Array} */
        this.messages = new Float64Array(0);
        this.canvas = document.createElement("canvas");
        this.note = element("p", "", "faint");
        box.addEventListener("toggle", () => this.draw());
        this.canvas.addEventListener("pointermove", (event) => this.point(event));
    }

    async start() {
        const reader = await readData(this.page.manifest.matrix.id);
        this.messages = Float64Array.from({ length: this.side * this.side }, () => reader.varint());
        const all = this.messages.reduce((a, b) => a + b, 0);
        const pairs = [...this.messages.keys()].filter((k) => this.messages[k] > 0).sort((a, b) => this.messages[b] - this.messages[a] || a - b);
        this.box.hidden = all === 0;
        this.canvas.setAttribute("role", "img");
        this.canvas.setAttribute("aria-label", "Messages from each slice at the left to each slice on top; the list beside it has the most");
        const list = element("ol");
        list.append(...pairs.slice(0, MOST_PAIRS).map((k) => this.item(k)));
        const text = element("div");
        text.append(element("p", `${grouped(all)} messages, calls and signals between ${grouped(pairs.length)} pairs of ${this.side < this.page.manifest.matrix.places ? "groups of slices" : "slices"}: ` +
            "from the slice at the left to the slice on top, the stronger the colour, the more."), this.note, element("h3", "Most messages"), list);
        const both = element("div", "", "beside");
        both.append(this.canvas, text);
        this.box.append(both);
    }

    /** @param {number} k */
    item(k) {
        const [from, to] = [Math.floor(k / this.side), k % this.side];
        const line = element("li");
        line.append(button(`${this.name(from)} to ${this.name(to)}`, () => this.page.unfold(this.page.manifest.matrix.first[from], true)), element("span", ` ${grouped(this.messages[k])}`));
        return line;
    }

    /**
     * The slices of a line or column.
     * @param {number} line
     */
    name(line) {
        const { first, places } = this.page.manifest.matrix;
        const last = (first[line + 1] ?? places) - 1;
        return last > first[line] ? `slices ${first[line]} to ${last}` : nameOf(this.page.manifest, first[line]).toLowerCase();
    }

    /** Pixels of a cell. */
    cell() {
        return Math.max(5, Math.min(22, Math.floor(460 / this.side)));
    }

    draw() {
        if (!this.box.open || this.box.hidden) {
            return;
        }
        const { canvas, side } = this;
        const { theme, manifest } = this.page;
        const cell = this.cell();
        const size = EDGE + side * cell;
        [canvas.width, canvas.height] = [size * devicePixelRatio, size * devicePixelRatio];
        canvas.style.width = `${size}px`;
        const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
        ctx.scale(devicePixelRatio, devicePixelRatio);
        ctx.fillStyle = theme.ground;
        ctx.fillRect(0, 0, size, size);
        ctx.fillStyle = theme.panel;
        ctx.fillRect(EDGE, EDGE, side * cell, side * cell);
        const most = this.messages.reduce((a, b) => Math.max(a, b), 0);
        this.messages.forEach((count, k) => {
            if (count) {
                ctx.fillStyle = faded(theme.palette.transfer, 0.15 + 0.85 * Math.sqrt(count / most));
                ctx.fillRect(EDGE + (k % side) * cell, EDGE + Math.floor(k / side) * cell, cell - (cell > 8 ? 1 : 0), cell - (cell > 8 ? 1 : 0));
            }
        });
        ctx.fillStyle = theme.text;
        ctx.font = "10px system-ui, sans-serif";
        ctx.textBaseline = "middle";
        const each = Math.ceil(18 / cell);
        for (let line = 0; line < side; line += each) {
            const text = manifest.matrix.first[line] === manifest.host ? "host" : String(manifest.matrix.first[line]);
            ctx.textAlign = "right";
            ctx.fillText(text, EDGE - 5, EDGE + (line + 0.5) * cell);
            ctx.save();
            ctx.translate(EDGE + (line + 0.5) * cell, EDGE - 5);
            ctx.rotate(-Math.PI / 2);
            ctx.textAlign = "left";
            ctx.fillText(text, 0, 0);
            ctx.restore();
        }
    }

    /** @param {PointerEvent} event */
    point(event) {
        const at = (/** @type {number} */ offset) => Math.floor((offset - EDGE) / this.cell());
        const [to, from] = [at(event.offsetX), at(event.offsetY)];
        const inside = to >= 0 && from >= 0 && to < this.side && from < this.side;
        this.note.textContent = inside ? `${this.name(from)} to ${this.name(to)}: ${grouped(this.messages[from * this.side + to])}` : "";
    }
}
