// One search by workers that meet in a Redis: the result is that of one process.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/redis.h"
#include "support/tool.h"

namespace ricercar::test {
namespace {

using nlohmann::json;

class PoolTest : public ToolTest {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "redis-server is not installed";
    redis_ = std::make_unique<RedisServer>(in_folder("redis"));
    ::setenv("RICERCAR_POOL_LEASE_SECONDS", "0.5", 1);
    ::setenv("RICERCAR_POOL_LOG_ENTRIES", "16", 1);
  }
  void TearDown() override {
    for (const char* variable : certificate_variables) ::unsetenv(variable);
    redis_.reset();
    std::filesystem::remove_all(in_folder("redis"));
  }

  RedisServer& redis() { return *redis_; }
  std::string pool() const { return address_.empty() ? redis_->address("test") : address_; }

  // --- Encrypted ---

  static constexpr const char* certificate_variables[] = {
      "RICERCAR_POOL_CA_FILE", "RICERCAR_POOL_CERT_FILE", "RICERCAR_POOL_KEY_FILE"};

  // NAME.crt and NAME.key: for this machine, signed by the authority, which is made if need be.
  static void make_certificate(const std::string& name) {
    const auto openssl = [](Words words) {
      words.insert(words.begin(), "/usr/bin/openssl");
      const Finished finished = run({words, in_folder("")});
      EXPECT_EQ(finished.status, 0) << finished.error;
    };
    const Words new_key = {"req",    "-newkey", "ec",         "-pkeyopt", "ec_paramgen_curve:P-256",
                           "-nodes", "-subj",   "/CN=" + name};
    const auto with = [](Words words, const Words& more) {
      words.insert(words.end(), more.begin(), more.end());
      return words;
    };
    if (!std::filesystem::exists(in_folder("authority.crt"))) {
      openssl(with(new_key, {"-x509", "-keyout", "authority.key", "-out", "authority.crt"}));
      write_file(in_folder("names"), "subjectAltName=DNS:localhost,IP:127.0.0.1\n");
    }
    openssl(with(new_key, {"-keyout", name + ".key", "-out", name + ".csr"}));
    openssl({"x509", "-req", "-in", name + ".csr", "-CA", "authority.crt", "-CAkey",
             "authority.key", "-CAcreateserial", "-extfile", "names", "-out", name + ".crt"});
  }

