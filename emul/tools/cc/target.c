/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a function is compiled for, by its attributes.
 */
#include "emul/tools/cc/unit.h"

#include <string.h>

#define SHORTEST 16u /* bytes of a vector register */

static bool attribute_has(LLVMValueRef value, const char *name, const char *part)
{
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(value));
    LLVMAttributeRef a = LLVMGetStringAttributeAtIndex(
        function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, name, (unsigned)strlen(name));
    unsigned n = 0;
    const char *text = a ? LLVMGetStringAttributeValue(a, &n) : "";
    const size_t most = strlen(part);
    for (unsigned i = 0; i + most <= n; i++)
        if (strncmp(text + i, part, most) == 0)
            return true;
    return false;
}

/* clang takes vectors of 32 bytes on Intel's processors although they have longer ones, unless it
 * is told to. */
uint32_t htmt__target_bytes(const struct htmt__unit *u, LLVMValueRef value)
{
    (void)u;
    const bool asked = attribute_has(value, "prefer-vector-width", "512") ||
                       attribute_has(value, "min-legal-vector-width", "512");
    const bool intel = attribute_has(value, "target-cpu", "lake") ||
                       attribute_has(value, "target-cpu", "rapids") ||
                       attribute_has(value, "target-cpu", "skx");
    if (attribute_has(value, "target-features", "+avx512f") && (asked || !intel) &&
        !attribute_has(value, "prefer-vector-width", "256"))
        return 64;
    return attribute_has(value, "target-features", "+avx") ? 32 : SHORTEST;
}

bool htmt__target_fuses(const struct htmt__unit *u, LLVMValueRef value)
{
    return attribute_has(value, "target-features", "+fma") ||
           strncmp(LLVMGetTarget(u->module), "aarch64", 7) == 0;
}
