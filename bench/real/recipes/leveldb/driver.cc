// Two threads write one key each into a store in memory-like files; both are there afterwards.
#include <leveldb/db.h>
#include <stdlib.h>

#include <memory>
#include <string>
#include <thread>

static void check(const leveldb::Status& status) {
  if (!status.ok()) abort();
}

int main() {
  char folder[] = "/tmp/leveldb-XXXXXX";
  if (mkdtemp(folder) == nullptr) abort();
  leveldb::Options options;
  options.create_if_missing = true;
  leveldb::DB* opened = nullptr;
  check(leveldb::DB::Open(options, folder, &opened));
  {
    std::unique_ptr<leveldb::DB> store(opened);
    std::thread other([&] { check(store->Put({}, "one", "1")); });
    check(store->Put({}, "two", "2"));
    other.join();
    std::string value;
    check(store->Get({}, "one", &value));
    check(store->Get({}, "two", &value));
  }
  check(leveldb::DestroyDB(folder, options));
}
