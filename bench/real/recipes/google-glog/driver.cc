// Two threads log through a sink that counts: nothing is lost.
#include <glog/logging.h>

#include <atomic>
#include <cstdlib>
#include <thread>

class Counter : public google::LogSink {
 public:
  void send(google::LogSeverity, const char*, const char*, int, const google::LogMessageTime&,
            const char*, size_t) override {
    ++count;
  }
  std::atomic<int> count{0};
};

int main(int, char** arguments) {
  FLAGS_logtostderr = true;  // no files: an execution would find those of the one before
  google::InitGoogleLogging(arguments[0]);
  Counter sink;
  std::thread other([&] { LOG_TO_SINK_BUT_NOT_TO_LOGFILE(&sink, INFO) << "one"; });
  LOG_TO_SINK_BUT_NOT_TO_LOGFILE(&sink, INFO) << "two";
  LOG_EVERY_N(INFO, 1000) << "seldom";
  other.join();
  if (sink.count != 2) std::abort();
  google::ShutdownGoogleLogging();
}
