// std::thread: arguments by value and by reference, ids, move, swap, detach, and writes before
// start and before the end that the other side sees.
#include <cassert>
#include <functional>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>

namespace {

std::binary_semaphore detached_done(0);

void append(std::string& target, const std::string& text) { target += text; }

struct Accumulator {
  int total = 0;
  void add(int amount) { total += amount; }
};

}  // namespace

int main() {
  std::string text = "hello";
  std::thread by_reference(append, std::ref(text), ", world");
  assert(by_reference.joinable());
  assert(by_reference.get_id() != std::this_thread::get_id());
  by_reference.join();
  assert(!by_reference.joinable());
  assert(by_reference.get_id() == std::thread::id());
  assert(text == "hello, world");

  Accumulator accumulator;
  std::thread member(&Accumulator::add, &accumulator, 5);
  std::thread moved = std::move(member);
  assert(!member.joinable());
  std::swap(member, moved);
  member.join();
  assert(accumulator.total == 5);

  std::thread::id inner_id;
  std::thread identified([&inner_id] { inner_id = std::this_thread::get_id(); });
  const std::thread::id outer_id = identified.get_id();
  identified.join();
  assert(inner_id == outer_id);

  std::thread([] { detached_done.release(); }).detach();
  detached_done.acquire();
  return 0;
}
