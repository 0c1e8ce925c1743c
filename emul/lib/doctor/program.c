/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program itself: its version, the libraries in its process, its kernel sets.
 */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "emul/lib/doctor/doctor.h"

#include "emul/lib/options/provenance.h"
#include "emul/lib/report/fields.h"
#include "layers/file/own_path.h"
#include "layers/file/search.h"
#include "parcels/kernel.h"
#include "runtime/base/jansson.h"
#include "runtime/host/arena.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <yaml.h>

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

static json_t *text_or_null(bool known, const char *text)
{
    return known ? htmt__json_text(text) : json_null();
}

json_t *htmt__doctor_program(void)
{
    char program[HTMT_PATH_MAX], library[HTMT_PATH_MAX];
    bool has_program = htmt__own_program(program, sizeof program);
    bool has_library = htmt__own_library(library, sizeof library);
    struct utsname u;
    char text[sizeof u];
    bool has_system = uname(&u) == 0;
    if (has_system)
        snprintf(text, sizeof text, "%s %s %s", u.sysname, u.release, u.machine);
    return json_pack("{s:s,s:s?,s:i,s:s,s:o,s:o,s:o}", "version", htmt__version(), "commit",
                     htmt__commit(), "abi", (int)HTMT_ABI, "compiler", COMPILER, "path",
                     text_or_null(has_program, program), "library",
                     text_or_null(has_library, library), "system", text_or_null(has_system, text));
}

/* ---- libraries ------------------------------------------------------------------------------ */

/* A library in the process. */
struct library {
    const char *name, *file; /* what its file's name begins with */
    const char *licence, *use;
    const char *(*version)(void); /* of those that the command links */
    const char *text, *call; /* else the symbol of its version, or of the function that tells */
};

static const struct library libraries[] = {
    {"jansson", "libjansson.so", "MIT", "JSON", jansson_version_str, NULL, NULL},
    {"libdeflate", "libdeflate.so", "MIT", "traces", NULL, NULL, NULL},
    {"libyaml", "libyaml-0.so", "MIT", "machine and cost files", yaml_get_version_string, NULL,
     NULL},
    {"liburcu", "liburcu-common.so", "LGPL-2.1-or-later", "queues between threads", NULL, NULL,
     NULL},
    {"jemalloc", "libjemalloc.so", "BSD-2-Clause", "heap and arenas", htmt__arena_version, NULL,
     NULL},
    {"glibc", "libc.so", "LGPL-2.1-or-later", "C library", gnu_get_libc_version, NULL, NULL},
    {"FFTW", "libfftw3.so", "GPL-2.0-or-later", "transforms", NULL, "fftw_version", NULL},
    {"FFTW single", "libfftw3f.so", "GPL-2.0-or-later", "transforms", NULL, "fftwf_version", NULL},
    {"OpenBLAS", "libopenblas", "BSD-3-Clause", "products of cannon", NULL, NULL,
     "openblas_get_config"},
    {"libcerf", "libcerf.so", "MIT", "dispersion in pic", NULL, NULL, NULL},
    {"libpng", "libpng16.so", "libpng-2.0", "pictures", NULL, NULL, NULL},
    {"zlib", "libz.so", "Zlib", "volumes and pictures", NULL, NULL, "zlibVersion"},
    {"METIS", "libmetis.so", "Apache-2.0", "placement of graphs", NULL, NULL, NULL},
    {"NIfTI", "libnifti2.so", "public domain", "volumes", NULL, NULL, NULL},
    {"cairo", "libcairo.so", "LGPL-2.1 or MPL-1.1", "plots", NULL, NULL, "cairo_version_string"},
};

struct loaded {
    const struct library *library;
    char path[PATH_MAX]; /* "": it is not there */
};

static int compare_loaded(struct dl_phdr_info *info, size_t size, void *user)
{
    struct loaded *l = user;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *file = slash ? slash + 1 : info->dlpi_name;
    (void)size;
    if (strncmp(file, l->library->file, strlen(l->library->file)) != 0)
        return 0;
    return realpath(info->dlpi_name, l->path) != NULL;
}

/* What the library in the process says, which need not be linked here. */
static void ask(const struct loaded *l, const char *symbol, bool call, char *text, size_t room)
{
    void *library = dlopen(l->path, RTLD_LAZY | RTLD_NOLOAD);
    void *found = library ? dlsym(library, symbol) : NULL;
    if (found)
        snprintf(text, room, "%s",
                 call ? (__extension__(const char *(*)(void)) found)() : (const char *)found);
    if (library)
        dlclose(library);
}

/* The number alone: without a name before it, and what follows it. */
static void find_version(const struct loaded *l, char *version, size_t room)
{
    const struct library *library = l->library;
    const char *own = library->version ? library->version() : NULL;
    snprintf(version, room, "%s", own ? own : "");
    if (library->text)
        ask(l, library->text, false, version, room);
    if (library->call)
        ask(l, library->call, true, version, room);
    size_t before = strcspn(version, "0123456789");
    size_t length = strspn(version + before, "0123456789.");
    memmove(version, version + before, length);
    version[length] = '\0';
}

/* libhtmt, then what is loaded, and what a static program has in itself and answers for its
 * version. */
json_t *htmt__doctor_libraries(void)
{
    static const char *const pages[] = {[HTMT__HEAP_POOLS] = "arenas are pools of pages",
                                        [HTMT__HEAP_JEMALLOC] = "arenas are jemalloc's",
                                        [HTMT__HEAP_PLAIN] = "arenas are a sanitizer's"};
    char path[HTMT_PATH_MAX];
    bool shared = htmt__own_library(path, sizeof path);
    json_t *all = json_array();
    if (all)
        htmt__fields_append(&all, json_pack("{s:s,s:s,s:s,s:s,s:o}", "name", "libhtmt", "version",
                                            htmt__version(), "licence", "BSD-3-Clause", "use",
                                            pages[htmt__arena_heap()], "path",
                                            text_or_null(shared, path)));
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && all; i++) {
        const struct library *library = &libraries[i];
        struct loaded l = {library, ""};
        char version[200];
        dl_iterate_phdr(compare_loaded, &l);
        if (!*l.path && !(library->version && library->version()))
            continue;
        find_version(&l, version, sizeof version);
        htmt__fields_append(&all,
                            json_pack("{s:s,s:s?,s:s,s:s,s:o}", "name", library->name, "version",
                                      *version ? version : NULL, "licence", library->licence, "use",
                                      library->use, "path", text_or_null(*l.path, l.path)));
    }
    return all;
}

/* ---- kernel sets ---------------------------------------------------------------------------- */

/* The first set that the CPU can run is taken (HTMT_CLONES of parcels/kernel.h). */
json_t *htmt__doctor_kernels(void)
{
    json_t *sets = json_array();
    const char *taken = "baseline";
#if HTMT_HAS_CLONES
#define SET(name)                                                                                  \
    if (sets && __builtin_cpu_supports(name))                                                      \
    htmt__fields_append(&sets, json_string(name))
    __builtin_cpu_init();
    SET("sse4.2");
    SET("avx");
    SET("avx2");
    SET("fma");
    SET("avx512f");
    SET("avx512dq");
    SET("avx512vl");
    SET("avx512bw");
#undef SET
    taken = __builtin_cpu_supports("x86-64-v4")   ? "AVX-512"
            : __builtin_cpu_supports("x86-64-v3") ? "AVX2"
                                                  : taken;
#endif
    return sets ? json_pack("{s:s,s:b,s:o}", "taken", taken, "built_in_several_sets",
                            HTMT_HAS_CLONES, "instruction_sets", sets)
                : NULL;
}
