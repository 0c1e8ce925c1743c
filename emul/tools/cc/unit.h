/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Folder emul/tools/cc: htmt-cc, which compiles kernels for recording. It alone links LLVM.
 *
 * A unit: what is known of one C file whose operations are to be recorded. Blocks are numbered in
 * the order of the code; a call of another function ends one, so that the accesses of a block
 * follow each other on a tape.
 */
#ifndef HTMT_EMUL_TOOLS_CC_UNIT_H
#define HTMT_EMUL_TOOLS_CC_UNIT_H

#include "layers/node/tape/tape.h"
#include "runtime/base/error.h"
#include "runtime/base/library.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdio.h>

/* Rows of one kind: an array (runtime/base/array.h) that knows the size of a row. */
struct htmt__rows {
    void *at;
    uint32_t n;
    size_t room, bytes; /* of one */
};
/* A new row of zeros at the end; NULL: no memory. */
void *htmt__rows_add(struct htmt__rows *rows);

/* A call of a function that this file does not have: whether it is recorded, the program knows. */
struct htmt__unit_call {
    uint32_t function, line;
    char callee[120];
};

/* Instructions on vectors in a block: moves of elements, shifts, and others than accesses. And
 * products of integers. */
struct htmt__packed {
    uint32_t moves, shifts, others, products;
};

/* Where an access stands. */
struct htmt__unit_place {
    uint32_t block, line, file; /* file: number among `files` */
};

/* A value that waits for another one of the turn before (ask.c). */
struct htmt__unit_carried {
    LLVMValueRef value, from;
};

/* What an instruction is on the tape. */
struct htmt__unit_mark {
    LLVMValueRef value;
    uint32_t block, access;
};

struct htmt__unit {
    const char *source;
    bool vectors; /* an operation on a vector is one of its own type; else one for each lane */
    char id[200]; /* of the file: letters, digits, underscores */
    LLVMModuleRef module;
    LLVMContextRef context;
    struct htmt__rows blocks, ops, chains, links, steps, sources, functions, calls, places;
    struct htmt__rows packed;     /* struct htmt__packed: of each block, by its assembly */
    struct htmt__rows carried;    /* struct htmt__unit_carried */
    struct htmt__rows files;      /* char *: of accesses */
    struct htmt__rows symbols;    /* char *: the linker's name of each function */
    struct htmt__unit_mark *mark; /* a hash table */
    uint32_t marks, mark_room;
    uint32_t code; /* bytes of instructions so far */
    struct htmt_fault *fault;
};

int htmt__unit_open(struct htmt__unit *u, const char *source, bool vectors, LLVMContextRef context,
                    LLVMModuleRef module, struct htmt_fault *fault);
void htmt__unit_close(struct htmt__unit *u);

/* "source:line: ..."; returns the code. */
int htmt__unit_refuse(const struct htmt__unit *u, LLVMValueRef at, const char *what);

int htmt__unit_mark(struct htmt__unit *u, LLVMValueRef value, uint32_t block, uint32_t access);
/* NULL: it is not on the tape. */
const struct htmt__unit_mark *htmt__unit_find(const struct htmt__unit *u, LLVMValueRef value);

/* ---- instructions ---------------------------------------------------------------------------- */

/* What an instruction does. */
enum htmt__does {
    HTMT__DOES_NOTHING, /* on the processor: casts, annotations, hooks of clang's */
    HTMT__DOES_OPERATIONS,
    HTMT__DOES_LOAD,
    HTMT__DOES_STORE,
    HTMT__DOES_LENGTH, /* a function by length: the recorder puts its bytes behind the block */
    HTMT__DOES_CALL,   /* another function, which may be recorded: the block ends */
    HTMT__DOES_END,    /* branch, switch, return */
    HTMT__DOES_HOOK,   /* clang's, before a block or an access */
    HTMT__DOES_WRONG   /* an access without a hook */
};

