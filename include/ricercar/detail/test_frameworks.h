// What <ricercar/ricercar.h> adds where a test framework was included before it: checks then know
// the test that they are in, and schedules are named after it. The headers <ricercar/gtest.h>,
// catch2.h and doctest.h do the same in any order.
#if defined(GTEST_INCLUDE_GTEST_GTEST_H_) || defined(GOOGLETEST_INCLUDE_GTEST_GTEST_H_)
#include <ricercar/detail/gtest_names.h>
#endif
