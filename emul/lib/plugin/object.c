/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dlopen() runs constructors, and dies of some files that are no objects: a file that is cut off
 * ends the process with SIGBUS. So the file is checked before: its header must be that of a shared
 * object for this processor, which the header of the running program tells, and every segment must
 * lie in the file. Then it is loaded under the guard for crashes and, if asked, a watchdog, so that
 * a constructor that ends the process or lasts too long is named first.
 */
#include "emul/lib/plugin/object.h"

#include "layers/file/search.h"
#include "runtime/base/input.h"
#include "runtime/host/crash.h"
#include "runtime/host/watchdog.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the file that has this code; the linker defines it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

struct file {
    const char *path;
    int fd;
    uint64_t size;
    struct htmt_fault *fault;
};

static int refuse(const struct file *f, const char *what)
{
    return htmt_fault_set(f->fault, HTMT_EFORMAT, "%s: %s, expected a shared object", f->path,
                          what);
}

static int cut_off(const struct file *f, uint64_t needed)
{
    return htmt_fault_set(f->fault, HTMT_EFORMAT,
                          "%s: cut off: found %llu bytes, expected %llu at least", f->path,
                          (unsigned long long)f->size, (unsigned long long)needed);
}

static int read_at(const struct file *f, uint64_t at, void *bytes, size_t size)
{
    if (at > f->size || f->size - at < size)
        return cut_off(f, at + size);
    ssize_t n = pread(f->fd, bytes, size, (off_t)at);
    if (n == (ssize_t)size)
        return 0;
    return n < 0 ? htmt_input_failed(f->path, "be read", errno, f->fault) : cut_off(f, at + size);
}

