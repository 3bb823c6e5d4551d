// A cache of settings that loads without its lock, and looks again before it stores. The bug twin
// is bug/data-race/settings_cache.cc.
#include <cassert>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

namespace {

struct Settings {
  std::string owner;
  int limit;
};

std::unique_ptr<Settings> load(const std::string& name) {
  return std::make_unique<Settings>(Settings{"owner of " + name, 10});
}

class SettingsCache {
 public:
  const Settings& get(const std::string& name) {
    {
      std::lock_guard lock(mutex_);
      const auto found = entries_.find(name);
      if (found != entries_.end()) return *found->second;
    }
    std::unique_ptr<Settings> loaded = load(name);
    std::lock_guard lock(mutex_);
    std::unique_ptr<Settings>& entry = entries_[name];
    if (entry == nullptr) entry = std::move(loaded);
    return *entry;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<Settings>> entries_;
};

void serve(SettingsCache& cache) {
  const Settings& settings = cache.get("upload");
  assert(settings.limit == 10);
}

}  // namespace

int main() {
  SettingsCache cache;
  std::thread first([&cache] { serve(cache); });
  std::thread second([&cache] { serve(cache); });
  first.join();
  second.join();
  return 0;
}
