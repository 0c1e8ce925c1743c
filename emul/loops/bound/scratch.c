/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* memfd_create() */
#include "emul/loops/bound/scratch.h"

#include "runtime/base/whole_file.h"

#include <sys/mman.h>
#include <unistd.h>

int htmt__bound_scratch(void)
{
    return memfd_create("htmt-bound", MFD_CLOEXEC);
}

int htmt__bound_scratch_save(int scratch, const char *path, struct htmt_fault *fault)
{
    off_t length = lseek(scratch, 0, SEEK_END);
    void *bytes =
        length > 0 ? mmap(NULL, (size_t)length, PROT_READ, MAP_SHARED, scratch, 0) : MAP_FAILED;
    if (bytes == MAP_FAILED)
        return htmt_fault_set(fault, HTMT_EIO, "%s: nothing was written", path);
    int rc = htmt_whole_file_write(path, bytes, (size_t)length, fault);
    munmap(bytes, (size_t)length);
    return rc;
}
