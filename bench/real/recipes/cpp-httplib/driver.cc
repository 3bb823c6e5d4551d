// Two tasks go through the pool; the pool is shut down and must have done both.
#include <httplib.h>

#include <atomic>
#include <cstdlib>

int main() {
  std::atomic<int> done{0};
  httplib::ThreadPool pool(2);
  for (int i = 0; i < 2; ++i) pool.enqueue([&] { ++done; });
  pool.shutdown();
  if (done != 2) std::abort();
}
