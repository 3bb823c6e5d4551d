// Who may talk to `ricercar explore`.
#include "cli/live_gate.h"

#include <gtest/gtest.h>

namespace ricercar::inline cli {
namespace {

constexpr const char* secret = "0123456789abcdef0123456789abcdef";

const LiveGate& gate() {
  static const LiveGate one(secret, 4711);
  return one;
}

HttpRequest request(const std::string& headers,
                    const std::string& target = "/?token=" + std::string(secret)) {
  const auto parsed = parse_request("GET " + target + " HTTP/1.1\r\n" + headers + "\r\n");
  EXPECT_TRUE(parsed);
  return parsed.value_or(HttpRequest{});
}

bool is_refused(const HttpRequest& asked, bool is_from_here = true) {
  const auto refusal = gate().refusal(asked, is_from_here);
  if (refusal) {
    EXPECT_EQ(refusal->status, 403);
  }
  return refusal.has_value();
}

TEST(LiveGate, LetsInWhoHasTheToken) {
  EXPECT_FALSE(is_refused(request("Host: 127.0.0.1:4711\r\n")));
  EXPECT_FALSE(is_refused(request("Host: localhost:4711\r\n")));
  EXPECT_FALSE(is_refused(request("Host: 127.0.0.1:4711\r\nOrigin: http://127.0.0.1:4711\r\n")));
  EXPECT_FALSE(is_refused(request(
      "Host: 127.0.0.1:4711\r\nX-Ricercar-Token: " + std::string(secret) + "\r\n", "/back")));
}

TEST(LiveGate, RefusesAWrongTokenAndNone) {
  const std::string host = "Host: 127.0.0.1:4711\r\n";
  EXPECT_TRUE(is_refused(request(host, "/")));
  EXPECT_TRUE(is_refused(request(host, "/?token=")));
  EXPECT_TRUE(is_refused(request(host, "/?token=0123456789abcdef0123456789abcdee")));
  EXPECT_TRUE(is_refused(request(host, "/?token=" + std::string(secret) + "0")));
  EXPECT_TRUE(is_refused(request(host, "/?token=0")));
  EXPECT_TRUE(is_refused(request(host + "X-Ricercar-Token: wrong\r\n"))) << "the header counts";
}

TEST(LiveGate, RefusesOtherAddresses) {
  EXPECT_TRUE(is_refused(request("Host: 127.0.0.1:4711\r\n"), false));
}

TEST(LiveGate, RefusesOtherNamesOfItself) {
  for (const char* host : {"evil.example", "evil.example:4711", "127.0.0.1", "127.0.0.1:80",
                           "127.0.0.1:47110", "localhost.evil.example:4711"}) {
    EXPECT_TRUE(is_refused(request(std::string("Host: ") + host + "\r\n"))) << host;
  }
  EXPECT_TRUE(is_refused(request(""))) << "no name at all";
}

TEST(LiveGate, RefusesOtherOrigins) {
  for (const char* origin : {"http://evil.example", "https://127.0.0.1:4711", "http://127.0.0.1:80",
                             "http://127.0.0.1:4711.evil.example", "null", ""}) {
    EXPECT_TRUE(
        is_refused(request(std::string("Host: 127.0.0.1:4711\r\nOrigin: ") + origin + "\r\n")))
        << origin;
  }
}

TEST(LiveGate, ReadsRequests) {
  const HttpRequest read = request("Host: a\r\ncontent-length:  12 \r\n", "/decide?token=x");
  EXPECT_EQ(read.method, "GET");
  EXPECT_EQ(read.path, "/decide");
  EXPECT_EQ(read.token, "x");
  EXPECT_EQ(read.header("host"), "a");
  EXPECT_EQ(body_size(read), 12u);
}

TEST(LiveGate, TakesNothingForARequestThatIsNone) {
  for (const char* text :
       {"", "\r\n\r\n", "GET /\r\n\r\n", "GET / SMTP\r\n\r\n", "GET http://a/ HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a"}) {
    EXPECT_FALSE(parse_request(text)) << text;
  }
}

TEST(LiveGate, RefusesBodiesWithoutAProperSize) {
  EXPECT_FALSE(body_size(request("Content-Length: -1\r\n")));
  EXPECT_FALSE(body_size(request("Content-Length: 99999999999\r\n")));
  EXPECT_FALSE(body_size(request("Transfer-Encoding: chunked\r\n")));
}

TEST(LiveGate, TokensAreLongAndDiffer) {
  EXPECT_EQ(new_token().size(), 32u);
  EXPECT_NE(new_token(), new_token());
}

}  // namespace
}  // namespace ricercar::inline cli
