/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/text/disturbed.h"

#include <inttypes.h>
#include <string.h>

#define SHOWN 150 /* letters of names in the line for people */

/* Values of one part of an inside stand next to each other: "l3.hit", "l3.every". */
void htmt__disturbed_find(const struct htmt_machine *m, bool inside, struct htmt__disturbed *d)
{
    char last[sizeof m->figure->key] = "";
    size_t used = 0;
    *d = (struct htmt__disturbed){.count = 0};
    snprintf(d->machine, sizeof d->machine, "%s", m->name);
    for (uint32_t i = 0; i < m->figure_count; i++) {
        const struct htmt_figure *f = &m->figure[i];
        const char *in = strstr(f->key, ".inside."), *key = in ? in + strlen(".inside.") : f->key;
        const size_t n = in ? strcspn(key, ".") : strlen(key);
        if (strncmp(f->source, "disturbed,", 10) != 0 || (in && !inside) ||
            (strlen(last) == n && strncmp(last, key, n) == 0))
            continue;
        snprintf(last, sizeof last, "%.*s", (int)n, key);
        if (used + n + 3 < sizeof d->names)
            used += (size_t)snprintf(d->names + used, sizeof d->names - used, "%s%s",
                                     d->count ? ", " : "", last);
        d->count++;
    }
}

void htmt__disturbed_print(const struct htmt__disturbed *d, FILE *out)
{
    int n = (int)strlen(d->names);
    const bool cut = n > SHOWN;
    for (n = cut ? SHOWN : n; cut && d->names[n] != ','; n--)
        continue;
    if (d->count)
        fprintf(out, "%s has %" PRIu32 " disturbed figure%s (%.*s%s); measure it again\n",
                d->machine, d->count, d->count == 1 ? "" : "s", n, d->names, cut ? ", ..." : "");
}