/* The class and the byte order come first: they say how the rest is to be read. */
static int check_header(const struct file *f, ElfW(Ehdr) * h)
{
    const ElfW(Ehdr) *own = &__ehdr_start;
    if (f->size < SELFMAG)
        return refuse(f, f->size ? "no ELF file" : "empty");
    int rc = read_at(f, 0, h->e_ident, SELFMAG);
    if (!rc && memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        rc = refuse(f, "no ELF file");
    if (!rc)
        rc = read_at(f, 0, h, sizeof *h);
    if (!rc && (h->e_ident[EI_CLASS] != own->e_ident[EI_CLASS] ||
                h->e_ident[EI_DATA] != own->e_ident[EI_DATA] || h->e_machine != own->e_machine))
        rc = htmt_fault_set(f->fault, HTMT_EFORMAT,
                            "%s: built for another architecture: found ELF machine %u of class %u, "
                            "expected %u of class %u",
                            f->path, h->e_machine, h->e_ident[EI_CLASS], own->e_machine,
                            own->e_ident[EI_CLASS]);
    if (!rc && (h->e_type != ET_DYN || h->e_phentsize != sizeof(ElfW(Phdr))))
        rc = refuse(f, "an ELF file of another kind");
    return rc;
}

/* Every segment lies in the file. The dynamic one is read: the object itself may ask to be bound
 * when it is loaded (`-z now`), which linkers have written in three ways. */
static int check_segment(const struct file *f, const ElfW(Phdr) * segment, bool *binds_now)
{
    ElfW(Dyn) d = {.d_tag = DT_DEBUG};
    int rc = 0;
    if (segment->p_filesz > f->size || segment->p_offset > f->size - segment->p_filesz)
        return cut_off(f, segment->p_offset + segment->p_filesz);
    if (segment->p_type != PT_DYNAMIC)
        return 0;
    for (uint64_t at = 0; !rc && d.d_tag != DT_NULL && at < segment->p_filesz; at += sizeof d) {
        rc = read_at(f, segment->p_offset + at, &d, sizeof d);
        if (!rc)
            *binds_now |= d.d_tag == DT_BIND_NOW ||
                          (d.d_tag == DT_FLAGS && d.d_un.d_val & DF_BIND_NOW) ||
                          (d.d_tag == DT_FLAGS_1 && d.d_un.d_val & DF_1_NOW);
    }
    return rc;
}

/* Whether the file can be a plug-in: the dynamic linker dies of some files that cannot. */
static int check_elf(const char *path, bool *binds_now, struct htmt_fault *fault)
{
    struct file f = {.path = path, .fault = fault};
    struct stat status;
    ElfW(Ehdr) header;
    ElfW(Phdr) segment;
    *binds_now = false;
    int rc = htmt_input_open(path, HTMT_INPUT_DATA, &f.fd, fault);
    if (rc)
        return rc;
    if (fstat(f.fd, &status)) {
        rc = htmt_input_failed(path, "be read", errno, fault);
    } else {
        f.size = (uint64_t)status.st_size;
        rc = check_header(&f, &header);
    }
    for (unsigned i = 0; !rc && i < header.e_phnum; i++) {
        rc = read_at(&f, header.e_phoff + i * sizeof segment, &segment, sizeof segment);
        if (!rc)
            rc = check_segment(&f, &segment, binds_now);
    }
    close(f.fd);
    return rc;
}

/* ---- loading --------------------------------------------------------------------------------- */

struct loading {
    const char *path;
    bool binds_now;
    struct htmt__watchdog *watchdog; /* NULL: none */
    void *handle;
};

static bool tell(const void *who, struct htmt__callback_scope *scope)
{
    const struct loading *l = who;
    *scope = (struct htmt__callback_scope){.what = "constructor", .stage = l->path, .now = -1};
    return true;
}

/* A name without a slash would be looked for in the folders of libraries.
 *
 * A plug-in is bound at once, so that it is refused here if a symbol is missing. RTLD_NOW would
 * bind all of its libraries, too: 4 million instructions for the thousands of symbols of OpenBLAS.
 * A plug-in that asks to be bound at once is so under RTLD_LAZY. */
static void load(void *loading)
{
    struct loading *l = loading;
    struct htmt__watched watched;
    char path[HTMT_PATH_MAX + 2];
    int binding = l->binds_now ? RTLD_LAZY : RTLD_NOW;
    snprintf(path, sizeof path, "%s%s", strchr(l->path, '/') ? "" : "./", l->path);
    htmt__watchdog_enter(l->watchdog, &watched);
    struct htmt__callback_scope_before before = htmt__callback_scope_begin(l, tell);
    l->handle = dlopen(path, binding | RTLD_LOCAL | RTLD_NODELETE);
    htmt__callback_scope_end(before);
    htmt__watchdog_leave(l->watchdog, &watched);
}

/* The linker has lines and no codes: a line that speaks of the host is no fault of the file. Its
 * line begins with the path, which ours has already. */
static int refuse_unloaded(const char *path, struct htmt_fault *fault)
{
    static const char *const wants[] = {"annot allocate", "out of memory",   "failed to map",
                                        "cannot create",  "cannot map zero", "Too many open files"};
    const char *why = dlerror(), *at = why ? strstr(why, path) : NULL;
    int rc = HTMT_EFORMAT;
    if (!why)
        why = "the dynamic linker does not say why";
    else if (at && strncmp(at + strlen(path), ": ", 2) == 0)
        why = at + strlen(path) + 2;
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++)
        if (strstr(why, wants[i]))
            rc = HTMT_ENOMEM;
    return htmt_fault_set(fault, rc, "%s: cannot be loaded: %s", path, why);
}

int htmt__object_load(const char *path, const char *symbol, uint32_t watchdog, void **exported,
                      struct htmt_fault *fault)
{
    struct loading l = {.path = path};
    int rc = check_elf(path, &l.binds_now, fault);
    if (rc)
        return rc;
    rc = htmt__crash_watch();
    if (rc)
        goto out;
    if (watchdog)
        rc = htmt__watchdog_create(&l.watchdog, watchdog);
    if (!rc)
        htmt__crash_guard(load, &l, true);
    htmt__watchdog_destroy(&l.watchdog);
    htmt__crash_unwatch();
out:
    if (rc)
        return htmt_fault_set(fault, rc, "%s: %s", path, htmt_strerror(rc));
    if (!l.handle)
        return refuse_unloaded(path, fault);
    *exported = dlsym(l.handle, symbol);
    return *exported
               ? 0
               : htmt_fault_set(fault, HTMT_EFORMAT,
                                "%s: exports no %s, expected a plug-in of htmt", path, symbol);
}
