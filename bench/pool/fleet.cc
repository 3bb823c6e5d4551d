// A simulated fleet: workers that take items from one Redis as `ricercar worker` does, and only
// wait for as long as a piece takes; the real leader puts together what comes back. The tree is
// unbalanced: what is left behind a piece goes to its three followers as 16 : 3 : 1.
//
//   fleet PIECE_MS ITEMS_FOR_EACH MOST_ITEMS WORKERS...
//
// Prints a row of the table in docs/BENCHMARKS.md for each number of workers. A worker waits when
// it has no item, from its first one to the end of the search; an item waits in Redis until a
// worker gets it. Every run checks that each piece has counted once.
#include <poll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/random.h"
#include "pool/leader.h"
#include "pool/parcel.h"
#include "pool/worker_link.h"
#include "search/piece_source.h"
#include "strategy/registry.h"
#include "support/redis.h"

namespace {

using namespace ricercar;

struct Fleet {
  PoolAddress address;
  double piece_seconds;
  std::uint64_t items;
  std::atomic<std::uint64_t> done = 0;
};

// Half of the mean to one and a half of it.
double seconds_of(std::uint64_t size, double mean) {
  return mean * (0.5 + static_cast<double>(mix64(size) % 1000) / 1000);
}

// Of the first piece the strategy decides what it is, and it has all.
std::uint64_t size_of(const PieceTask& task, std::uint64_t all) {
  return task.number == 1 ? all : ByteReader(task.piece).number();
}

std::string searched(std::uint64_t size) {
  PieceResult result;
  ByteWriter shown;
  shown.number(1);
  result.end.shown = shown.take();
  result.end.is_done = true;
  result.figures.executions = 1;
  const std::uint64_t left = size - 1;
  const std::uint64_t second = left * 3 / 20, third = left / 20;
  for (const std::uint64_t part : {left - second - third, second, third}) {
    if (part == 0) continue;
    ByteWriter piece;
    piece.number(part);
    result.end.rest.push_back(piece.take());
  }
  return to_parcel(to_bytes(result));
}

struct Times {
  double first = 0;  // when it got its first item
  double last = 0;   // when it brought back its last one
  double waiting = 0;
  double items_waited = 0;  // in Redis
  std::uint64_t items = 0;
};

double clock_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// An entry's name begins with the milliseconds of when it was made.
double seconds_since(const PoolItem& item) {
  return clock_seconds() - std::atof(item.entry.c_str()) / 1000;
}

// As PoolPieces does for short pieces: the next one is fetched while one is searched.
Times work(Fleet& fleet, const std::string& search) {
  WorkerLink link(fleet.address, search, 1);
  std::deque<PoolItem> items;
  Times times;
  double since = 0;
  const auto exchange = [&] {
    std::vector<std::string> held;
    for (const PoolItem& item : items) held.push_back(item.entry);
    for (PoolItem& item : link.exchange(2 - std::min<std::size_t>(2, items.size()), held)) {
      times.items_waited += seconds_since(item);
      ++times.items;
      items.push_back(std::move(item));
    }
  };
  const auto wait = [&](double seconds) {
    pollfd watched = {link.descriptor(), POLLIN, 0};
    ::poll(&watched, 1, static_cast<int>(seconds * 1000) + 1);
  };
  while (!link.is_over()) {
    if (items.empty()) exchange();
    if (items.empty()) {
      wait(0.2);
      continue;
    }
    const double begun = now_seconds();
    if (times.first == 0) times.first = since = begun;
    times.waiting += begun - since;
    const PieceTask task = piece_task_from(from_parcel(items.front().parcel));
    const std::uint64_t size = size_of(task, fleet.items);
    link.begin(items.front());
    const double end = begun + seconds_of(size, fleet.piece_seconds);
    while (now_seconds() < end && !link.is_over()) {
      wait(end - now_seconds());
      exchange();
    }
    times.last = since = now_seconds();
    link.complete(items.front(), searched(size));
    items.pop_front();
    ++fleet.done;
  }
  return times;
}

std::string await_search(const PoolAddress& address) {
  RedisPool pool(address);
  for (;;) {
    PoolFacts facts = pool.facts();
    if (!facts.empty()) return facts["number"];
    ::usleep(10'000);
  }
}

// The number behind a name in what Redis says of itself.
double figure_of(const test::RedisServer& redis, const std::string& name) {
  const std::string info = redis.ask({"INFO", "everything"});
  const std::size_t at = info.find("\n" + name + ":");
  return at == std::string::npos ? 0 : std::atof(info.c_str() + at + name.size() + 2);
}

double processor_seconds_of(const test::RedisServer& redis) {
  return figure_of(redis, "used_cpu_user") + figure_of(redis, "used_cpu_sys");
}

double processor_seconds_here() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Waiting {
  double all = 0;     // part of the workers' time
  double most = 0;    // likewise, of the one that waits most
  double of_one = 0;  // seconds of an item in Redis
};

Waiting waiting_of(const std::vector<Times>& times, double end) {
  Waiting waiting;
  double waited = 0, present = 0;
  std::uint64_t items = 0;
  for (const Times& each : times) {
    if (each.items == 0) continue;
    const double waited_here = each.waiting + end - each.last;
    waited += waited_here;
    present += end - each.first;
    waiting.most = std::max(waiting.most, waited_here / (end - each.first));
    waiting.of_one += each.items_waited;
    items += each.items;
  }
  waiting.all = waited / present;
  waiting.of_one /= static_cast<double>(items);
  return waiting;
}

void measure(Fleet& fleet, const test::RedisServer& redis, std::size_t count) {
  std::vector<Times> times(count);
  std::vector<std::thread> threads;
  SharedControl shared;
  LeaderPlan plan;
  plan.address = fleet.address;
  plan.facts = {{"program", "fleet"}};
  plan.require_same = [](const PoolFacts&) {};
  plan.make_strategy = [] { return make_strategy("dfs", 1); };
  plan.begin_anew = [&] { shared.reset(); };
  plan.say = [](PoolNews, const std::string&) {};
  std::thread start([&] {
    const std::string search = await_search(fleet.address);
    for (std::size_t i = 0; i < count; ++i)
      threads.emplace_back([&, i, search] { times[i] = work(fleet, search); });
  });
  const double begin = now_seconds(), used_before = processor_seconds_here();
  lead_search(shared, plan);
  const double end = now_seconds(), used = processor_seconds_here() - used_before;
  start.join();
  for (std::thread& thread : threads) thread.join();
  const std::uint64_t counted = shared->executions;
  if (counted != fleet.items) {
    std::printf("%lu pieces have counted, and not %lu\n", counted, fleet.items);
    std::exit(1);
  }
  const Waiting waiting = waiting_of(times, end);
  const auto pieces = static_cast<double>(fleet.items);
  const double rate = pieces / (end - begin);
  const double ideal = static_cast<double>(count) / fleet.piece_seconds;
  std::printf("| %zu | %lu | %.0f | %.0f | %.1f %% | %.1f %% | %.0f | %.0f | %.0f | %.0f |\n",
              count, fleet.items, rate, ideal, 100 * waiting.all, 100 * waiting.most,
              1000 * waiting.of_one, 1e6 * used / pieces,
              1e6 * processor_seconds_of(redis) / pieces,
              figure_of(redis, "used_memory_peak") / 1e6);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  if (count < 5) return 2;
  const double piece_seconds = std::atof(words[1]) / 1000;
  const auto for_each = static_cast<std::uint64_t>(std::atoll(words[2]));
  const auto most = static_cast<std::uint64_t>(std::atoll(words[3]));
  std::printf(
      "| workers | pieces | pieces/s | if nobody waited | workers wait | the one that waits most | "
      "an item waits, ms | leader, us of a processor a piece | Redis, us of a processor a piece | "
      "MB in Redis |\n");
  std::printf("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (int i = 4; i < count; ++i) {
    const auto workers = static_cast<std::size_t>(std::atoi(words[i]));
    const auto folder = std::filesystem::temp_directory_path() /
                        ("ricercar-fleet-" + std::to_string(::getpid()) + "-" + words[i]);
    {
      const test::RedisServer redis(folder, {"--appendfsync", "everysec"});
      Fleet fleet{parse_pool_address(redis.address("fleet")), piece_seconds,
                  std::min(most, for_each * workers)};
      measure(fleet, redis, workers);
    }
    std::filesystem::remove_all(folder);
  }
}