  static int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket, plain, size), 0);
    EXPECT_EQ(::getsockname(socket, plain, &size), 0);
    ::close(socket);
    return ntohs(address.sin_port);
  }

  // The pool is reached by an encrypted connection from here on, as its owner wants it.
  void encrypt() {
    make_certificate("server");
    make_certificate("client");
    const std::string port = std::to_string(free_port());
    redis_.reset();
    redis_ = std::make_unique<RedisServer>(
        in_folder("redis"),
        Words{"--tls-port", port, "--tls-cert-file", in_folder("server.crt"), "--tls-key-file",
              in_folder("server.key"), "--tls-ca-cert-file", in_folder("authority.crt")});
    address_ = "rediss://localhost:" + port + "/test";
  }

  struct Result {
    int status;
    json summary;  // without times
    json schedule;
    bool operator==(const Result&) const = default;
  };

  static Words search_words(const Words& options, const std::string& program) {
    Words words = {"run", "--json", "-", "--out", "out"};
    words.insert(words.end(), options.begin(), options.end());
    if (!program.starts_with("--nodes")) words.push_back("--");
    words.push_back(program);
    return words;
  }

  static json schedule() {
    std::ifstream file(in_folder("out/bug-1.json"));
    return file ? json::parse(file) : json();
  }

  static Result result_of(const Finished& finished) {
    EXPECT_FALSE(finished.timed_out) << last();
    json summary = json::parse(finished.output, nullptr, false);
    EXPECT_FALSE(summary.is_discarded()) << finished.output << finished.error;
    summary.erase("seconds");
    if (summary.contains("strata")) {
      for (json& stratum : summary["strata"]) stratum.erase("seconds");
    }
    return {finished.status, summary, schedule()};
  }

  Result alone(const Words& options, const std::string& program) {
    std::filesystem::remove_all(in_folder("out"));
    redis().ask({"DEL", "ricercar:{test}:over"});
    return result_of(tool(search_words(options, program)));
  }

  std::unique_ptr<Process> start_worker(const std::string& program) const {
    Command taking_part = command({"worker", pool(), "--wait", "3", program});
    taking_part.timeout_seconds = 100;
    return std::make_unique<Process>(taking_part);
  }

  template <typename Condition>
  static void await(Condition condition) {
    for (int i = 0; i < 1000; ++i) {
      if (condition()) return;
      ::usleep(10'000);
    }
    FAIL() << "it did not come in ten seconds";
  }

  // Until the search has come so far, or is over.
  void await_log(int entries) {
    await([&] { return redis().length("search") >= 0 || redis().was_there(); });
    await([&] { return redis().added_to("log") >= entries || redis().was_there(); });
  }

  // The first one of what redis-cli has printed.
  static std::string line(const std::string& text) { return text.substr(0, text.find('\n')); }

  // By so many workers, which are all gone at the end.
  Result together(int workers, Words options, const std::string& program) {
    std::filesystem::remove_all(in_folder("out"));
    options.insert(options.end(), {"--pool", pool()});
    std::vector<std::unique_ptr<Process>> processes;
    for (int i = 0; i < workers; ++i) processes.push_back(start_worker(program));
    const Result result = result_of(tool(search_words(options, program)));
    for (const auto& process : processes) {
      const Finished finished = process->wait();
      EXPECT_EQ(finished.status, 0) << finished.output << finished.error;
      EXPECT_NE(finished.output.find(" search "), std::string::npos) << finished.output;
    }
    EXPECT_EQ(redis().ask({"KEYS", "*"}), "ricercar:{test}:over\n");
    return result;
  }

  Result expect_same(const Words& options, const std::string& program) {
    const Result one = alone(options, program);
    for (const int workers : {1, 3}) {
      const Result several = together(workers, options, program);
      EXPECT_EQ(several.status, one.status) << last();
      EXPECT_EQ(several.summary, one.summary) << last();
      EXPECT_TRUE(several.schedule == one.schedule) << last();
    }
    return one;
  }

  // --- What disturbs a search ---

  // How often: more than in a test by the environment.
  static int times(const char* variable, int usual) {
    const char* value = std::getenv(variable);
    return value != nullptr ? std::atoi(value) : usual;
  }

  static std::string disturbed_program() { return program("programs/ok/thread_pool.cc"); }

  // Every few pieces, with two workers, and each time with other pieces under way.
  template <typename Disturb>
  void expect_undisturbed(const char* what, const std::string& strategy, int count,
                          Disturb disturb) {
    constexpr int pieces_between = 4;
    const std::string limit = std::to_string(20000 + 4000 * count);
    const Words options = {"-s", strategy, "-n", limit};
    const Result one = alone(options, disturbed_program());
    std::unique_ptr<Process> workers[] = {start_worker(disturbed_program()),
                                          start_worker(disturbed_program())};
    Words shared = options;
    shared.insert(shared.end(), {"--pool", pool()});
    Command leading = command(search_words(shared, disturbed_program()));
    leading.timeout_seconds = 60 + 5 * count;
    Process leader(leading);
    int done = 0;
    for (; done < count; ++done) {
      await_log((done + 1) * pieces_between);
      if (redis().length("search") < 0) break;
      disturb(workers[done % 2]);
    }
    EXPECT_EQ(done, count) << strategy << ": the search was over before";
    const Result result = result_of(leader.wait());
    EXPECT_EQ(result.summary, one.summary) << strategy;
    for (const auto& worker : workers) {
      const Finished finished = worker->wait();
      EXPECT_EQ(finished.status, 0) << finished.output << finished.error;
    }
    const bool is_same = result == one && done == count;
    std::cout << "| " << what << " | " << strategy << " | " << done << " | "
              << one.summary["executions"] << " | " << (is_same ? "the same" : "ANOTHER ONE")
              << " |" << std::endl;
  }

 private:
  std::unique_ptr<RedisServer> redis_;
  std::string address_;  // empty: that of the server's socket
};

