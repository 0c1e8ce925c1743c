/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The public API for C++17, thin: each class holds a handle of the C API, which get() gives.
 *
 * - Machines and emulators end with their scope. An emulator owns the functions of its types, with
 *   what they captured, until its run is over and it goes.
 * - Kernels, cost functions and controls are lambdas, or whatever else a std::function takes. Host
 *   threads call a kernel's side by side, so its captures are read, not written; where slices are
 *   played apart, that holds for controls, too (parcels/control.h).
 * - Bytes are spans: typed, with their size. Elements are trivially copyable.
 * - A call that fails throws htmt::error. What a kernel, cost function or control throws ends the
 *   run with its code and line, and run() throws that: no exception crosses a function in C. The
 *   callbacks of htmt_options are called as they are and must not throw.
 *
 * What a call means, who may make it and what it costs stands with the function in C that it calls.
 */
#ifndef HTMT_PARCELS_HTMT_HPP
#define HTMT_PARCELS_HTMT_HPP

#include "parcels/htmt.h"

#include <array>
#include <cassert>
#include <cstdint>
#include <cxxabi.h>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace htmt
{

/* A code of runtime/base/error.h and one line for a person. */
class error : public std::runtime_error
{
  public:
    error(int code, const std::string &line) : std::runtime_error(line), code_(code) {}
    int code() const noexcept { return code_; }
    int exit_status() const noexcept { return htmt_exit_status(code_); }

  private:
    int code_;
};

/* Elements that lie one behind the other: a view, as long as what it looks at. */
template <class T> class span
{
  public:
    static_assert(std::is_trivially_copyable<T>::value, "bytes move as they are");
    span() = default;
    span(T *data, std::size_t size) : data_(data), size_(size) {}
    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + size_; }
    T &operator[](std::size_t i) const
    {
        assert(i < size_);
        return data_[i];
    }
    T &at(std::size_t i) const /* HTMT_EBOUNDS */
    {
        if (i >= size_)
            throw error(HTMT_EBOUNDS,
                        "element " + std::to_string(i) + " of a span of " + std::to_string(size_));
        return data_[i];
    }
    span part(std::size_t first, std::size_t count) const /* HTMT_EBOUNDS */
    {
        if (first > size_ || count > size_ - first)
            throw error(HTMT_EBOUNDS, std::to_string(count) + " elements from " +
                                          std::to_string(first) + " of a span of " +
                                          std::to_string(size_));
        return span(data_ + first, count);
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

namespace detail
{

inline void check(int code, const htmt_fault &fault)
{
    if (code)
        throw error(code, fault.text[0] ? fault.text : htmt_strerror(code));
}

inline void check(int code, const htmt_emulator *e)
{
    if (code)
        check(code, *htmt_emulator_fault(e));
}

/* Bytes as elements: whole ones, where such elements may lie. */
template <class T> span<T> elements(void *bytes, std::uint64_t size, const char *what)
{
    if (size % sizeof(T) || reinterpret_cast<std::uintptr_t>(bytes) % alignof(T))
        throw error(HTMT_EINVAL, std::string(what) + " of " + std::to_string(size) +
                                     " bytes, expected whole elements of " +
                                     std::to_string(sizeof(T)) + " that are aligned");
    return span<T>(static_cast<T *>(bytes), static_cast<std::size_t>(size / sizeof(T)));
}

/* What a type has room for is what is asked for. */
template <class T> void expect(std::size_t found, const char *what)
{
    static_assert(std::is_trivially_copyable<T>::value, "bytes move as they are");
    if (found != sizeof(T))
        throw error(HTMT_EINVAL, std::string(what) + " of " + std::to_string(sizeof(T)) +
                                     " bytes asked of a type whose are " + std::to_string(found));
}

/* What an exception says to those who know codes and lines. Called while it is caught. */
template <class Fail> void caught(const Fail &fail)
{
    try {
        throw;
#ifdef __GLIBCXX__
    } catch (abi::__forced_unwind &) { /* the thread ends: not ours to stop */
        throw;
#endif
    } catch (const error &x) {
        fail(x.code(), x.what());
    } catch (const std::bad_alloc &) {
        fail(HTMT_ENOMEM, "out of host memory");
    } catch (const std::exception &x) {
        fail(HTMT_EINVAL, x.what());
    } catch (...) {
        fail(HTMT_EINVAL, "an exception that is no std::exception");
    }
}

struct code;

} // namespace detail

/* For a function that C calls, such as a step of an application: its code. What `f` throws becomes
 * one, and a line in *fault. */
template <class F> int guard(htmt_fault *fault, const F &f)
{
    int found = 0;
    try {
        f();
    } catch (...) {
        detail::caught([&](int code, const char *line) {
            found = htmt_fault_set(fault, code ? code : HTMT_EINVAL, "%s", line);
        });
    }
    return found;
}

/* ---- places --------------------------------------------------------------------------------- */

/* Bytes of an object from an address on. */
struct range {
    htmt_addr at;
    std::uint64_t bytes;
};

/* An object, as elements. */
template <class T> class array
{
  public:
    array() = default;
    explicit array(htmt_object *object) : object_(object) {}
    htmt_object *get() const noexcept { return object_; }
    std::uint64_t size() const { return htmt_object_size(object_) / sizeof(T); }
    htmt_addr at(std::uint64_t i) const { return htmt_in(object_, i * sizeof(T)); }
    range part(std::uint64_t first, std::uint64_t count) const
    {
        return {at(first), count * sizeof(T)};
    }
    range all() const { return part(0, size()); }
    /* By the host, not during the run; empty in a model run. */
    span<T> values() const
    {
        void *bytes = htmt_object_bytes(object_);
        return bytes ? span<T>(static_cast<T *>(bytes), size()) : span<T>();
    }

  private:
    htmt_object *object_ = nullptr;
};

/* The same object on every slice. */
template <class T> class frame
{
  public:
    frame() = default;
    frame(htmt_frame *f, const htmt_emulator *e) : frame_(f), e_(e) {}
    htmt_frame *get() const noexcept { return frame_; }
    array<T> on(std::uint32_t slice) const { return array<T>(htmt_at(frame_, slice, 0).object); }
    htmt_addr at(std::uint32_t slice, std::uint64_t i = 0) const
    {
        return htmt_at(frame_, slice, i * sizeof(T));
    }
    range part(std::uint32_t slice, std::uint64_t first, std::uint64_t count) const
    {
        return {at(slice, first), count * sizeof(T)};
    }
    span<T> values(std::uint32_t slice) const { return on(slice).values(); }
    /* htmt_frame_load(), htmt_frame_gather(): slice i has the elements from i * count on. */
    void load(const std::vector<T> &whole, std::uint64_t count)
    {
        detail::check(htmt_frame_load(frame_, begin(whole, count), count * sizeof(T)), e_);
    }
    void gather(std::vector<T> &whole, std::uint64_t count) const
    {
        T *to = const_cast<T *>(begin(whole, count));
        detail::check(htmt_frame_gather(frame_, to, count * sizeof(T)), e_);
    }

  private:
    const T *begin(const std::vector<T> &whole, std::uint64_t count) const
    {
        if (whole.size() / htmt_emulator_slices(e_) < count)
            throw error(HTMT_EBOUNDS, std::to_string(whole.size()) + " elements, expected " +
                                          std::to_string(count) + " for each slice");
        return whole.data();
    }
    htmt_frame *frame_ = nullptr;
    const htmt_emulator *e_ = nullptr;
};

/* ---- regions of a closure ------------------------------------------------------------------- */

inline htmt_region input(range from)
{
    htmt_region r = htmt_region_init();
    r.from = from.at;
    r.bytes = from.bytes;
    r.read_only = true;
    return r;
}
inline htmt_region output(range to)
{
    htmt_region r = htmt_region_init();
    r.to = to.at;
    r.bytes = to.bytes;
    return r;
}
inline htmt_region in_out(range at)
{
    htmt_region r = output(at);
    r.from = at.at;
    return r;
}
inline htmt_region resident(range at)
{
    htmt_region r = htmt_region_init();
    r.into = at.at;
    r.bytes = at.bytes;
    return r;
}
template <class T> htmt_region scratch(std::uint64_t count)
{
    htmt_region r = htmt_region_init();
    r.bytes = count * sizeof(T);
    return r;
}

/* ---- what functions of a type are given ----------------------------------------------------- */

/* A kernel's. */
class kernel
{
  public:
    kernel(htmt_kernel *k, const detail::code &code) : k_(k), code_(code) {}
    kernel(const kernel &) = delete;
    kernel &operator=(const kernel &) = delete;
    htmt_kernel *get() const noexcept { return k_; }
    /* Whole elements, or HTMT_EINVAL. `const T` of what is only read. */
    template <class T> span<T> region(std::uint32_t i) const
    {
        return detail::elements<T>(htmt_bytes(k_, i), htmt_size(k_, i), "a region");
    }
    template <class T> span<T> used(std::uint32_t i) const
    {
        return detail::elements<T>(htmt_used(k_, i), htmt_used_size(k_, i), "a use");
    }
    template <class A> const A &args() const; /* of that size, or HTMT_EINVAL */
    template <class R> R &result() const;
    std::uint32_t slice() const { return htmt_kernel_slice(k_); }
    std::uint32_t fiber() const { return htmt_kernel_fiber(k_); }
    std::uint32_t part() const { return htmt_kernel_part(k_); }
    void count(htmt_op op, std::uint64_t n) { htmt_count(k_, op, n); }
    /* Constants of the program that the kernel reads beside its closure. */
    template <class T> void constants(span<T> table)
    {
        htmt_constants(k_, table.data(), table.size() * sizeof(T));
    }

  private:
    htmt_kernel *k_;
    const detail::code &code_;
};

/* A cost function's. */
class cost
{
  public:
    cost(const void *args, const detail::code &code, htmt_ops *ops)
        : args_(args), code_(code), ops_(ops)
    {
    }
    cost(const cost &) = delete;
    cost &operator=(const cost &) = delete;
    template <class A> const A &args() const;
    void count(htmt_op op, std::uint64_t n) { ops_->n[op] += n; }

  private:
    const void *args_;
    const detail::code &code_;
    htmt_ops *ops_;
};

/* A type, with what it was made of as far as its users need that. */
class type
{
  public:
    type() = default;
    type(htmt_type *t, std::size_t args_bytes) : type_(t), args_bytes_(args_bytes) {}
    htmt_type *get() const noexcept { return type_; }
    std::size_t args_bytes() const noexcept { return args_bytes_; }

  private:
    htmt_type *type_ = nullptr;
    std::size_t args_bytes_ = 0;
};

/* C++ wants `struct` before names that a function has, too. */
using slot = struct ::htmt_slot;
using move = struct ::htmt_put;

/* Slots that a parcel signals. */
struct signals {
    struct htmt_slot on_done {
    }, on_ready{};
};

/* A control's, or of the host before the run. */
class context
{
  public:
    context(htmt_context *c, std::uint32_t slice, const detail::code *code)
        : c_(c), slice_(slice), code_(code)
    {
    }
    context(const context &) = delete;
    context &operator=(const context &) = delete;
    htmt_context *get() const noexcept { return c_; }
    std::uint32_t slice() const { return slice_; }
    std::uint32_t fiber() const { return htmt_fiber(c_); }
    htmt_ref self() const { return htmt_self(c_); }
    bool is_model() const { return htmt_is_model(c_); }
    template <class A> A &args() const;
    template <class R> const R *result() const; /* of a steered stage; NULL in a model run */

    /* A parcel of this slice; with arguments if its type has some. */
    htmt_ref assemble(const type &t, const std::vector<htmt_region> &regions = {},
                      const signals &s = {})
    {
        return begin(t, nullptr, regions, s);
    }
    template <class A>
    htmt_ref assemble(const type &t, const A &args, const std::vector<htmt_region> &regions = {},
                      const signals &s = {})
    {
        detail::expect<A>(t.args_bytes(), "arguments");
        return begin(t, &args, regions, s);
    }
    void dispatch(htmt_ref parcel) { check(htmt_dispatch(c_, parcel)); }
    void execute(htmt_ref parcel) { check(htmt_execute(c_, parcel)); }
    void retire(htmt_ref parcel) { check(htmt_retire(c_, parcel)); }
    void retire() { retire(self()); }
    void scatter(htmt_ref parcel) { check(htmt_scatter(c_, parcel)); }
    void discard(htmt_ref parcel) { check(htmt_discard(c_, parcel)); }

    void charge(htmt_op op, std::uint64_t n) { htmt_charge(c_, op, n); }
    void delay(htmt_time fs) { htmt_delay(c_, fs); }
    void pause(htmt_time fs) { htmt_pause(c_, fs); }
    htmt_time began() const { return htmt_began(c_); }
    htmt_time enabled() const { return htmt_enabled(c_); }
    void work() { htmt_work(c_); }
    void section(const std::string &name) { htmt_section(c_, name.c_str()); }
    void use(range r, enum htmt_use how) { htmt_use(c_, r.at, r.bytes, how); }

    struct htmt_slot slot(std::uint32_t fiber) const { return ::htmt_slot(c_, fiber); }
    static struct htmt_slot slot_of(htmt_ref parcel, std::uint32_t fiber)
    {
        return htmt_slot_of(parcel, fiber);
    }
    void slot_set(std::uint32_t fiber, std::uint32_t count, std::uint32_t reset)
    {
        htmt_slot_set(c_, fiber, count, reset);
    }
    void signal(struct htmt_slot slot) { htmt_signal(c_, slot); }

    /* Small messages (parcels/post.h), of values: no pointers, at most 56 bytes. */
    void post(const type &t, std::uint32_t to) { check(htmt_post(c_, t.get(), to, nullptr)); }
    template <class A> void post(const type &t, std::uint32_t to, const A &args)
    {
        static_assert(std::is_trivially_copyable<A>::value && !std::is_pointer<A>::value,
                      "the arguments of a post are values, which cross to another slice");
        static_assert(sizeof(A) <= HTMT_POST_BYTES, "a post has at most 56 bytes of arguments");
        detail::expect<A>(t.args_bytes(), "arguments");
        check(htmt_post(c_, t.get(), to, &args));
    }
    void each(std::uint64_t count); /* type_desc::next makes them */
    std::uint32_t sender() const { return htmt_sender(c_); }
    template <class T> span<T> kept(const htmt::array<T> &a)
    {
        return {static_cast<T *>(htmt_kept(c_, a.get())), a.size()};
    }

    void put(const struct htmt_put &p) { check(::htmt_put(c_, &p)); }
    void put(htmt_addr to, range from, struct htmt_slot on_arrived = {},
             struct htmt_slot on_sent = {})
    {
        put(as_move(to, from, on_arrived, on_sent));
    }
    void put_neighbour(const htmt_grid &grid, const std::array<int, 3> &step, const move &p)
    {
        check(htmt_put_neighbour(c_, &grid, step.data(), &p));
    }
    void put_neighbour(const htmt_grid &grid, const std::array<int, 3> &step, htmt_addr to,
                       range from, struct htmt_slot on_arrived = {}, struct htmt_slot on_sent = {})
    {
        put_neighbour(grid, step, as_move(to, from, on_arrived, on_sent));
    }
    void send(htmt_mailbox *box, htmt_addr records, std::uint64_t count,
              struct htmt_slot on_sent = {}, struct htmt_slot on_arrived = {})
    {
        check(htmt_send(c_, box, records, count, on_sent, on_arrived));
    }
    std::uint64_t take(htmt_mailbox *box) { return htmt_take(c_, box); }
    void broadcast(htmt_tree *tree, const std::vector<struct htmt_slot> &arrived = {})
    {
        check(htmt_broadcast(c_, tree, arrived.empty() ? nullptr : arrived.data()));
    }
    void reduce(htmt_tree *tree, struct htmt_slot arrived)
    {
        check(htmt_reduce(c_, tree, arrived));
    }
    void barrier(struct htmt_barrier *b, struct htmt_slot passed)
    {
        check(::htmt_barrier(c_, b, passed));
    }
    void allreduce(struct htmt_allreduce *a, struct htmt_slot arrived)
    {
        check(::htmt_allreduce(c_, a, arrived));
    }

  private:
    static move as_move(htmt_addr to, range from, struct htmt_slot on_arrived,
                        struct htmt_slot on_sent)
    {
        move p = htmt_put_init();
        p.dst = to;
        p.src = from.at;
        p.bytes = from.bytes;
        p.on_arrived = on_arrived;
        p.on_sent = on_sent;
        return p;
    }
    void check(int code) const
    {
        if (code)
            detail::check(code, htmt_emulator_of(c_));
    }
    htmt_ref begin(const type &t, const void *args, const std::vector<htmt_region> &regions,
                   const signals &s)
    {
        htmt_parcel_desc d{};
        htmt_ref ref{};
        d.type = t.get();
        d.slice = slice_;
        d.regions = regions.data();
        d.region_count = static_cast<std::uint32_t>(regions.size());
        d.args = args;
        d.on_ready = s.on_ready;
        d.on_done = s.on_done;
        check(htmt_assemble(c_, &d, &ref));
        return ref;
    }
    htmt_context *c_;
    std::uint32_t slice_;
    const detail::code *code_;
};

/* ---- types ---------------------------------------------------------------------------------- */

/* struct htmt_stage. */
struct stage {
    std::function<void(htmt::kernel &)> kernel{};
    std::function<void(htmt::cost &)> cost{};
    std::function<void(htmt::context &)> control{};
    std::uint32_t parts = 0;
    bool steered = false;
    std::uint32_t count = 0, reset = 0;
    bool constant = false; /* the cost function gives the same for all parcels of the type */
};

/* struct htmt_type_desc. */
struct type_desc {
    type_desc(std::string name_, std::string home_, std::string exec_)
        : name(std::move(name_)), home(std::move(home_)), exec(std::move(exec_))
    {
    }
    template <class A> type_desc &takes() /* arguments */
    {
        args_bytes = sizeof(A);
        return *this;
    }
    template <class R> type_desc &leaves() /* a result */
    {
        result_bytes = sizeof(R);
        return *this;
    }
    std::string name, home, exec;
    stage assemble, dispatch, execute, retire, scatter;
    std::vector<stage> fibers; /* fiber i + 1 is fibers[i]; with cost functions at most 64 */
    std::vector<std::string> fiber_names{}; /* the same; an empty one: its number */
    htmt_footprint footprint = HTMT_CLOSURE;
    std::uint32_t gates = 0;
    std::uint64_t code_words = 0;
    bool code_resident = false;
    std::uint64_t header_words = 0;
    bool in_place = false;
    unsigned departures = 0;
    std::size_t args_bytes = 0, result_bytes = 0;
    htmt_sends sends = HTMT_SENDS_ANYWHERE;
    /* Of what is posted (parcels/post.h). */
    std::string queue{}; /* empty: the first one */
    std::function<bool(htmt::context &)> wanted{};
    std::function<void(htmt::context &, std::uint64_t)> next{}; /* message i of context::each() */
    std::uint64_t payload_words = 0;
    htmt_aggregate aggregate{}; /* leaves together with others */
};

namespace detail
{

/* The first exception of a cost function, which has no call to tell it. */
struct thrown {
    std::mutex lock;
    int code = 0;
    std::string line;
    void keep(int found, const std::string &text)
    {
        std::lock_guard<std::mutex> hold(lock);
        if (code)
            return;
        code = found;
        line = text;
    }
};

/* The user data of a type. */
struct code {
    type_desc desc;
    thrown *first;
};

inline const stage &service(const type_desc &d, htmt_stage_id which, std::uint32_t fiber)
{
    switch (which) {
    case HTMT_ASSEMBLE:
        return d.assemble;
    case HTMT_DISPATCH:
        return d.dispatch;
    case HTMT_RETIRE:
        return d.retire;
    case HTMT_PLACE:
        return d.scatter;
    case HTMT_FIBER:
        return d.fibers[fiber];
    default:
        return d.execute;
    }
}

template <htmt_stage_id S> void run_kernel(htmt_kernel *k)
{
    try {
        const code &c = *static_cast<const code *>(htmt_kernel_user(k));
        kernel view(k, c);
        service(c.desc, S, htmt_kernel_fiber(k) - 1).kernel(view);
    } catch (...) {
        caught([k](int code, const char *line) { htmt_kernel_fail(k, code, "%s", line); });
    }
}

template <htmt_stage_id S> void run_control(htmt_context *c)
{
    try {
        const code &own = *static_cast<const code *>(htmt_user(c));
        context view(c, htmt_slice(c), &own);
        service(own.desc, S, htmt_fiber(c) - 1).control(view);
    } catch (...) {
        caught([c](int code, const char *line) { htmt_fail(c, code, "%s", line); });
    }
}

inline bool run_wanted(htmt_context *c)
{
    bool wanted = false;
    try {
        const code &own = *static_cast<const code *>(htmt_user(c));
        context view(c, htmt_slice(c), &own);
        wanted = own.desc.wanted(view);
    } catch (...) {
        caught([c](int code, const char *line) { htmt_fail(c, code, "%s", line); });
    }
    return wanted;
}

inline void run_next(htmt_context *c, std::uint64_t i)
{
    try {
        const code &own = *static_cast<const code *>(htmt_user(c));
        context view(c, htmt_slice(c), &own);
        own.desc.next(view, i);
    } catch (...) {
        caught([c](int code, const char *line) { htmt_fail(c, code, "%s", line); });
    }
}

/* A cost function ends the run by a time that is too long; run() says why. */
template <htmt_stage_id S, std::size_t Fiber>
void ask_cost(const void *args, const void *user, htmt_ops *ops)
{
    const code &c = *static_cast<const code *>(user);
    try {
        cost view(args, c, ops);
        service(c.desc, S, static_cast<std::uint32_t>(Fiber)).cost(view);
    } catch (...) {
        caught([&c, ops](int code, const char *line) {
            c.first->keep(code, "type " + c.desc.name + ": the cost function threw: " + line);
            ops->n[HTMT_CYCLE] = UINT64_MAX;
        });
    }
}

template <htmt_stage_id S, std::size_t Fiber = 0> htmt_stage stage_in_c(const stage &s)
{
    htmt_stage r{};
    r.kernel = s.kernel ? run_kernel<S> : nullptr;
    r.cost = s.cost ? ask_cost<S, Fiber> : nullptr;
    r.control = s.control ? run_control<S> : nullptr;
    r.parts = s.parts;
    r.steered = s.steered;
    r.constant = s.constant;
    r.count = s.count;
    r.reset = s.reset;
    return r;
}

/* A cost function is not told for which fiber it is asked: each number has one of its own. */
template <std::size_t... I>
std::array<htmt_stage (*)(const stage &), sizeof...(I)> fiber_makers(std::index_sequence<I...>)
{
    return {stage_in_c<HTMT_FIBER, I>...};
}

inline std::vector<htmt_stage> fibers_in_c(const type_desc &d)
{
    static const auto make = fiber_makers(std::make_index_sequence<64>{});
    std::vector<htmt_stage> r;
    for (std::size_t i = 0; i < d.fibers.size(); i++) {
        if (i >= make.size() && d.fibers[i].cost)
            throw error(HTMT_EINVAL, "type " + d.name + ": fiber " + std::to_string(i + 1) +
                                         " with a cost function, expected one of the first 64");
        r.push_back(make[i < make.size() ? i : 0](d.fibers[i]));
    }
    return r;
}

inline htmt_type_desc desc_in_c(const type_desc &d, const std::vector<htmt_stage> &fibers)
{
    htmt_type_desc r = htmt_type_desc_init();
    r.name = d.name.c_str();
    r.home = d.home.c_str();
    r.exec = d.exec.c_str();
    r.assemble = stage_in_c<HTMT_ASSEMBLE>(d.assemble);
    r.dispatch = stage_in_c<HTMT_DISPATCH>(d.dispatch);
    r.execute = stage_in_c<HTMT_EXECUTE>(d.execute);
    r.retire = stage_in_c<HTMT_RETIRE>(d.retire);
    r.scatter = stage_in_c<HTMT_PLACE>(d.scatter);
    r.footprint = d.footprint;
    r.fibers = fibers.data();
    r.fiber_count = static_cast<std::uint32_t>(fibers.size());
    r.gates = d.gates;
    r.code_words = d.code_words;
    r.code_resident = d.code_resident;
    r.header_words = d.header_words;
    r.in_place = d.in_place;
    r.departures = d.departures;
    r.sends = d.sends;
    r.args_bytes = d.args_bytes;
    r.result_bytes = d.result_bytes;
    r.queue = d.queue.empty() ? nullptr : d.queue.c_str();
    r.wanted = d.wanted ? run_wanted : nullptr;
    r.payload_words = d.payload_words;
    r.aggregate = d.aggregate;
    return r;
}

/* Element by element, in the way of std::plus<>. Op is a type without state: a combination has no
 * user data. It must not throw. */
template <class T, class Op>
void combine(void *into, const void *from, std::uint64_t bytes) noexcept
{
    T *a = static_cast<T *>(into);
    const T *b = static_cast<const T *>(from);
    for (std::uint64_t i = 0; i < bytes / sizeof(T); i++)
        a[i] = Op{}(a[i], b[i]);
}

} // namespace detail

template <class A> const A &kernel::args() const
{
    detail::expect<A>(code_.desc.args_bytes, "arguments");
    return *static_cast<const A *>(htmt_kernel_args(k_));
}

template <class R> R &kernel::result() const
{
    detail::expect<R>(code_.desc.result_bytes, "a result");
    return *static_cast<R *>(htmt_kernel_result(k_));
}

template <class A> const A &cost::args() const
{
    detail::expect<A>(code_.desc.args_bytes, "arguments");
    return *static_cast<const A *>(args_);
}

template <class A> A &context::args() const
{
    detail::expect<A>(code_ ? code_->desc.args_bytes : 0, "arguments");
    return *static_cast<A *>(htmt_args(c_));
}

template <class R> const R *context::result() const
{
    detail::expect<R>(code_ ? code_->desc.result_bytes : 0, "a result");
    return static_cast<const R *>(htmt_result(c_));
}

inline void context::each(std::uint64_t count)
{
    const bool made = code_ && code_->desc.next;
    check(htmt_each(c_, count, made ? detail::run_next : nullptr));
}

/* ---- machines and emulators ----------------------------------------------------------------- */

class machine
{
  public:
    /* htmt_machine_load() */
    explicit machine(const std::string &name, const std::vector<std::string> &set = {})
    {
        htmt_fault fault{};
        htmt_machine *m = nullptr;
        std::vector<const char *> words;
        for (const std::string &s : set)
            words.push_back(s.c_str());
        detail::check(htmt_machine_load(name.c_str(), words.data(),
                                        static_cast<unsigned>(words.size()), &m, &fault),
                      fault);
        machine_.reset(m);
    }
    const htmt_machine *get() const noexcept { return machine_.get(); }

  private:
    struct end {
        void operator()(htmt_machine *m) const { htmt_machine_destroy(&m); }
    };
    std::unique_ptr<htmt_machine, end> machine_;
};

class emulator
{
  public:
    /* `options` but its machine. */
    explicit emulator(const machine &m, htmt_options options = htmt_options_init())
        : thrown_(std::make_unique<detail::thrown>())
    {
        htmt_fault fault{};
        htmt_emulator *e = nullptr;
        options.machine = m.get();
        detail::check(htmt_emulator_create(&e, &options, &fault), fault);
        emulator_.reset(e);
    }
    /* Of somebody else, who destroys it: of the step `create` of an application. This object stays
     * until its run is over. */
    explicit emulator(htmt_emulator *e)
        : thrown_(std::make_unique<detail::thrown>()), emulator_(e, end{false})
    {
    }
    emulator(emulator &&) = default;
    emulator &operator=(emulator &&) = delete;
    htmt_emulator *get() const noexcept { return emulator_.get(); }
    std::uint32_t slices() const { return htmt_emulator_slices(get()); }
    std::uint32_t played() const { return htmt_emulator_played(get()); }
    std::uint32_t layer(const std::string &name) const
    {
        int layer = htmt_emulator_layer(get(), name.c_str());
        if (layer < 0)
            throw error(HTMT_ENOENT, "no layer " + name + " in this machine");
        return static_cast<std::uint32_t>(layer);
    }

    /* Set-up. Layers by name. */
    template <class T>
    htmt::array<T> array(std::uint32_t slice, const std::string &layer_name, std::uint64_t count,
                         const std::string &name)
    {
        htmt_object *o = nullptr;
        check(htmt_object_create(get(), slice, layer(layer_name), count * sizeof(T), name.c_str(),
                                 &o));
        return htmt::array<T>(o);
    }
    /* For controls of its slice alone: context::kept(). */
    template <class T>
    htmt::array<T> kept(std::uint32_t slice, const std::string &layer_name, std::uint64_t count,
                        const std::string &name)
    {
        htmt_object *o = nullptr;
        check(htmt_object_create_kept(get(), slice, layer(layer_name), count * sizeof(T),
                                      name.c_str(), &o));
        return htmt::array<T>(o);
    }
    /* When no event is left anywhere, in every slice. */
    void quiet(std::function<void(htmt::context &)> control)
    {
        type_desc desc("quiet", "", "");
        desc.execute.control = std::move(control);
        std::unique_ptr<detail::code> own(new detail::code{std::move(desc), thrown_.get()});
        check(htmt_quiet(get(), detail::run_control<HTMT_EXECUTE>, own.get()));
        code_.push_back(std::move(own));
    }
    /* Over the caller's memory, which must outlive the emulator. */
    template <class T>
    htmt::array<T> wrap(std::uint32_t slice, const std::string &layer_name, span<T> memory,
                        const std::string &name)
    {
        htmt_object *o = nullptr;
        std::uint64_t bytes = memory.size() * sizeof(T);
        check(htmt_object_wrap(get(), slice, layer(layer_name), memory.data(), bytes,
                               (bytes + HTMT_WORD - 1) / HTMT_WORD, name.c_str(), &o));
        return htmt::array<T>(o);
    }
    template <class T>
    htmt::frame<T> frame(const std::string &layer_name, std::uint64_t count,
                         const std::string &name)
    {
        htmt_frame *f = nullptr;
        check(htmt_frame_create(get(), layer(layer_name), count * sizeof(T), name.c_str(), &f));
        return htmt::frame<T>(f, get());
    }
    template <class T>
    htmt_mailbox *mailbox(std::uint32_t slice, const std::string &layer_name, std::uint64_t records,
                          const std::string &name)
    {
        htmt_mailbox *box = nullptr;
        check(htmt_mailbox_create(get(), slice, layer(layer_name), sizeof(T), records, name.c_str(),
                                  &box));
        return box;
    }
    /* For broadcasts alone: the first `count` elements of a frame. */
    template <class T>
    htmt_tree *tree(const htmt::frame<T> &f, std::uint64_t count, const std::string &name)
    {
        htmt_tree *tree = nullptr;
        const htmt_tree_desc d = {f.get(), count * sizeof(T), nullptr, {}, name.c_str()};
        check(htmt_tree_create(get(), &d, &tree));
        return tree;
    }
    /* The first `count` elements of a frame, by a type of functions without state: std::plus<>. */
    template <class Op, class T>
    htmt_tree *tree(const htmt::frame<T> &f, std::uint64_t count, const htmt_ops &ops,
                    const std::string &name)
    {
        htmt_tree *tree = nullptr;
        const htmt_tree_desc d = {f.get(), count * sizeof(T), combination<Op, T>(), ops,
                                  name.c_str()};
        check(htmt_tree_create(get(), &d, &tree));
        return tree;
    }
    template <class Op, class T>
    struct htmt_allreduce *allreduce(const htmt::frame<T> &f, std::uint64_t count,
                                     const htmt_ops &ops, const std::string &name)
    {
        struct htmt_allreduce *a = nullptr;
        const htmt_allreduce_desc d = {f.get(), count * sizeof(T), combination<Op, T>(), ops,
                                       name.c_str()};
        check(htmt_allreduce_create(get(), &d, &a));
        return a;
    }
    struct htmt_barrier *barrier(const std::string &layer_name, const std::string &name)
    {
        struct htmt_barrier *b = nullptr;
        check(htmt_barrier_create(get(), layer(layer_name), name.c_str(), &b));
        return b;
    }
    htmt::type type(type_desc desc)
    {
        std::unique_ptr<detail::code> own(new detail::code{std::move(desc), thrown_.get()});
        const std::vector<htmt_stage> fibers = detail::fibers_in_c(own->desc);
        htmt_type_desc d = detail::desc_in_c(own->desc, fibers);
        std::vector<const char *> names(fibers.size(), nullptr);
        for (std::size_t i = 0; i < names.size() && i < own->desc.fiber_names.size(); i++)
            names[i] =
                own->desc.fiber_names[i].empty() ? nullptr : own->desc.fiber_names[i].c_str();
        d.fiber_names = names.data();
        htmt_type *t = nullptr;
        d.user = own.get();
        check(htmt_type_create(get(), &d, &t));
        code_.push_back(std::move(own));
        return htmt::type(t, d.args_bytes);
    }
    /* Parcels that the host assembles before the run, in a slice. */
    context root(std::uint32_t slice = 0) const
    {
        return context(htmt_root(get()), slice, nullptr);
    }

    void run()
    {
        int rc = htmt_emulator_run(get());
        if (rc == HTMT_EOVERFLOW && thrown_->code)
            throw error(thrown_->code, thrown_->line);
        check(rc);
    }
    htmt_time predicted() const { return htmt_predicted(get()); }
    std::uint64_t history_hash() const { return htmt_history_hash(get()); }

  private:
    struct end {
        bool own;
        end() : own(true) {}
        explicit end(bool own_) : own(own_) {}
        void operator()(htmt_emulator *e) const
        {
            if (own)
                htmt_emulator_destroy(&e);
        }
    };
    void check(int code) const { detail::check(code, get()); }
    template <class Op, class T> static auto combination()
    {
        static_assert(std::is_empty<Op>::value && std::is_default_constructible<Op>::value,
                      "a combination has no captures: std::plus<>, or a struct with operator()");
        return &detail::combine<T, Op>;
    }
    std::unique_ptr<detail::thrown> thrown_; /* these two outlive the emulator */
    std::vector<std::unique_ptr<detail::code>> code_;
    std::unique_ptr<htmt_emulator, end> emulator_;
};

} // namespace htmt

#endif
