/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Class: unit threads.
 * parcels/htmt.hpp: what lambdas capture, typed spans, and exceptions that cross no function in C.
 */
#include "parcels/htmt.hpp"

#include <criterion/criterion.h>
#include <functional>
#include <memory>
#include <numeric>
#include <string>

static htmt_options with_threads(std::uint32_t threads)
{
    htmt_options o{};
    o.threads = threads;
    return o;
}

static htmt_options as_model()
{
    htmt_options o{};
    o.mode = HTMT_MODEL;
    return o;
}

/* What the function throws. */
static htmt::error thrown_by(const std::function<void()> &what)
{
    try {
        what();
    } catch (const htmt::error &x) {
        return x;
    }
    cr_assert_fail("nothing was thrown");
    return htmt::error(0, "");
}

static void expect_line(const htmt::error &x, int code, const char *words)
{
    cr_assert_eq(x.code(), code, "%s: %s", htmt_err_name(x.code()), x.what());
    cr_assert_not_null(strstr(x.what(), words), "no '%s' in: %s", words, x.what());
}

/* ---- one program, twice ---------------------------------------------------------------------- */

struct outcome {
    double sum;
    htmt_time predicted;
    std::uint64_t hash;
};

static const std::size_t NUMBERS = 40;

/* Numbers go up one by one and come back squared. */
static outcome squares_in_cxx(htmt_options options)
{
    std::vector<double> x(NUMBERS);
    std::iota(x.begin(), x.end(), 1.0);
    htmt::machine machine("small-htmt");
    htmt::emulator e(machine, options);
    auto numbers = e.wrap(1, "dram", htmt::span<double>(x.data(), x.size()), "numbers");
    htmt::type_desc d("square", "dram", "cram");
    d.execute.kernel = [](htmt::kernel &k) {
        for (double &value : k.region<double>(0))
            value *= value;
        k.count(HTMT_FLOP, k.args<std::uint64_t>());
    };
    d.retire.cost = [](htmt::cost &c) { c.count(HTMT_IOP, c.args<std::uint64_t>() + 1); };
    d.retire.control = [](htmt::context &c) { c.charge(HTMT_CYCLE, c.args<std::uint64_t>()); };
    htmt::type square = e.type(d.takes<std::uint64_t>());
    for (std::uint64_t i = 0; i < NUMBERS; i++)
        e.root(1).assemble(square, i, {htmt::in_out(numbers.part(i, 1))});
    e.run();
    return {std::accumulate(x.begin(), x.end(), 0.0), e.predicted(), e.history_hash()};
}

static void square_kernel(struct htmt_kernel *k)
{
    double *x = static_cast<double *>(htmt_bytes(k, 0));
    *x *= *x;
    htmt_count(k, HTMT_FLOP, *static_cast<const std::uint64_t *>(htmt_kernel_args(k)));
}

static void square_cost(const void *args, const void *, struct htmt_ops *ops)
{
    ops->n[HTMT_IOP] = *static_cast<const std::uint64_t *>(args) + 1;
}

static void square_control(struct htmt_context *c)
{
    htmt_charge(c, HTMT_CYCLE, *static_cast<const std::uint64_t *>(htmt_args(c)));
}

