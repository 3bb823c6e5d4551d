// Files that the runtime keeps open beside the program's: at high numbers, where they do not change
// which numbers the program gets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricercar::inline threads {

// A second descriptor for an open file, at a private number; negative: there is no room.
long copy_to_high_number(long file);
bool is_private_descriptor(long number);

// A file that is opened when it is first needed, and again in a forked child or after the program
// has closed all files.
class PrivateFile {
 public:
  constexpr explicit PrivateFile(const char* path) : path_(path) {}

  // How many bytes were read; negative: it could not be read.
  long read_at(void* to, std::size_t size, std::uint64_t offset);

 private:
  bool open();

  const char* path_;
  long file_ = -1;
  long process_ = 0;  // the one that opened it: files in /proc/self belong to it for ever
};

}  // namespace ricercar::inline threads
