// Two initialisations that need each other: each call_once runs a function that calls the other. In
// opposite order, each thread waits for the one that the other is running.
#include <mutex>
#include <thread>

namespace {

std::once_flag configuration_once;
std::once_flag log_once;
int initialised = 0;
std::mutex mutex;

void count() {
  std::lock_guard guard(mutex);
  ++initialised;
}

void start_log_alone() { std::call_once(log_once, count); }  // <- bug: waits

void start_configuration_alone() { std::call_once(configuration_once, count); }  // <- bug: waits

void start_configuration() {
  std::call_once(configuration_once, [] {
    count();
    start_log_alone();
  });
}

void start_log() {
  std::call_once(log_once, [] {
    count();
    start_configuration_alone();
  });
}

}  // namespace

int main() {
  std::thread one(start_configuration);
  std::thread two(start_log);
  one.join();  // <- bug: waits
  two.join();  // <- bug: waits
  return 0;
}
