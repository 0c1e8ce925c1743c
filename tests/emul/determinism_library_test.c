/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * htmt_determinism_check() of a program whose control, at one of its runs, does otherwise.
 */
#include "emul/report/htmt_report.h"
#include "tests/parcels/world.h"

#include <stdio.h>

enum { PARCELS = 3, LEAST = 10 };

/* The program, and the fault that is planted in it: state that outlives a run. */
struct subject {
    struct htmt_machine *machine;
    struct htmt_type *child;
    struct htmt_object *numbers;
    unsigned odd_run; /* of the runs, from 0, the one that does otherwise */
    uint64_t more_words, more_result;
    int refused; /* by create(), from the run odd_run on */
    unsigned runs, destroyed, observed;
    bool cancel;
};

/* What the controls of this test's one program share. */
static struct subject *subject_of_controls;

static bool is_odd(const struct subject *s)
{
    return s->runs - 1 == s->odd_run;
}

/* Children bring ten words, the second of the odd run more. */
static void spawn(struct htmt_context *c)
{
    const struct subject *s = subject_of_controls;
    bool second = *(const uint64_t *)htmt_args(c) == 1;
    uint64_t words = LEAST + (is_odd(s) && second ? s->more_words : 0);
    struct htmt_region r = {.from = htmt_in(s->numbers, 0), .bytes = 8 * words};
    htmt_assemble(c,
                  &(struct htmt_parcel_desc){
                      .type = s->child, .slice = htmt_slice(c), .regions = &r, .region_count = 1},
                  NULL);
}

static void nothing(struct htmt_kernel *k)
{
    htmt_count(k, HTMT_CYCLE, 5);
}

static int set_up(struct htmt_emulator *e, struct subject *s)
{
    struct htmt_type *parent;
    struct htmt_type_desc child = {
        .name = "child", .home = "sram", .exec = "cram", .execute = {.kernel = nothing}};
    struct htmt_type_desc d = {.name = "parent",
                               .home = "sram",
                               .exec = "cram",
                               .execute = {.control = spawn},
                               .args_bytes = sizeof(uint64_t)};
    int rc = htmt_object_create(e, 0, SRAM, 1000, "numbers", &s->numbers);
    rc = rc ? rc : htmt_type_create(e, &child, &s->child);
    rc = rc ? rc : htmt_type_create(e, &d, &parent);
    for (uint64_t i = 0; i < PARCELS && !rc; i++)
        rc = htmt_assemble(htmt_root(e), &(struct htmt_parcel_desc){.type = parent, .args = &i},
                           NULL);
    return rc;
}

static int create(struct htmt_emulator *e, void *user)
{
    struct subject *s = user;
    cr_assert_eq(s->runs, s->destroyed, "two runs at once");
    subject_of_controls = s;
    s->runs++;
    return s->refused && s->runs > s->odd_run ? s->refused : set_up(e, s);
}

static void destroy(void *user)
{
    ((struct subject *)user)->destroyed++;
}

static uint64_t result(struct htmt_emulator *e, void *user)
{
    const struct subject *s = user;
    cr_assert(htmt_emulator_ended(e));
    return 7 + (is_odd(s) ? s->more_result : 0);
}

static void observe(void *user, const struct htmt_event *event)
{
    struct subject *s = user;
    s->observed += event != NULL;
}

static bool cancelled(void *user)
{
    return ((const struct subject *)user)->cancel;
}

static int check_with(struct htmt_options o, struct subject *s, struct htmt_determinism_report *r,
                      struct htmt_fault *fault)
{
    struct world_spec spec = world_plain(1);
    struct htmt_determinism_desc d = htmt_determinism_desc_init();
    o.machine = s->machine = world_machine(&spec);
    d.options = &o;
    d.create = create;
    d.result = result;
    d.destroy = destroy;
    d.user = s;
    int rc = htmt_determinism_check(&d, r, fault);
    htmt_machine_destroy(&s->machine);
    cr_expect_eq(s->runs, s->destroyed);
    return rc;
}

static int check(struct subject *s, struct htmt_determinism_report *r, struct htmt_fault *fault)
{
    struct htmt_options o = {.threads = 2, .observe = observe, .cancelled = cancelled, .user = s};
    return check_with(o, s, r, fault);
}

/* The section that tells of it; the caller frees it. */
static char *section(const struct htmt_determinism_report *r)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(htmt_determinism_print(r, out), 0);
    fclose(out);
    return text;
}

Test(determinism_library, an_honest_program_passes)
{
    struct subject s = {.odd_run = UINT32_MAX};
    struct htmt_determinism_report r;
    struct htmt_fault fault = {0};
    cr_assert_eq(check(&s, &r, &fault), 0, "%s", fault.text);
    cr_expect(r.equal && r.runs == 4 && s.runs == 5 && !r.difference[0]);
    cr_expect_eq(5 * r.events, s.observed);
    char *text = section(&r);
    cr_expect_not_null(strstr(text, "DETERMINISM\n  equal         4 more runs, each"), "%s", text);
    free(text);
}

