#include "cluster/reports.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace ricercar::inline cluster {

void ReportLog::begin_execution() {
  memory_.clear();
  discard();
  is_full_ = false;
}

// With a zero behind it. Null: there is no room.
const char* ReportLog::copy(const char* text, std::size_t size) {
  auto* to = static_cast<char*>(memory_.take(size + 1));
  if (to == nullptr) return nullptr;
  std::copy_n(text, size, to)[0] = '\0';
  return to;
}

bool ReportLog::copy_values(Reported& report) {
  auto* to = static_cast<ricercar_value*>(memory_.take(report.count * sizeof(ricercar_value)));
  if (to == nullptr) return false;
  for (std::uint32_t i = 0; i < report.count; ++i) {
    to[i] = report.values[i];
    if (to[i].kind != RICERCAR_TEXT) continue;
    to[i].as.text = copy(to[i].as.text, to[i].size);
    if (to[i].as.text == nullptr) return false;
  }
  report.values = to;
  return true;
}

void ReportLog::add(const Reported& report) {
  void* place = memory_.take(sizeof(Reported));
  Reported own = report;
  own.next = nullptr;
  own.id = copy(report.id, std::strlen(report.id));
  own.names = copy(report.names, std::strlen(report.names));
  if (place == nullptr || own.id == nullptr || own.names == nullptr || !copy_values(own)) {
    is_full_ = true;
    return;
  }
  auto* added = new (place) Reported(own);
  (first_ == nullptr ? first_ : last_->next) = added;
  last_ = added;
}

const Reported* ReportLog::take() {
  const Reported* taken = first_;
  if (first_ != nullptr) first_ = first_->next;
  if (first_ == nullptr) last_ = nullptr;
  return taken;
}

}  // namespace ricercar::inline cluster
