// What a search promises so far, in the words of its strategy and with what stands against them.
#pragma once

#include "base/census.h"
#include "search/control.h"
#include "strategy/strategy.h"

namespace ricercar::inline search {

// Sets Control::complete, coverage, progress, first_part and strata.
void describe_coverage(Control& control, const Strategy& strategy);
// How many different traces samples have shown, if there were any.
void note_samples(Control& control, const Census& sampled);

}  // namespace ricercar::inline search
