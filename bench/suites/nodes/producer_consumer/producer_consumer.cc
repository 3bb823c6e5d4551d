// A producer that sends some numbers to a consumer, and tells main when it has sent all of them
// (Figure 6.3 of the thesis on Dara). The bug `early`: main ends then, whether or not the consumer
// has worked with the last one.
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include "../common/bug.h"
#include "../common/channel.h"

namespace {

std::atomic<int> consumed = 0;

class Consumer {
 public:
  Consumer(suite::Channel<int>& messages, suite::Channel<bool>& finished)
      : messages_(messages), finished_(finished) {}

  void consume() {
    std::printf("[consume]: started\n");
    while (const std::optional<int> message = messages_.receive()) {
      // What is done with a message may take some time.
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::printf("[consume]: received %d\n", *message);
      ++consumed;
    }
    finished_.send(true);
  }

 private:
  suite::Channel<int>& messages_;
  suite::Channel<bool>& finished_;
};

class Producer {
 public:
  Producer(suite::Channel<int>& messages, suite::Channel<bool>& done)
      : messages_(messages), done_(done) {}

  void produce(int count) {
    std::printf("[produce]: started\n");
    for (int i = 0; i < count; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      messages_.send(i);
    }
    messages_.close();
    done_.send(true);
    std::printf("[produce]: done\n");
  }

 private:
  suite::Channel<int>& messages_;
  suite::Channel<bool>& done_;
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  const int messages_sent = std::stoi(std::string(suite::option(count, arguments, "n", "5")));
  static suite::Channel<int> messages;
  static suite::Channel<bool> done(1);
  static suite::Channel<bool> finished(1);
  std::thread([=] { Producer(messages, done).produce(messages_sent); }).detach();
  std::thread([] { Consumer(messages, finished).consume(); }).detach();
  bool is_producing = true;
  bool is_consuming = true;
  while (is_producing || (is_consuming && !suite::has_bug("early"))) {
    suite::select(std::chrono::seconds(1),
                  suite::Case{done, [&](std::optional<bool>) { is_producing = false; }},
                  suite::Case{finished, [&](std::optional<bool>) { is_consuming = false; }});
  }
  assert(consumed == messages_sent);
}
