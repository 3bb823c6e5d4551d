// What threads share, against a model that looks at each word alone.
#include "threads/sharing.h"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>
#include <set>

namespace ricercar::inline threads {
namespace {

constexpr std::uint64_t base = 0x7f0000000000;

// Word by word, as the rule is told.
class Oracle {
 public:
  void begin() { touched_.clear(); }
  bool touch(int task, std::uint64_t address, std::uint64_t size, bool is_write) {
    bool is_known = false;
    for (std::uint64_t i = address / 8; i <= (address + size - 1) / 8; ++i) {
      if (known_.contains(i)) {
        is_known = true;
        continue;
      }
      Word& word = touched_.try_emplace(i, Word{task, false, false}).first->second;
      word.is_shared = word.is_shared || word.task != task;
      word.is_written = word.is_written || is_write;
      if (word.is_shared && word.is_written) found_.insert(i);
    }
    return is_known;
  }
  void freed(int task, std::uint64_t address, std::uint64_t size) {
    for (std::uint64_t i = address / 8; i < address / 8 + (size + 7) / 8; ++i) {
      const auto word = touched_.find(i);
      if (word == touched_.end()) continue;
      if (word->second.is_shared || word->second.task != task) found_.insert(i);
    }
  }
  bool learn() {
    bool is_new = false;
    for (const std::uint64_t word : found_) is_new = known_.insert(word).second || is_new;
    found_.clear();
    return is_new;
  }

 private:
  struct Word {
    int task;
    bool is_written, is_shared;
  };
  std::map<std::uint64_t, Word> touched_;
  std::set<std::uint64_t> known_, found_;
};

class SharedWords : public testing::Test {
 protected:
  SharedWords() {
    sharing_.learn_into(&known_);
    sharing_.note_into(&open_);
    begin();
  }
  void begin() { sharing_.begin_execution(); }
  bool touch(int task, std::uint64_t address, std::uint64_t size, bool is_write) {
    return sharing_.touch(task_id(static_cast<std::uint32_t>(task)), address,
                          static_cast<std::uint32_t>(size), is_write);
  }
  void freed(int task, std::uint64_t address, std::uint64_t size) {
    sharing_.freed(task_id(static_cast<std::uint32_t>(task)), address, size);
  }

  WordSet known_;
  OpenTrace open_;
  Sharing sharing_;
};

TEST_F(SharedWords, AreThoseOfTheModel) {
  std::mt19937_64 random(1);
  Oracle oracle;
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int execution = 0; execution < 300; ++execution) {
    begin();
    oracle.begin();
    for (int i = 0; i < 40; ++i) {
      const int task = static_cast<int>(below(4));
      const std::uint64_t address = base + below(1 << 17);
      const std::uint64_t size = below(4) == 0 ? 1 + below(1 << 13) : 1 + below(16);
      if (below(10) == 0) {
        freed(task, address & ~std::uint64_t{7}, size);
        oracle.freed(task, address & ~std::uint64_t{7}, size);
        continue;
      }
      const bool is_write = below(3) == 0;
      ASSERT_EQ(touch(task, address, size, is_write), oracle.touch(task, address, size, is_write));
    }
    ASSERT_EQ(sharing_.learn(), oracle.learn()) << execution;
  }
}

TEST_F(SharedWords, OfALargeRangeAreFoundAtOnce) {
  constexpr std::uint64_t size = std::uint64_t{1} << 30;
  const auto start = std::chrono::steady_clock::now();
  for (int execution = 0; execution < 3; ++execution) {
    begin();
    const bool is_known = touch(0, base, size, true);
    EXPECT_EQ(is_known, execution > 0);
    touch(1, base, size, false);
    freed(1, base, size);
    EXPECT_EQ(sharing_.learn(), execution == 0);
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  EXPECT_LT(spent.count(), 30);  // word by word it would be minutes and 20 GB
  EXPECT_FALSE(touch(0, base + size, 8, true));
}

}  // namespace
}  // namespace ricercar::inline threads
