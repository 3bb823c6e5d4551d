#include "cluster/reports.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ricercar::inline cluster {
namespace {

Reported one_text(const std::string& text, ricercar_value& value) {
  value = {RICERCAR_TEXT, static_cast<std::uint32_t>(text.size()), {0}};
  value.as.text = text.c_str();
  Reported report;
  report.id = "id";
  report.names = "name";
  report.values = &value;
  report.count = 1;
  return report;
}

TEST(ReportLog, KeepsCopiesInTheirOrder) {
  std::vector<unsigned char> memory(4096);
  ReportLog log;
  log.use(memory.data(), memory.size());
  ricercar_value value;
  std::string text = "one";
  log.add(one_text(text, value));
  text = "two";
  log.add(one_text(text, value));
  text = "gone";
  ASSERT_NE(log.front(), nullptr);
  EXPECT_STREQ(log.take()->values[0].as.text, "one");
  const Reported* second = log.take();
  EXPECT_STREQ(second->values[0].as.text, "two");
  EXPECT_STREQ(second->id, "id");
  EXPECT_EQ(log.take(), nullptr);
  log.add(one_text(text, value));
  EXPECT_STREQ(log.take()->values[0].as.text, "gone");
}

TEST(ReportLog, SaysThatItIsFullUntilTheNextExecution) {
  std::vector<unsigned char> memory(1024);
  ReportLog log;
  log.use(memory.data(), memory.size());
  ricercar_value value;
  const std::string text(200, 'x');
  int added = 0;
  for (; !log.is_full(); ++added) log.add(one_text(text, value));
  int kept = 0;
  for (; log.take() != nullptr; ++kept) continue;
  EXPECT_EQ(kept, added - 1);
  EXPECT_GT(kept, 0);
  log.begin_execution();
  EXPECT_FALSE(log.is_full());
  log.add(one_text(text, value));
  EXPECT_NE(log.take(), nullptr);
}

}  // namespace
}  // namespace ricercar::inline cluster
