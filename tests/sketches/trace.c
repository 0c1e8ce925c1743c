#include "emul/trace/htmt_trace.h"

#include <stdio.h>

struct longest {
    htmt_trace_ref ref;
    struct htmt_trace_interval interval;
};

static void look(const struct htmt_trace_block *b, struct longest *l)
{
    for (uint32_t n = 0; n < b->count; n++)
        if (b->interval[n].wait > l->interval.wait)
            *l = (struct longest){htmt_trace_ref_of(b->slice, b->first + n), b->interval[n]};
}

static void print(const struct htmt_trace_info *info, const char *what, htmt_trace_ref ref,
                  const struct htmt_trace_interval *i)
{
    const struct htmt_trace_step *s = &info->step[i->step];
    printf("%s: interval %llu of slice %u, %s %s %s, %lld fs + %lld fs\n", what,
           (unsigned long long)htmt_trace_ref_number(ref), htmt_trace_ref_slice(ref), s->type,
           htmt_stage_name(s->stage), htmt_trace_place_name(s->place), (long long)i->wait,
           (long long)i->service);
}

int main(int argc, char **argv)
{
    struct htmt_trace *t = NULL;
    struct htmt_trace_block b = {0};
    struct longest l = {.ref = HTMT_TRACE_NONE};
    struct htmt_fault fault = {0};
    uint64_t index;
    int rc = htmt_trace_open(&t, argc > 1 ? argv[1] : "run.trace", &fault);
    for (uint64_t i = 0; !rc && i < htmt_trace_info(t)->blocks; i++) {
        rc = htmt_trace_block_read(t, i, &b, &fault);
        if (!rc)
            look(&b, &l);
    }
    if (!rc && l.interval.wait > 0) {
        print(htmt_trace_info(t), "longest wait", l.ref, &l.interval);
        if (htmt_trace_block_of(t, l.interval.line, &index) == 0) /* none has no block */
            rc = htmt_trace_block_read(t, index, &b, &fault);
        if (!rc && l.interval.line != HTMT_TRACE_NONE)
            print(htmt_trace_info(t), "it ended with", l.interval.line,
                  &b.interval[htmt_trace_ref_number(l.interval.line) - b.first]);
    }
    if (rc)
        fprintf(stderr, "%s\n", fault.text);
    htmt_trace_block_clear(&b);
    htmt_trace_close(&t);
    return htmt_exit_status(rc);
}
