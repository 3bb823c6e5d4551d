// Two threads log three lines through one logger: all arrive.
#include <spdlog/async.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <thread>

static std::shared_ptr<spdlog::logger> make(bool asynchronous, std::ostream& stream) {
  auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(stream);
  if (!asynchronous) return std::make_shared<spdlog::logger>("log", sink);
  spdlog::init_thread_pool(2, 1);
  return std::make_shared<spdlog::async_logger>("log", sink, spdlog::thread_pool());
}

int main(int count, char**) {
  std::ostringstream stream;
  auto logger = make(count > 1, stream);
  logger->set_pattern("%v");
  std::thread other([&] { logger->info("one"); });
  logger->info("two");
  logger->info("three");
  other.join();
  logger.reset();
  spdlog::shutdown();
  const std::string text = stream.str();
  if (std::count(text.begin(), text.end(), '\n') != 3) std::abort();
}
