// What a member knows of the others, and which of it is still to be passed on: news travel with the
// messages that are sent anyway, each some times, more often in a large group. The names of the
// others are on disk, so that a member which starts again finds them without its seeds. Not
// thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../common/notes.h"
#include "kept_file.h"
#include "news.h"

namespace group {

class Others {
 public:
  using Clock = std::chrono::steady_clock;

  Others() : file_("others") {
    std::istringstream names(file_.read());
    for (std::string name; names >> name;) others_[name] = {};
  }

  bool are_known() const { return !others_.empty(); }
  void add(const std::string& name) { others_[name]; }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, other] : others_) names.push_back(name);
    return names;
  }

  // Who comes after this one, round and round. Empty: there is nobody.
  std::string after(const std::string& name) const {
    if (others_.empty()) return "";
    const auto next = others_.upper_bound(name);
    return next == others_.end() ? others_.begin()->first : next->first;
  }

  void hear(const NamedNews& heard) {
    const auto& [name, news] = heard;
    const bool is_first = others_.count(name) == 0;
    Other& other = others_[name];
    const bool is_same = news.incarnation == other.news.incarnation;
    const bool are_known = news.life != 0 && other.news.life != 0;
    assert((!is_same || !are_known || news.life == other.news.life) &&
           "an incarnation has one life");
    if (is_first) keep_names();
    if (is_same && other.news.life == 0 && news.life != 0) {
      other.news.life = news.life;
      other.news.tag = news.tag;
      pass_on(other);
    }
    if (news.is_newer_than(other.news)) change(name, other, news);
  }

  // False: it is no news.
  bool suspect(const std::string& name) {
    Other& other = others_[name];
    if (other.news.state != State::alive) return false;
    News news = other.news;
    news.state = State::suspect;
    change(name, other, news);
    return true;
  }

  // Who was suspected for so long without a word is dead.
  void bury(std::chrono::milliseconds suspicion) {
    for (auto& [name, other] : others_) {
      if (other.news.state != State::suspect) continue;
      if (Clock::now() - other.suspected < suspicion) continue;
      News news = other.news;
      news.state = State::dead;
      change(name, other, news);
    }
  }

  std::string all() const {
    std::string text;
    for (const auto& [name, other] : others_) text += " " + NamedNews{name, other.news}.text();
    return text;
  }

  // For one message; what was passed on least comes first.
  std::string rumours() {
    std::vector<std::pair<const std::string, Other>*> waiting;
    for (auto& each : others_) {
      if (each.second.sends_left > 0) waiting.push_back(&each);
    }
    std::stable_sort(waiting.begin(), waiting.end(), [](const auto* one, const auto* two) {
      return one->second.sends_left > two->second.sends_left;
    });
    if (waiting.size() > most_rumours) waiting.resize(most_rumours);
    std::string text;
    for (auto* each : waiting) {
      --each->second.sends_left;
      text += " " + NamedNews{each->first, each->second.news}.text();
    }
    return text;
  }

 private:
  static constexpr std::size_t most_rumours = 6;
  static constexpr int sends_factor = 3;

  struct Other {
    News news;
    Clock::time_point suspected = {};
    int sends_left = 0;
  };

  void change(const std::string& name, Other& other, const News& news) {
    if (news.state == State::suspect) other.suspected = Clock::now();
    other.news = news;
    pass_on(other);
    suite::note(NamedNews{name, news}.text());
  }

  void pass_on(Other& other) const {
    other.sends_left = sends_factor * static_cast<int>(std::bit_width(others_.size()));
  }

  void keep_names() const {
    std::string text;
    for (const auto& [name, other] : others_) text += name + "\n";
    file_.write(text);
  }

  const KeptFile file_;
  std::map<std::string, Other> others_;
};

}  // namespace group
