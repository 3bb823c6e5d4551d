#include "supervisor/gdb_script.h"

#include "search/control.h"

namespace ricercar::inline supervisor {
namespace {

// The runtime's and the libraries' frames are skipped.
constexpr const char* threads_python = R"PY(python exec("""
def is_users(frame):
    place = frame.find_sal()
    file = place.symtab.fullname() if place.symtab else ''
    library = gdb.solib_name(frame.pc()) or ''
    is_own = 'libricercar' in library or file.startswith('/ricercar/src/program/')
    return file and not is_own and not library.startswith(('/lib', '/usr/')) and not file.startswith('/usr/')

def users_frame(frame):
    while frame is not None and not is_users(frame):
        frame = frame.older()
    return frame

def outermost_name(frame):
    name = None
    while frame is not None:
        if is_users(frame) and frame.name():
            name = frame.name()
        frame = frame.older()
    return name

def all_threads():
    return sorted(gdb.selected_inferior().threads(), key=lambda one: one.num)

# As the report calls it. Threads are made in the order of their numbers.
def name_of(thread):
    return 'T%d' % (thread.num - 1)

# With what it runs, for `info threads`.
def name_threads():
    current = gdb.selected_thread()
    for thread in all_threads():
        thread.switch()
        runs = outermost_name(gdb.newest_frame())
        if runs is not None:
            thread.name = name_of(thread) + ' ' + runs.replace(' ', '')
    if current is not None:
        current.switch()

# Where the program is in its own code; says so if that is not where gdb stopped.
def go_to_users_frame():
    frame = users_frame(gdb.newest_frame())
    if frame is None:
        print('ricercar: this thread is not in the code of the program; continue, or ricercar-next-switch')
        return
    frame.select()
    if frame != gdb.newest_frame():
        gdb.execute('frame')

class RicercarThreads(gdb.Command):
    'Where every thread is in the code of the program.'
    def __init__(self):
        super().__init__('ricercar-threads', gdb.COMMAND_STACK)
    def invoke(self, argument, from_tty):
        current = gdb.selected_thread()
        if current is None:
            print('The program is not being run.')
            return
        name_threads()
        for thread in all_threads():
            thread.switch()
            frame = users_frame(gdb.newest_frame())
            mark = '*' if thread.num == current.num else ' '
            title = '%s thread %d (%s)' % (mark, thread.num, name_of(thread))
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

# A debug build of the runtime is stepped over as a library without symbols is.
def skip_runtime():
    for found in gdb.decode_line('ricercar_execution_fails')[1] or ():
        if found.symtab is None:
            return
        folder = found.symtab.fullname().partition('/src/program/')[0]
        for pattern in (folder + '/src', '/ricercar/src/program', '/usr/include'):
            for depth in range(1, 6):  # a star stands for one name
                gdb.execute('skip -gfi ' + pattern + '/*' * depth, to_string=True)

# Behind the call of the runtime in which the thread is: a line of the program's own is to be stepped.
def leave_runtime():
    users = users_frame(gdb.newest_frame())
    if users is None or users == gdb.newest_frame():
        return
    called = users.newer()
    while called is not None and called.type() == gdb.INLINE_FRAME:
        called = called.newer()
    if called is not None:
        called.select()
        gdb.execute('finish', to_string=True)

class Failure(gdb.Breakpoint):
    'Every bug that the runtime sees ends the execution there.'
    def stop(self):
        return True

def on_stop(event):
    try:
        frame = gdb.newest_frame()
        name_threads()
        if isinstance(event, gdb.BreakpointEvent) and any(isinstance(one, Failure) for one in event.breakpoints):
            print('ricercar: the bug shows here')
        go_to_users_frame()
    except gdb.error:
        pass
"""))PY";

// `stops_offset` says where in the shared memory DebuggerStops is; gdb has it at the descriptor
// that the program gets.
constexpr const char* switches_python = R"PY(python exec("""
import os, struct

class Memory:
    'The memory that the program shares with the tool, as it was before the first run.'
    def __init__(self, offset):
        self.file = int(os.environ['RICERCAR_CONTROL'])
        self.offset = offset
        self.size = os.fstat(self.file).st_size
        self.parts = []
        at = 0
        while at < self.size:
            try:
                start = os.lseek(self.file, at, os.SEEK_DATA)
            except OSError:
                break
            at = os.lseek(self.file, start, os.SEEK_HOLE)
            self.parts.append((start, os.pread(self.file, at - start, start)))
    def put_back(self):
        os.ftruncate(self.file, 0)
        os.ftruncate(self.file, self.size)
        for start, content in self.parts:
            os.pwrite(self.file, content, start)
    def stop_at(self, number):
        os.pwrite(self.file, struct.pack('<Q', number), self.offset)
    def passed(self):
        return struct.unpack('<Q', os.pread(self.file, 8, self.offset + 8))[0]

def is_running():
    return gdb.selected_inferior().pid != 0

def say_where():
    if is_running():
        print('ricercar: switch %d' % memory.passed())
        gdb.execute('ricercar-threads')

class NextSwitch(gdb.Command):
    'Go on to where the next thread hands over to another one.'
    def __init__(self):
        super().__init__('ricercar-next-switch', gdb.COMMAND_RUNNING)
    def invoke(self, argument, from_tty):
        if not is_running():
            print('The program is not being run.')
            return
        memory.stop_at(memory.passed() + 1)
        gdb.execute('continue')
        say_where()

class PreviousSwitch(gdb.Command):
    'Go back to the switch before, by replaying up to it.'
    def __init__(self):
        super().__init__('ricercar-prev-switch', gdb.COMMAND_RUNNING)
    def invoke(self, argument, from_tty):
        # Behind the last switch, or at the end, that one is the switch before.
        at_switch = is_running() and memory.passed() == self.stopped_at()
        wanted = memory.passed() - (1 if at_switch else 0)
        if wanted < 1:
            print('There is no switch before this one.')
            return
        if is_running():
            gdb.execute('kill')
        memory.put_back()
        memory.stop_at(wanted)
        gdb.execute('run')
        say_where()
    def stopped_at(self):
        return struct.unpack('<Q', os.pread(memory.file, 8, memory.offset))[0]

NextSwitch()
PreviousSwitch()
"""))PY";

// Of one node: others act between two of its turns, and cannot go back with it.
constexpr const char* hand_overs_python = R"PY(python exec("""
def counter(name):
    return '*(unsigned long *)&' + name

def hand_overs():
    return int(gdb.parse_and_eval(counter('ricercar_hand_overs')))

class NextSwitch(gdb.Command):
    'Go on to where another node has had the turn, and this one has it again.'
    def __init__(self):
        super().__init__('ricercar-next-switch', gdb.COMMAND_RUNNING)
    def invoke(self, argument, from_tty):
        if gdb.selected_inferior().pid == 0:
            print('The node is not being run.')
            return
        gdb.execute('set var %s = %d' % (counter('ricercar_wanted_hand_over'), hand_overs() + 1))
        gdb.execute('continue')
        say_where()

class PreviousSwitch(gdb.Command):
    'How to go back to the switch before.'
    def __init__(self):
        super().__init__('ricercar-prev-switch', gdb.COMMAND_RUNNING)
    def invoke(self, argument, from_tty):
        is_running = gdb.selected_inferior().pid != 0
        before = hand_overs() - 1 if is_running else last_seen
        if before < 1:
            print('There is no switch before this one.')
            return
        print('The other nodes would have to go back, too. End gdb, and replay up to it: --switch %d' % before)

last_seen = 0
def say_where():
    global last_seen
    if gdb.selected_inferior().pid != 0:
        last_seen = hand_overs()
        print('ricercar: switch %d' % last_seen)
        gdb.execute('ricercar-threads')

NextSwitch()
PreviousSwitch()
"""))PY";

std::vector<std::string> first_commands(bool is_node) {
  return {
      "set pagination off",
      "set confirm off",
      "set breakpoint pending on",
      "set print thread-events off",
      // The runtime's clock.
      "handle SIG62 nostop noprint pass",
      is_node ? "handle SIGSEGV nostop noprint pass" : "handle SIGSEGV stop print pass",
      threads_python,
  };
}

// gdb steps from where a thread stands, not from the frame that is selected.
constexpr const char* step_from_runtime = R"PY(python exec("""
for command in ('next', 'step'):
    gdb.execute('define hook-' + command + '\\npython leave_runtime()\\nend', to_string=True)
"""))PY";

void add_start(std::vector<std::string>& commands) {
  commands.insert(commands.end(), {
                                      "python Failure('ricercar_execution_fails')",
                                      "run",
                                      "python skip_runtime()",
                                      "python gdb.events.stop.connect(on_stop)",
                                      step_from_runtime,
                                  });
}

}  // namespace

std::vector<std::string> gdb_commands_for(const DebuggerStops& stops) {
  const std::uint64_t offset = reinterpret_cast<std::uint64_t>(&stops) - control_address;
  std::vector<std::string> commands = first_commands(false);
  commands.emplace_back(switches_python);
  commands.push_back("python memory = Memory(" + std::to_string(offset) + ")");
  add_start(commands);
  commands.emplace_back("ricercar-threads");
  return commands;
}

std::vector<std::string> gdb_commands_for_node() {
  std::vector<std::string> commands = first_commands(true);
  commands.emplace_back(hand_overs_python);
  add_start(commands);
  commands.emplace_back("python say_where()");
  return commands;
}

}  // namespace ricercar::inline supervisor
