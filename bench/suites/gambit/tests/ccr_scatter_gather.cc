// Requests are scattered over two services and their responses are gathered side by side. The
// handler of the first response waits for the others and then posts a summary, which runs alone and
// starts the next round. The first round has several requests under way, the others one.
#include <atomic>
#include <cassert>

#include "../components/dispatcher.h"
#include "../components/interleave.h"
#include "../components/port.h"
#include "../components/spin.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int first_requests = 3;
constexpr int rounds = 190;

class ScatterGather {
 public:
  ScatterGather(Dispatcher& dispatcher, InterleaveBug bug)
      : squares_(dispatcher), cubes_(dispatcher), interleave_(dispatcher, bug) {}

  void run() {
    expected_ = 2 * first_requests;
    for (int i = 1; i <= first_requests; ++i) {
      request(squares_, i, [](int n) { return n * n; });
      request(cubes_, i, [](int n) { return n * n * n; });
    }
    spin_until([this] { return summaries_ == rounds; });
    assert(sum_ == (1 + 4 + 9) + (1 + 8 + 27) + (rounds - 1));
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
    if (++gathered_ != 1) return;
    spin_until([this] { return gathered_ == expected_; });
    interleave_.post_exclusive([this] { summarise(); });
  }

  void summarise() {
    gathered_ = 0;
    expected_ = 1;
    if (++summaries_ < rounds) request(squares_, 1, [](int n) { return n; });
  }

  Port<int> squares_;
  Port<int> cubes_;
  Interleave interleave_;
  std::atomic<int> expected_ = 0;
  std::atomic<int> gathered_ = 0;
  std::atomic<int> sum_ = 0;
  std::atomic<int> summaries_ = 0;
};

void test(InterleaveBug bug) {
  Dispatcher dispatcher(2);
  ScatterGather scatter_gather(dispatcher, bug);
  scatter_gather.run();
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
