// Strategies that promise everything keep the promise: on small programs that use every kind of
// primitive they reach the same final states and the same bugs as `dfs` does.
#include <gtest/gtest.h>
#include <pthread.h>
#include <ricercar/ricercar.h>
#include <semaphore.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace ricercar::test {
namespace {

using std::chrono::seconds;

constexpr std::size_t max_threads = 3;
constexpr std::size_t max_notes = 6;

// What the threads share, and what they note down about it.
struct Shared {
  explicit Shared(unsigned threads) {
    sem_init(&semaphore, 0, 0);
    pthread_barrier_init(&barrier, nullptr, threads);
  }

  void wait_for_flag(std::unique_lock<std::mutex>& lock) {
    while (!flag) condition.wait(lock);
  }
  void raise_flag() {
    const std::lock_guard guard(a);
    flag = true;
  }
  void post() { sem_post(&semaphore); }
  void take() { sem_wait(&semaphore); }
  bool try_take() { return sem_trywait(&semaphore) == 0; }
  bool take_in_time(time_t moment) {
    const timespec limit{100000 + moment, 0};
    return sem_clockwait(&semaphore, CLOCK_MONOTONIC, &limit) == 0;
  }
  void meet() { pthread_barrier_wait(&barrier); }

  std::atomic<int> x = 0, y = 0;
  std::mutex a, b;
  std::timed_mutex timed;
  std::shared_mutex shared;
  std::condition_variable condition;
  bool flag = false;  // under a
  int data = 0;       // under a
  sem_t semaphore;
  pthread_barrier_t barrier;
};

class Notes {
 public:
  void operator()(int value) {
    if (count_ < max_notes) values_[count_++] = static_cast<std::int8_t>(value);
  }
  auto operator<=>(const Notes&) const = default;

