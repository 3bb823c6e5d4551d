// "Did you mean": the known word that a mistyped one was probably meant to be.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace ricercar::inline base {

// How many letters must be inserted, removed, replaced or swapped with their neighbour to turn one
// word into the other (optimal string alignment; Damerau, CACM 1964).
std::size_t edit_distance(std::string_view from, std::string_view to);

// The candidate with the smallest distance, the first of several; empty if none is close.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// "; did you mean 'random'?", or nothing if no candidate is close.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace ricercar::inline base
