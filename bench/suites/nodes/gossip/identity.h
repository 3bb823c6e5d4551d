// What a member says about itself. The incarnation and the tag are on disk before others hear of
// them, so that the incarnation grows when a member starts again. Not thread-safe.
#pragma once

#include <random>
#include <sstream>
#include <string>

#include "../common/bug.h"
#include "kept_file.h"
#include "news.h"

namespace group {

class Identity {
 public:
  explicit Identity(std::string name) : own_{std::move(name), {}}, file_("incarnation") {
    std::istringstream kept(file_.read());
    News& news = own_.news;
    if (kept >> news.incarnation >> news.tag) ++news.incarnation;
    news.life = std::random_device()() + 1ULL;
    keep();
  }

  const std::string& name() const { return own_.name; }
  const News& news() const { return own_.news; }
  std::string text() const { return own_.text(); }

  // The others have to hear of an incarnation that is larger than what they have.
  void refute(std::uint64_t incarnation) {
    own_.news.incarnation = incarnation + 1;
    if (!suite::has_bug("forgets_refutal")) keep();
  }

  void set_tag(const std::string& tag) {
    if (tag == own_.news.tag) return;
    own_.news.tag = tag;
    ++own_.news.incarnation;
    keep();
  }

 private:
  void keep() const {
    if (suite::has_bug("forgets_incarnation")) return;
    file_.write(std::to_string(own_.news.incarnation) + " " + own_.news.tag + "\n");
  }

  NamedNews own_;
  const KeptFile file_;
};

}  // namespace group
