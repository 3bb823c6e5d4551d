// Stop callbacks: a callback is registered while another thread requests the stop; it runs exactly
// once, in one of the two threads, and never after it was deregistered.
#include <atomic>
#include <cassert>
#include <stop_token>
#include <thread>

int main() {
  std::stop_source source;
  std::atomic<int> early_calls = 0;
  std::atomic<int> calls = 0;
  bool late_call = false;

  {
    std::stop_callback deregistered(source.get_token(), [&early_calls] { ++early_calls; });
  }
  std::stop_callback callback(source.get_token(), [&calls] { ++calls; });
  std::thread registrar([&source] {
    int local_calls = 0;
    {
      std::stop_callback local(source.get_token(), [&local_calls] { ++local_calls; });
    }
    assert(local_calls <= 1);
  });
  const bool first_request = source.request_stop();
  const bool second_request = source.request_stop();
  registrar.join();
  std::stop_callback late(source.get_token(), [&late_call] { late_call = true; });

  assert(first_request && !second_request);
  assert(source.get_token().stop_requested());
  assert(early_calls == 0);
  assert(calls == 1);
  assert(late_call);
  return 0;
}