struct htmt__instruction {
    enum htmt__does does;
    struct htmt__tape_op op[2]; /* the second one: n == 0, or the addition of a fused pair */
    uint32_t width;             /* of each access */
    uint32_t accesses;          /* one behind the other, or one for each lane */
    unsigned pointer;           /* the operand with the address, or the vector of addresses */
    int mask;                   /* the operand that says which lanes are accessed; -1: all are */
    bool lanes;                 /* gathered or scattered */
    enum htmt_operation length; /* of a function by length: its row, */
    enum htmt__library_bytes bytes; /* and what it reads and writes */
    const char *wrong;
};

struct htmt__instruction htmt__instruction_of(const struct htmt__unit *u, LLVMValueRef value);
uint32_t htmt__line_of(LLVMValueRef value);
/* The number of its file among the unit's; 0: the source. */
uint32_t htmt__file_of(struct htmt__unit *u, LLVMValueRef value);
/* The called function's name; "": by a pointer. */
const char *htmt__callee_of(LLVMValueRef call);

/* Bytes of the vector registers that the function at hand is compiled for, and whether it has fused
 * multiplications. */
uint32_t htmt__target_bytes(const struct htmt__unit *u, LLVMValueRef value);
bool htmt__target_fuses(const struct htmt__unit *u, LLVMValueRef value);
/* Of a vector's type, an element's. */
LLVMTypeRef htmt__lane_of(LLVMTypeRef type);
uint32_t htmt__lanes_of(LLVMTypeRef type);
/* Whether a value selects one of the operands that its condition compares. */
bool htmt__is_extreme(LLVMValueRef value);
/* A selection that the back end makes by a condition of two flags. */
void htmt__mark_two_flags(const struct htmt__unit *u, LLVMValueRef selection);
/* Whether a value is but the address of accesses. */
bool htmt__only_addresses(LLVMValueRef value);

/* ---- steps ----------------------------------------------------------------------------------- */

#define HTMT__STAGES_MAX 16
/* The operations that a processor makes of an instruction, each of which waits for the one before
 * it; returns how many. `stage[0].n` and so on: as many of a kind that wait for the same. */
unsigned htmt__unit_stages(const struct htmt__unit *u, LLVMValueRef value,
                           const struct htmt__instruction *i,
                           struct htmt__tape_op stage[HTMT__STAGES_MAX]);

/* Numbers the blocks of all functions and counts what they do. */
int htmt__unit_count(struct htmt__unit *u);
/* For whose results the operations of a function's blocks wait. */
int htmt__unit_waits(struct htmt__unit *u, LLVMValueRef function);
/* What a function's blocks do, step by step, and whose results each step needs. */
int htmt__unit_steps(struct htmt__unit *u, LLVMValueRef function);
/* What an instruction adds to a way, on a usual machine; `addend`: of a fused pair, the addition.
 */
int32_t htmt__unit_weight(const struct htmt__instruction *i, bool addend);
unsigned htmt__unit_operands(LLVMValueRef value); /* of a call, the arguments */
/* Dependences that the loops of a function carry. */
int htmt__unit_chains(struct htmt__unit *u, LLVMValueRef function);
/* Names each basic block after its first block of the tape, so that the assembly of the module says
 * which instructions are whose. */
void htmt__unit_name_blocks(struct htmt__unit *u);
/* The same module without clang's hooks, for its assembly. */
LLVMModuleRef htmt__unit_plain(const struct htmt__unit *u);
/* Gives each selection and extension of that module a line of its own; returns how many. */
uint32_t htmt__unit_number_asked(const struct htmt__unit *u, LLVMModuleRef plain);
/* Makes branches of the selections that are some in `in`, the assembly of a module with such lines,
 * and lets whoever waits for an extension there need it. */
int htmt__unit_ask(struct htmt__unit *u, FILE *in);
/* What `in`, the assembly of that module, has of each block. */
int htmt__unit_count_compiled(struct htmt__unit *u, FILE *in);
/* An instruction of the assembly joins the counts of its block; the steps of each block get as many
 * operations on vectors, and at most as many products of integers, as were counted. */
void htmt__packed_count(const char *instruction, struct htmt__packed *packed);
void htmt__packed_scale(struct htmt__unit *u);
/* Puts our hooks in the place of clang's and adds those that it leaves out. */
int htmt__unit_hook(struct htmt__unit *u);
/* The tables as C source. */
int htmt__unit_write(const struct htmt__unit *u, FILE *out);

#endif