static outcome squares_in_c(htmt_options options)
{
    double x[NUMBERS], sum = 0;
    struct htmt_machine *machine = nullptr;
    struct htmt_emulator *e = nullptr;
    struct htmt_object *numbers = nullptr;
    struct htmt_type *type = nullptr;
    for (std::size_t i = 0; i < NUMBERS; i++)
        x[i] = static_cast<double>(i + 1);
    cr_assert_eq(htmt_machine_load("small-htmt", nullptr, 0, &machine, nullptr), 0);
    options.machine = machine;
    cr_assert_eq(htmt_emulator_create(&e, &options, nullptr), 0);
    uint32_t dram = static_cast<uint32_t>(htmt_emulator_layer(e, "dram"));
    cr_assert_eq(htmt_object_wrap(e, 1, dram, x, sizeof x, NUMBERS, "numbers", &numbers), 0);
    struct htmt_type_desc d = {};
    d.name = "square";
    d.home = "dram";
    d.exec = "cram";
    d.execute.kernel = square_kernel;
    d.retire.cost = square_cost;
    d.retire.control = square_control;
    d.args_bytes = sizeof(std::uint64_t);
    cr_assert_eq(htmt_type_create(e, &d, &type), 0);
    for (std::uint64_t i = 0; i < NUMBERS; i++) {
        struct htmt_region r = {};
        r.from = r.to = htmt_in(numbers, i * sizeof *x);
        r.bytes = sizeof *x;
        struct htmt_parcel_desc p = {};
        p.type = type;
        p.slice = 1;
        p.regions = &r;
        p.region_count = 1;
        p.args = &i;
        cr_assert_eq(htmt_assemble(htmt_root(e), &p, nullptr), 0);
    }
    cr_assert_eq(htmt_emulator_run(e), 0);
    for (double value : x)
        sum += value;
    outcome found = {sum, htmt_predicted(e), htmt_history_hash(e)};
    htmt_emulator_destroy(&e);
    htmt_machine_destroy(&machine);
    return found;
}

Test(cxx, program_has_the_history_of_the_same_program_in_c)
{
    for (std::uint32_t threads = 1; threads <= 3; threads++) {
        outcome a = squares_in_cxx(with_threads(threads)), b = squares_in_c(with_threads(threads));
        cr_assert_eq(a.hash, b.hash);
        cr_assert_eq(a.predicted, b.predicted);
        cr_assert_eq(a.sum, b.sum);
        cr_assert_eq(a.sum, NUMBERS * (NUMBERS + 1) * (2 * NUMBERS + 1) / 6.0);
    }
}

/* ---- captures -------------------------------------------------------------------------------- */

/* A type whose one function adds what it captured, in each of two parts. */
static htmt::type adder(htmt::emulator &e, const std::shared_ptr<const double> &what)
{
    htmt::type_desc d("add " + std::to_string(*what), "dram", "cram");
    d.execute.kernel = [what](htmt::kernel &k) { k.region<double>(0)[k.part()] += *what; };
    d.execute.parts = 2;
    return e.type(std::move(d));
}

Test(cxx, types_of_one_lambda_have_captures_of_their_own)
{
    for (std::uint32_t threads = 1; threads <= 3; threads++) {
        htmt::machine machine("small-htmt");
        htmt::emulator e(machine, with_threads(threads));
        auto x = e.array<double>(0, "dram", 4, "x");
        auto two = adder(e, std::make_shared<double>(2)),
             ten = adder(e, std::make_shared<double>(10));
        e.root().assemble(two, {htmt::in_out(x.part(0, 2))});
        e.root().assemble(ten, {htmt::in_out(x.part(2, 2))});
        e.run();
        double found = 0, weight = 1;
        for (double value : x.values())
            found += weight * value, weight *= 100;
        cr_assert_eq(found, 10100202, "%g", found);
    }
}

Test(cxx, captures_live_as_long_as_the_emulator)
{
    auto shared = std::make_shared<double>(1);
    {
        htmt::machine machine("small-htmt");
        htmt::emulator first(machine);
        adder(first, shared);
        cr_assert_eq(shared.use_count(), 2);
        htmt::emulator second(std::move(first));
        cr_assert_eq(shared.use_count(), 2);
        second.run();
    }
    cr_assert_eq(shared.use_count(), 1);
}