constexpr const char* shared_strategies[] = {
    "random", "pos",       "pct:depth=3", "surw",
    "rff",    "dfs",       "pb",          "dpor",
    "bpor",   "portfolio", "bestfirst",   "bestfirst:space=pb=2,priority=ss+rand"};

constexpr const char* machine_strategies[] = {"random", "irs", "ss", "dfs", "dpor", "portfolio"};

TEST_F(PoolTest, AProgramWithoutABugIsSearchedAsByOne) {
  const std::string program = this->program("programs/ok/bounded_buffer.cc");
  for (const std::string strategy : shared_strategies) {
    const Result result = expect_same({"-s", strategy, "-n", "3000"}, program);
    EXPECT_EQ(result.status, 0);
    EXPECT_GT(result.summary["executions"], 500);
  }
}

TEST_F(PoolTest, TheFirstBugIsTheSame) {
  for (const char* name : {"assertion/two_stage", "deadlock/lost_wakeup"}) {
    const std::string program = this->program("programs/bug/" + std::string(name) + ".cc");
    for (const std::string strategy : shared_strategies) {
      const Result result = expect_same({"-s", strategy, "-n", "3000"}, program);
      EXPECT_EQ(result.status, 1);
    }
  }
}

TEST_F(PoolTest, LearnedPointsAreTheSame) {
  const std::string program = this->program("points/counters.cc");
  for (const std::string strategy : {"dfs", "pb", "random"})
    expect_same({"-s", strategy, "-n", "1000", "--no-races", "--points", "shared"}, program);
}

// In every world. Workers that come are told.
TEST_F(PoolTest, ASearchThatCannotBeCutSaysSo) {
  const std::string program = this->program("programs/ok/account.cc");
  const auto searches_alone = [&](const Words& search, const std::string& why) {
    Words words = {"run", "--pool", pool(), "-n", "20"};
    words.insert(words.end(), search.begin(), search.end());
    expect(tool(words), 0, {"one process has searched: " + why, "20 executions"});
    expect(tool({"worker", pool(), "--wait", "0.1", program}), 0,
           {"no search to take part in", "searches alone: " + why});
  };
  searches_alone({"-s", "ses", program}, "the strategy ses cannot be shared out");
  write_file(in_folder("cluster.toml"),
             "[[node]]\nname = \"one\"\ncommand = [\"" + program + "\"]\n");
  searches_alone({"--nodes", "cluster.toml"}, "the strategy mixed cannot be shared out for nodes");
}

// Those whose samples are shared by kernel threads otherwise (ss), too.
TEST_F(PoolTest, ASystemOfMachinesIsSearchedAsByOne) {
  for (const std::string name : {"lock_server", "lock_server_fixed"}) {
    const std::string source = std::string(RICERCAR_TESTS) + "/../examples/machines/" + name;
    expect(tool({"c++", "--machines", "-g", source + ".cc", "-o", name}), 0, {});
    for (const std::string strategy : machine_strategies) {
      const Result result = expect_same({"-s", strategy, "-n", "3000"}, "./" + name);
      const bool finds_bug = name == "lock_server" && strategy != "dfs";  // it lies deep
      EXPECT_EQ(result.status, finds_bug ? 1 : 0) << strategy;
    }
  }
}

