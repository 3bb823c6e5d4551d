// The program of the allocators' tests: blocks of all sizes go from thread to thread, and static
// objects keep some from before main until their destructors free them.
#pragma once

#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::vector<std::string> texts;
const std::vector<int> early(1000, 3);

void add(std::size_t size) {
  std::string text(size, 'x');
  const std::lock_guard lock(mutex);
  texts.push_back(std::move(text));
}

}  // namespace

int main() {
  std::thread one(add, 1000), two(add, 100000);
  one.join();
  two.join();
  assert(texts.size() == 2 && texts[0].size() + texts[1].size() == 101000);
  assert(early.size() == 1000 && early[999] == 3);
  texts.clear();
  std::thread three(add, 1000), four(add, 100000);
  three.join();
  four.join();
  assert(texts.size() == 2);
}