 private:
  std::array<std::int8_t, max_notes> values_ = {};
  std::size_t count_ = 0;
};

struct Final {
  std::array<Notes, max_threads> notes;
  int x = 0, y = 0, data = 0;
  auto operator<=>(const Final&) const = default;
};

using Body = void (*)(Shared&, Notes&);

struct Small {
  const char* name;
  std::vector<Body> threads;
};

// --- The threads that the programs are made of ---

void add_x(Shared& s, Notes& note) { note(s.x.fetch_add(1)); }
void add_x_twice(Shared& s, Notes& note) {
  note(s.x.fetch_add(1));
  note(s.x.fetch_add(1));
}
void read_x(Shared& s, Notes& note) { note(s.x); }
void read_x_and_y(Shared& s, Notes& note) {
  note(s.x);
  note(s.y);
}
void set_x_then_y(Shared& s, Notes&) {
  s.x = 1;
  s.y = 1;
}
void increment_x(Shared& s, Notes&) { s.x = s.x + 1; }
void set_x_read_y(Shared& s, Notes& note) {
  s.x = 1;
  note(s.y);
}
void set_y_read_x(Shared& s, Notes& note) {
  s.y = 1;
  note(s.x);
}
void swap_x_for_5(Shared& s, Notes& note) {
  int expected = 0;
  note(s.x.compare_exchange_strong(expected, 5));
  note(expected);
}
void claim_x(Shared& s, Notes& note) {
  int expected = 0;
  while (!s.x.compare_exchange_strong(expected, expected + 1)) note(expected);
}
void section_a(Shared& s, Notes& note) {
  const std::lock_guard guard(s.a);
  note(s.data++);
}
void two_sections_a(Shared& s, Notes& note) {
  section_a(s, note);
  section_a(s, note);
}
void section_b(Shared& s, Notes& note) {
  const std::lock_guard guard(s.b);
  note(s.x.fetch_add(1));
}
void a_then_b(Shared& s, Notes& note) {
  const std::lock_guard first(s.a);
  const std::lock_guard second(s.b);
  note(s.data++);
}
void b_then_a(Shared& s, Notes& note) {
  const std::lock_guard first(s.b);
  const std::lock_guard second(s.a);
  note(s.data++);
}
void try_a(Shared& s, Notes& note) {
  const bool locked = s.a.try_lock();
  note(locked);
  if (!locked) return;
  note(s.data++);
  s.a.unlock();
}
void a_and_try_b(Shared& s, Notes& note) {
  const std::lock_guard guard(s.a);
  const std::unique_lock lock(s.b, std::try_to_lock);
  note(lock.owns_lock());
}
void b_and_try_a(Shared& s, Notes& note) {
  const std::lock_guard guard(s.b);
  const std::unique_lock lock(s.a, std::try_to_lock);
  note(lock.owns_lock());
}
void check_data_then_act(Shared& s, Notes&) {
  bool empty = false;
  {
    const std::lock_guard guard(s.a);
    empty = s.data == 0;
  }
  const std::lock_guard guard(s.a);
  if (empty) require(s.data++ == 0, "both have acted");
}
void wait_for_flag(Shared& s, Notes& note) {
  std::unique_lock lock(s.a);
  s.wait_for_flag(lock);
  note(s.data++);
}
void wait_once(Shared& s, Notes& note) {
  std::unique_lock lock(s.a);
  if (!s.flag) s.condition.wait(lock);
  note(s.flag);
}
void wait_in_time(Shared& s, Notes& note) {
  std::unique_lock lock(s.a);
  note(s.condition.wait_for(lock, seconds(1)) == std::cv_status::timeout);
  note(s.flag);
}
void raise_and_signal(Shared& s, Notes&) {
  s.raise_flag();
  s.condition.notify_one();
}
void raise_and_broadcast(Shared& s, Notes&) {
  s.raise_flag();
  s.condition.notify_all();
}
void signal_twice(Shared& s, Notes&) {
  s.raise_flag();
  s.condition.notify_one();
  s.condition.notify_one();
}
void signal_and_raise(Shared& s, Notes&) {
  s.condition.notify_one();
  s.raise_flag();
}
void post(Shared& s, Notes&) { s.post(); }
void post_and_add(Shared& s, Notes& note) {
  s.post();
  note(s.x.fetch_add(1));
}
void post_twice(Shared& s, Notes&) {
  s.post();
  s.post();
}
void take_and_add(Shared& s, Notes& note) {
  s.take();
  note(s.x.fetch_add(1));
}
void take_if_any(Shared& s, Notes& note) { note(s.try_take()); }
void take_before_1(Shared& s, Notes& note) { note(s.take_in_time(1)); }
void take_before_2(Shared& s, Notes& note) { note(s.take_in_time(2)); }
void add_meet_read(Shared& s, Notes& note) {
  s.x.fetch_add(1);
  s.meet();
  note(s.x);
}
void meet_and_add(Shared& s, Notes& note) {
  s.meet();
  note(s.x.fetch_add(1));
}
void meet_twice(Shared& s, Notes& note) {
  s.meet();
  note(s.x.fetch_add(1));
  s.meet();
  note(s.x);
}
void read_shared(Shared& s, Notes& note) {
  const std::shared_lock lock(s.shared);
  note(s.x);
}
void write_shared(Shared& s, Notes& note) {
  const std::unique_lock lock(s.shared);
  note(s.x.fetch_add(1));
}
void try_shared(Shared& s, Notes& note) {
  const std::shared_lock lock(s.shared, std::try_to_lock);
  note(lock.owns_lock());
}
void lock_in_time(Shared& s, Notes& note) {
  const std::unique_lock lock(s.timed, seconds(1));
  note(lock.owns_lock());
}
void hold_timed(Shared& s, Notes& note) {
  const std::lock_guard guard(s.timed);
  note(s.x.fetch_add(1));
}
void choose_a_variable(Shared& s, Notes& note) { note((choose(2) == 0 ? s.x : s.y).fetch_add(1)); }
void add_a_choice(Shared& s, Notes& note) { note(s.x.fetch_add(static_cast<int>(choose(3)))); }
void choose_to_lock(Shared& s, Notes& note) {
  if (choose(2) == 1) section_a(s, note);
}
void choose_by_x(Shared& s, Notes& note) {
  note(static_cast<int>(choose(static_cast<unsigned>(s.x) + 1)));
}
void require_no_x(Shared& s, Notes&) { require(s.x == 0 || s.y == 1, "x without y"); }
void sleep_and_add(Shared& s, Notes& note) {
  std::this_thread::sleep_for(seconds(1));
  note(s.x.fetch_add(1));
}
void yield_and_add(Shared& s, Notes& note) {
  std::this_thread::yield();
  note(s.x.fetch_add(1));
}
void create_another(Shared& s, Notes& note) {
  std::thread other([&s] { s.x.fetch_add(1); });
  note(s.x);
  other.join();
}

const std::vector<Small>& small_programs() {
  static const std::vector<Small> programs = {
      {"counter", {add_x_twice, add_x_twice}},
      {"three adders and a reader", {add_x, add_x, read_x}},
      {"lost update", {increment_x, increment_x, read_x}},
      {"publication", {set_x_then_y, read_x_and_y}},
      {"publication, three", {set_x_then_y, read_x_and_y, read_x_and_y}},
      {"Dekker", {set_x_read_y, set_y_read_x}},
      {"Dekker with a witness", {set_x_read_y, set_y_read_x, read_x_and_y}},
      {"compare and swap", {swap_x_for_5, add_x, read_x}},
      {"compare and swap, twice", {swap_x_for_5, swap_x_for_5, add_x}},
      {"retries", {claim_x, claim_x}},
      {"retries, three", {claim_x, claim_x, read_x}},
      {"assertion on two variables", {set_x_then_y, require_no_x}},
      {"one lock", {two_sections_a, two_sections_a}},
      {"one lock, three", {section_a, section_a, two_sections_a}},
      {"two locks", {section_a, section_b, a_then_b}},
      {"nested locks", {a_then_b, a_then_b, section_b}},
      {"lock cycle", {a_then_b, b_then_a}},
      {"lock cycle with a bystander", {a_then_b, b_then_a, add_x}},
      {"check then act", {check_data_then_act, check_data_then_act}},
      {"try-lock", {try_a, section_a}},
      {"try-locks", {try_a, try_a, section_a}},
      {"try-locks instead of a cycle", {a_and_try_b, b_and_try_a}},
      {"try-lock and a cycle", {a_then_b, b_and_try_a}},
      {"flag", {wait_for_flag, raise_and_signal}},
      {"flag, broadcast", {wait_for_flag, wait_for_flag, raise_and_broadcast}},
      {"flag, one signal for two", {wait_for_flag, wait_for_flag, raise_and_signal}},
      {"flag, two signals", {wait_for_flag, wait_for_flag, signal_twice}},
      {"lost signal", {wait_for_flag, signal_and_raise}},
      {"one wait", {wait_once, raise_and_signal, section_a}},
      {"wait in time", {wait_in_time, raise_and_signal}},
      {"wait in time, two", {wait_in_time, wait_once, raise_and_broadcast}},
      {"semaphore", {post_and_add, take_and_add}},
      {"semaphore, two takers", {post_twice, take_and_add, take_and_add}},
      {"semaphore, one permit for two", {post_and_add, take_and_add, take_and_add}},
      {"semaphore, tried", {post_and_add, take_if_any, take_if_any}},
      {"semaphore in time", {post, take_before_1, add_x}},
      {"semaphore in time, two", {post, take_before_1, take_before_2}},
      {"barrier", {add_meet_read, add_meet_read}},
      {"barrier, three", {add_meet_read, meet_and_add, meet_and_add}},
      {"barrier, two phases", {meet_twice, meet_twice}},
      {"barrier that one misses", {meet_and_add, add_x}},
      {"readers and a writer", {read_shared, read_shared, write_shared}},
      {"writers", {write_shared, write_shared, try_shared}},
      {"lock in time", {lock_in_time, hold_timed}},
      {"locks in time", {lock_in_time, lock_in_time, hold_timed}},
      {"chosen variable", {choose_a_variable, add_x}},
      {"chosen values", {add_a_choice, add_a_choice}},
      {"chosen lock", {choose_to_lock, choose_to_lock, section_a}},
      {"choice that depends on the order", {choose_by_x, add_x_twice}},
      {"sleep", {sleep_and_add, add_x_twice}},
      {"yield", {yield_and_add, add_x, read_x}},
      {"a thread that creates one", {create_another, add_x}},
      {"semaphore and lock", {take_and_add, section_a, post}},
      {"lock, barrier and choice", {choose_a_variable, add_meet_read, add_meet_read}},
  };
  return programs;
}

struct Reached {
  std::vector<Final> finals;  // sorted, each once
  std::set<std::string> bugs;
  bool operator==(const Reached&) const = default;
};

Final run(const Small& program) {
  Shared shared(static_cast<unsigned>(program.threads.size()));
  Final final;
  std::thread threads[max_threads];
  for (std::size_t i = 0; i < program.threads.size(); ++i) {
    const Body body = program.threads[i];
    threads[i] = std::thread([&shared, &final, body, i] { body(shared, final.notes[i]); });
  }
  for (std::size_t i = 0; i < program.threads.size(); ++i) threads[i].join();
  final.x = shared.x;
  final.y = shared.y;
  final.data = shared.data;
  return final;
}

constexpr std::size_t most_executions = 200000;

// Results are kept outside of the executions, in memory that is there before they begin.
Reached explore(const Small& program, const std::string& strategy, std::vector<Final>& finals) {
  Options options;
  options.strategy = strategy;
  options.executions = 0;
  options.keep_going = true;
  options.out = "/proc/version/nowhere";  // thousands of schedules of bugs are of no use
  finals.clear();
  const Result result = check(options, [&program, &finals] {
    const Final final = run(program);
    if (finals.size() < finals.capacity()) finals.push_back(final);
  });
  EXPECT_TRUE(result.error.empty()) << program.name << ", " << strategy << ": " << result;
  EXPECT_TRUE(result.complete) << program.name << ", " << strategy << ": " << result;
  EXPECT_LT(finals.size(), finals.capacity()) << program.name;
  Reached reached;
  for (const Bug& bug : result.bugs) reached.bugs.insert(bug.kind + ": " + bug.message);
  std::sort(finals.begin(), finals.end());
  std::unique_copy(finals.begin(), finals.end(), std::back_inserter(reached.finals));
  return reached;
}

class Agreement : public testing::TestWithParam<const char*> {};

TEST_P(Agreement, WithDfsOnEverySmallProgram) {
  std::vector<Final> finals;
  finals.reserve(most_executions);
  std::size_t with_bugs = 0;
  ASSERT_GE(small_programs().size(), 40U);
  for (const Small& program : small_programs()) {
    const Reached expected = explore(program, "dfs", finals);
    const Reached found = explore(program, GetParam(), finals);
    EXPECT_EQ(found.finals.size(), expected.finals.size()) << program.name;
    EXPECT_TRUE(found.finals == expected.finals) << program.name;
    EXPECT_EQ(found.bugs, expected.bugs) << program.name;
    if (!expected.bugs.empty()) ++with_bugs;
  }
  EXPECT_GE(with_bugs, 8U);
}

// The programs can tell: a search that leaves something out does not pass.
TEST(Disagreement, IsSeenIfNothingIsPreempted) {
  std::vector<Final> finals;
  finals.reserve(most_executions);
  const auto differing = std::count_if(
      small_programs().begin(), small_programs().end(), [&finals](const Small& program) {
        return explore(program, "dfs", finals) != explore(program, "pb:bound=0", finals);
      });
  EXPECT_GE(differing, 20);
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, Agreement,
    testing::Values("dpor", "bpor:bound=1000", "pb:bound=1000", "pb:bound=1000,iterative=no",
                    "bestfirst:space=persistent,priority=mdpor+pb",
                    "bestfirst:space=persistent,priority=rand", "bestfirst:space=dpor,priority=pb",
                    "bestfirst:space=dpor,priority=mdpor+pb", "bestfirst:space=dpor,priority=rand",
                    "bestfirst:space=dpor,priority=novel+ss", "bestfirst:space=pb=1000,priority=pb",
                    "bestfirst:space=pb=1000,priority=ss+mdpor",
                    "bestfirst:space=pb=1000,priority=rand", "bestfirst:space=all,priority=dpor",
                    "bestfirst:space=all,priority=novel+pb", "bestfirst:space=all,priority=rand"));

// One task has to go some way before it meets the race that shows the bug; two others race all the
// time. What they do must not come first, for then there are 252 orders of it.
TEST(BestFirst, TakesARaceOfATaskItselfAsSeriouslyAsOneOfItsVeryNextStep) {
  Options options;
  options.strategy = "bestfirst:space=dpor,priority=mdpor+pb";
  options.executions = 100;
  options.out = "/proc/version/nowhere";
  const Result result = check(options, [] {
    std::atomic<int> x = 0, y = 0, z = 0;
    const auto race = [&z] {
      for (int i = 0; i < 5; ++i) z.fetch_add(1);
    };
    std::thread one([&] {
      x = 1;
      x = 0;
    });
    std::thread two([&] {
      for (int i = 0; i < 3; ++i) y.fetch_add(1);
      require(x == 0, "x is set");
    });
    std::thread three(race);
    std::thread four(race);
    for (std::thread* thread : {&one, &two, &three, &four}) thread->join();
  });
  EXPECT_EQ(result.bugs.size(), 1U) << result;
}

// --- Kinds that do not count, in a function ---

Result search_with_a_race(const std::string& strategy, const std::string& ignored) {
  Options options;
  options.strategy = strategy;
  options.executions = 0;
  options.keep_going = true;
  options.ignore = ignored;
  options.out = "/proc/version/nowhere";
  return check(options, [] {
    int counter = 0;
    std::atomic<int> x = 0;
    std::thread one([&] {
      ++counter;
      x = 1;
    });
    std::thread two([&] {
      ++counter;
      require(x == 0, "x is set");
    });
    one.join();
    two.join();
  });
}

TEST(Ignored, RacesOfAFunctionAreGoneOnThrough) {
  for (const std::string strategy : {"dfs", "pb", "dpor", "bpor", "bestfirst"}) {
    const Result result = search_with_a_race(strategy, "data-race");
    ASSERT_EQ(result.bugs.size(), 1U) << result;
    EXPECT_EQ(result.bugs[0].kind, "assertion") << result;
    EXPECT_TRUE(result.complete) << result;
    EXPECT_NE(result.coverage.find("; ignored: "), std::string::npos) << result;
    const Result both = search_with_a_race(strategy, "data-race,assertion");
    EXPECT_TRUE(both) << both;
    EXPECT_EQ(both.executions, result.executions);
  }
}

TEST(Ignored, KindsOfAFunctionHaveToExist) {
  EXPECT_NE(search_with_a_race("dfs", "race").error.find("no kind of bug 'race'"),
            std::string::npos);
}

}  // namespace
}  // namespace ricercar::test