// Workers of one machine, as those of several, know the cluster by its file.
TEST_F(PoolTest, AClusterIsSearchedAsByOne) {
  const std::string examples = "../examples/nodes/";
  const std::string server = program(examples + "counter_server.cc");
  const std::string client = program(examples + "counter_client.cc");
  for (const std::string how : {"set", "add"}) {
    const auto client_named = [&](const std::string& name) {
      return "[[client]]\nname = \"" + name + "\"\ncommand = [\"" + client + "\", \"" + how +
             "\"]\n";
    };
    write_file(in_folder("cluster.toml"), "[[node]]\nname = \"server\"\ncommand = [\"" + server +
                                              "\"]\n" + client_named("one") + client_named("two"));
    for (const std::string strategy : {"random", "ss", "dfs"}) {
      const Result result = expect_same({"-s", strategy, "-n", "400"}, "--nodes=cluster.toml");
      EXPECT_EQ(result.status, how == "set" && strategy == "random" ? 1 : 0) << strategy;
    }
  }
}

// One worker says so, and the command that leads searches.
TEST_F(PoolTest, AClusterThatChangesFilesIsSearchedByTheLeader) {
  const std::string durable = program("nodes/durable.cc");
  write_file(in_folder("cluster.toml"),
             "[[node]]\nname = \"writer\"\ncommand = [\"" + durable +
                 "\", \"careful\", \"never\"]\n[[client]]\nname = \"one\"\ncommand = [\"" +
                 durable + "\", \"client\"]\n");
  const Words options = {"-s", "random", "-n", "50"};
  const Result one = alone(options, "--nodes=cluster.toml");
  Result several = together(1, options, "--nodes=cluster.toml");
  EXPECT_NE(several.summary["notes"].dump().find("the nodes change files"), std::string::npos);
  several.summary["notes"] = one.summary["notes"];
  EXPECT_EQ(several.summary, one.summary);
}

// --- Coming and going ---

TEST_F(PoolTest, TheSearchStaysWhenItsLeaderLeavesAndGoesOn) {
  const std::string program = this->program("programs/ok/thread_pool.cc");
  const Words options = {"-s", "dfs", "-n", "50000"};
  const Result one = alone(options, program);
  Words shared = options;
  shared.insert(shared.end(), {"--pool", pool()});
  const std::unique_ptr<Process> worker = start_worker(program);
  Process leader(command(search_words(shared, program)));
  await_log(20);
  leader.signal(SIGINT);
  const Finished left = leader.wait();
  EXPECT_EQ(left.status, 130) << left.error;
  EXPECT_NE(left.output.find("the search stays in the pool"), std::string::npos) << left.output;
  expect(tool({"pool", "show", pool()}), 0, {"led by      nobody", "strategy    dfs"});
  EXPECT_NE(redis().ask({"LLEN", "ricercar:{test}:earlier"}), "0\n") << "the log stays as it is";
  Result again = result_of(tool(search_words(shared, program)));
  EXPECT_EQ(worker->wait().status, 0);
  const std::string note = again.summary["notes"].dump();
  EXPECT_NE(note.find("it went on with the search that was in the pool"), std::string::npos);
  again.summary["notes"] = one.summary["notes"];
  EXPECT_EQ(again.summary, one.summary);
}

// Its lead is known to be gone after a while.
TEST_F(PoolTest, TheSearchGoesOnWhenItsLeaderIsKilled) {
  const std::string program = this->program("programs/ok/thread_pool.cc");
  const Words options = {"-s", "dpor", "-n", "20000"};
  const Result one = alone(options, program);
  Words shared = options;
  shared.insert(shared.end(), {"--pool", pool()});
  const std::unique_ptr<Process> worker = start_worker(program);
  Process leader(command(search_words(shared, program)));
  await_log(4);
  leader.signal_group(SIGKILL);
  leader.wait();
  redis().ask({"PEXPIRE", "ricercar:{test}:lead", "2000"});
  const Finished again = tool(search_words(shared, program));
  EXPECT_NE(again.error.find("this search is led already"), std::string::npos) << again.error;
  Result result = result_of(again);
  const std::string note = result.summary["notes"].dump();
  EXPECT_EQ(note, R"(["it went on with the search that was in the pool"])");
  result.summary["notes"] = one.summary["notes"];
  EXPECT_EQ(result.summary, one.summary);
  EXPECT_EQ(worker->wait().status, 0);
}

