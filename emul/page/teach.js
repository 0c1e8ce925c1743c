// The teaching view: parcels move through the layers, step by step.

export class Teaching {
    /** @param {Page} page */
    constructor(page) {
        this.page = page;
    }

    offer() {}

    draw() {}
}
