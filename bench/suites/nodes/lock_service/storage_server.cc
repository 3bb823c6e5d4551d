// Keeps a number that clients count up while they hold the lock. A lease may end without its holder
// knowing, since clocks differ; so each question carries the token of its lease, and an older one
// is refused when a newer one was seen. The number and the newest token are on disk before a
// question is answered.
//
// Questions: "read T" is answered by "is N" or "old"; "write T N CLIENT" by "ok" or "old".
#include <cassert>

#include "../common/bug.h"
#include "../common/calls.h"
#include "../common/files.h"
#include "ports.h"

namespace {

class StorageServer {
 public:
  StorageServer() {
    std::istringstream kept(suite::content_of("number"));
    kept >> number_ >> newest_ >> last_writer_;
    if (suite::has_bug("forgets_fence")) newest_ = 0;
  }

  std::string answer(const std::string& question) {
    const std::vector<std::string> words = suite::words_of(question);
    if (words.size() < 2) return "what?";
    const std::uint64_t token = std::stoull(words[1]);
    const std::lock_guard guard(mutex_);
    const bool is_read = words[0] == "read";
    if (token < newest_ && !suite::has_bug("trusts_clock")) return "old";
    const bool moves_fence = !(is_read && suite::has_bug("late_fence"));
    if (token > newest_ && moves_fence) {
      newest_ = token;
      if (is_read) keep();
    }
    if (is_read) return "is " + std::to_string(number_);
    return write(std::stoull(words[2]), words[3] + ":" + words[1]);
  }

 private:
  // A question that is asked again, because its answer was lost, is no second one.
  std::string write(std::uint64_t number, const std::string& writer) {
    if (number == number_ && writer == last_writer_) return "ok";
    assert(number == number_ + 1 && "nobody counts at the same time");
    number_ = number;
    last_writer_ = writer;
    keep();
    return "ok";
  }

  void keep() const {
    suite::replace_file("number", std::to_string(number_) + " " + std::to_string(newest_) + " " +
                                      last_writer_ + "\n");
  }

  std::mutex mutex_;
  std::uint64_t number_ = 0;
  std::uint64_t newest_ = 0;
  std::string last_writer_ = "-";  // with the token
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  static StorageServer server;
  suite::serve(locks::storage_port,
               [](const std::string& question) { return server.answer(question); });
}
