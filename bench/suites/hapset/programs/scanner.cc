// A parallel file scanner: the main thread walks through a tree of folders and puts the files into
// a queue, the workers look for a word in them, and the main thread waits until the last worker is
// done.
//
// `late-count`: the number of active workers is set when the main thread begins to wait, not before
// the workers start. A worker that has ended by then was subtracted from zero, and its end is
// overwritten: the number never gets to zero, and the main thread waits for ever.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../components/arguments.h"

namespace hapset {
namespace {

struct File {
  std::string name;
  std::string content;
};

struct Folder {
  std::string name;
  std::vector<File> files;
  std::vector<Folder> folders;
};

// Files on their way from the walk to the workers.
class FileQueue {
 public:
  void put(const File* file) {
    std::unique_lock lock(mutex_);
    while (files_.size() == capacity) has_room_.wait(lock);
    files_.push_back(file);
    has_file_.notify_one();
  }

  // Null: the queue is closed and empty.
  const File* take() {
    std::unique_lock lock(mutex_);
    while (files_.empty() && !is_closed_) has_file_.wait(lock);
    if (files_.empty()) return nullptr;
    const File* file = files_.front();
    files_.pop_front();
    has_room_.notify_one();
    return file;
  }

  void close() {
    const std::lock_guard guard(mutex_);
    is_closed_ = true;
    has_file_.notify_all();
  }

 private:
  static constexpr std::size_t capacity = 4;

  std::mutex mutex_;
  std::condition_variable has_file_;
  std::condition_variable has_room_;
  std::deque<const File*> files_;
  bool is_closed_ = false;
};

class Scanner {
 public:
  Scanner(std::string word, bool late_count) : word_(std::move(word)), late_count_(late_count) {}

  void run(const Folder& root, int workers) {
    if (!late_count_) set_active_workers(workers);
    std::vector<std::thread> threads;
    for (int i = 0; i < workers; ++i) threads.emplace_back(&Scanner::work, this);
    walk(root);
    queue_.close();
    if (late_count_) set_active_workers(workers);
    wait_for_workers();
    for (std::thread& thread : threads) thread.join();
  }

  int matches() {
    const std::lock_guard guard(matches_mutex_);
    return matches_;
  }

 private:
  void walk(const Folder& folder) {
    for (const File& file : folder.files) queue_.put(&file);
    for (const Folder& inner : folder.folders) walk(inner);
  }

  void work() {
    while (const File* file = queue_.take()) scan(*file);
    end_worker();
  }

  void scan(const File& file) {
    int found = 0;
    for (std::size_t at = file.content.find(word_); at != std::string::npos;
         at = file.content.find(word_, at + 1)) {
      ++found;
    }
    const std::lock_guard guard(matches_mutex_);
    matches_ += found;
  }

  void set_active_workers(int count) {
    const std::lock_guard guard(workers_mutex_);
    active_workers_ = count;
  }

  void end_worker() {
    const std::lock_guard guard(workers_mutex_);
    --active_workers_;
    worker_ended_.notify_one();
  }

  void wait_for_workers() {
    std::unique_lock lock(workers_mutex_);
    while (active_workers_ > 0) worker_ended_.wait(lock);
  }

  const std::string word_;
  const bool late_count_;
  FileQueue queue_;
  std::mutex matches_mutex_;
  int matches_ = 0;
  std::mutex workers_mutex_;
  std::condition_variable worker_ended_;
  int active_workers_ = 0;
};

Folder some_folder() {
  return {"music",
          {{"plan", "a fugue and a ricercar"}, {"empty", ""}},
          {{"voices", {{"one", "fugue"}, {"two", "canon"}, {"three", "fugue, fugue"}}, {}},
           {"notes", {{"bass", "a ground"}}, {}}}};
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  const Arguments arguments(count, words, {"late-count"}, {2, 5});
  const Folder root = some_folder();
  Scanner scanner("fugue", arguments.planted("late-count"));
  scanner.run(root, arguments.workers());
  assert(scanner.matches() == 4);
  return 0;
}
