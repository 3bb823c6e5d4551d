// libboost-dev: the data race in the free list of boost::lockfree::stack, see ok/boost_stack.cc.
#include "../../ok/boost_stack.cc"
