// The delaying explorers that Ricercar has, and how one is made from its name.
#pragma once

#include <ricercar/explorer.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace ricercar::inline strategy {

struct ExplorerInfo {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<DelayingExplorer> (*make)(std::uint64_t seed);
  bool is_random = false;  // the seed decides something
};

std::span<const ExplorerInfo> explorers();

// An explorer that the program under test has registered.
struct OwnExplorer {
  std::string name;
  std::function<std::unique_ptr<DelayingExplorer>()> make;
};

// Only read while explorers are made.
struct ExplorerContext {
  std::span<const OwnExplorer> own = {};
  // The program has not been started: a name that does not exist may be the program's own.
  bool is_check = false;
};

struct NamedExplorer {
  std::string name;
  std::unique_ptr<DelayingExplorer> explorer;
  bool is_own = false;
  std::unique_ptr<DelayingExplorer> (*draw)(std::uint64_t seed) = nullptr;  // if it is random
};

// Throws UsageError with the nearest name if there is no such explorer.
NamedExplorer make_explorer(std::string_view name, std::uint64_t seed,
                            const ExplorerContext& context);

}  // namespace ricercar::inline strategy
