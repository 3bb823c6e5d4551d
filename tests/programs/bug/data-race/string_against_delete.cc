// A string is copied while its owner is deleted: the copy is made after the lock was given back, so
// nothing orders the two. The destructor of the reader's own copy runs the same code of the library
// as the delete.
// also: use-after-free
#include <mutex>
#include <string>
#include <thread>

namespace {

std::mutex mutex;

struct User {
  std::string name = "alice";
  int logins = 0;
};

std::string name_of(const User* user) {
  { std::lock_guard guard(mutex); }
  return user->name;  // <- bug: reads
}

void greet(const User* user) {
  const std::string name = name_of(user);
  if (name.empty()) return;
}

void remove_user(const User* user) {
  std::lock_guard guard(mutex);
  delete user;  // <- bug: frees, writes
}

}  // namespace

int main() {
  const User* const user = new User;
  std::thread greeter(greet, user);
  std::thread remover(remove_user, user);
  greeter.join();
  remover.join();
  return 0;
}
