// The formats that a report can be written in: one table. A new one is a function over the model in
// a file of its own, and a row of the table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/model.h"

namespace ricercar::inline report {

// Where it is shown; most formats need not know.
struct ReporterOptions {
  int width = 100;
  bool colours = false;
};

// X(name, extension of a file, a few words for a list). Each is a function `NAME_report`.
#define RICERCAR_REPORTERS(X)                  \
  X(text, ".txt", "for people")                \
  X(markdown, ".md", "for issues and reviews") \
  X(json, ".json", "for programs")             \
  X(html, ".html", "a page for a browser")

#define RICERCAR_DECLARATION(name, extension, summary) \
  std::string name##_report(const Report& report, const ReporterOptions& options);
RICERCAR_REPORTERS(RICERCAR_DECLARATION)
#undef RICERCAR_DECLARATION

struct Reporter {
  std::string_view name;
  std::string_view extension;
  std::string_view summary;
  std::string (*write)(const Report& report, const ReporterOptions& options);
};

std::span<const Reporter> reporters();

// Throws UsageError if there is none of this name.
const Reporter& reporter_by_name(std::string_view name);

}  // namespace ricercar::inline report
