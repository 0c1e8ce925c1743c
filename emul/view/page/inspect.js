// The panel of the selected interval: what it is, the life of its parcel, its cause and successors.
import { Description, sameRef } from "./model.js";
import { exactTime } from "./time.js";

/** @param {string} name @param {string} [text] @param {string} [className] @returns {HTMLElement} */
export function element(name, text = "", className = "") {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) {
        made.className = className;
    }
    return made;
}

/** @param {string} text @param {() => void} act @returns {HTMLButtonElement} */
export function button(text, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", act);
    return made;
}

/** @param {[string, string][]} facts */
function factList(facts) {
    const list = element("dl");
    facts.forEach(([what, value]) => list.append(element("dt", what), element("dd", value)));
    return list;
}

/** @param {Description} d @returns {[string, string][]} */
function factsOf(d) {
    /** @type {[string, string][]} */
    const names = d.section ? [["section", d.type]] : [["type", d.type], ["number", d.index], ["id", d.id], ["stage", d.stage]];
    return [...names, ["slice", String(d.slice)], ["row", d.row], ["lane", d.lane], ["state", d.state], ...d.times(), ["exactly", d.femtoseconds()], ["interval", `${d.number} of slice ${d.slice}`]];
}

/**
 * One line for an interval, to be chosen.
 * @param {Page} page @param {Found} found @param {boolean} short
 */
function item(page, found, short) {
    const d = new Description(page.manifest, found);
    const line = element("li");
    const name = short ? `${d.stage}: ${d.row}` : `${d.name()}, ${d.stage}: ${d.row}`;
    const choose = button(name, () => void page.reveal(found));
    if (sameRef(found, page.selection)) {
        choose.setAttribute("aria-current", "true");
    }
    line.append(choose, element("span", ` ${d.waits() ? "waits" : "lasts"} ${exactTime(d.end - d.begin)}`));
    if (!d.waits() && d.wait > 0n) {
        line.append(element("span", `, waited ${exactTime(d.wait)}`, "wait"));
    }
    return line;
}

/** @param {Page} page @param {string} title @param {Found[]} list @param {boolean} short @param {string} none */
function section(page, title, list, short, none) {
    const box = element("section");
    box.append(element("h3", title));
    if (!list.length) {
        box.append(element("p", none, "faint"));
        return box;
    }
    const items = element("ol");
    items.append(...list.slice(0, 200).map((found) => item(page, found, short)));
    box.append(items);
    return box;
}

/** @param {Page} page @param {HTMLElement} panel */
export function showSelection(page, panel) {
    const { selection, links } = page;
    if (!selection) {
        panel.replaceChildren(element("p", "Click an interval, or press an arrow key on the timeline.", "faint"));
        return;
    }
    const title = element("h2", selection.name());
    panel.replaceChildren(title, factList(factsOf(selection)));
    if (!links) {
        panel.append(element("p", "Searching its causes and successors …", "faint"));
        return;
    }
    const one = (/** @type {Found | null} */ found) => (found ? [found] : []);
    panel.append(
        section(page, "Caused by", one(links.cause), false, "Nothing that this page holds."),
        ...(links.line ? [section(page, "Could begin when this ended", [links.line], false, "")] : []),
        section(page, "Leads to", links.successors, false, "Nothing that this page holds."),
        section(page, `Life of ${selection.name()}, id ${selection.id}`, links.life, true, "No other intervals."),
    );
    if (links.searched < links.tiles) {
        panel.append(element("p", `Searched ${links.searched} of ${links.tiles} tiles from here on.`, "faint"));
    }
}
