// A parallel compressor: the main thread cuts the input into blocks and puts them into a queue, the
// consumers compress them, and the file writer writes the results in the order of the blocks.
//
// `early-clear`: the main thread waits for the file writer only before it takes the queue away. All
// blocks are written then, but a consumer may be about to look for another one: it follows a null
// pointer.
//
// `late-size`: a block that cannot be compressed is stored as it is, by a path of its own: the
// buffer is given to the file writer before its size is set. A file writer that is quick enough
// reads the size while the consumer writes it, and writes nothing for this block.
#include <array>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../components/arguments.h"
#include "../components/run_length.h"

namespace hapset {
namespace {

struct Block {
  std::size_t number = 0;
  std::string bytes;
};

// Blocks between the producer and the consumers.
class BlockQueue {
 public:
  void put(Block block) {
    std::unique_lock lock(mutex_);
    while (blocks_.size() == capacity) changed_.wait(lock);
    blocks_.push_back(std::move(block));
    changed_.notify_all();
  }

  void end() {
    const std::lock_guard guard(mutex_);
    has_ended_ = true;
    changed_.notify_all();
  }

  // Empty: there are no more.
  std::optional<Block> take() {
    std::unique_lock lock(mutex_);
    while (blocks_.empty() && !has_ended_) changed_.wait(lock);
    if (blocks_.empty()) return std::nullopt;
    Block block = std::move(blocks_.front());
    blocks_.pop_front();
    changed_.notify_all();
    return block;
  }

 private:
  static constexpr std::size_t capacity = 4;

  std::deque<Block> blocks_;
  bool has_ended_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

// What the consumers have made, a buffer for each block.
class OutputBuffers {
 public:
  explicit OutputBuffers(std::size_t count) : buffers_(count) {}

  void store(std::size_t number, std::string bytes) {
    const std::size_t size = bytes.size();
    const std::lock_guard guard(mutex_);
    publish(buffers_[number], std::move(bytes));
    buffers_[number].size = size;
  }

  // The path of `late-size`.
  void store_uncompressed(std::size_t number, std::string bytes) {
    const std::size_t size = bytes.size();
    {
      const std::lock_guard guard(mutex_);
      publish(buffers_[number], std::move(bytes));
    }
    buffers_[number].size = size;
  }

  // Waits for the block.
  std::string take(std::size_t number) {
    std::unique_lock lock(mutex_);
    Buffer& buffer = buffers_[number];
    while (!buffer.is_ready) changed_.wait(lock);
    return buffer.bytes.substr(0, buffer.size);
  }

 private:
  struct Buffer {
    bool is_ready = false;
    std::string bytes;
    std::size_t size = 0;
  };

  void publish(Buffer& buffer, std::string bytes) {
    buffer.bytes = std::move(bytes);
    buffer.is_ready = true;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Buffer> buffers_;
};

class Compressor {
 public:
  Compressor(std::size_t blocks, const Arguments& arguments)
      : early_clear_(arguments.planted("early-clear")),
        late_size_(arguments.planted("late-size")),
        outputs_(blocks),
        blocks_(blocks) {}

  std::vector<std::string> run(const std::vector<std::string>& input, int consumers) {
    std::vector<std::thread> threads;
    for (int i = 0; i < consumers; ++i) threads.emplace_back(&Compressor::consume, this);
    std::thread writer(&Compressor::write, this);
    for (std::size_t i = 0; i < blocks_; ++i) queue_.load()->put({i, input[i]});
    queue_.load()->end();
    writer.join();
    if (early_clear_) queue_.store(nullptr);
    for (std::thread& thread : threads) thread.join();
    queue_.store(nullptr);
    return written_;
  }

 private:
  void consume() {
    while (const std::optional<Block> block = next_block()) {
      std::string bytes = compress(block->bytes);
      if (late_size_ && bytes[0] == stored_mark) {
        outputs_.store_uncompressed(block->number, std::move(bytes));
      } else {
        outputs_.store(block->number, std::move(bytes));
      }
    }
  }

  std::optional<Block> next_block() { return queue_.load()->take(); }

  void write() {
    for (std::size_t i = 0; i < blocks_; ++i) written_.push_back(outputs_.take(i));
  }

  const bool early_clear_;
  const bool late_size_;
  BlockQueue the_queue_;
  std::atomic<BlockQueue*> queue_ = &the_queue_;
  OutputBuffers outputs_;
  const std::size_t blocks_;
  std::vector<std::string> written_;  // of the file writer, until it has been joined
};

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  const Arguments arguments(count, words, {"early-clear", "late-size"}, {2, 5});
  const std::vector<std::string> input = {"a sinful", "bbbbbbbb", "ccccdddd", "eeeeeeef",
                                          "ffffffff"};
  Compressor compressor(input.size(), arguments);
  const std::vector<std::string> output = compressor.run(input, arguments.workers());
  assert(output.size() == input.size());
  for (std::size_t i = 0; i < input.size(); ++i) assert(decompress(output[i]) == input[i]);
  return 0;
}