Test(cxx, fibers_have_kernels_costs_and_controls_of_their_own)
{
    for (int model = 0; model <= 1; model++) {
        htmt::machine machine("small-htmt");
        htmt::emulator e(machine, model ? as_model() : htmt_options{});
        auto x = e.frame<double>("cram", 1, "x");
        std::vector<std::uint32_t> order;
        htmt::type_desc d("chain", "cram", "cram");
        d.footprint = HTMT_RESIDENT;
        d.execute.control = [](htmt::context &c) { c.signal(c.slot(1)); };
        for (std::uint32_t i = 1; i <= 3; i++) {
            htmt::stage s;
            s.count = 1;
            s.kernel = [i](htmt::kernel &k) {
                double &value = k.used<double>(0)[0];
                value = 10 * value + i;
            };
            s.cost = [i](htmt::cost &c) { c.count(HTMT_CYCLE, i); };
            s.control = [i, x, &order](htmt::context &c) {
                order.push_back(c.fiber());
                c.use(x.part(c.slice(), 0, 1), HTMT_UPDATE);
                c.work();
                if (i < 3)
                    c.signal(c.slot(i + 1));
                else
                    c.retire();
            };
            d.fibers.push_back(s);
        }
        e.root(2).assemble(e.type(std::move(d)));
        e.run();
        cr_assert_eq(e.predicted(), (1 + 2 + 3) * 100000); /* cycles of 10 GHz */
        cr_assert(order == (std::vector<std::uint32_t>{1, 2, 3}));
        if (!model)
            cr_assert_eq(x.values(2)[0], 123);
    }
}

/* ---- spans ----------------------------------------------------------------------------------- */

Test(cxx, span_knows_its_bounds)
{
    int x[5] = {1, 2, 3, 4, 5};
    htmt::span<int> all(x, 5);
    cr_assert_eq(std::accumulate(all.begin(), all.end(), 0), 15);
    cr_assert_eq(all.part(2, 3).at(0), 3);
    cr_assert(all.part(5, 0).empty());
    expect_line(thrown_by([&] { all.at(5); }), HTMT_EBOUNDS, "element 5 of a span of 5");
    expect_line(thrown_by([&] { all.part(4, 2); }), HTMT_EBOUNDS, "2 elements from 4");
    expect_line(thrown_by([&] { all.part(6, SIZE_MAX); }), HTMT_EBOUNDS, "of a span of 5");
}

/* One parcel with a region of that many bytes, and what its kernel does with it. */
static htmt::error thrown_in_kernel(const std::function<void(htmt::kernel &)> &kernel,
                                    std::uint32_t threads = 2, std::uint64_t bytes = 12)
{
    htmt::machine machine("small-htmt");
    htmt::emulator e(machine, with_threads(threads));
    auto x = e.array<char>(0, "dram", 32, "x");
    htmt::type_desc d("wrong", "dram", "cram");
    d.execute.kernel = kernel;
    d.takes<int>().leaves<int>();
    e.root().assemble(e.type(d), 7, {htmt::in_out(x.part(0, bytes))});
    return thrown_by([&] { e.run(); });
}

Test(cxx, region_is_made_of_whole_elements)
{
    expect_line(thrown_in_kernel([](htmt::kernel &k) { k.region<double>(0); }), HTMT_EINVAL,
                "a region of 12 bytes, expected whole elements of 8");
    expect_line(thrown_in_kernel([](htmt::kernel &k) { k.region<int>(0).at(3) = 1; }), HTMT_EBOUNDS,
                "element 3 of a span of 3");
}

Test(cxx, arguments_and_results_are_of_the_size_that_the_type_has)
{
    expect_line(thrown_in_kernel([](htmt::kernel &k) { k.args<double>(); }), HTMT_EINVAL,
                "arguments of 8 bytes asked of a type whose are 4");
    expect_line(thrown_in_kernel([](htmt::kernel &k) { k.result<double>(); }), HTMT_EINVAL,
                "a result of 8 bytes asked of a type whose are 4");
    htmt::machine machine("small-htmt");
    htmt::emulator e(machine);
    auto plain = e.type(htmt::type_desc("plain", "cram", "cram"));
    expect_line(thrown_by([&] { e.root().assemble(plain, 1); }), HTMT_EINVAL,
                "arguments of 4 bytes asked of a type whose are 0");
}

