// Random numbers: rand, random, getrandom and std::random_device all answer; what they answer is
// not checked.
#include <sys/random.h>
#include <sys/types.h>

#include <cassert>
#include <cstdlib>
#include <random>
#include <thread>

namespace {

void draw() {
  assert(std::rand() >= 0);
  assert(random() >= 0);
  unsigned char bytes[8];
  const ssize_t count = getrandom(bytes, sizeof bytes, 0);
  assert(count == sizeof bytes);
}

}  // namespace

int main() {
  std::srand(1);
  srandom(1);
  std::thread other(draw);
  draw();
  other.join();
  std::random_device device;
  const std::random_device::result_type first = device();
  const std::random_device::result_type second = device();
  assert(first >= std::random_device::min() && second <= std::random_device::max());
  return 0;
}
