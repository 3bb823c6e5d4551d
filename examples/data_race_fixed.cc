// The twin of data_race.cc: the flag is atomic, so whoever sees it sees the result as well.
#include <atomic>
#include <cassert>
#include <string>
#include <thread>

std::string result;
std::atomic<bool> ready = false;

void compute() {
  result = "forty-two";
  ready = true;
}

int main() {
  std::thread worker(compute);
  if (ready) assert(result == "forty-two");
  worker.join();
}
