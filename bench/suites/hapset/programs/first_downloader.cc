// A segmented downloader: each worker fetches its part of a file over a connection of its own, and
// one thread more shows the progress.
//
// `unlocked-read`: the number of bytes written so far is protected by a lock, but when the first
// bytes have come and the bar is drawn for the first time, it is read without. That is a data race
// with a worker that writes meanwhile. As long as the workers write before or the thread has taken
// the lock again, it does not show.
//
// This is the downloader as it was first. A search that prunes misses its race: the order that
// shows it is one that the loop behind has shown without it. It was changed for that reason
// (downloader.cc), and stays here so that the tables have the miss.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../components/arguments.h"
#include "../components/fake_network.h"

namespace hapset {
namespace {

constexpr std::size_t packet_bytes = 8;
constexpr std::size_t packets_of_segment = 2;
constexpr std::size_t segment_bytes = packet_bytes * packets_of_segment;

class Progress {
 public:
  Progress(std::size_t total, bool unlocked_read) : total_(total), unlocked_read_(unlocked_read) {}

  // For workers.
  void add(std::size_t count) {
    const std::lock_guard guard(mutex_);
    bytes_written_ += count;
    changed_.notify_one();
  }

  // For the thread that shows it.
  void show() {
    wait_for_more_than(0);
    std::size_t shown = unlocked_read_ ? bytes_written_ : written();
    draw(shown);
    while (shown < total_) {
      shown = wait_for_more_than(shown);
      draw(shown);
    }
  }

  std::size_t written() {
    const std::lock_guard guard(mutex_);
    return bytes_written_;
  }
  int percent_drawn() const { return percent_; }

 private:
  std::size_t wait_for_more_than(std::size_t shown) {
    std::unique_lock lock(mutex_);
    while (bytes_written_ <= shown) changed_.wait(lock);
    return bytes_written_;
  }

  void draw(std::size_t shown) { percent_ = static_cast<int>(shown * 100 / total_); }

  const std::size_t total_;
  const bool unlocked_read_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t bytes_written_ = 0;
  int percent_ = 0;  // of the thread that shows it
};

class Download {
 public:
  Download(Server& server, bool unlocked_read)
      : server_(server), file_(server.size()), progress_(server.size(), unlocked_read) {}

  void run(int workers) {
    std::thread bar([this] { progress_.show(); });
    std::vector<std::thread> threads;
    for (int i = 0; i < workers; ++i) {
      threads.emplace_back(&Download::fetch, this, static_cast<std::size_t>(i) * segment_bytes);
    }
    for (std::thread& thread : threads) thread.join();
    bar.join();
  }

  const std::vector<char>& file() const { return file_; }
  int percent() const { return progress_.percent_drawn(); }

 private:
  void fetch(std::size_t offset) {
    Connection connection(server_, offset);
    std::size_t done = 0;
    while (done < segment_bytes) {
      const std::size_t count =
          connection.receive(file_.data() + offset + done, segment_bytes - done);
      done += count;
      progress_.add(count);
    }
  }

  Server& server_;
  std::vector<char> file_;
  Progress progress_;
};

std::string some_content(std::size_t size) {
  std::string content(size, ' ');
  for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>('a' + i * i % 26);
  return content;
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  const Arguments arguments(count, words, {"unlocked-read"}, {2, 10});
  const auto workers = static_cast<std::size_t>(arguments.workers());
  Server server(some_content(workers * segment_bytes), packet_bytes);
  Download download(server, arguments.planted("unlocked-read"));
  download.run(arguments.workers());
  assert(std::string(download.file().begin(), download.file().end()) == server.content());
  assert(server.packets() == workers * packets_of_segment);
  assert(download.percent() == 100);
  return 0;
}
