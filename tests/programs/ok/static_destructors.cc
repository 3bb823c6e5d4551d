// Destructors of static objects, functions for atexit and thread_local objects free what
// constructors have made before main: in every execution it is there again, once.
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace {

std::mutex mutex;
char* early = nullptr;

void release_early() {
  if (std::strcmp(early, "early!") != 0) std::abort();
  std::free(early);
  early = nullptr;
}

struct Registry {
  Registry() {
    early = strdup("early.");
    std::atexit(release_early);
    names["main"] = std::make_unique<int>(1);
  }
  ~Registry() {
    if (names.size() != 3 || *names["main"] != 1) std::abort();
    names.clear();
  }
  std::map<std::string, std::unique_ptr<int>> names;
};

Registry registry;

struct Local {
  ~Local() { delete value; }
  int* value = new int(2);
};
thread_local Local local;

void add(const std::string& name) {
  const std::lock_guard lock(mutex);
  registry.names[name] = std::make_unique<int>(*local.value);
}

}  // namespace

int main() {
  if (early == nullptr || std::strcmp(early, "early.") != 0 || registry.names.size() != 1) return 1;
  if (std::setlocale(LC_ALL, nullptr) != std::string("C")) return 2;
  if (std::setlocale(LC_ALL, "C.UTF-8") == nullptr) return 3;
  if (!std::cout.good() || std::cout.width() != 0) return 4;
  std::cout.width(7);
  early[5] = '!';
  std::thread one(add, "one"), two(add, "two");
  one.join();
  two.join();
  return *local.value == 2 ? 0 : 5;
}
