/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HTMT_EMUL_LIB_VERBS_MACHINE_PICTURE_H
#define HTMT_EMUL_LIB_VERBS_MACHINE_PICTURE_H

/* `htmt machine picture`; the words after it. Returns the exit status. */
int htmt__machine_picture(int argc, char **argv);

#endif
