// A report as one HTML page that needs nothing else: the viewer with the report's data in it. What
// the program under test has named, written or printed is data there, never markup. Pure functions.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "report/model.h"

namespace ricercar::inline report {

// What the viewer shows ("ricercar.page/1").
nlohmann::ordered_json page_json(const Report& report);

// `connects_to`: of the page's content security policy, 'none' or 'self'.
std::string page_with(const nlohmann::ordered_json& data, const std::string& connects_to);

// Where an execution that fails and the one beside it that passes part: indices into `all_steps` of
// each; up to there both did the same.
struct Parting {
  std::size_t failing = 0;
  std::size_t passing = 0;
};

// `failing` has `all_steps` and may know its last chance. Which accesses are steps depends on what
// other threads touch later, so what is in common need not be the same rows: steps that are
// numbered are counted, if the last chance says which of them is the first other one.
Parting parting_of(const Report& failing, const Report& passing);

// Of the last chance alone; the number of steps if there is none, or it is not among them.
std::size_t last_chance_in(const Report& failing);

// The viewer: the page of viewer/ as one text, put together when the tool is built
// (cmake/viewer.cmake). These marks in it stand for the data of a report (JSON without `<`, `>` and
// `&`), and for what the page may connect to.
inline constexpr std::string_view viewer_data_mark = "@RICERCAR_DATA@";
inline constexpr std::string_view viewer_connect_mark = "@RICERCAR_CONNECT@";
extern const std::string_view viewer_page;

}  // namespace ricercar::inline report
