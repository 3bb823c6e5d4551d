/* Two-phase commit without faults: the protocol of commit.cc, in transitions of the same size: from
 * one send, or one wait for a message, to the next. -DN=participants -DROUNDS=rounds. */
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
  byte message = 0;
  bool commit = true;
voting:
  do
  :: atomic { i < N -> to_participant[i]!PREPARE; i++ }
  :: atomic { i == N -> i = 0; missing = N; commit = true; break }
  od;
  do
  :: atomic {
      missing > 0 -> to_coordinator?message;
      commit = (commit && message == YES);
      missing--;
      message = 0
    }
  :: atomic { missing == 0 -> break }
  od;
  do
  :: atomic { i < N && commit -> to_participant[i]!COMMIT; i++ }
  :: atomic { i < N && !commit -> to_participant[i]!ABORT; i++ }
  :: atomic { i == N -> i = 0; missing = N; commit = true; break }
  od;
  do
  :: atomic { missing > 0 -> to_coordinator?message; missing--; message = 0 }
  :: atomic { missing == 0 -> break }
  od;
  atomic {
    rounds--;
    if
    :: rounds > 0 -> goto voting
    :: else -> skip
    fi
  }
}

active [N] proctype Participant() {
  byte message = 0;
  bool yes = false;
end:
  do
  :: atomic {
      to_participant[_pid - 1]?message;
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
      fi;
      message = 0
    }
  od
}
