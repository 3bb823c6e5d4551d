// The model: threads with a program counter each, and one list of rules. A step is what happens
// from one operation that others can see up to the next one.
#include "generated/program.h"

namespace ricercar::test {
namespace {

constexpr int nobody = -1;

// What a step touches. The order of the steps that touch the same thing is what a trace is made of.
enum Thing : int {
  variable = 0,
  mutex = variable + variables,
  shared_lock = mutex + mutexes,
  semaphore,
  condition,
  barrier_object,
  node_value,
  node_life = node_value + nodes,
  things = node_life + nodes
};

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t hash = (a ^ (b + 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL;
  hash ^= hash >> 32;
  hash *= 0xc4ceb9fe1a85ec53ULL;
  return hash ^ (hash >> 29);
}

// Numbers for the steps so far, each made from what came before it in the trace.
struct Past {
  std::array<std::uint64_t, max_threads> thread{};
  std::array<std::uint64_t, things> write{};
  std::array<std::uint64_t, things> reads{};  // since the last write; a sum, so without an order
  std::uint64_t sum = 0;
};

enum class Phase : std::uint8_t { running, waiting, waking, at_barrier };

struct State {
  Final visible;
  std::array<int, max_threads> position{};
  std::array<Phase, max_threads> phase{};
  std::array<int, mutexes> owner{nobody, nobody};
  int writer = nobody;
  int readers = 0;
  int permits = 0;
  std::array<bool, nodes> is_freed{};
  std::array<int, nodes> node_values{};
  bool heap_error = false;
  bool deadlock = false;
  Past past;
};

class Model {
 public:
  Model(const Program& program, std::uint64_t limit) : program_(program), limit_(limit) {}

  Executions run() {
    State start;
    for (int thread = 0; thread < threads(); ++thread) run_on(start, thread);
    explore(start);
    if (all_.count() > limit_) return {};
    std::sort(all_.finals.begin(), all_.finals.end());
    return std::move(all_);
  }

 private:
  int threads() const { return static_cast<int>(program_.size()); }
  static std::size_t at(int number) { return static_cast<std::size_t>(number); }

  bool is_over(const State& state, int thread) const {
    return at(state.position[at(thread)]) == program_[at(thread)].size();
  }
  const Operation& next(const State& state, int thread) const {
    return program_[at(thread)][at(state.position[at(thread)])];
  }

  void explore(const State& state) {
    if (all_.count() > limit_) return;
    bool any = false;
    const bool goes_on = !state.deadlock && !state.heap_error;
    for (int thread = 0; thread < threads() && goes_on; ++thread) {
      if (!is_enabled(state, thread)) continue;
      any = true;
      step(state, thread);
    }
    if (!any) end(state);
  }

  void end(const State& state) {
    if (state.heap_error) {
      ++all_.heap_errors;
      return;
    }
    bool all_over = !state.deadlock;
    for (int thread = 0; thread < threads(); ++thread) {
      all_over = all_over && is_over(state, thread);
    }
    if (all_over) {
      all_.finals.push_back(state.visible);
      all_.traces.insert(state.past.sum);
    } else {
      ++all_.deadlocks;
    }
  }

  bool is_enabled(const State& state, int thread) const {
    if (is_over(state, thread)) return false;
    switch (state.phase[at(thread)]) {
      case Phase::running:
        return can_go(state, next(state, thread)) || is_due(state, thread);
      case Phase::waking:
        return state.owner[0] == nobody;
      default:
        return false;
    }
  }

  // Without the help of time.
  static bool can_go(const State& state, const Operation& operation) {
    switch (operation.kind) {
      case Kind::lock:
      case Kind::timed_lock:
        return state.owner[at(operation.object)] == nobody;
      case Kind::read_lock:
        return state.writer == nobody;
      case Kind::write_lock:
        return state.writer == nobody && state.readers == 0;
      case Kind::take:
      case Kind::timed_take:
        return state.permits > 0;
      default:
        return true;
    }
  }

  bool is_timed(const State& state, int thread) const {
    if (is_over(state, thread) || state.phase[at(thread)] != Phase::running) return false;
    const Kind kind = next(state, thread).kind;
    return kind == Kind::timed_lock || kind == Kind::timed_take;
  }

  // Time goes to the earliest moment that somebody waits for, and no further.
  bool is_due(const State& state, int thread) const {
    if (!is_timed(state, thread)) return false;
    for (int other = 0; other < threads(); ++other) {
      const bool is_earlier =
          is_timed(state, other) && next(state, other).first < next(state, thread).first;
      if (is_earlier) return false;
    }
    return true;
  }

  // The things that the next step of the thread writes, or reads if it is a load; -1: none.
  std::array<int, 2> touched(const State& state, int thread) const {
    if (state.phase[at(thread)] == Phase::waking) return {mutex, -1};
    const Operation& operation = next(state, thread);
    switch (operation.kind) {
      case Kind::load:
      case Kind::store:
      case Kind::add:
      case Kind::compare_exchange:
        return {variable + operation.object, -1};
      case Kind::lock:
      case Kind::unlock:
      case Kind::try_lock:
      case Kind::timed_lock:
        return {mutex + operation.object, -1};
      case Kind::read_lock:
      case Kind::write_lock:
      case Kind::release:
        return {shared_lock, -1};
      case Kind::post:
      case Kind::take:
      case Kind::timed_take:
        return {semaphore, -1};
      case Kind::wait_for_flag:
      case Kind::wait_once:
        return {condition, mutex};
      case Kind::signal:
      case Kind::broadcast:
        return {condition, -1};
      case Kind::barrier:
        return {barrier_object, -1};
      case Kind::use_node:
        return {node_value + operation.object, -1};
      default:
        return {-1, -1};
    }
  }

  // A node is used or freed in the step that goes on.
  static void touch_node(State& state, int thread, int node, bool frees) {
    if (state.is_freed[at(node)]) state.heap_error = true;
    if (frees) state.is_freed[at(node)] = true;
    Past& past = state.past;
    const std::size_t life = at(node_life + node);
    std::uint64_t number = mixed(past.thread[at(thread)], past.write[life]);
    if (frees) number = mixed(number, past.reads[life]);
    if (frees) {
      past.write[life] = number;
      past.reads[life] = 0;
    } else {
      past.reads[life] += number;
    }
    past.thread[at(thread)] = number;
    past.sum += number;
  }

  void note_step(State& state, int thread) const {
    Past& past = state.past;
    const bool reads =
        state.phase[at(thread)] == Phase::running && next(state, thread).kind == Kind::load;
    std::uint64_t number = mixed(past.thread[at(thread)], at(thread) + 1);
    const std::array<int, 2> objects = touched(state, thread);
    for (const int object : objects) {
      if (object < 0) continue;
      number = mixed(number, past.write[at(object)]);
      if (!reads) number = mixed(number, past.reads[at(object)]);
    }
    for (const int object : objects) {
      if (object < 0) continue;
      if (reads) {
        past.reads[at(object)] += number;
      } else {
        past.write[at(object)] = number;
        past.reads[at(object)] = 0;
      }
    }
    past.thread[at(thread)] = number;
    past.sum += number;
  }

  // What `other` does next comes after the last step of `thread`.
  static void note_release(State& state, int thread, int other) {
    std::uint64_t& number = state.past.thread[at(other)];
    number = mixed(number, state.past.thread[at(thread)]);
  }

  void step(const State& before, int thread) {
    State state = before;
    note_step(state, thread);
    if (state.phase[at(thread)] == Phase::waking) {
      wake_up(state, thread);
    } else if (next(state, thread).kind == Kind::signal) {
      return signal(state, thread);
    } else {
      perform(state, thread, next(state, thread));
    }
    explore(state);
  }

  void wake_up(State& state, int thread) {
    state.owner[0] = thread;
    state.phase[at(thread)] = Phase::running;
    if (next(state, thread).kind == Kind::wait_once) ++state.position[at(thread)];
    run_on(state, thread);
  }

  // Which of the waiters it wakes is open.
  void signal(State& state, int thread) {
    ++state.position[at(thread)];
    bool any = false;
    for (int waiter = 0; waiter < threads(); ++waiter) {
      if (state.phase[at(waiter)] != Phase::waiting) continue;
      any = true;
      State woken = state;
      woken.phase[at(waiter)] = Phase::waking;
      note_release(woken, thread, waiter);
      run_on(woken, thread);
      explore(woken);
    }
    if (any) return;
    run_on(state, thread);
    explore(state);
  }

  void perform(State& state, int thread, const Operation& operation) {
    switch (operation.kind) {
      case Kind::wait_for_flag:
      case Kind::wait_once:
        state.owner[0] = nobody;
        state.phase[at(thread)] = Phase::waiting;
        return;
      case Kind::barrier:
        return arrive(state, thread);
      default:
        break;
    }
    if (operation.kind == Kind::use_node) touch_node(state, thread, operation.object, false);
    if (state.heap_error) return;
    set_result(state, thread, effect(state, thread, operation));
    ++state.position[at(thread)];
    run_on(state, thread);
  }

  static void set_result(State& state, int thread, int result) {
    state.visible.results[at(thread)][at(state.position[at(thread)])] =
        static_cast<std::int8_t>(result);
  }

  // Of an operation that goes on at once; what it returns.
  static int effect(State& state, int thread, const Operation& operation) {
    switch (operation.kind) {
      case Kind::lock:
        state.owner[at(operation.object)] = thread;
        return 0;
      case Kind::unlock:
        state.owner[at(operation.object)] = nobody;
        return 0;
      case Kind::try_lock:
      case Kind::timed_lock:
        return try_lock(state, thread, operation);
      case Kind::post:
        ++state.permits;
        return 0;
      case Kind::take:
      case Kind::timed_take:
        return try_take(state);
      case Kind::broadcast:
        for (int other = 0; other < max_threads; ++other) {
          if (state.phase[at(other)] != Phase::waiting) continue;
          state.phase[at(other)] = Phase::waking;
          note_release(state, thread, other);
        }
        return 0;
      case Kind::read_lock:
      case Kind::write_lock:
      case Kind::release:
        share(state, thread, operation.kind);
        return 0;
      case Kind::use_node: {
        const int before = state.node_values[at(operation.object)];
        state.node_values[at(operation.object)] += operation.first;
        return before;
      }
      default:
        return access(state.visible.values[at(operation.object)], operation);
    }
  }

  static int try_lock(State& state, int thread, const Operation& operation) {
    int& owner = state.owner[at(operation.object)];
    if (owner != nobody) {
      // Past the section; the caller moves on by one more. A result that is not set is 0.
      state.position[at(thread)] += operation.second;
      return 0;
    }
    owner = thread;
    return 1;
  }

  static int try_take(State& state) {
    if (state.permits == 0) return 0;
    --state.permits;
    return 1;
  }

  static void share(State& state, int thread, Kind kind) {
    if (kind == Kind::read_lock) {
      ++state.readers;
    } else if (kind == Kind::write_lock) {
      state.writer = thread;
    } else if (state.writer == thread) {
      state.writer = nobody;
    } else {
      --state.readers;
    }
  }

  static int access(std::int8_t& value, const Operation& operation) {
    const int before = value;
    switch (operation.kind) {
      case Kind::load:
        return before;
      case Kind::store:
        value = static_cast<std::int8_t>(operation.first);
        return 0;
      case Kind::add:
        value = static_cast<std::int8_t>(before + operation.first);
        return before;
      case Kind::compare_exchange:
        if (before == operation.first) value = static_cast<std::int8_t>(operation.second);
        return before == operation.first ? 1 : 0;
      default:
        return 0;  // yield
    }
  }

  void arrive(State& state, int thread) {
    state.phase[at(thread)] = Phase::at_barrier;
    const auto arrived = std::count(state.phase.begin(), state.phase.end(), Phase::at_barrier);
    if (arrived < threads()) return;
    for (int other = 0; other < threads(); ++other) {
      state.phase[at(other)] = Phase::running;
      ++state.position[at(other)];
      if (other != thread) note_release(state, thread, other);
    }
    for (int other = 0; other < threads(); ++other) run_on(state, other);
  }

  // Performs what nobody can interleave with, up to the next operation that is a step.
  void run_on(State& state, int thread) {
    while (!is_over(state, thread)) {
      const Kind kind = next(state, thread).kind;
      if (kind == Kind::read_node || kind == Kind::free_node) {
        touch_node(state, thread, next(state, thread).object, kind == Kind::free_node);
        if (state.heap_error) return;
        set_result(state, thread, kind == Kind::read_node ? 7 : 0);
      } else if (kind == Kind::raise_flag) {
        state.visible.flag = true;
      } else if (kind != Kind::wait_for_flag || !state.visible.flag) {
        break;
      }
      ++state.position[at(thread)];
    }
    if (closes_a_circle(state, thread)) state.deadlock = true;
  }

  // Of what the operation waits for without a time limit. Readers own nothing exclusively.
  static int exclusive_owner(const State& state, const Operation& operation) {
    if (operation.kind == Kind::lock) return state.owner[at(operation.object)];
    const bool shares = operation.kind == Kind::read_lock || operation.kind == Kind::write_lock;
    return shares ? state.writer : nobody;
  }

  // Each waits for a lock that the next one holds: it is over, whatever the others do.
  bool closes_a_circle(const State& state, int thread) const {
    int waiting = thread;
    for (int hops = 0; hops < threads(); ++hops) {
      if (is_over(state, waiting) || state.phase[at(waiting)] != Phase::running) return false;
      const int owner = exclusive_owner(state, next(state, waiting));
      if (owner == nobody) return false;
      if (owner == thread) return true;
      waiting = owner;
    }
    return false;
  }

  const Program& program_;
  std::uint64_t limit_;
  Executions all_;
};

}  // namespace

Executions enumerate(const Program& program, std::uint64_t limit) {
  return Model(program, limit).run();
}

}  // namespace ricercar::test
