#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "threads/benign_races.h"
#include "threads/own_code.h"
#include "threads/real.h"

namespace ricercar::inline threads {
namespace {

struct KnownObject {
  AddressRange range;
  std::vector<AddressRange> counters;
};

std::vector<KnownObject>& known_objects() {
  static auto& list = *new std::vector<KnownObject>;
  return list;
}

bool is_counter_name(std::string_view name) {
  return name.starts_with("__gcov") || name.starts_with("__llvm_gcov") ||
         name.starts_with("__llvm_gcda") || name.starts_with("__profc_");
}

// A whole file, to be read.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const long file = system_call(SYS_openat, AT_FDCWD, as_argument(path), O_RDONLY | O_CLOEXEC);
    struct stat details = {};
    if (file < 0) return;
    if (system_call(SYS_fstat, file, as_argument(&details)) == 0) {
      size_ = static_cast<std::size_t>(details.st_size);
      data_ = map_memory(nullptr, size_, PROT_READ, MAP_PRIVATE, static_cast<int>(file));
    }
    system_call(SYS_close, file);
  }
  ~MappedFile() {
    if (data_ != nullptr) {
      system_call(SYS_munmap, as_argument(data_), static_cast<long>(size_));
    }
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Null: the file does not reach as far.
  template <typename T>
  const T* at(std::uint64_t offset, std::uint64_t count = 1) const {
    const bool fits = data_ != nullptr && offset <= size_ && count * sizeof(T) <= size_ - offset;
    return fits ? reinterpret_cast<const T*>(data_ + offset) : nullptr;
  }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

void add_counters(const MappedFile& file, const ElfW(Shdr) & table, const ElfW(Shdr) & strings,
                  KnownObject& object, std::uint64_t base) {
  const std::uint64_t count = table.sh_size / sizeof(ElfW(Sym));
  const auto* symbols = file.at<ElfW(Sym)>(table.sh_offset, count);
  const char* names = file.at<char>(strings.sh_offset, strings.sh_size);
  if (symbols == nullptr || names == nullptr) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    const ElfW(Sym)& symbol = symbols[i];
    if (symbol.st_name >= strings.sh_size || !is_counter_name(names + symbol.st_name)) continue;
    object.counters.push_back({base + symbol.st_value, base + symbol.st_value + symbol.st_size});
  }
}

void read_symbols(const char* path, KnownObject& object, std::uint64_t base) {
  const MappedFile file(path);
  const auto* header = file.at<ElfW(Ehdr)>(0);
  if (header == nullptr) return;
  const auto* sections = file.at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
  for (int i = 0; sections != nullptr && i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum) continue;
    add_counters(file, sections[i], sections[sections[i].sh_link], object, base);
  }
}

struct Question {
  std::uint64_t address;
  const KnownObject* answer;
};

int look_at_object(dl_phdr_info* loaded, std::size_t, void* argument) {
  auto* question = static_cast<Question*>(argument);
  const AddressRange range = range_of(*loaded);
  if (!range.contains(question->address)) return 0;
  KnownObject object{range, {}};
  const bool is_program = loaded->dlpi_name[0] == 0;
  read_symbols(is_program ? "/proc/self/exe" : loaded->dlpi_name, object, loaded->dlpi_addr);
  known_objects().push_back(std::move(object));
  question->answer = &known_objects().back();
  return 1;
}

const KnownObject* object_at(std::uint64_t address) {
  for (const KnownObject& known : known_objects()) {
    if (known.range.contains(address)) return &known;
  }
  Question question{address, nullptr};
  dl_iterate_phdr(look_at_object, &question);
  return question.answer;
}

}  // namespace

bool is_profile_counter(std::uint64_t address) {
  const KnownObject* object = object_at(address);
  return object != nullptr &&
         std::any_of(object->counters.begin(), object->counters.end(),
                     [address](const AddressRange& range) { return range.contains(address); });
}

}  // namespace ricercar::inline threads