/* ---- exceptions ------------------------------------------------------------------------------ */

Test(cxx, exception_of_a_kernel_ends_the_run_on_any_thread)
{
    for (std::uint32_t threads = 1; threads <= 4; threads++) {
        expect_line(
            thrown_in_kernel([](htmt::kernel &) { throw std::runtime_error("mine"); }, threads),
            HTMT_EINVAL, "mine");
        expect_line(
            thrown_in_kernel([](htmt::kernel &) { throw htmt::error(HTMT_ERANGE, "own code"); },
                             threads),
            HTMT_ERANGE, "own code");
        expect_line(thrown_in_kernel([](htmt::kernel &) { throw 5; }, threads), HTMT_EINVAL,
                    "no std::exception");
        expect_line(thrown_in_kernel([](htmt::kernel &) { throw std::bad_alloc(); }, threads),
                    HTMT_ENOMEM, "out of host memory");
    }
}

/* Sixteen parcels whose kernels all throw, the sooner in virtual time the later they were made. */
static htmt::error first_thrown(std::uint32_t threads, std::uint64_t delay_seed)
{
    htmt::machine machine("small-htmt");
    htmt_options o = with_threads(threads);
    o.delay_seed = delay_seed;
    htmt::emulator e(machine, o);
    htmt::type_desc d("late", "dram", "cram");
    d.assemble.cost = [](htmt::cost &c) { c.count(HTMT_CYCLE, 1000 - 50 * c.args<int>()); };
    d.execute.kernel = [](htmt::kernel &k) {
        throw std::runtime_error("number " + std::to_string(k.args<int>()));
    };
    auto late = e.type(d.takes<int>());
    for (int i = 0; i < 16; i++)
        e.root(static_cast<std::uint32_t>(i) % e.slices()).assemble(late, i);
    return thrown_by([&] { e.run(); });
}

Test(cxx, of_many_exceptions_the_earliest_in_virtual_time_is_thrown)
{
    for (std::uint32_t threads = 1; threads <= 4; threads++)
        expect_line(first_thrown(threads, threads), HTMT_EINVAL, "number 15");
}

/* What such a type makes of a run, and of a model run. */
static void expect_thrown(const htmt::type_desc &d, int code, const char *words)
{
    for (int model = 0; model <= 1; model++) {
        htmt::machine machine("small-htmt");
        htmt::emulator e(machine, model ? as_model() : with_threads(2));
        e.root().assemble(e.type(d));
        htmt::error x = thrown_by([&] { e.run(); });
        expect_line(x, code, words);
        cr_assert_eq(x.exit_status(), htmt_exit_status(code));
    }
}

Test(cxx, exception_of_a_control_ends_the_run)
{
    htmt::type_desc d("wrong", "cram", "cram");
    d.execute.control = [](htmt::context &) { throw std::out_of_range("100 % wrong: %s"); };
    expect_thrown(d, HTMT_EINVAL, "100 % wrong: %s");
    d.execute.control = [](htmt::context &) { throw htmt::error(HTMT_EWRONG, "in a control"); };
    expect_thrown(d, HTMT_EWRONG, "in a control");
    d.execute.control = [](htmt::context &c) { c.args<int>(); };
    expect_thrown(d, HTMT_EINVAL, "arguments of 4 bytes");
}

Test(cxx, call_that_fails_in_a_control_throws_and_keeps_its_line)
{
    bool went_on = false;
    htmt::type_desc d("wrong", "cram", "cram");
    d.execute.control = [&went_on](htmt::context &c) {
        c.dispatch(c.self());
        went_on = true;
    };
    expect_thrown(d, HTMT_EINVAL, "htmt_dispatch()");
    cr_assert_not(went_on);
}

