// What else can be told of one recorded execution: figures of its events, what its properties said,
// and its messages for a picture. Functions over a full report; safe to call from any thread.
#pragma once

#include <string>

#include "model/recording.h"
#include "report/model.h"

namespace ricercar::inline report {

// Events by kind and by who did them, and the faults that were injected.
std::string path_info_text(const Report& report);
std::string path_info_json(const Report& report);

// The properties of a cluster: how often they were judged, at which events, and what they said.
std::string property_checks_text(const Report& report, const Recording& recording);
std::string property_checks_json(const Report& report, const Recording& recording);

// A log for ShiViz: each event with the vector clock of who did it. Clocks meet where a message
// arrives.
std::string shiviz_log(const Report& report, const std::string& name);

}  // namespace ricercar::inline report