TEST_F(PoolTest, AWorkerThatIsKilledLosesNothing) {
  for (const std::string strategy : {"dfs", "dpor", "bestfirst", "random"}) {
    expect_undisturbed("workers killed", strategy, times("RICERCAR_POOL_KILLS", 3),
                       [&](std::unique_ptr<Process>& worker) {
                         worker->signal_group(SIGKILL);
                         worker->wait();
                         worker = start_worker(disturbed_program());
                       });
  }
}

TEST_F(PoolTest, ARestartOfRedisLosesNothing) {
  for (const std::string strategy : {"dfs", "dpor", "bestfirst"}) {
    expect_undisturbed("Redis killed and started", strategy, times("RICERCAR_POOL_RESTARTS", 2),
                       [&](std::unique_ptr<Process>&) {
                         redis().kill();
                         redis().start();
                       });
  }
}

TEST_F(PoolTest, ACutConnectionLosesNothing) {
  for (const std::string strategy : {"dfs", "dpor", "bestfirst"}) {
    expect_undisturbed("all connections cut", strategy, times("RICERCAR_POOL_CUTS", 3),
                       [&](std::unique_ptr<Process>&) {
                         redis().ask({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
                       });
  }
}

TEST_F(PoolTest, AFullRedisIsWaitedFor) {
  const std::string program = this->program("programs/ok/thread_pool.cc");
  const Words options = {"-s", "dfs", "-n", "20000"};
  const Result one = alone(options, program);
  Words shared = options;
  shared.insert(shared.end(), {"--pool", pool()});
  redis().ask({"CONFIG", "SET", "maxmemory", "1"});
  expect(tool(search_words(shared, program)), 2, {"is full (maxmemory)"});
  redis().ask({"CONFIG", "SET", "maxmemory", "0"});
  const std::unique_ptr<Process> worker = start_worker(program);
  Process leader(command(search_words(shared, program)));
  await_log(4);
  redis().ask({"CONFIG", "SET", "maxmemory", "1"});
  await([&] { return redis().length("items") == 0; });  // what there was is done
  redis().ask({"CONFIG", "SET", "maxmemory", "0"});
  const Finished finished = leader.wait();
  EXPECT_NE(finished.error.find("Redis is full (maxmemory)"), std::string::npos) << finished.error;
  EXPECT_EQ(result_of(finished).summary, one.summary);
  EXPECT_EQ(worker->wait().status, 0);
}

// Workers that are killed before they have begun it do no harm, and those that have begun it count.
TEST_F(PoolTest, AnItemThatThreeHaveBegunIsSetAside) {
  const std::string program = this->program("programs/ok/thread_pool.cc");
  for (const bool were_begun : {false, true}) {
    Process leader(command(search_words({"-s", "dfs", "-n", "1000", "--pool", pool()}, program)));
    await([&] { return redis().length("items") == 1; });
    const std::string items = "ricercar:{test}:items";
    const std::string group = line(redis().ask({"HGET", "ricercar:{test}:search", "number"}));
    redis().ask({"XREADGROUP", "GROUP", group, "gone", "STREAMS", items, ">"});
    const std::string entry = line(redis().ask({"XPENDING", items, group, "-", "+", "1"}));
    redis().ask(
        {"XCLAIM", items, group, "gone", "0", entry, "IDLE", "100000000", "RETRYCOUNT", "7"});
    if (were_begun) redis().ask({"HSET", "ricercar:{test}:attempts", entry, "a#1 b#1 b#2 "});
    const std::unique_ptr<Process> worker = start_worker(program);
    const Finished finished = leader.wait();
    EXPECT_EQ(worker->wait().status, 0);
    EXPECT_EQ(finished.status != 0, were_begun) << finished.output << finished.error;
    EXPECT_EQ(finished.error.find("was set aside") != std::string::npos, were_begun);
    EXPECT_EQ(finished.error.find("has ended: a#1 b#1 b#2") != std::string::npos, were_begun);
    EXPECT_EQ(finished.output.find("\"complete\": true"), std::string::npos) << finished.output;
    redis().ask({"DEL", "ricercar:{test}:over"});
  }
}

// What the test above writes by hand is written by workers.
TEST_F(PoolTest, WorkersSayWhatTheyHaveBegun) {
  const std::string program = this->program("programs/ok/thread_pool.cc");
  Process leader(command(search_words({"-s", "dfs", "--pool", pool()}, program)));
  const std::unique_ptr<Process> worker = start_worker(program);
  await([&] { return redis().ask({"HLEN", "ricercar:{test}:attempts"}) == "1\n"; });
  worker->signal(SIGINT);
  leader.signal(SIGINT);
  leader.wait();
}

// --- What is wrong ---

TEST_F(PoolTest, WithoutARedisItIsSaid) {
  const std::string program = this->program("programs/ok/account.cc");
  const std::string nowhere = "redis+unix:///nowhere/at/all?name=test";
  expect(tool({"run", "--pool", nowhere, program}), 2, {"there is no Redis at " + nowhere});
  expect(tool({"worker", nowhere, program}), 2, {"there is no Redis at " + nowhere});
  expect(tool({"pool", "list", nowhere}), 2, {"there is no Redis at " + nowhere});
}

TEST_F(PoolTest, AnAddressThatIsWrongIsRefused) {
  const std::string program = this->program("programs/ok/account.cc");
  const auto refused = [&](const std::string& address, const std::string& why) {
    expect(tool({"run", "--pool", address, program}), 2, {why});
  };
  refused("localhost:6379/x", "is no address of a pool");
  refused("redis://localhost:6379", "does not name the pool");
  refused("redis://localhost:port/x", "has no valid port");
  refused("redis://:6379/x", "names no host");
  refused("redis://localhost/a b", "has a name of other than");
  refused("redis://me:secret@localhost/x", "a password does not belong into the address");
  EXPECT_EQ(last().find("there is no Redis"), std::string::npos) << "it was asked for all the same";
}

TEST_F(PoolTest, APasswordIsNeededAndTheRightOne) {
  const std::string program = this->program("programs/ok/account.cc");
  redis().ask({"CONFIG", "SET", "requirepass", "sesame"});
  expect(tool({"pool", "list", pool()}), 2, {"wants a password", "REDISCLI_AUTH"});
  const auto list_with = [&](const std::string& variable, const std::string& value) {
    Command with = command({"pool", "list", pool()});
    with.words.insert(with.words.begin(), {"/usr/bin/env", variable + "=" + value});
    return run(with);
  };
  write_file(in_folder("right"), "sesame\n");
  EXPECT_EQ(list_with("REDISCLI_AUTH", "sesame").status, 0);
  EXPECT_EQ(list_with("RICERCAR_POOL_PASSWORD_FILE", in_folder("right")).status, 0);
  const Finished wrong = list_with("REDISCLI_AUTH", "thyme");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.error.find("does not accept the user or password"), std::string::npos);
  EXPECT_EQ(wrong.error.find("thyme"), std::string::npos) << "a password is not to be shown";
}

TEST_F(PoolTest, AnEncryptedPoolIsSearchedByThoseWhoCanProveWhoTheyAre) {
  encrypt();
  const auto refused = [&](const std::string& why) {
    expect(tool({"pool", "list", pool()}), 2, {why});
  };
  refused("does not prove that it is that host");
  ::setenv("RICERCAR_POOL_CA_FILE", in_folder("nowhere").c_str(), 1);
  refused("cannot read the file");
  ::setenv("RICERCAR_POOL_CA_FILE", in_folder("authority.crt").c_str(), 1);
  refused("wants a certificate of ours");
  ::setenv("RICERCAR_POOL_CERT_FILE", in_folder("client.crt").c_str(), 1);
  refused("belong together");
  ::setenv("RICERCAR_POOL_KEY_FILE", in_folder("server.key").c_str(), 1);
  refused("key values mismatch");
  ::setenv("RICERCAR_POOL_KEY_FILE", in_folder("client.key").c_str(), 1);
  expect(tool({"pool", "list", pool()}), 0, {"there is no search"});
  expect_same({"-s", "dpor", "-n", "3000"}, program("programs/ok/bounded_buffer.cc"));
  const std::string by_number = "rediss://127.0.0.1:" + pool().substr(pool().rfind(':') + 1);
  expect(tool({"pool", "list", by_number}), 0, {"there is no search"});
  expect(tool({"pool", "list", by_number.substr(0, 5) + by_number.substr(6)}), 2,
         {"begins with rediss://"});
}

TEST_F(PoolTest, ARedisThatMayForgetIsRefused) {
  const std::string program = this->program("programs/ok/account.cc");
  redis().ask({"CONFIG", "SET", "maxmemory", "100mb"});
  redis().ask({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
  expect(tool({"run", "--pool", pool(), program}), 2, {"allkeys-lru", "noeviction"});
  redis().ask({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  const std::unique_ptr<Process> worker = start_worker(program);
  EXPECT_EQ(tool({"run", "-s", "dfs", "--pool", pool(), program}).status, 0) << last();
  worker->wait();
}

TEST_F(PoolTest, AnotherProgramOrOtherOptionsAreRefused) {
  const std::string program = this->program("programs/ok/account.cc");
  const std::string other = this->program("programs/ok/count_readers.cc");
  Process leader(command(search_words({"-s", "dfs", "--pool", pool()}, program)));
  await([&] { return redis().length("items") == 1; });
  expect(tool({"worker", pool(), other}), 2,
         {"holds another search: its program is 'account', and not 'count_readers'"});
  expect(tool({"worker", pool(), program, "7"}), 2, {"its list of arguments"});
  expect(tool({"run", "-s", "dpor", "--pool", pool(), program}), 2,
         {"its option strategy is 'dfs'"});
  redis().ask({"HSET", "ricercar:{test}:search", "runtime", "4711"});
  expect(tool({"worker", pool(), program}), 2, {"loads the program at another place"});
  EXPECT_EQ(redis().length("items"), 1) << "its piece is there for others";
  redis().ask({"HSET", "ricercar:{test}:search", "version", "0.0.1"});
  expect(tool({"worker", pool(), program}), 2, {"of another version of Ricercar: 0.0.1 there"});
  leader.signal(SIGINT);
  EXPECT_EQ(leader.wait().status, 130);
}

TEST_F(PoolTest, SearchesAreListedShownStoppedAndRemoved) {
  const std::string program = this->program("programs/ok/account.cc");
  expect(tool({"pool", "list", pool()}), 0, {"there is no search"});
  expect(tool({"pool", "show", pool()}), 2, {"there is no search in the pool"});
  const Words search = search_words({"-s", "dfs", "--pool", pool()}, program);
  {
    Process leader(command(search));
    await([&] { return redis().length("items") == 1; });
    expect(tool({"pool", "list", pool()}), 0, {"test", "dfs", "account"});
    expect(tool({"pool", "show", pool()}), 0, {"led by      process", "items       1"});
    expect(tool({"pool", "remove", pool()}), 2, {"somebody leads the search"});
    expect(tool({"pool", "stop", pool()}), 0, {"the search ends"});
    const Finished stopped = leader.wait();
    EXPECT_NE(stopped.output.find("somebody has stopped the search"), std::string::npos);
  }
  expect(tool({"pool", "list", pool()}), 0, {"there is no search"});
  Process leader(command(search));
  await([&] { return redis().length("items") == 1; });
  leader.signal(SIGINT);
  leader.wait();
  expect(tool({"pool", "stop", pool()}), 2, {"nobody leads the search"});
  expect(tool({"pool", "remove", pool()}), 0, {"removed"});
  expect(tool({"pool", "list", pool()}), 0, {"there is no search"});
}

}  // namespace
}  // namespace ricercar::test
