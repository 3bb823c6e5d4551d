// Keeps a table of numbers, as the primary or as the backup. The primary asks the backup before it
// answers: what was changed is at both, and a primary that others have replaced learns it before it
// tells old numbers.
//
//   store_server --name=s1 --views=view --config=store.conf
//
// Clients send the changes of table.h, "get KEY" and "list PREFIX"; who is not primary answers
// "no". The primary sends to its backup, with the number of the view: "apply VIEW CHANGE", "same
// VIEW" and "install VIEW ATTEMPT TABLE". Everybody may ask for the "status".
#include <chrono>
#include <random>

#include "../common/bug.h"
#include "../common/calls.h"
#include "../common/notes.h"
#include "connections.h"
#include "settings.h"
#include "table.h"
#include "view.h"

namespace {

using store::Server;
using store::Settings;
using store::Table;
using store::View;
using store::Words;

// What follows the first words of a line.
std::string after_words(const std::string& line, int count) {
  std::size_t begin = 0;
  for (int i = 0; i < count && begin != std::string::npos; ++i) {
    begin = line.find(' ', begin);
    if (begin != std::string::npos) ++begin;
  }
  return begin == std::string::npos ? "" : line.substr(begin);
}

class StoreServer {
 public:
  StoreServer(const std::string& name, const std::string& views, const Settings& settings)
      : self_{name, std::random_device()() + 1ULL},
        settings_(settings),
        views_(views, store::view_port),
        backups_(store::store_port) {}

  [[noreturn]] void send_signs_of_life() {
    suite::Backoff backoff = settings_.backoff();
    for (;;) {
      const std::optional<std::string> answer =
          views_.ask("ping " + self_.name + " " + std::to_string(self_.life) + " " +
                     std::to_string(known_view()));
      if (answer) learn(View::of(*answer));
      if (answer) backoff.reset();
      std::this_thread::sleep_for(answer ? settings_.ping_interval : backoff.next());
    }
  }

  std::string answer(const std::string& question) {
    const Words words = suite::words_of(question);
    if (words.empty()) return "what?";
    if (words[0] == "status") return status();
    if (Table::is_change(words)) return change(question);
    if (words[0] == "get" || words[0] == "list") return read(words);
    return answer_primary(words, question);
  }

 private:
  std::uint64_t known_view() {
    const std::lock_guard guard(mutex_);
    return view_.number;
  }

  std::string status() {
    const std::lock_guard guard(mutex_);
    const bool is_backup = view_.backup == self_;
    std::ostringstream text;
    text << (is_primary_ ? "primary"
             : is_backup ? "backup"
                         : "idle")
         << " view " << view_.number << " keys " << table_.size() << " clients " << table_.clients()
         << " changes " << changes_ << " refused " << refused_ << " installs " << installs_;
    return text.str();
  }

  // --- As the backup ---

  std::string answer_primary(const Words& words, const std::string& question) {
    if (words.size() < 2 || !suite::is_number(words[1])) return "what?";
    const std::lock_guard guard(mutex_);
    // What is asked may be of a view that this server has not heard of yet: it will hear of it.
    const bool is_backup = std::stoull(words[1]) == view_.number && view_.backup == self_;
    if (!is_backup) return refuse();
    if (words[0] == "same") return "ok";
    if (words[0] == "install" && words.size() > 2 && suite::is_number(words[2])) {
      return install(std::stoull(words[2]), after_words(question, 3));
    }
    const Words change(words.begin() + 2, words.end());
    if (words[0] != "apply" || !Table::is_change(change)) return "what?";
    table_.apply(change);
    ++changes_;
    return "ok";
  }

  // A table that comes late, after the primary has sent another one, would undo changes.
  std::string install(std::uint64_t attempt, const std::string& text) {
    if (attempt <= installed_) return refuse();
    installed_ = attempt;
    table_ = Table::of(text);
    suite::note(self_.name + ": has the table of view " + std::to_string(view_.number));
    return "ok";
  }

  std::string refuse() {
    ++refused_;
    return "no";
  }

  // --- As the primary ---

