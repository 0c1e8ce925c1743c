/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/plugin/elf.h"

#include "runtime/base/input.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
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
static int check_machine(const struct file *f, const ElfW(Ehdr) * h)
{
    const ElfW(Ehdr) *own = &__ehdr_start;
    if (h->e_ident[EI_CLASS] == own->e_ident[EI_CLASS] &&
        h->e_ident[EI_DATA] == own->e_ident[EI_DATA] && h->e_machine == own->e_machine)
        return 0;
    return htmt_fault_set(f->fault, HTMT_EFORMAT,
                          "%s: built for another architecture: found ELF machine %u of class %u, "
                          "expected %u of class %u",
                          f->path, h->e_machine, h->e_ident[EI_CLASS], own->e_machine,
                          own->e_ident[EI_CLASS]);
}

static bool says_now(const ElfW(Dyn) * d)
{
    return d->d_tag == DT_BIND_NOW || (d->d_tag == DT_FLAGS && d->d_un.d_val & DF_BIND_NOW) ||
           (d->d_tag == DT_FLAGS_1 && d->d_un.d_val & DF_1_NOW);
}

static int read_dynamic(const struct file *f, const ElfW(Phdr) * segment, bool *binds_now)
{
    ElfW(Dyn) entry = {.d_tag = DT_DEBUG};
    int rc = 0;
    for (uint64_t at = 0; !rc && entry.d_tag != DT_NULL && at < segment->p_filesz;
         at += sizeof entry) {
        rc = read_at(f, segment->p_offset + at, &entry, sizeof entry);
        *binds_now |= !rc && says_now(&entry);
    }
    return rc;
}

static int check_segment(const struct file *f, const ElfW(Phdr) * segment, bool *binds_now)
{
    if (segment->p_filesz > f->size || segment->p_offset > f->size - segment->p_filesz)
        return cut_off(f, segment->p_offset + segment->p_filesz);
    return segment->p_type == PT_DYNAMIC ? read_dynamic(f, segment, binds_now) : 0;
}

static int check_segments(const struct file *f, const ElfW(Ehdr) * h, bool *binds_now)
{
    ElfW(Phdr) segment;
    int rc = 0;
    for (unsigned i = 0; i < h->e_phnum && !rc; i++) {
        rc = read_at(f, h->e_phoff + i * sizeof segment, &segment, sizeof segment);
        if (!rc)
            rc = check_segment(f, &segment, binds_now);
    }
    return rc;
}

static int check(const struct file *f, bool *binds_now)
{
    ElfW(Ehdr) header;
    if (f->size < SELFMAG)
        return refuse(f, f->size ? "no ELF file" : "empty");
    int rc = read_at(f, 0, header.e_ident, SELFMAG);
    if (!rc && memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        rc = refuse(f, "no ELF file");
    if (!rc)
        rc = read_at(f, 0, &header, sizeof header);
    if (!rc)
        rc = check_machine(f, &header);
    if (!rc && (header.e_type != ET_DYN || header.e_phentsize != sizeof(ElfW(Phdr))))
        rc = refuse(f, "an ELF file of another kind");
    return rc ? rc : check_segments(f, &header, binds_now);
}

int htmt__elf_check(const char *path, bool *binds_now, struct htmt_fault *fault)
{
    struct file f = {.path = path, .fault = fault};
    struct stat status;
    *binds_now = false;
    int rc = htmt_input_open(path, HTMT_INPUT_DATA, &f.fd, fault);
    if (rc)
        return rc;
    if (fstat(f.fd, &status)) {
        rc = htmt_input_failed(path, "be read", errno, fault);
    } else {
        f.size = (uint64_t)status.st_size;
        rc = check(&f, binds_now);
    }
    close(f.fd);
    return rc;
}
