// A worker publishes its result through a plain flag.
#include <cassert>
#include <string>
#include <thread>

std::string result;
bool ready = false;

void compute() {
  result = "forty-two";
  ready = true;
}

int main() {
  std::thread worker(compute);
  if (ready) assert(result == "forty-two");
  worker.join();
}
