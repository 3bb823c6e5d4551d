// Prints who is primary and backup, and what each server says about itself.
//
//   store_admin --views=view --servers=s1,s2,s3
#include <cstdio>

#include "../common/bug.h"
#include "../common/calls.h"
#include "view.h"

namespace {

void print_status(const std::string& host, std::uint16_t port) {
  const std::optional<std::string> answer = suite::Caller(host, port).ask("status");
  std::printf("%-8s %s\n", host.c_str(), answer ? answer->c_str() : "does not answer");
}

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  print_status(std::string(suite::option(count, arguments, "views", "")), store::view_port);
  const std::string servers(suite::option(count, arguments, "servers", ""));
  for (const std::string& server : suite::split(servers, ',')) {
    print_status(server, store::store_port);
  }
}
