// Whole files in and out, with errors that a user can act on. Safe to call from any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ricercar::inline base {

// Throws UsageError if the file is missing, unreadable, a folder, or larger than `limit` bytes.
std::string read_file(const std::string& path, std::size_t limit);

// Writes a temporary file beside `path`, brings it to the disk and renames it, so that a reader
// sees the old content or the new one and never a part. Throws UsageError and leaves no temporary.
void write_file(const std::string& path, std::string_view content);

// Makes a folder and the folders above it. Throws UsageError unless files can be made in it.
void make_folder(const std::string& path);

}  // namespace ricercar::inline base
