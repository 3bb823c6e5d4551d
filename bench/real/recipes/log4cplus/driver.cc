// Two threads log through an asynchronous appender into one that counts.
#include <log4cplus/asyncappender.h>
#include <log4cplus/initializer.h>
#include <log4cplus/logger.h>
#include <log4cplus/loggingmacros.h>

#include <atomic>
#include <cstdlib>
#include <thread>

static std::atomic<int> lines{0};

class Counter : public log4cplus::Appender {
 public:
  ~Counter() override { destructorImpl(); }
  void close() override { closed = true; }

 protected:
  void append(const log4cplus::spi::InternalLoggingEvent&) override { ++lines; }
};

int main() {
  {
    log4cplus::Initializer initializer;
    log4cplus::SharedAppenderPtr counter(new Counter);
    log4cplus::SharedAppenderPtr queue(new log4cplus::AsyncAppender(counter, 1));
    log4cplus::Logger logger = log4cplus::Logger::getInstance("driver");
    logger.addAppender(queue);
    std::thread other([&] { LOG4CPLUS_ERROR(logger, "one"); });
    LOG4CPLUS_ERROR(logger, "two");
    other.join();
  }
  if (lines != 2) std::abort();
}
