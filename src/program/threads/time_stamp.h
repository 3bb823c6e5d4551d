// The processor's time stamp counter (rdtsc, rdtscp). The kernel is asked to let these instructions
// fault, and the fault is answered in virtual time: one tick is a nanosecond. Code that is not
// under control, and the kernel's own functions for the time (the vDSO), get the real counter.
//
// A setting of the kernel thread that asks for it and of those that it creates afterwards.
#pragma once

namespace ricercar::inline threads {

void trap_time_stamps();
void release_time_stamps();

// From the handler of SIGSEGV: whether the fault was such an instruction. It has its answer then,
// and the program goes on behind it.
bool answer_time_stamp(void* context);

}  // namespace ricercar::inline threads
