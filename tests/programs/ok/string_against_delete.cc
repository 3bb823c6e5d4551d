// A string is copied while its owner is deleted, fixed: the copy is made under the lock, and only
// while the owner is there. The bug twin is bug/data-race/string_against_delete.cc.
#include <mutex>
#include <string>
#include <thread>

namespace {

std::mutex mutex;

struct User {
  std::string name = "alice";
  int logins = 0;
};

const User* user = nullptr;

std::string name_of_user() {
  std::lock_guard guard(mutex);
  return user == nullptr ? "" : user->name;
}

void greet() {
  const std::string name = name_of_user();
  if (name.empty()) return;
}

void remove_user() {
  std::lock_guard guard(mutex);
  delete user;
  user = nullptr;
}

}  // namespace

int main() {
  user = new User;
  std::thread greeter(greet);
  std::thread remover(remove_user);
  greeter.join();
  remover.join();
  return 0;
}
