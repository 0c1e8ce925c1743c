// Bytes of the page: base64 of inert elements, inflated; numbers of variable length.

/** @param {string} id @returns {string} */
function elementText(id) {
    const element = document.getElementById(id);
    if (!element) {
        throw new Error("the page has no data of the name " + id);
    }
    return element.textContent ?? "";
}

/** @param {string} text @returns {Uint8Array} */
function fromBase64(text) {
    const binary = atob(text);
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) {
        bytes[i] = binary.charCodeAt(i);
    }
    return bytes;
}

/** @param {Uint8Array} packed a zlib stream @returns {Promise<Uint8Array>} */
export async function inflate(packed) {
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * What stands in the element `id`, inflated.
 * @param {string} id @returns {Promise<Reader>}
 */
export async function readData(id) {
    return new Reader(await inflate(fromBase64(elementText(id))));
}

/** @returns {Manifest} */
export function readManifest() {
    /** @type {Manifest} */
    const manifest = JSON.parse(elementText("htmt-manifest"));
    manifest.rows.forEach((row) => (row.lanes = Math.max(1, row.lanes, row.depth ?? 0)));
    return manifest;
}

/** Reads numbers one behind another. */
export class Reader {
    /** @param {Uint8Array} bytes @param {number} [at] @param {number} [end] */
    constructor(bytes, at = 0, end = bytes.length) {
        this.bytes = bytes;
        this.at = at;
        this.end = end;
    }

    /**
     * A number below 2^53.
     * @returns {number}
     */
    varint() {
        const bytes = this.bytes;
        let byte = bytes[this.at++];
        if (byte < 128) {
            return byte;
        }
        let value = byte & 127;
        let scale = 128;
        do {
            byte = bytes[this.at++];
            value += (byte & 127) * scale;
            scale *= 128;
        } while (byte >= 128);
        return value;
    }

    /**
     * A number of either sign, below 2^52.
     * @returns {number}
     */
    zigzag() {
        const value = this.varint();
        const half = Math.floor(value / 2);
        return value === half * 2 ? half : -half - 1;
    }

    /** @returns {bigint} */
    big() {
        let value = 0n;
        let shift = 0n;
        let byte = 128;
        while (byte >= 128) {
            byte = this.bytes[this.at++];
            value |= BigInt(byte & 127) << shift;
            shift += 7n;
        }
        return value;
    }

    /** @returns {bigint} */
    bigZigzag() {
        const value = this.big();
        return value & 1n ? -(value >> 1n) - 1n : value >> 1n;
    }

    /**
     * The next column, behind its length.
     * @returns {Reader}
     */
    column() {
        const length = this.varint();
        const column = new Reader(this.bytes, this.at, this.at + length);
        this.at += length;
        return column;
    }

    /** @returns {boolean} */
    more() {
        return this.at < this.end;
    }
}
