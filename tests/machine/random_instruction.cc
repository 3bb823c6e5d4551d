// Asks the processor for a random number, if it has any.
#include <immintrin.h>

#include <thread>

namespace {

__attribute__((target("rdrnd"))) unsigned draw() {
  unsigned number = 0;
  while (_rdrand32_step(&number) == 0) {
  }
  return number;
}

}  // namespace

int main() {
  unsigned number = 0;
  std::thread other([&number] { number = __builtin_cpu_supports("rdrnd") ? draw() : 1; });
  other.join();
  return number == 0 ? 1 : 0;
}
