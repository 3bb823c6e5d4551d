/* Two-phase commit without faults: the same protocol as commit.cc, with a scheduling point behind
 * each send, as machines have them. -DN=participants -DROUNDS=rounds. */
#ifndef N
#define N 5
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#define PREPARE 0
#define COMMIT 1
#define ABORT 2
#define YES 0
#define NO 1
#define ACK 2

chan to_participant[N] = [2] of { byte };
chan to_coordinator = [N] of { byte };

active proctype Coordinator() {
  byte rounds = ROUNDS;
  byte missing = 0;
  byte i = 0;
  byte message;
  bool commit = true;
  do
  :: rounds > 0 ->
    i = 0;
    do
    :: i < N -> to_participant[i]!PREPARE; i++
    :: else -> break
    od;
    missing = N;
    commit = true;
    do
    :: missing > 0 ->
      to_coordinator?message;
      d_step { commit = (commit && message == YES); missing-- }
    :: else -> break
    od;
    i = 0;
    do
    :: i < N ->
      if
      :: commit -> to_participant[i]!COMMIT
      :: else -> to_participant[i]!ABORT
      fi;
      i++
    :: else -> break
    od;
    missing = N;
    do
    :: missing > 0 -> to_coordinator?message; missing--
    :: else -> break
    od;
    rounds--
  :: else -> break
  od
}

active [N] proctype Participant() {
  byte message;
  bool yes = false;
  end:
  do
  :: to_participant[_pid - 1]?message ->
    if
    :: message == PREPARE ->
      if
      :: yes = true; to_coordinator!YES
      :: yes = false; to_coordinator!NO
      fi
    :: else ->
      assert(message == ABORT || yes);
      yes = false;
      to_coordinator!ACK
    fi
  od
}
