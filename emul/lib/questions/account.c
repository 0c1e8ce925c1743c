/* SPDX-License-Identifier: BSD-3-Clause */
#include "emul/lib/questions/account.h"

int htmt__account_ask(const struct htmt_emulator *e, struct htmt__account *x)
{
    if (!htmt_emulator_ended(e))
        return HTMT_EINVAL;
    const struct htmt_options *o = htmt_emulator_options(e);
    uint64_t workers = 0;
    for (unsigned l = 0; l < HTMT_LAYERS_MAX; l++)
        workers += o->layer_threads[l];
    *x = (struct htmt__account){.emulator = e,
                                .threads = workers      ? workers + 1
                                           : o->threads ? o->threads
                                                        : 1,
                                .fault = *htmt_emulator_fault(e)};
    if (!x->fault.code)
        htmt_audit(e, &x->fault);
    int rc = htmt__results_collect(e, &x->results);
    if (!rc)
        rc = htmt__summary_make(e, &x->summary);
    if (!rc && o->lint)
        rc = htmt__lint_make(e, &x->lint);
    if (!rc && o->explain)
        rc = htmt__explanation_make(e, NULL, &x->explanation);
    if (!rc)
        rc = htmt__explanation_share(&x->explanation, &x->results);
    if (!rc)
        htmt__results_rank(&x->results, &x->explanation);
    if (rc)
        htmt__account_clear(x);
    return rc;
}

void htmt__account_clear(struct htmt__account *x)
{
    htmt__results_clear(&x->results);
    htmt__summary_clear(&x->summary);
    htmt__lint_clear(&x->lint);
    htmt__explanation_clear(&x->explanation);
}
