// Two threads add to one counter of a database in memory, and count its records.
#include <kccachedb.h>

#include <cstdlib>
#include <thread>

int main() {
  kyotocabinet::CacheDB database;
  if (!database.open("*", kyotocabinet::BasicDB::OWRITER | kyotocabinet::BasicDB::OCREATE))
    std::abort();
  auto work = [&] { database.increment("counter", 1); };
  std::thread first(work), second(work);
  first.join();
  second.join();
  if (database.increment("counter", 0) != 2 || database.count() != 1) std::abort();
  database.close();
}
