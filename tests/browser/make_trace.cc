// A trace of about as many steps as it is told to, and names that try to be markup. It always
// fails, or with a second argument only if an update is lost at the end.
#include <pthread.h>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

struct Shared {
  std::mutex mutex;
  int counter = 0;
  std::atomic<int> turns{0};
  std::atomic<int> finished{0};
};

Shared shared;

void work(int rounds, const char* name) {
  pthread_setname_np(pthread_self(), name);
  for (int i = 0; i < rounds; ++i) {
    std::lock_guard guard(shared.mutex);
    ++shared.counter;
    shared.turns.fetch_add(1);
  }
  const int before = shared.finished.load();
  shared.finished.store(before + 1);
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  std::printf("</script><script>document.title='out'</script><img src=x onerror=alert(1)>\n");
  std::fflush(stdout);
  std::vector<std::thread> threads;
  for (const char* name : {"</script><b>", "\"'><img src=", "&lt;<!--"})
    threads.emplace_back(work, rounds, name);
  for (std::thread& thread : threads) thread.join();
  if (argc > 2) {
    assert(shared.finished == 3);
    return 0;
  }
  assert(shared.counter == 0 && "</script><script>document.title='in'</script>");
}
