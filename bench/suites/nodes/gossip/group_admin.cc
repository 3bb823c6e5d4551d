// Gives a member a tag, waits until all members know it, and prints what they have done so far.
//
//   group_admin --member=m2 --tag=web --members=m1,m2,m3 --rounds=5
#include <chrono>
#include <cstdio>

#include "../common/bug.h"
#include "../common/calls.h"
#include "news.h"
#include "ports.h"

namespace {

class Admin {
 public:
  explicit Admin(std::vector<std::string> members) : members_(std::move(members)) {}

  // False: not all know it, however long one waits.
  bool spread(const std::string& member, const std::string& tag, int rounds) {
    bool is_set = false;
    for (int i = 0; i < rounds; ++i) {
      if (!is_set) is_set = ask(member, "tag " + tag) == "ok";
      if (is_set && all_know(member, tag)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    return false;
  }

  void print_status() {
    for (const std::string& each : members_) {
      const std::optional<std::string> answer = ask(each, "status");
      std::printf("%-8s %s\n", each.c_str(), answer ? answer->c_str() : "does not answer");
    }
  }

 private:
  static std::optional<std::string> ask(const std::string& member, const std::string& question) {
    return suite::Caller(member, group::question_port).ask(question);
  }

  bool all_know(const std::string& member, const std::string& tag) {
    for (const std::string& each : members_) {
      const std::string answer = ask(each, "members").value_or("");
      bool knows = false;
      for (const std::string& word : suite::words_of(answer)) {
        const auto heard = group::NamedNews::of(word);
        if (heard && heard->name == member) knows = heard->news.tag == tag;
      }
      if (!knows) return false;
    }
    return true;
  }

  const std::vector<std::string> members_;
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  const std::string member(suite::option(count, arguments, "member", ""));
  const std::string tag(suite::option(count, arguments, "tag", "-"));
  const int rounds = std::stoi(std::string(suite::option(count, arguments, "rounds", "5")));
  Admin admin(suite::split(std::string(suite::option(count, arguments, "members", "")), ','));
  if (!admin.spread(member, tag, rounds))
    std::printf("not all know the tag of %s\n", member.c_str());
  admin.print_status();
}
