// An explorer for failures after the initialisation, as in section 6.3 of the paper on delaying
// explorers (ESEC/FSE 2015): the machines take turns in an order that the program changes. While
// the chain is being put together the master and the fault injector come last; then the master
// says that both come first.
//
//   ricercar run --strategy ses:explorer=cust chain_replication bug=11 servers=4
#pragma once

#include <ricercar/explorer.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "chain_replication/messages.h"

namespace chain_replication {

class CustExplorer : public ricercar::DelayingExplorer {
 public:
  std::unique_ptr<DelayingExplorer> copy() const override {
    return std::make_unique<CustExplorer>(*this);
  }
  unsigned next(const ricercar::EnabledTasks& enabled) const override {
    for (const unsigned task : order_) {
      if (enabled.contains(task)) return task;
    }
    return enabled.from(0);
  }
  void delay(const ricercar::EnabledTasks& enabled) override { move(next(enabled), false); }
  void started(unsigned task) override { order_.push_back(task); }
  void finished(unsigned task) override { std::erase(order_, task); }
  void step(const ricercar::ExplorerStep& step) override {
    if (step.kind == ricercar::ExplorerStep::hint) {
      move(static_cast<unsigned>(step.value), step.what == move_to_front);
    }
    if (step.kind == ricercar::ExplorerStep::blocked) move(step.task, false);
  }

 private:
  void move(unsigned task, bool to_front) {
    if (std::erase(order_, task) == 0) return;
    order_.insert(to_front ? order_.begin() : order_.end(), task);
  }
  std::vector<unsigned> order_;
};
inline const ricercar::RegisterExplorer<CustExplorer> cust_explorer("cust");

}  // namespace chain_replication
