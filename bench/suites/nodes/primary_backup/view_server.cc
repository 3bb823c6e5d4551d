// Decides who is primary and who is backup, from who sends signs of life. The view is on disk
// before anybody hears of it, so that it survives a crash of this server.
//
// A new view begins only when the primary of the old one has acknowledged it: only then the backup
// is known to have all data.
//
//   view_server --config=store.conf
//
// Questions: "ping NAME LIFE VIEW" of a server that knows this view, and "view?", are answered by
// the view; "status" by the view, whether it is acknowledged, and who is alive.
#include <chrono>
#include <map>

#include "../common/bug.h"
#include "../common/calls.h"
#include "../common/files.h"
#include "../common/notes.h"
#include "settings.h"
#include "view.h"

namespace {

using Clock = std::chrono::steady_clock;
using store::Server;
using store::Settings;
using store::View;

class ViewServer {
 public:
  explicit ViewServer(const Settings& settings) : settings_(settings) {
    if (!suite::has_bug("forgets_view")) view_ = View::of(suite::content_of("view"));
    for (const Server& each : {view_.primary, view_.backup})
      heard_[each.name] = {each, Clock::now()};
    suite::note("begins with " + view_.text());
  }

  std::string answer(const std::string& question) {
    const std::vector<std::string> words = suite::words_of(question);
    const std::lock_guard guard(mutex_);
    if (!words.empty() && words[0] == "status") return status();
    const bool is_ping = words.size() == 4 && words[0] == "ping";
    if (is_ping && suite::is_number(words[2]) && suite::is_number(words[3])) {
      ping({words[1], std::stoull(words[2])}, std::stoull(words[3]));
    }
    return view_.text();
  }

  [[noreturn]] void watch() {
    for (;;) {
      std::this_thread::sleep_for(settings_.tick);
      const std::lock_guard guard(mutex_);
      decide();
    }
  }

 private:
  struct Sign {
    Server server;
    Clock::time_point when;
  };

  void ping(const Server& server, std::uint64_t known_view) {
    heard_[server.name] = {server, Clock::now()};
    if (server == view_.primary && known_view == view_.number) is_acknowledged_ = true;
    decide();
  }

  std::string status() const {
    std::string text = view_.text() + (is_acknowledged_ ? " acknowledged" : " begins") + " alive";
    for (const auto& [name, sign] : heard_) {
      if (is_alive(sign.server)) text += " " + name;
    }
    return text;
  }

  bool is_alive(const Server& server) const {
    const auto found = heard_.find(server.name);
    return server.is_there() && found != heard_.end() && found->second.server == server &&
           Clock::now() - found->second.when < settings_.patience;
  }

  Server idle() const {
    for (const auto& [name, sign] : heard_) {
      if (name == view_.primary.name || name == view_.backup.name) continue;
      if (is_alive(sign.server)) return sign.server;
    }
    // A server that has lost its data may begin again as a backup.
    for (const Server& each : {view_.primary, view_.backup}) {
      const auto found = heard_.find(each.name);
      if (found == heard_.end() || found->second.server == each) continue;
      if (is_alive(found->second.server)) return found->second.server;
    }
    return {};
  }

  void decide() {
    if (view_.number == 0) {
      if (const Server first = idle(); first.is_there()) begin({1, first, {}});
      return;
    }
    if (!is_acknowledged_) return;
    if (!is_alive(view_.primary) && is_alive(view_.backup)) {
      const Server primary = view_.backup;
      const Server other = idle();
      begin({view_.number + 1, primary, other == primary ? Server{} : other});
    } else if (!is_alive(view_.backup)) {
      const Server other = idle();
      const bool changes = other.is_there() || view_.backup.is_there();
      if (changes && other.name != view_.primary.name) {
        begin({view_.number + 1, view_.primary, other});
      }
    }
  }

  void begin(const View& view) {
    view_ = view;
    is_acknowledged_ = false;
    suite::replace_file("view", view.text() + "\n");
    suite::note(view.text());
  }

  const Settings settings_;
  std::mutex mutex_;
  View view_;
  bool is_acknowledged_ = false;
  std::map<std::string, Sign> heard_;
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  const std::string config(suite::option(count, arguments, "config", "store.conf"));
  static ViewServer server(Settings::read(config));
  std::thread([] { server.watch(); }).detach();
  suite::serve(store::view_port,
               [](const std::string& question) { return server.answer(question); });
}
