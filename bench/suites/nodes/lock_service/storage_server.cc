// Keeps numbers that clients count up while they hold the lock of the same name. A lease may end
// without its holder knowing, since clocks differ; so each question carries the token of its lease,
// and an older one is refused when a newer one was seen. A number and the newest token are on disk
// before a question is answered.
//
// Questions: "read KEY T" is answered by "is N" or "old"; "write KEY T N CLIENT" by "ok" or "old";
// "dump" by "numbers KEY:NUMBER:TOKEN:WRITER:TOKEN ...".
#include <cassert>

#include "../common/bug.h"
#include "../common/calls.h"
#include "../common/notes.h"
#include "journal.h"
#include "ports.h"

namespace {

struct Entry {
  std::uint64_t number = 0;
  std::uint64_t newest = 0;       // token
  std::string last_writer = "-";  // with the token

  std::string text() const {
    return std::to_string(number) + " " + std::to_string(newest) + " " + last_writer;
  }
  static Entry of(const std::string& text) {
    Entry entry;
    std::istringstream words(text);
    words >> entry.number >> entry.newest >> entry.last_writer;
    return entry;
  }
};

class StorageServer {
 public:
  StorageServer() : journal_("numbers") {
    for (const auto& [key, kept] : journal_.values()) {
      entries_[key] = Entry::of(kept);
      if (suite::has_bug("forgets_fence")) entries_[key].newest = 0;
    }
  }

  std::string answer(const std::string& question) {
    const std::vector<std::string> words = suite::words_of(question);
    const std::lock_guard guard(mutex_);
    if (words.size() == 1 && words[0] == "dump") return dump();
    const bool is_read = words.size() == 3 && words[0] == "read";
    const bool is_write = words.size() == 5 && words[0] == "write" && suite::is_number(words[3]);
    if ((!is_read && !is_write) || !suite::is_number(words[2])) return "what?";
    Entry& entry = entries_[words[1]];
    if (!pass_fence(words[1], entry, std::stoull(words[2]), is_read)) return refuse(question);
    if (is_read) return "is " + std::to_string(entry.number);
    return write(words[1], entry, std::stoull(words[3]), words[4] + ":" + words[2]);
  }

 private:
  std::string dump() const {
    std::string text = "numbers";
    for (const auto& [key, entry] : entries_) {
      text += " " + key + ":" + std::to_string(entry.number) + ":" + std::to_string(entry.newest) +
              ":" + entry.last_writer;
    }
    return text;
  }

  // False: the lease is over, somebody has come with a newer one.
  bool pass_fence(const std::string& key, Entry& entry, std::uint64_t token, bool is_read) {
    if (token < entry.newest && !suite::has_bug("trusts_clock")) return false;
    if (is_read && suite::has_bug("late_fence")) return true;
    if (token <= entry.newest) return true;
    entry.newest = token;
    if (is_read) journal_.put(key, entry.text());  // a write is kept with its number
    return true;
  }

  static std::string refuse(const std::string& question) {
    suite::note("refused: " + question);
    return "old";
  }

  // A question that is asked again, because its answer was lost, is no second one.
  std::string write(const std::string& key, Entry& entry, std::uint64_t number,
                    const std::string& writer) {
    if (number == entry.number && writer == entry.last_writer) return "ok";
    assert(number == entry.number + 1 && "nobody counts at the same time");
    entry.number = number;
    entry.last_writer = writer;
    journal_.put(key, entry.text());
    return "ok";
  }

  std::mutex mutex_;
  locks::Journal journal_;
  std::map<std::string, Entry> entries_;
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  static StorageServer server;
  suite::serve(locks::storage_port,
               [](const std::string& question) { return server.answer(question); });
}