  std::string change(const std::string& line) {
    const std::lock_guard order(order_);
    if (!catch_up()) return "no";
    View view;
    std::string answer;
    {
      const std::lock_guard guard(mutex_);
      view = view_;
      if (!is_primary_) return refuse();
      answer = table_.apply(suite::words_of(line));
      ++changes_;
    }
    if (suite::has_bug("early_answer")) {
      std::thread([this, view, line] { tell_backup(view, line); }).detach();
      return answer;
    }
    return tell_backup(view, line) ? answer : "no";
  }

  bool tell_backup(const View& view, const std::string& line) {
    if (ask_backup(view, "apply " + std::to_string(view.number) + " " + line)) return true;
    const std::lock_guard guard(mutex_);
    if (view.number == view_.number) is_backup_behind_ = true;
    return false;
  }

  // A backup that has not answered may have missed a change: it gets everything first. What was
  // changed here only must not be seen before.
  bool catch_up() {
    View view;
    {
      const std::lock_guard guard(mutex_);
      if (!is_primary_ || !is_backup_behind_) return true;
      view = view_;
    }
    if (!transfer(view)) return false;
    const std::lock_guard guard(mutex_);
    if (view.number == view_.number) is_backup_behind_ = false;
    return true;
  }

  std::string read(const Words& words) {
    const bool asks_backup = !suite::has_bug("stale_get");
    const std::lock_guard order(order_);
    if (asks_backup && !catch_up()) return "no";
    View view;
    std::string answer;
    {
      const std::lock_guard guard(mutex_);
      view = view_;
      if (!is_primary_) return refuse();
      const std::string name = words.size() > 1 ? words[1] : "";
      answer = words[0] == "get" ? table_.get(name) : table_.list(name);
    }
    const bool is_sure = !asks_backup || ask_backup(view, "same " + std::to_string(view.number));
    return is_sure ? answer : "no";
  }

  bool ask_backup(const View& view, const std::string& question) {
    if (!view.backup.is_there()) return true;
    return backups_.ask(view.backup.name, question) == "ok";
  }

  // --- Views ---

  // A primary acknowledges a view with its next sign of life, when the backup has all data.
  void learn(const View& view) {
    if (view.number == known_view()) return;
    if (view.primary != self_ || !view.backup.is_there()) return become(view);
    if (suite::has_bug("unready_backup")) {
      become(view);
      std::thread([this, view] { transfer(view); }).detach();
      return;
    }
    if (suite::has_bug("transfer_race")) {
      become(view);
      while (!transfer(view)) std::this_thread::sleep_for(settings_.ping_interval);
      return;
    }
    const std::lock_guard order(order_);
    if (transfer(view)) become(view);
  }

  // Who was never told what the data are cannot be primary, except in the first view.
  void become(const View& view) {
    const std::lock_guard guard(mutex_);
    view_ = view;
    is_primary_ = view.primary == self_;
    is_backup_behind_ = false;
    installed_ = 0;
    suite::note(self_.name + ": " + view.text());
  }

  bool transfer(const View& view) {
    std::string question = "install " + std::to_string(view.number) + " ";
    {
      const std::lock_guard guard(mutex_);
      question += std::to_string(++installs_) + table_.text();
    }
    return ask_backup(view, question);
  }

  const Server self_;
  const Settings settings_;
  suite::Caller views_;  // of one thread
  store::Connections backups_;
  std::mutex order_;  // one question of clients at a time
  std::mutex mutex_;
  View view_;
  bool is_primary_ = false;
  bool is_backup_behind_ = false;
  std::uint64_t installs_ = 0;   // how often this server has sent its table
  std::uint64_t installed_ = 0;  // the primary's attempt that this server has, in this view
  std::uint64_t changes_ = 0;
  std::uint64_t refused_ = 0;
  Table table_;
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  const std::string config(suite::option(count, arguments, "config", "store.conf"));
  static StoreServer server(std::string(suite::option(count, arguments, "name", "")),
                            std::string(suite::option(count, arguments, "views", "")),
                            Settings::read(config));
  std::thread([] { server.send_signs_of_life(); }).detach();
  suite::serve(store::store_port,
               [](const std::string& question) { return server.answer(question); });
}
