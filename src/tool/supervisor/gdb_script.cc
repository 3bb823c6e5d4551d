#include "supervisor/gdb_script.h"

namespace ricercar::inline supervisor {
namespace {

// The runtime's and the libraries' frames are skipped.
constexpr const char* python = R"PY(python exec("""
def users_frame(frame):
    while frame is not None:
        place = frame.find_sal()
        file = place.symtab.fullname() if place.symtab else ''
        library = gdb.solib_name(frame.pc()) or ''
        if file and 'libricercar' not in library and not file.startswith('/usr/'):
            return frame
        frame = frame.older()
    return None

class RicercarThreads(gdb.Command):
    'Where every thread is in the code of the program.'
    def __init__(self):
        super().__init__('ricercar-threads', gdb.COMMAND_STACK)
    def invoke(self, argument, from_tty):
        current = gdb.selected_thread()
        if current is None:
            print('The program is not being run.')
            return
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda one: one.num):
            thread.switch()
            frame = users_frame(gdb.newest_frame())
            mark = '*' if thread.num == current.num else ' '
            title = '%s thread %d (T%d)' % (mark, thread.num, thread.num - 1)
            if frame is None:
                print(title + ': not in the code of the program')
                continue
            place = frame.find_sal()
            print('%s: %s at %s:%d' % (title, frame.name(), place.symtab.filename, place.line))
        current.switch()
        frame = users_frame(gdb.newest_frame())
        if frame is not None:
            frame.select()

RicercarThreads()
"""))PY";

}  // namespace

std::vector<std::string> gdb_commands(bool is_node) {
  return {
      "set pagination off",
      "set breakpoint pending on",
      "set print thread-events off",
      // The runtime's clock.
      "handle SIG62 nostop noprint pass",
      is_node ? "handle SIGSEGV nostop noprint pass" : "handle SIGSEGV stop print pass",
      python,
      // Every bug that the runtime sees ends the execution there.
      "break ricercar::threads::Execution::fail",
      "run",
      "ricercar-threads",
  };
}

}  // namespace ricercar::inline supervisor
