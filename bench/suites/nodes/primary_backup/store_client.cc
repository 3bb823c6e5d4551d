// Counts up a number of its own, and reads it after each step: it must be what was acknowledged
// last.
//
//   store_client --name=c1 --views=view --steps=3
#include <cassert>
#include <chrono>

#include "../common/bug.h"
#include "../common/calls.h"
#include "view.h"

namespace {

constexpr int most_attempts = 12;

class Client {
 public:
  explicit Client(const std::string& views) : views_(views, store::view_port) {}

  // Nothing: nobody has answered, however often it was tried.
  std::optional<std::string> call(const std::string& question) {
    for (int i = 0; i < most_attempts; ++i) {
      const std::optional<std::string> view = views_.ask("view?");
      if (view) primary_ = store::View::of(*view).primary.name;
      if (primary_ != "-") {
        const auto answer = suite::Caller(primary_, store::store_port).ask(question);
        if (answer && *answer != "no") return answer;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return std::nullopt;
  }

 private:
  suite::Caller views_;
  std::string primary_ = "-";
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  const std::string name(suite::option(count, arguments, "name", "c"));
  const int steps = std::stoi(std::string(suite::option(count, arguments, "steps", "2")));
  Client client(std::string(suite::option(count, arguments, "views", "")));
  for (int i = 1; i <= steps; ++i) {
    const std::string number = std::to_string(i);
    if (!client.call("set " + name + " " + number)) return 0;
    const std::optional<std::string> answer = client.call("get " + name);
    if (!answer) return 0;
    assert(*answer == "is " + number);
  }
}
