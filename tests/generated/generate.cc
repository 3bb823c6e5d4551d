#include <array>
#include <random>

#include "generated/program.h"

namespace ricercar::test {
namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Program program() {
    Program program(static_cast<std::size_t>(below(2) + 2));
    for (Thread& thread : program) {
      const int blocks = below(3) + 2;
      for (int i = 0; i < blocks; ++i) add_block(thread);
    }
    return program;
  }

  Program heap_program() {
    Program program(static_cast<std::size_t>(below(2) + 2));
    for (Thread& thread : program) {
      atomic(thread);
      const int blocks = below(3) + 1;
      for (int i = 0; i < blocks; ++i) add_heap_block(thread);
    }
    return program;
  }

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }

  void add_block(Thread& thread) {
    constexpr std::array blocks = {
        &Generator::atomic,       &Generator::atomic,        &Generator::atomic,
        &Generator::section,      &Generator::section,       &Generator::two_locks,
        &Generator::attempt,      &Generator::timed_lock,    &Generator::read_section,
        &Generator::read_section, &Generator::write_section, &Generator::mixed_locks,
        &Generator::semaphore,    &Generator::semaphore,     &Generator::timed_take,
        &Generator::wait,         &Generator::notify,        &Generator::notify,
        &Generator::barrier,      &Generator::yield};
    const auto block = blocks[static_cast<std::size_t>(below(static_cast<int>(blocks.size())))];
    (this->*block)(thread);
  }

  void add_heap_block(Thread& thread) {
    constexpr std::array blocks = {&Generator::atomic,  &Generator::section, &Generator::use,
                                   &Generator::use,     &Generator::use,     &Generator::read,
                                   &Generator::hand_on, &Generator::free,    &Generator::yield};
    const auto block = blocks[static_cast<std::size_t>(below(static_cast<int>(blocks.size())))];
    (this->*block)(thread);
  }

  void use(Thread& thread) { thread.push_back({Kind::use_node, below(nodes), below(2) + 1}); }
  void read(Thread& thread) { thread.push_back({Kind::read_node, below(nodes)}); }
  void free(Thread& thread) { thread.push_back({Kind::free_node, below(nodes)}); }

  // Uses a node under a lock, and frees it there or not.
  void hand_on(Thread& thread) {
    const int mutex = below(mutexes);
    const int node = below(nodes);
    thread.push_back({Kind::lock, mutex});
    thread.push_back({Kind::use_node, node, 1});
    if (below(2) == 0) thread.push_back({Kind::free_node, node});
    thread.push_back({Kind::unlock, mutex});
  }

  void atomic(Thread& thread) {
    constexpr std::array kinds = {Kind::load, Kind::store, Kind::add, Kind::compare_exchange};
    const Kind kind = kinds[static_cast<std::size_t>(below(4))];
    thread.push_back({kind, below(variables), below(3), below(3)});
  }

  void section(Thread& thread) {
    const int mutex = below(mutexes);
    thread.push_back({Kind::lock, mutex});
    atomic(thread);
    thread.push_back({Kind::unlock, mutex});
  }

  void two_locks(Thread& thread) {
    const int outer = below(2);
    thread.push_back({Kind::lock, outer});
    thread.push_back({Kind::lock, 1 - outer});
    thread.push_back({Kind::unlock, below(2) == 0 ? outer : 1 - outer});
    const int last = 1 - thread.back().object;
    thread.push_back({Kind::unlock, last});
  }

  void attempt(Thread& thread) {
    const int mutex = below(mutexes);
    thread.push_back({Kind::try_lock, mutex, 0, 2});
    atomic(thread);
    thread.push_back({Kind::unlock, mutex});
  }

  void timed_lock(Thread& thread) {
    const int mutex = below(mutexes);
    thread.push_back({Kind::timed_lock, mutex, below(2), 2});
    atomic(thread);
    thread.push_back({Kind::unlock, mutex});
  }

  void read_section(Thread& thread) {
    thread.push_back({Kind::read_lock});
    atomic(thread);
    thread.push_back({Kind::release});
  }

  void write_section(Thread& thread) {
    thread.push_back({Kind::write_lock});
    atomic(thread);
    thread.push_back({Kind::release});
  }

  // A mutex inside of the reader-writer lock, or the other way round.
  void mixed_locks(Thread& thread) {
    const Operation lock = {Kind::lock, 0};
    const Operation unlock = {Kind::unlock, 0};
    const Operation acquire = {below(2) == 0 ? Kind::read_lock : Kind::write_lock};
    const Operation release = {Kind::release};
    if (below(2) == 0) {
      thread.insert(thread.end(), {lock, acquire, release, unlock});
    } else {
      thread.insert(thread.end(), {acquire, lock, unlock, release});
    }
  }

  void timed_take(Thread& thread) { thread.push_back({Kind::timed_take, 0, below(2)}); }

  void semaphore(Thread& thread) { thread.push_back({below(2) == 0 ? Kind::post : Kind::take}); }

  void wait(Thread& thread) {
    thread.push_back({Kind::lock, 0});
    thread.push_back({below(3) == 0 ? Kind::wait_once : Kind::wait_for_flag});
    thread.push_back({Kind::unlock, 0});
  }

  void notify(Thread& thread) {
    const Operation notification = {below(2) == 0 ? Kind::signal : Kind::broadcast};
    const bool inside = below(2) == 0;
    thread.push_back({Kind::lock, 0});
    thread.push_back({Kind::raise_flag});
    if (inside) thread.push_back(notification);
    thread.push_back({Kind::unlock, 0});
    if (!inside) thread.push_back(notification);
  }

  void barrier(Thread& thread) { thread.push_back({Kind::barrier}); }
  void yield(Thread& thread) { thread.push_back({Kind::yield}); }

  std::mt19937_64 random_;
};

constexpr std::array names = {
    "load",      "store",      "add",           "compare_exchange", "lock",       "unlock",
    "try_lock",  "timed_lock", "read_lock",     "write_lock",       "release",    "post",
    "take",      "timed_take", "wait_for_flag", "wait_once",        "raise_flag", "signal",
    "broadcast", "barrier",    "yield",         "use_node",         "read_node",  "free_node"};

std::string to_text(const Operation& operation) {
  return std::string(names[static_cast<std::size_t>(operation.kind)]) + " " +
         std::to_string(operation.object) + " " + std::to_string(operation.first) + " " +
         std::to_string(operation.second);
}

}  // namespace

Program generate(std::uint64_t seed) { return Generator(seed).program(); }
Program generate_with_heap(std::uint64_t seed) { return Generator(seed).heap_program(); }

std::string to_text(const Program& program) {
  std::string text;
  for (const Thread& thread : program) {
    for (const Operation& operation : thread) text += to_text(operation) + "; ";
    text += '\n';
  }
  return text;
}

}  // namespace ricercar::test
