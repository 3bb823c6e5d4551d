#include "machines/deploy/run_by_hand.h"

#include <ricercar/deploy.h>

#include <cstdio>
#include <exception>

namespace ricercar::deploy {

int run_by_hand(const SetUp& set_up) {
  try {
    Deployment deployment;
    set_up(deployment);
    deployment.start();
    int status = 0;
    for (const Failure& failure : deployment.finish()) {
      std::fprintf(stderr, "%s: %s (%s)\n", failure.kind.c_str(), failure.message.c_str(),
                   failure.machine.c_str());
      status = failure.kind == "usage" ? 2 : 1;
    }
    return status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

}  // namespace ricercar::deploy
