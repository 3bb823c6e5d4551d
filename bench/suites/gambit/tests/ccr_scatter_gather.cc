// Requests are scattered over two services, the responses are gathered side by side, and a summary
// runs alone after each round. The first round has several requests under way, the others one.
#include <atomic>
#include <cassert>

#include "../components/dispatcher.h"
#include "../components/interleave.h"
#include "../components/port.h"
#include "../components/spin.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int serial_rounds = 2;

class ScatterGather {
 public:
  ScatterGather(Dispatcher& dispatcher, InterleaveBug bug)
      : squares_(dispatcher), cubes_(dispatcher), interleave_(dispatcher, bug) {}

  // Sends 1, 2, ... `requests` to both services and waits for the summary of their responses.
  int run(int requests) {
    expected_ = 2 * requests;
    for (int i = 1; i <= requests; ++i) {
      request(squares_, i, [](int n) { return n * n; });
      request(cubes_, i, [](int n) { return n * n * n; });
    }
    const int round = ++rounds_;
    spin_until([this, round] { return summaries_ == round; });
    return summary_;
  }

 private:
  template <typename Service>
  void request(Port<int>& port, int number, Service service) {
    port.receive([this, service](int n) {
      interleave_.post_concurrent([this, response = service(n)] { gather(response); });
    });
    port.post(number);
  }

  void gather(int response) {
    sum_ += response;
    if (++gathered_ == expected_) interleave_.post_exclusive([this] { summarise(); });
  }

  void summarise() {
    summary_ = sum_.exchange(0);
    gathered_ = 0;
    ++summaries_;
  }

  Port<int> squares_;
  Port<int> cubes_;
  Interleave interleave_;
  int expected_ = 0;
  int rounds_ = 0;
  std::atomic<int> gathered_ = 0;
  std::atomic<int> sum_ = 0;
  std::atomic<int> summaries_ = 0;
  int summary_ = 0;  // handed over with summaries_
};

void test(InterleaveBug bug) {
  Dispatcher dispatcher(2);
  ScatterGather scatter_gather(dispatcher, bug);
  int sum = scatter_gather.run(3);
  assert(sum == 1 + 1 + 4 + 8 + 9 + 27);
  for (int round = 0; round < serial_rounds; ++round) {
    sum = scatter_gather.run(1);
    assert(sum == 1 + 1);
  }
  dispatcher.shut_down();
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::InterleaveBug;
  gambit::test(gambit::choose_bug<InterleaveBug>(argument_count, arguments,
                                                 {{"lost-leave", InterleaveBug::lost_leave}}));
  return 0;
}
