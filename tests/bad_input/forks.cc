// Makes another process from a thread.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

int main() {
  std::thread([] {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
  }).join();
  return 0;
}
