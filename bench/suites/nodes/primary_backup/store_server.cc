// Keeps numbers by name, as the primary or as the backup. The primary asks the backup before it
// answers: a number that was set is at both, and a primary that others have replaced learns it
// before it tells old numbers. A number is never replaced by a smaller one: a question may come
// late, after its sender has asked again.
//
//   store_server --name=s1 --views=view
#include <chrono>
#include <map>
#include <random>

#include "../common/bug.h"
#include "../common/calls.h"
#include "view.h"

namespace {

using store::Server;
using store::View;

constexpr std::chrono::milliseconds interval(100);
using Numbers = std::map<std::string, std::uint64_t>;

std::string text_of(const Numbers& numbers) {
  std::string text;
  for (const auto& [name, number] : numbers) text += " " + name + " " + std::to_string(number);
  return text;
}

class StoreServer {
 public:
  StoreServer(const std::string& name, const std::string& views)
      : self_{name, std::random_device()() + 1ULL}, views_(views, store::view_port) {}

  [[noreturn]] void send_signs_of_life() {
    for (;;) {
      const std::optional<std::string> answer =
          views_.ask("ping " + self_.name + " " + std::to_string(self_.life) + " " +
                     std::to_string(known_view()));
      if (answer) learn(View::of(*answer));
      std::this_thread::sleep_for(interval);
    }
  }

  std::string answer(const std::string& question) {
    const std::vector<std::string> words = suite::words_of(question);
    if (words.empty()) return "what?";
    if (words[0] == "set") return set(words);
    if (words[0] == "get") return get(words);
    const std::lock_guard guard(mutex_);
    if (words.size() < 2 || !is_backup_in(std::stoull(words[1]))) return "no";
    if (words[0] == "keep") keep(words[2], std::stoull(words[3]));
    if (words[0] == "install") install(words);
    return "ok";
  }

 private:
  std::uint64_t known_view() {
    const std::lock_guard guard(mutex_);
    return view_.number;
  }

  bool is_backup_in(std::uint64_t view) const {
    // What is installed may be of a view that this server has not heard of yet: it will hear of it.
    return view == view_.number && view_.backup == self_;
  }

  void keep(const std::string& name, std::uint64_t number) {
    std::uint64_t& kept = numbers_[name];
    if (number > kept || suite::has_bug("old_set")) kept = number;
  }

  void install(const std::vector<std::string>& words) {
    numbers_.clear();
    for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
      numbers_[words[i]] = std::stoull(words[i + 1]);
    }
  }

  // --- As the primary ---

  std::string set(const std::vector<std::string>& words) {
    const std::lock_guard order(order_);
    const std::string& name = words[1];
    const std::uint64_t number = std::stoull(words[2]);
    View view;
    {
      const std::lock_guard guard(mutex_);
      view = view_;
      if (!is_primary_) return "no";
      keep(name, number);
    }
    if (suite::has_bug("early_answer")) {
      std::thread([this, view, name, number] { tell_backup(view, name, number); }).detach();
      return "ok";
    }
    return tell_backup(view, name, number) ? "ok" : "no";
  }

  bool tell_backup(const View& view, const std::string& name, std::uint64_t number) {
    return ask_backup(
        view, "keep " + std::to_string(view.number) + " " + name + " " + std::to_string(number));
  }

  std::string get(const std::vector<std::string>& words) {
    const std::lock_guard order(order_);
    View view;
    std::uint64_t number = 0;
    {
      const std::lock_guard guard(mutex_);
      view = view_;
      if (!is_primary_) return "no";
      number = numbers_[words[1]];
    }
    const bool is_sure =
        suite::has_bug("stale_get") || ask_backup(view, "same " + std::to_string(view.number));
    return is_sure ? "is " + std::to_string(number) : "no";
  }

  bool ask_backup(const View& view, const std::string& question) {
    if (!view.backup.is_there()) return true;
    return suite::Caller(view.backup.name, store::store_port).ask(question) == "ok";
  }

  // --- Views ---

  // A primary acknowledges a view with its next sign of life, when the backup has all data.
  void learn(const View& view) {
    if (view.number == known_view()) return;
    if (view.primary != self_ || !view.backup.is_there()) {
      const std::lock_guard guard(mutex_);
      return become(view);
    }
    if (suite::has_bug("unready_backup")) {
      {
        const std::lock_guard guard(mutex_);
        become(view);
      }
      std::thread([this, view] { transfer(view); }).detach();
      return;
    }
    if (suite::has_bug("transfer_race")) {
      {
        const std::lock_guard guard(mutex_);
        become(view);
      }
      while (!transfer(view)) std::this_thread::sleep_for(interval);
      return;
    }
    const std::lock_guard order(order_);
    if (!transfer(view)) return;
    const std::lock_guard guard(mutex_);
    become(view);
  }

  void become(const View& view) {
    // Who was never told what the data are cannot be primary, except in the first view.
    view_ = view;
    is_primary_ = view.primary == self_;
  }

  bool transfer(const View& view) {
    std::string data;
    {
      const std::lock_guard guard(mutex_);
      data = text_of(numbers_);
    }
    return ask_backup(view, "install " + std::to_string(view.number) + data);
  }

  const Server self_;
  suite::Caller views_;  // of one thread
  std::mutex order_;     // one question of clients at a time
  std::mutex mutex_;
  View view_;
  bool is_primary_ = false;
  Numbers numbers_;
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  static StoreServer server(std::string(suite::option(count, arguments, "name", "")),
                            std::string(suite::option(count, arguments, "views", "")));
  std::thread([] { server.send_signs_of_life(); }).detach();
  suite::serve(store::store_port,
               [](const std::string& question) { return server.answer(question); });
}