Test(cxx, exception_of_a_cost_function_ends_the_run)
{
    htmt::type_desc d("wrong", "cram", "cram");
    d.execute.cost = [](htmt::cost &) { throw htmt::error(HTMT_ERANGE, "no price"); };
    expect_thrown(d, HTMT_ERANGE, "type wrong: the cost function threw: no price");
    d.execute.kernel = [](htmt::kernel &) {};
    expect_thrown(d, HTMT_ERANGE, "no price");
    d.execute = htmt::stage();
    d.execute.control = [](htmt::context &c) { c.signal(c.slot(64)); };
    d.fibers.resize(64);
    d.fibers[63].count = 1;
    d.fibers[63].cost = [](htmt::cost &c) { c.args<int>(); };
    expect_thrown(d, HTMT_EINVAL, "arguments of 4 bytes");
}

Test(cxx, calls_of_the_host_throw_with_the_line)
{
    expect_line(thrown_by([] { htmt::machine m("no-such-machine"); }), HTMT_ENOENT,
                "no-such-machine");
    expect_line(thrown_by([] { htmt::machine m("small-htmt", {"nonsense"}); }), HTMT_EFORMAT,
                "nonsense");
    htmt::machine machine("small-htmt", {"slices=2"});
    htmt::emulator e(machine);
    cr_assert_eq(e.slices(), 2);
    expect_line(thrown_by([&] { e.layer("moon"); }), HTMT_ENOENT, "moon");
    expect_line(thrown_by([&] { e.array<double>(7, "cram", 1, "x"); }), HTMT_EINVAL, "slice");
    htmt::emulator other(machine);
    htmt::type_desc d("many", "cram", "cram");
    d.fibers.resize(65);
    d.fibers[64].cost = [](htmt::cost &) {};
    expect_line(thrown_by([&] { other.type(d); }), HTMT_EINVAL, "fiber 65");
    other.run();
    expect_line(thrown_by([&] { other.run(); }), HTMT_EINVAL, "htmt_emulator_run()");
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Every slice puts its number to the right, mails it to slice 0 and joins a sum. */
/* A tree without a combination takes slice 0's frame to every slice. */
Test(cxx, a_broadcast_tree_needs_no_combination)
{
    htmt::machine machine("small-htmt");
    htmt::emulator e(machine, with_threads(2));
    auto word = e.frame<double>("cram", 2, "word");
    htmt_tree *tree = e.tree(word, 1, "down");
    std::vector<htmt_ref> all(e.slices());
    word.values(0)[0] = word.values(0)[1] = 7;
    htmt::type_desc d("hear", "cram", "cram");
    d.execute.control = [&](htmt::context &c) {
        std::vector<htmt::slot> arrived;
        for (const htmt_ref &r : all)
            arrived.push_back(htmt::context::slot_of(r, 1));
        if (c.slice() == 0)
            c.broadcast(tree, arrived);
    };
    d.fibers.resize(1);
    d.fibers[0].count = 1;
    d.fibers[0].control = [](htmt::context &c) { c.retire(); };
    auto hear = e.type(d);
    for (std::uint32_t i = 0; i < e.slices(); i++)
        all[i] = e.root(i).assemble(hear);
    e.run();
    for (std::uint32_t i = 0; i < e.slices(); i++) {
        cr_assert_eq(word.values(i)[0], 7);
        cr_assert_eq(word.values(i)[1], i ? 0 : 7);
    }
}

Test(cxx, a_constant_cost_is_asked_once)
{
    std::uint64_t hash[2];
    unsigned asked[2] = {0, 0};
    for (int constant = 0; constant <= 1; constant++) {
        htmt::machine machine("small-htmt");
        htmt::emulator e(machine, as_model());
        auto x = e.array<double>(0, "dram", 16, "x");
        htmt::type_desc d("seven", "dram", "cram");
        unsigned *calls = &asked[constant];
        d.execute.kernel = [](htmt::kernel &k) { k.constants(htmt::span<const double>()); };
        d.execute.cost = [calls](htmt::cost &c) {
            ++*calls;
            c.count(HTMT_FLOP, 7);
        };
        d.execute.constant = constant;
        auto seven = e.type(d);
        for (std::uint64_t i = 0; i < 16; i++)
            e.root().assemble(seven, {htmt::in_out(x.part(i, 1))});
        e.run();
        hash[constant] = e.history_hash();
    }
    cr_assert_eq(asked[1], 1);
    cr_assert_gt(asked[0], 1);
    cr_assert_eq(hash[0], hash[1]);
}

Test(cxx, puts_mailboxes_and_collectives_serve_typed_frames)
{
    enum { BEGIN, CAME, SUMMED, MAILED };
    htmt::machine machine("small-htmt");
    htmt::emulator e(machine, with_threads(2));
    const std::uint32_t n = e.slices();
    auto own = e.frame<double>("cram", 1, "own"), left = e.frame<double>("cram", 1, "left");
    auto sum = e.frame<double>("cram", 1, "sum"), total = e.frame<double>("cram", 1, "total");
    htmt_mailbox *box = e.mailbox<double>(0, "cram", n, "box");
    struct htmt_allreduce *add = e.allreduce<std::plus<>>(sum, 1, htmt_ops{}, "add");
    for (std::uint32_t i = 0; i < n; i++)
        own.values(i)[0] = sum.values(i)[0] = i + 1.0;
    std::vector<htmt_ref> all(n);
    htmt::type_desc d("ring", "cram", "cram");
    d.footprint = HTMT_RESIDENT;
    d.execute.control = [&](htmt::context &c) {
        const std::uint32_t i = c.slice(), next = (i + 1) % n;
        c.put(left.at(next), own.part(i, 0, 1), htmt_slot_of(all[next], CAME));
        c.send(box, own.at(i), 1, {}, htmt_slot_of(all[0], MAILED));
        c.allreduce(add, c.slot(SUMMED));
    };
    htmt::stage came, mailed;
    came.count = 1;
    mailed.count = n;
    d.fibers = {came, came, mailed};
    d.fibers[SUMMED - 1].count = 1;
    d.fibers[SUMMED - 1].control = [](htmt::context &c) {
        if (c.slice())
            c.retire();
    };
    d.fibers[MAILED - 1].kernel = [](htmt::kernel &k) {
        auto mail = k.used<double>(0);
        k.used<double>(1)[0] = std::accumulate(mail.begin(), mail.end(), 0.0);
    };
    d.fibers[MAILED - 1].control = [&](htmt::context &c) {
        cr_assert_eq(c.take(box), n);
        c.use(total.part(0, 0, 1), HTMT_WRITE);
        c.work();
        c.retire();
    };
    auto ring = e.type(d);
    for (std::uint32_t i = 0; i < n; i++)
        all[i] = e.root(i).assemble(ring);
    e.run();
    for (std::uint32_t i = 0; i < n; i++) {
        cr_assert_eq(left.values(i)[0], (i + n - 1) % n + 1.0);
        cr_assert_eq(sum.values(i)[0], n * (n + 1) / 2.0);
    }
    cr_assert_eq(total.values(0)[0], n * (n + 1) / 2.0);
}

Test(cxx, frames_are_loaded_and_gathered_by_slices)
{
    htmt::machine machine("small-htmt");
    htmt::emulator e(machine);
    auto f = e.frame<int>("sram", 3, "f");
    std::vector<int> in(8), out(8, -1), odd(7);
    std::iota(in.begin(), in.end(), 0);
    f.load(in, 2);
    f.gather(out, 2);
    cr_assert(in == out);
    cr_assert_eq(f.values(3)[1], 7);
    cr_assert_eq(f.values(3)[2], 0);
    expect_line(thrown_by([&] { f.load(odd, 2); }), HTMT_EBOUNDS, "7 elements");
    expect_line(thrown_by([&] { f.load(in, 4); }), HTMT_EBOUNDS, "8 elements");
    in.resize(16);
    expect_line(thrown_by([&] { f.load(in, 4); }), HTMT_EBOUNDS, "htmt_frame_load()");
}

/* ---- what C calls ---------------------------------------------------------------------------- */

Test(cxx, guard_turns_an_exception_into_a_code_and_a_line)
{
    htmt_fault fault{};
    cr_assert_eq(htmt::guard(&fault, [] {}), 0);
    cr_assert_eq(fault.code, 0);
    cr_assert_eq(htmt::guard(&fault, [] { throw htmt::error(HTMT_ERANGE, "too far"); }),
                 HTMT_ERANGE);
    cr_assert_eq(fault.code, HTMT_ERANGE);
    cr_assert_str_eq(fault.text, "too far");
    fault = {};
    cr_assert_eq(htmt::guard(&fault, [] { throw std::runtime_error("50 %s"); }), HTMT_EINVAL);
    cr_assert_str_eq(fault.text, "50 %s");
    cr_assert_eq(htmt::guard(nullptr, [] { throw htmt::error(0, "no code"); }), HTMT_EINVAL);
}

Test(cxx, emulator_of_somebody_else_is_left_to_him)
{
    htmt::machine machine("small-htmt");
    htmt_emulator *e = nullptr;
    htmt_options options = htmt_options_init();
    options.machine = machine.get();
    cr_assert_eq(htmt_emulator_create(&e, &options, nullptr), 0);
    auto shared = std::make_shared<double>(5);
    {
        htmt::emulator borrowed(e);
        auto x = borrowed.array<double>(0, "dram", 2, "x");
        borrowed.root().assemble(adder(borrowed, shared), {htmt::in_out(x.all())});
        cr_assert_eq(htmt_emulator_run(e), 0);
        cr_assert_eq(x.values()[1], 5);
    }
    cr_assert_eq(shared.use_count(), 1);
    cr_assert_gt(htmt_predicted(e), 0);
    htmt_emulator_destroy(&e);
}

/* ---- posts ----------------------------------------------------------------------------------- */

struct token {
    std::uint32_t hops, from;
};

/* Each slice passes a token on until it has hopped often enough, then three by a generator; when
 * all is quiet slice 0 counts once. 8 bytes are two words of 8 ns. */
Test(htmt_hpp, posts_carry_values_and_what_is_kept_counts_them)
{
    htmt::machine m("small-htmt");
    htmt::emulator e(m, as_model());
    std::vector<htmt::array<std::uint64_t>> counts;
    for (std::uint32_t i = 0; i < e.slices(); i++)
        counts.push_back(e.kept<std::uint64_t>(i, "cram", 1, "counts"));
    std::uint32_t quiet = 0;
    std::unique_ptr<htmt::type> pass;
    htmt::type_desc d("pass", "cram", "cram");
    d.takes<token>();
    d.wanted = [](htmt::context &c) { return c.args<token>().hops < 1000; };
    d.next = [&](htmt::context &c, std::uint64_t i) {
        c.post(*pass, static_cast<std::uint32_t>(i) % e.slices(), token{2000, c.slice()});
    };
    d.execute.control = [&](htmt::context &c) {
        const token t = c.args<token>();
        cr_assert_eq(c.sender(), t.from);
        c.kept(counts[c.slice()])[0]++;
        if (t.hops)
            c.post(*pass, (c.slice() + 1) % e.slices(), token{t.hops - 1, c.slice()});
        else
            c.each(3);
    };
    pass.reset(new htmt::type(e.type(d)));
    e.quiet([&](htmt::context &c) { quiet += c.slice() == 0; });
    e.root().post(*pass, 0, token{9, 0});
    e.run();
    std::uint64_t sum = 0;
    for (auto &a : counts)
        sum += a.values()[0];
    cr_assert_eq(sum, 10u);
    cr_assert_eq(quiet, 1u);
}
