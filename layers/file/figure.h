/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A figure: one value of a machine file or a cost file, with its source and its place.
 */
#ifndef HTMT_LAYERS_FILE_FIGURE_H
#define HTMT_LAYERS_FILE_FIGURE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HTMT_NAME_MAX 32 /* characters of a name in a file, its NUL included */

/* One line of the file, for `show`, `diff` and reports. */
struct htmt_figure {
    char key[112];    /* "layers.dram.processor.clock" */
    char value[64];   /* as written, "500 MHz"; "not-modelled" */
    char source[200]; /* "Hereld et al., Table 1"; empty for names and scopes */
    char file[128];   /* the file that gave it, after inheritance; "--set" for an override */
    int line;         /* 0: --set */
    uint64_t hash;    /* of the key and the exact value, however it is spelled */
};

#ifdef __cplusplus
}
#endif

#endif
