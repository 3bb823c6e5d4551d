// Becomes another program.
#include <unistd.h>

#include <thread>

int main() {
  std::thread([] { execl("/bin/true", "true", nullptr); }).join();
  return 0;
}
