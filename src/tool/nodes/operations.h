// The operations that clients of a cluster have reported in one execution: what they have asked
// for, and what they got back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/reports.h"
#include "ricercar/detail/properties_abi.h"

namespace ricercar::inline nodes {

// What was reported must outlive it.
class Operations {
 public:
  void clear();
  // `client`: in words. They return what is wrong with the report, or nothing.
  std::string invoke(const Reported& report, const char* client);
  std::string respond(const Reported& report, const char* client);
  // The node is gone: what it has asked for stays without an answer.
  void abandon(std::uint32_t node);

  const std::vector<ricercar_operation>& all() const { return all_; }
  // How many have come back.
  std::uint64_t answered() const { return answered_; }

 private:
  struct Open {
    std::uint32_t node;
    std::string client;
    std::size_t number;  // in all_
  };

  std::vector<Open>::iterator find(const Reported& report);

  std::vector<ricercar_operation> all_;
  std::vector<Open> open_;
  std::uint64_t time_ = 0;
  std::uint64_t answered_ = 0;
};

}  // namespace ricercar::inline nodes
