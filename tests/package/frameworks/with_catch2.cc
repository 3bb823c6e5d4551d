#include <ricercar/catch2.h>

#include "counter.h"

RICERCAR_TEST("counts badly, [in] brackets") { REQUIRE(count_badly() == 2); }
RICERCAR_TEST("checks badly", "[count]", .strategy = "pct:depth=2", .seed = 2) {
  CHECK(count_badly() == 2);
}
RICERCAR_TEST("counts well", "[count]") { REQUIRE(count_well() == 2); }
