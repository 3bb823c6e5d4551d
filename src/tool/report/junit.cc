// JUnit's XML, as Jenkins, GitLab and others read it: a search is a test case, its first bug the
// failure of that case, each further bug and each replay from the corpus a case of its own.
#include <fmt/format.h>

#include "report/reporters.h"
#include "report/run_formats.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

std::string escaped(std::string_view text) { return markup(valid_text(text)); }

// In an attribute a line break would be read as a space.
std::string attribute(std::string_view name, std::string_view value) {
  std::string text = escaped(value);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) {
    text.replace(at, 1, "&#10;");
  }
  return fmt::format(" {}=\"{}\"", name, text);
}

class JUnit {
 public:
  JUnit(const RunSummary& summary, const RunFormatContext& context)
      : summary_(summary), context_(context), command_(command_of(summary)) {}

  std::string write() {
    add_search();
    for (std::size_t i = 1; i < summary_.bugs.size(); ++i) {
      add_bug(fmt::format("{} (bug {})", command_, i + 1), summary_.bugs[i], 0);
    }
    if (summary_.corpus) {
      for (const CorpusEntry& entry : *summary_.corpus) add_corpus(entry);
    }
    const std::string counts =
        fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"",
                    tests_, failures_, errors_, skipped_, summary_.seconds);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
           attribute("name", "ricercar") + counts + ">\n  <testsuite" +
           attribute("name", command_) + counts + ">\n" + properties() + cases_ +
           "  </testsuite>\n</testsuites>\n";
  }

 private:
  std::string properties() const {
    const auto property = [](std::string_view name, std::string_view value) {
      return "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
    };
    return "    <properties>\n" +
           property("strategy", std::string_view(summary_.options.strategy)) +
           property("seed", std::to_string(summary_.options.seed)) +
           property("executions", std::to_string(summary_.executions)) +
           property("steps", std::to_string(summary_.steps)) +
           property("complete", summary_.complete ? "true" : "false") +
           property("coverage", summary_.coverage) + "    </properties>\n";
  }

  void open_case(const std::string& name, double seconds, const PlaceSummary* place) {
    ++tests_;
    cases_ += "    <testcase" + attribute("name", name) + attribute("classname", "ricercar") +
              fmt::format(" time=\"{:.3f}\"", seconds);
    if (place != nullptr) {
      cases_ += attribute("file", file_in_repository(place->file, context_.sources)) +
                fmt::format(" line=\"{}\"", place->line);
    }
  }

  void close_case(const std::string& content) {
    cases_ += content.empty() ? "/>\n" : ">\n" + content + "    </testcase>\n";
  }

  void add_search() {
    if (!summary_.bugs.empty()) return add_bug(command_, summary_.bugs[0], summary_.seconds);
    open_case(command_, summary_.seconds, nullptr);
    const std::string why = failure_without_bug(summary_);
    if (why.empty()) return close_case("");
    ++errors_;
    close_case("      <error" + attribute("message", why) + attribute("type", "ricercar") + "/>\n");
  }

  void add_bug(const std::string& name, const BugSummary& bug, double seconds) {
    ++failures_;
    open_case(name, seconds, main_place(bug));
    close_case("      <failure" + attribute("message", bug.message) + attribute("type", bug.kind) +
               ">" + escaped(text_report(bug.details, {})) + "</failure>\n");
  }

  // One that shows its bug is among the bugs.
  void add_corpus(const CorpusEntry& entry) {
    if (entry.result == CorpusEntry::shown) return;
    open_case("replay of " + entry.file, 0, nullptr);
    if (entry.result == CorpusEntry::fixed) return close_case("");
    ++skipped_;
    close_case("      <skipped" + attribute("message", entry.reason) + "/>\n");
  }

  const RunSummary& summary_;
  const RunFormatContext& context_;
  std::string command_;
  std::string cases_;
  int tests_ = 0, failures_ = 0, errors_ = 0, skipped_ = 0;
};

}  // namespace

std::string junit_summary(const RunSummary& summary, const RunFormatContext& context) {
  return JUnit(summary, context).write();
}

}  // namespace ricercar::inline report
