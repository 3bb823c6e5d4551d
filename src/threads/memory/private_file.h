// A file that the runtime keeps open beside the program's files: at a high number, where it does
// not change which numbers the program gets. Opened when it is first needed, and again in a forked
// child or after the program has closed all files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ricercar {

class PrivateFile {
 public:
  constexpr explicit PrivateFile(const char* path) : path_(path) {}

  // False: it could not be read.
  bool read_at(void* to, std::size_t size, std::uint64_t offset);

 private:
  bool open();

  const char* path_;
  long file_ = -1;
  long process_ = 0;  // the one that opened it: files in /proc/self belong to it for ever
};

// Moves a descriptor of the runtime out of the program's way: up to just below the limit. Gives the
// new number and closes the old one.
long move_to_high_number(long file);

// Descriptors at and above this number are the runtime's.
long first_private_descriptor();

}  // namespace ricercar
