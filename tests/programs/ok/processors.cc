// Whatever is asked for the processors, the answers agree, and those that a thread was given are
// those that it has; its children inherit them.
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

namespace {

int count_of_thread(pid_t thread) {
  cpu_set_t set;
  assert(sched_getaffinity(thread, sizeof set, &set) == 0);
  return CPU_COUNT(&set);
}

int count_by_system_call() {
  unsigned long words[16] = {};
  const long bytes = syscall(SYS_sched_getaffinity, 0, sizeof words, words);
  assert(bytes > 0 && bytes <= static_cast<long>(sizeof words));
  int count = 0;
  for (const unsigned long word : words) count += __builtin_popcountl(word);
  return count;
}

int count_lines(const char* path, const std::string& start) {
  std::ifstream file(path);
  assert(file);
  int count = 0;
  for (std::string line; std::getline(file, line);) count += line.rfind(start, 0) == 0 ? 1 : 0;
  return count;
}

int last_number(const char* path) {
  std::FILE* file = std::fopen(path, "r");
  assert(file != nullptr);
  int first = 0;
  int last = 0;
  const int found = std::fscanf(file, "%d-%d", &first, &last);
  std::fclose(file);
  return found == 2 ? last : first;
}

void all_agree() {
  const int count = static_cast<int>(std::thread::hardware_concurrency());
  assert(count > 0);
  assert(count == get_nprocs() && count == get_nprocs_conf());
  assert(count == sysconf(_SC_NPROCESSORS_ONLN) && count == sysconf(_SC_NPROCESSORS_CONF));
  assert(count == count_of_thread(0) && count == count_by_system_call());
  assert(count == count_lines("/proc/cpuinfo", "processor"));
  assert(count + 1 == count_lines("/proc/stat", "cpu"));
  assert(count == last_number("/sys/devices/system/cpu/online") + 1);
}

cpu_set_t only(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return set;
}

void runs_on(int processor) {
  assert(count_of_thread(0) == 1 && count_by_system_call() == 1);
  assert(sched_getcpu() == processor);
  unsigned number = 99;
  assert(syscall(SYS_getcpu, &number, nullptr, nullptr) == 0);
  assert(number == static_cast<unsigned>(processor));
}

void* check_attributes(void*) {
  runs_on(1);
  return nullptr;
}

void attributes_count() {
  const cpu_set_t second = only(1);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  assert(pthread_attr_setaffinity_np(&attributes, sizeof second, &second) == 0);
  pthread_t thread;
  assert(pthread_create(&thread, &attributes, check_attributes, nullptr) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

}  // namespace

int main() {
  all_agree();
  attributes_count();
  const cpu_set_t third = only(2);
  std::thread other([&third] {
    assert(pthread_setaffinity_np(pthread_self(), sizeof third, &third) == 0);
    runs_on(2);
    std::thread child([] { runs_on(2); });
    child.join();
  });
  other.join();
  assert(count_of_thread(0) == get_nprocs());
  cpu_set_t none;
  CPU_ZERO(&none);
  assert(sched_setaffinity(0, sizeof none, &none) == -1 && errno == EINVAL);
  assert(sched_setaffinity(0, sizeof third, &third) == 0);
  runs_on(2);
  return 0;
}
