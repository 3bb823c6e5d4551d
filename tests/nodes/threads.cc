// A node with several threads. Each argument is what one thread does, letter by letter, so that a
// test can make up small programs:
//
//   a, b, A, B  locks or unlocks one of two mutexes
//   o           adds the thread's number to a text
//   w, n        waits for a flag, sets it
//   s, r        sends a letter to the node `other`, receives one (its number is added to the text)
//   x           ends the program
//
// At the end of all threads the text must not be the last argument, which begins with `=`. With
// `main` as the first argument nobody waits for the end of the threads.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "../../examples/nodes/net.h"

namespace {

std::mutex first, second, text_lock, flag_lock;
std::condition_variable flag_changed;
std::string text;
bool flag = false;
int letters = -1;

void add(char letter) {
  const std::lock_guard guard(text_lock);
  text += letter;
}

void wait_for_flag() {
  std::unique_lock guard(flag_lock);
  flag_changed.wait(guard, [] { return flag; });
}

void set_flag() {
  const std::lock_guard guard(flag_lock);
  flag = true;
  flag_changed.notify_one();
}

void send_letter(char letter) {
  const sockaddr_in to = address_of("other", 7000);
  sendto(letters, &letter, 1, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

void perform(char what, char thread) {
  if (what == 'a') first.lock();
  if (what == 'A') first.unlock();
  if (what == 'b') second.lock();
  if (what == 'B') second.unlock();
  if (what == 'o') add(thread);
  if (what == 'w') wait_for_flag();
  if (what == 'n') set_flag();
  if (what == 's') send_letter(thread);
  if (what == 'r') add(receive_text(letters)[0]);
  if (what == 'x') std::_Exit(0);
}

}  // namespace

int main(int count, char** arguments) {
  letters = bound_socket(SOCK_DGRAM, 7000);
  const bool waits = count < 2 || std::string(arguments[1]) != "main";
  std::vector<std::thread> threads;
  for (int i = waits ? 1 : 2; i < count && arguments[i][0] != '='; ++i) {
    threads.emplace_back([i, arguments] {
      for (const char* what = arguments[i]; *what != 0; ++what) {
        perform(*what, static_cast<char>('0' + i));
      }
    });
  }
  for (std::thread& each : threads) waits ? each.join() : each.detach();
  const std::lock_guard guard(text_lock);
  if (arguments[count - 1][0] == '=') assert(text != arguments[count - 1] + 1);
}
