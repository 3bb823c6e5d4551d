// A map that three threads share: one makes it, one reads it, one writes to it. Each tells main
// when it is done (Figure 6.1 of the thesis on Dara). The bug `early`: nobody waits until the map
// is there. To read a map that is not there is allowed, as in Go; to write to it is a crash.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "../common/bug.h"
#include "../common/channel.h"

namespace {

using Map = std::map<std::string, std::string>;

std::mutex map_mutex;
std::unique_ptr<Map> shared_map;
suite::Channel<int> done(3);
suite::Channel<int> made(2);

void make_map() {
  {
    const std::lock_guard guard(map_mutex);
    shared_map = std::make_unique<Map>();
  }
  made.send(1);
  made.send(1);
  done.send(1);
}

void wait_for_map() {
  if (!suite::has_bug("early")) made.receive();
}

void read_map() {
  wait_for_map();
  for (int i = 0; i <= 5; ++i) {
    const std::lock_guard guard(map_mutex);
    if (shared_map == nullptr) continue;
    for (const auto& [key, value] : *shared_map) std::printf("%s %s\n", key.c_str(), value.c_str());
  }
  done.send(2);
}

void write_map() {
  wait_for_map();
  for (int i = 0; i <= 5; ++i) {
    const std::lock_guard guard(map_mutex);
    (*shared_map)[std::to_string(i)] = std::to_string(i);
  }
  done.send(3);
}

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  std::thread maker(make_map);
  std::thread reader(read_map);
  std::thread writer(write_map);
  for (int i = 0; i < 3; ++i) done.receive();
  maker.join();
  reader.join();
  writer.join();
}
