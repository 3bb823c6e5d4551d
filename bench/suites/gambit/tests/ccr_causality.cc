// A causality that fans out in two levels, then many that consist of one task, some of which fail.
#include <cassert>
#include <list>
#include <mutex>
#include <stdexcept>

#include "../components/causality.h"
#include "../components/dispatcher.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

// What the tasks have done, for the assertions.
class Journal {
 public:
  void write(int entry) {
    const std::lock_guard lock(mutex_);
    ++entries_;
    sum_ += entry;
  }

  void expect(int entries, int sum) {
    const std::lock_guard lock(mutex_);
    assert(entries_ == entries);
    assert(sum_ == sum);
  }

 private:
  std::mutex mutex_;
  int entries_ = 0;
  int sum_ = 0;
};

// Every task leads to one with half its number, and to one with the rest.
void fan_out(Journal& journal, int number) {
  journal.write(number);
  if (number == 1) return;
  const int half = number / 2;
  Causality::current().spawn([&journal, half] { fan_out(journal, half); });
  Causality::current().spawn([&journal, rest = number - half] { fan_out(journal, rest); });
}

// Causalities of one task each; every other one fails.
class SingleTasks {
 public:
  SingleTasks(Dispatcher& dispatcher, CausalityBug bug) {
    for (int i = 0; i < count; ++i) causalities_.emplace_back(dispatcher, bug);
  }

  void start() {
    int number = 0;
    for (Causality& causality : causalities_) {
      causality.start([this, i = ++number] {
        journal_.write(i);
        if (i % 2 == 0) throw std::runtime_error("every other task fails");
      });
    }
  }

  void finish() {
    int faults = 0;
    for (Causality& causality : causalities_) {
      causality.wait();
      faults += causality.faults();
    }
    assert(faults == count / 2);
    journal_.expect(count, count * (count + 1) / 2);
  }

 private:
  static constexpr int count = 184;

  Journal journal_;
  std::list<Causality> causalities_;
};

void test(CausalityBug bug) {
  Dispatcher dispatcher(2);
  Journal journal;
  Causality causality(dispatcher, bug);
  SingleTasks single_tasks(dispatcher, bug);
  causality.start([&] { fan_out(journal, 4); });
  causality.wait();
  journal.expect(7, 3 * 4);
  assert(causality.faults() == 0);
  single_tasks.start();
  single_tasks.finish();
  dispatcher.shut_down();
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::CausalityBug;
  gambit::test(gambit::choose_bug<CausalityBug>(argument_count, arguments,
                                                {{"split-leave", CausalityBug::split_leave}}));
  return 0;
}
