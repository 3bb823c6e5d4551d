// abort() with a handler of the program's own: one that comes back, and one that jumps out.
#include <setjmp.h>
#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

std::atomic<int> x;
sigjmp_buf out;
bool jumps;

void handle(int) {
  if (jumps) siglongjmp(out, 1);
}

void look() {
  if (x != 1) return;
  if (sigsetjmp(out, 1) == 0) std::abort();
}

}  // namespace

int main(int, char** arguments) {
  jumps = std::string(arguments[1]) == "jumps";
  signal(SIGABRT, handle);
  std::thread writer([] {
    x = 1;
    x = 0;
  });
  std::thread reader(look);
  writer.join();
  reader.join();
  return 0;
}
