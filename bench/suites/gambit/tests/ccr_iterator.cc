// Two iterators in a conversation: one doubles what it is asked, the other adds up the answers.
#include <cassert>
#include <vector>

#include "../components/dispatcher.h"
#include "../components/iterator_task.h"
#include "../components/port.h"
#include "../components/spin.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int rounds = 3;

class Conversation {
 public:
  Conversation(Dispatcher& dispatcher, IteratorBug bug)
      : questions_(dispatcher),
        answers_(dispatcher),
        responder_(dispatcher, bug, [this](int item) { return respond(item); }),
        asker_(dispatcher, bug, [this](int item) { return ask(item); }) {}

  void run() {
    responder_.start();
    asker_.start();
    spin_until([this] { return responder_.finished() && asker_.finished(); });
    assert(sum_ == 2 * (1 + 2 + 3));
  }

 private:
  Port<int>* respond(int question) {
    if (question != 0) answers_.post(2 * question);
    return question == rounds ? nullptr : &questions_;
  }

  Port<int>* ask(int answer) {
    sum_ += answer;
    if (asked_ == rounds) return nullptr;
    questions_.post(++asked_);
    return &answers_;
  }

  Port<int> questions_;
  Port<int> answers_;
  int asked_ = 0;
  int sum_ = 0;
  IteratorTask responder_;
  IteratorTask asker_;
};

void test(IteratorBug bug) {
  Dispatcher dispatcher(2);
  Conversation conversation(dispatcher, bug);
  conversation.run();
  dispatcher.shut_down();
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::IteratorBug;
  gambit::test(gambit::choose_bug<IteratorBug>(argument_count, arguments,
                                               {{"lost-resume", IteratorBug::lost_resume}}));
  return 0;
}
