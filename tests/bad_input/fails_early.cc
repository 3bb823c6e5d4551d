// Ends before its main function is called.
#include <cstdlib>

namespace {

struct Global {
  Global() { std::_Exit(7); }
};
const Global global;

}  // namespace

int main() { return 0; }
