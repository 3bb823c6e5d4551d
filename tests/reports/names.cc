// Races on memory that has to be named: the first argument says on which.
#include <pthread.h>

#include <cstdlib>
#include <list>
#include <map>
#include <memory>
#include <thread>

namespace {

struct Settings {
  int size = 1;
  int level = 2;
};

Settings* settings = nullptr;
std::unique_ptr<Settings> owned;
int* numbers = nullptr;

void use(int what, std::list<Settings>& list, std::map<int, Settings>& map) {
  switch (what) {
    case 0:
      ++settings->level;
      break;
    case 1:
      ++owned->level;
      break;
    case 2:
      ++numbers[2];
      break;
    case 3:
      ++list.front().level;
      break;
    default:
      ++map[7].level;
  }
}

}  // namespace

int main(int, char** arguments) {
  const int what = std::atoi(arguments[1]);
  std::list<Settings> list(1);
  std::map<int, Settings> map;
  map[7];
  settings = new Settings;
  owned = std::make_unique<Settings>();
  numbers = new int[4]();
  std::thread named([&] {
    pthread_setname_np(pthread_self(), "payer");
    use(what, list, map);
  });
  std::thread other([&] { use(what, list, map); });
  named.join();
  other.join();
  delete settings;
  delete[] numbers;
}
