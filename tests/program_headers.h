// What test programs read most often, precompiled for all of them (see program_headers.cmake). No
// header with static objects of its own, like <iostream>: programs that do not ask for them must
// not have them. No header that few of them read and that makes the others wait, like <future>.
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
