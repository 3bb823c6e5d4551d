// One thread deletes what the other reads, and nothing orders the two.
#include <thread>

int main() {
  int* const number = new int(1);
  int seen = 0;
  std::thread reader([&] { seen = *number; });
  std::thread owner([&] { delete number; });
  reader.join();
  owner.join();
  return seen == 1 ? 0 : 1;
}