/* The run with 2 threads is the third; of its events the inject of the child comes later. */
Test(determinism_library, the_first_different_event_is_named)
{
    struct subject s = {.odd_run = 2, .more_words = 1};
    struct htmt_determinism_report r;
    struct htmt_fault fault = {0};
    cr_assert_eq(check(&s, &r, &fault), HTMT_ENONDET);
    cr_expect(!r.equal && r.runs == 2 && r.threads == 2);
    cr_expect_eq(s.runs, 4, "%u runs", s.runs);
    cr_expect(strstr(r.first, "rti sram out, slice 0") && strstr(r.first, "inject, 10 words"), "%s",
              r.first);
    cr_expect(strstr(r.differing, "inject, 11 words"), "%s", r.differing);
    cr_expect_str_eq(fault.text, r.difference);
    cr_expect_not_null(strstr(r.difference,
                              "runs with 2 threads and with 2 threads and delays (seed 2) differ: "
                              "first in event "),
                       "%s", r.difference);
    char *text = section(&r);
    cr_expect_not_null(strstr(text, "\n  DIFFERENT     runs with 2 threads"), "%s", text);
    free(text);
}

Test(determinism_library, a_result_that_differs_alone_is_found)
{
    struct subject s = {.odd_run = 1, .more_result = 1};
    struct htmt_determinism_report r;
    struct htmt_fault fault = {0};
    cr_assert_eq(check(&s, &r, &fault), HTMT_ENONDET);
    cr_expect(r.runs == 1 && r.threads == 1);
    cr_expect(strstr(r.difference, "the digest of the results, though no event does"), "%s",
              r.difference);
    cr_expect_str_empty(r.first);
}

/* Of a model run that nobody else observes: the sixth is by windows, the next on two threads. */
Test(determinism_library, a_model_run_is_made_by_windows_too)
{
    const struct htmt_options model = {.mode = HTMT_MODEL};
    struct subject honest = {.odd_run = UINT32_MAX}, odd = {.odd_run = 5, .more_words = 1};
    struct htmt_determinism_report r;
    struct htmt_fault fault = {0};
    cr_assert_eq(check_with(model, &honest, &r, &fault), 0, "%s", fault.text);
    cr_expect(r.equal && r.runs == 6 && honest.runs == 7);
    cr_assert_eq(check_with(model, &odd, &r, &fault), HTMT_ENONDET);
    cr_expect(!r.equal && r.runs == 5 && !r.threads && !r.first[0]);
    cr_expect_str_eq(fault.text, "runs by the sequential clock and by windows differ: "
                                 "the predicted time");
}

Test(determinism_library, a_model_run_is_made_by_windows_on_two_threads)
{
    const struct htmt_options model = {.mode = HTMT_MODEL};
    struct subject odd = {.odd_run = 6, .more_words = 1};
    struct htmt_determinism_report r;
    struct htmt_fault fault = {0};
    cr_assert_eq(check_with(model, &odd, &r, &fault), HTMT_ENONDET);
    cr_expect(!r.equal && r.runs == 6 && !r.threads && !r.first[0]);
    cr_expect_str_eq(fault.text, "runs by the sequential clock and by windows on two threads "
                                 "differ: the predicted time");
}

Test(determinism_library, an_error_of_the_program_ends_the_check_with_its_code)
{
    for (unsigned run = 0; run < 3; run++) {
        struct subject s = {.odd_run = run, .refused = HTMT_EFORMAT};
        struct htmt_determinism_report r;
        struct htmt_fault fault = {0};
        cr_expect_eq(check(&s, &r, &fault), HTMT_EFORMAT);
        cr_expect_eq(s.runs, run + 1);
        cr_expect_str_eq(fault.text, htmt_strerror(HTMT_EFORMAT));
    }
}

Test(determinism_library, the_program_may_cancel_it)
{
    struct subject s = {.odd_run = UINT32_MAX, .cancel = true};
    struct htmt_determinism_report r;
    cr_expect_eq(check(&s, &r, NULL), HTMT_ECANCELLED);
    cr_expect_eq(s.runs, 1);
}

static void refuses(const struct htmt_determinism_desc *d, struct htmt_determinism_report *r,
                    const char *text)
{
    struct htmt_fault fault = {0};
    cr_expect_eq(htmt_determinism_check(d, r, &fault), HTMT_EINVAL);
    cr_expect_not_null(strstr(fault.text, text), "%s", fault.text);
}

Test(determinism_library, what_is_no_description_is_refused_in_a_line)
{
    struct htmt_determinism_report r;
    struct htmt_options o = {.threads = 1};
    struct htmt_determinism_desc d = htmt_determinism_desc_init();
    refuses(NULL, &r, "no description (NULL)");
    refuses(&d, NULL, "no place for the report (NULL)");
    refuses(&d, &r, "no options (NULL)");
    d.options = &o;
    refuses(&d, &r, "no function that creates the program (NULL)");
    d.create = create;
    refuses(&d, &r, "no machine (NULL)");
    o.size = sizeof o + 8;
    refuses(&d, &r, "newer libhtmt");
    o.size = sizeof o;
    d.size++;
    refuses(&d, &r, "built for a newer libhtmt");
    cr_expect_eq(htmt_determinism_print(NULL, stdout), HTMT_EINVAL);
}
