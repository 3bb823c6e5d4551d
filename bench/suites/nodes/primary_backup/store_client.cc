// Counts up a number of its own, and one that it shares with others. A thread reads along. What it
// may rely on: a number that it reads is what was acknowledged last, or at least what was
// acknowledged before it has asked, if the number may change meanwhile; what it adds is added once;
// and what it has deleted is gone.
//
//   store_client --name=c1 --views=view --steps=3 --config=store.conf
#include <cassert>
#include <chrono>

#include "../common/bug.h"
#include "../common/calls.h"
#include "connections.h"
#include "settings.h"
#include "view.h"

namespace {

using store::Settings;

// Asks whom it holds for the primary, and looks who it is when that one does not answer. Of one
// thread.
class Session {
 public:
  Session(const std::string& views, const Settings& settings)
      : settings_(settings), views_(views, store::view_port), servers_(store::store_port) {}

  // Nothing: nobody has answered, however often it was tried.
  std::optional<std::string> call(const std::string& question) {
    suite::Backoff backoff = settings_.backoff();
    for (std::uint64_t i = 0; i < settings_.attempts; ++i) {
      if (primary_ == "-") find_primary();
      if (primary_ != "-") {
        std::optional<std::string> answer = servers_.ask(primary_, question);
        if (answer && *answer != "no") return answer;
      }
      primary_ = "-";
      std::this_thread::sleep_for(backoff.next());
    }
    return std::nullopt;
  }

  // What is said in answers "is N"; 0: there is none.
  std::optional<std::uint64_t> number(const std::string& question) {
    const std::optional<std::string> answer = call(question);
    if (!answer) return std::nullopt;
    return answer->starts_with("is ") ? std::stoull(answer->substr(3)) : 0;
  }

 private:
  void find_primary() {
    const std::optional<std::string> view = views_.ask("view?");
    if (view) primary_ = store::View::of(*view).primary.name;
  }

  const Settings& settings_;
  suite::Caller views_;
  store::Connections servers_;
  std::string primary_ = "-";
};

class Client {
 public:
  Client(std::string name, std::string views, const Settings& settings)
      : name_(std::move(name)),
        key_(name_ + ".count"),
        views_(std::move(views)),
        settings_(settings),
        session_(views_, settings_) {}

  void run(int steps) {
    std::thread reader([this, steps] { read_along(steps); });
    bool goes_on = true;
    for (int i = 1; i <= steps && goes_on; ++i) goes_on = count_up(static_cast<std::uint64_t>(i));
    reader.join();
    if (goes_on) clean_up();
  }

 private:
  // False: nobody answers.
  bool count_up(std::uint64_t number) {
    if (!session_.call("set " + key_ + " " + std::to_string(number))) return false;
    {
      const std::lock_guard guard(mutex_);
      acknowledged_ = number;
    }
    const std::optional<std::uint64_t> read = session_.number("get " + key_);
    if (!read) return false;
    assert(*read == number && "a number is what was acknowledged last");
    const std::optional<std::uint64_t> total = session_.number(request("add") + " total 1");
    if (!total) return false;
    assert(*total > total_ && "what was added stays");
    total_ = *total;
    return true;
  }

  void read_along(int times) {
    Session session(views_, settings_);
    for (int i = 0; i < times; ++i) {
      const std::uint64_t least = acknowledged();
      const std::optional<std::uint64_t> read = session.number("get " + key_);
      if (!read) return;
      assert(*read >= least && "what was acknowledged stays");
      std::this_thread::sleep_for(settings_.ping_interval);
    }
  }

  void clean_up() {
    const std::uint64_t number = acknowledged();
    const std::optional<std::uint64_t> deleted = session_.number(request("delete") + " " + key_);
    if (!deleted) return;
    assert(*deleted == number && "what was deleted was there");
    const std::optional<std::string> keys = session_.call("list " + name_);
    assert((!keys || *keys == "keys") && "what was deleted is gone");
  }

  std::uint64_t acknowledged() {
    const std::lock_guard guard(mutex_);
    return acknowledged_;
  }

  // For what is not to be done twice.
  std::string request(const std::string& what) {
    return what + " " + name_ + " " + std::to_string(++requests_);
  }

  const std::string name_;
  const std::string key_;
  const std::string views_;
  const Settings& settings_;
  Session session_;
  std::uint64_t requests_ = 0;
  std::uint64_t total_ = 0;
  std::mutex mutex_;
  std::uint64_t acknowledged_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  const std::string name(suite::option(count, arguments, "name", "c"));
  const int steps = std::stoi(std::string(suite::option(count, arguments, "steps", "2")));
  const Settings settings =
      Settings::read(std::string(suite::option(count, arguments, "config", "store.conf")));
  Client(name, std::string(suite::option(count, arguments, "views", "")), settings).run(steps);
}
