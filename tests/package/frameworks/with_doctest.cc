#include <ricercar/doctest.h>

#include "counter.h"

RICERCAR_TEST("counts badly, alas") { CHECK(count_badly() == 2); }
RICERCAR_TEST("requires badly", .strategy = "pct:depth=2") { REQUIRE(count_badly() == 2); }
RICERCAR_TEST("counts well", .strategy = "dfs") { REQUIRE(count_well() == 2); }
