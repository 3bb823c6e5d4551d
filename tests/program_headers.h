// What test programs read most often, precompiled for all of them (see program_headers.cmake). No
// header with static objects of its own, like <iostream>: programs that do not ask for them must
// not have them.
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
