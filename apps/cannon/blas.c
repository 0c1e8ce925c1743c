/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernel sets and buffers of OpenBLAS.
 *
 * OpenBLAS is the one library here that keeps state in the process. It would start a thread for
 * each processor when it is loaded, choose its kernels once, before main(), from an environment
 * variable, and take buffers of 128 MiB of address space from the host, asking again for ever where
 * the host gives none. The emulator's pools are the only parallelism, and a run must end with a
 * line when memory is short. So three functions that the library calls and exports are defined here
 * as well, and take the place of its own: the number of its threads is one, and its buffers come
 * from a list of this file. The list is filled before a run with as many buffers as threads may
 * multiply at once, since a product that finds none cannot return an error.
 *
 * To change the kernel set the process sets the variable and starts itself again.
 */
#include "apps/cannon/blas.h"

#include <cblas.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

#define VARIABLE "OPENBLAS_CORETYPE"

/* OpenBLAS asks this function of its own, which the library exports, for OPENBLAS_NUM_THREADS. The
 * definition here takes its place: without it the library starts a thread for each processor when
 * it is loaded. The emulator never uses those threads, they would take signals that are meant for
 * it, and where memory or threads are short OpenBLAS hangs at the end of the process. */
int openblas_num_threads_env(void) __attribute__((visibility("default")));
int openblas_num_threads_env(void)
{
    return 1;
}

enum level { SSE2, AVX, AVX2, AVX512, AVX512_BF16 };

static const char *const vectors[] = {"SSE2", "AVX", "AVX2", "AVX-512", "AVX-512"};

/* Sets of a DYNAMIC_ARCH build for x86-64, by what their kernels need of the CPU. `advised`: the
 * set to ask for on a CPU of that level. */
static const struct {
    const char *name;
    enum level needs;
    bool advised;
} sets[] = {
    {"Prescott", SSE2, false},         {"Core2", SSE2, false},     {"Nehalem", SSE2, false},
    {"Barcelona", SSE2, false},        {"Sandybridge", AVX, true}, {"Bulldozer", AVX, false},
    {"Haswell", AVX2, true},           {"Zen", AVX2, false},       {"SkylakeX", AVX512, true},
    {"Cooperlake", AVX512_BF16, true},
};

#define SETS (sizeof sets / sizeof *sets)

#ifdef __x86_64__
static enum level cpu_level(void)
{
    __builtin_cpu_init();
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    if (avx512 && __builtin_cpu_supports("avx512bf16"))
        return AVX512_BF16;
    if (avx512)
        return AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return AVX2;
    return __builtin_cpu_supports("avx") ? AVX : SSE2;
}
#else
static enum level cpu_level(void)
{
    return SSE2;
}
#endif

/* SETS when the name is not in the table. */
static size_t find(const char *name)
{
    size_t k = 0;
    while (k < SETS && strcasecmp(sets[k].name, name))
        k++;
    return k;
}

void htmt__cannon_blas_one_thread(void)
{
    openblas_set_num_threads(1);
}

#define BUFFER                                                                                     \
    ((size_t)128 << 20) /* of an x86-64 build, the largest; pages are touched as needed */

/* Buffers that no thread multiplies with now: the start of each leads to the next. */
static struct {
    pthread_mutex_t lock;
    void *free;
    unsigned made;
} buffers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *make_buffer(void)
{
    void *at = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

/* The two functions that follow take the place of the library's own, which asks the host again and
 * again, for ever, where the host gives no buffer. */
void *blas_memory_alloc(int kind) __attribute__((visibility("default")));
void *blas_memory_alloc(int kind)
{
    (void)kind;
    pthread_mutex_lock(&buffers.lock);
    void *at = buffers.free;
    if (at)
        buffers.free = *(void **)at;
    else if ((at = make_buffer()))
        buffers.made++;
    pthread_mutex_unlock(&buffers.lock);
    if (at)
        return at;
    fputs("htmt: the host gives OpenBLAS no buffer\n", stderr);
    _exit(htmt_exit_status(HTMT_ENOMEM));
}

static void give_back(void *at)
{
    *(void **)at = buffers.free;
    buffers.free = at;
}

void blas_memory_free(void *at) __attribute__((visibility("default")));
void blas_memory_free(void *at)
{
    pthread_mutex_lock(&buffers.lock);
    give_back(at);
    pthread_mutex_unlock(&buffers.lock);
}

int htmt__cannon_blas_room(unsigned threads, struct htmt_fault *fault)
{
    void *at = NULL;
    pthread_mutex_lock(&buffers.lock);
    while (buffers.made < threads && (at = make_buffer())) {
        give_back(at);
        buffers.made++;
    }
    bool enough = buffers.made >= threads;
    pthread_mutex_unlock(&buffers.lock);
    return enough ? 0
                  : htmt_fault_set(fault, HTMT_ENOMEM,
                                   "OpenBLAS needs %u buffers of %zu MiB of address space, one for "
                                   "each host thread, and the host gives fewer",
                                   threads, BUFFER >> 20);
}

void htmt__cannon_blas_kernel_set(struct htmt__cannon_kernel_set *set)
{
    enum level cpu = cpu_level();
    const char *name = openblas_get_corename();
    size_t k = find(name);
    snprintf(set->name, sizeof set->name, "%s", name);
    snprintf(set->config, sizeof set->config, "%s", openblas_get_config());
    set->vector = k < SETS ? vectors[sets[k].needs] : "";
    set->cpu = vectors[cpu];
    set->older = k < SETS && strcmp(set->vector, set->cpu) != 0;
    set->better = NULL;
    for (k = 0; k < SETS && set->older; k++)
        if (sets[k].advised && sets[k].needs <= cpu)
            set->better = sets[k].name;
}

int htmt__cannon_blas_choose(const char *set, char **argv, struct htmt_fault *fault)
{
    if (!set || !strcasecmp(set, openblas_get_corename()))
        return 0;
    char known[200]; /* "Prescott, Core2, ..." */
    size_t k = find(set), n = 0;
    for (size_t i = 0; i < SETS && n < sizeof known; i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", sets[i].name);
    if (k == SETS)
        return htmt_fault_set(fault, HTMT_EUSAGE, "found kernel set \"%s\", expected one of %s",
                              set, known);
    enum level cpu = cpu_level();
    if (sets[k].needs > cpu)
        return htmt_fault_set(
            fault, HTMT_EUSAGE,
            "kernel set %s needs more than this CPU's %s; expected %s, for instance", set,
            vectors[cpu], openblas_get_corename());
    /* Here a second time: the library did not take the name. */
    const char *asked = getenv(VARIABLE);
    if (asked && !strcasecmp(asked, set))
        return htmt_fault_set(fault, HTMT_EUSAGE,
                              "kernel set %s is not in this OpenBLAS (%s), which runs %s", set,
                              openblas_get_config(), openblas_get_corename());
    if (!setenv(VARIABLE, set, 1))
        execv("/proc/self/exe", argv);
    return htmt_fault_set(fault, HTMT_ESYSTEM, "cannot start again with %s=%s: %s", VARIABLE, set,
                          strerror(errno));
}
