/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/validate/expression.h"

#include <stdlib.h>
#include <string.h>

#define NAME_ROOM 256

/* The next " x " with an operator x outside of brackets; NULL: none. */
static const char *find_operator(const char *text)
{
    int depth = 0;
    for (const char *at = text; *at; at++) {
        depth += (*at == '[') - (*at == ']');
        if (!depth && *at == ' ' && at[1] && strchr("+-*/", at[1]) && at[2] == ' ')
            return at;
    }
    return NULL;
}

/* An operand: a formula in brackets, a number, or whatever `value` knows by this name. Names hold
 * blanks, digits and dots ("busy Push execute", "term 2nd pass"), so text is a number only if all
 * of it reads as one. */
static int evaluate(const char *text, size_t length, htmt__expression_value *value, void *user,
                    double *result, struct htmt_fault *fault)
{
    char name[NAME_ROOM], *end;
    if (!length || length >= sizeof name)
        return htmt_fault_set(fault, HTMT_EFORMAT, "found '%.*s', expected a quantity", (int)length,
                              text);
    memcpy(name, text, length);
    name[length] = '\0';
    if (*name == '[' && name[length - 1] == ']') {
        name[length - 1] = '\0';
        return htmt__expression(name + 1, value, user, result, fault);
    }
    *result = strtod(name, &end);
    return *end ? value(user, name, result, fault) : 0;
}

int htmt__expression(const char *text, htmt__expression_value *value, void *user, double *result,
                     struct htmt_fault *fault)
{
    double sum = 0;
    char sign = '+';
    for (;;) {
        const char *next = find_operator(text);
        const size_t length = next ? (size_t)(next - text) : strlen(text);
        double part;
        int rc = evaluate(text, length, value, user, &part, fault);
        if (rc)
            return rc;
        sum = sign == '-'   ? sum - part
              : sign == '*' ? sum * part
              : sign == '/' ? sum / part
                            : sum + part;
        if (!next)
            break;
        sign = next[1];
        text = next + 3;
    }
    *result = sum;
    return 0;
}
