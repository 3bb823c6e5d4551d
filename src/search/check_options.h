// What ricercar::check and check_machines are asked for: the options in the code, above them those
// of the environment variable RICERCAR_OPTIONS, and above those the arguments --ricercar-OPTION of
// the program. The names are those of `ricercar run`.
#pragma once

#include <ricercar/abi.h>

#include <string>
#include <string_view>
#include <vector>

#include "search/control.h"

namespace ricercar::inline search {

struct CheckOptions {
  Request request;
  std::string out;
  bool minimises = true;  // bugs: see search/minimise_call.h
};

// Throws UsageError for words that mean nothing. `environment`: the value of the variable, or null.
CheckOptions check_options(const ricercar_options& options, const char* environment,
                           const std::vector<std::string>& arguments);

// Of this process.
CheckOptions check_options(const ricercar_options& options);

// The name in the code; empty: none.
std::string name_in(const ricercar_options& options);

// Is it one of those arguments?
bool is_check_argument(std::string_view argument);

}  // namespace ricercar::inline search
