#!/bin/sh
# use_frameworks.sh PROJECT WORK_FOLDER PREFIX PACKAGE_FOLDER
# Builds test programs of three frameworks, runs their tests, and replays what they have found by the
# lines that they print.
set -eu
project=$1 work=$2 package=$4
rm -rf "$work"
cmake -S "$project" -B "$work" -G Ninja -DRicercar_DIR="$package"
cmake --build "$work" -j2
cd "$work"

# expect STATUS NAME TEXT...: the ctest test ends so, and prints each of the texts.
expect() {
  status=$1 name=$2
  shift 2
  outcome=passed
  # ctest takes a regular expression.
  ctest -V -R "^$(printf %s "$name" | sed 's/[].[]/\\&/g')\$" --no-tests=error >output 2>&1 || outcome=failed
  if [ $outcome != "$status" ]; then cat output; echo "$name has $outcome"; exit 1; fi
  for text; do
    grep -qF -- "$text" output || { cat output; echo "$name does not print: $text"; exit 1; }
  done
}

# replay FILE: the printed line works, from another folder.
replay() {
  line=$(sed -n 's/.*Run it again: *//p' output | head -1)
  case $line in *"$1") ;; *) echo "the schedule is not $1: $line"; exit 1 ;; esac
  status=0
  (cd / && sh -c "$line") >replayed 2>&1 || status=$?
  if [ $status != 1 ]; then cat replayed; echo "status $status: $line"; exit 1; fi
}

equality='assertion failed: Expected equality of these values: count_badly() (is 1); 2'
expect failed gtest.Count.Badly "$equality; one is lost" "with seed 5" "with_gtest.cc:8: Failure"
replay /ricercar-out/with_gtest.Count.Badly-bug-1.json
expect failed gtest.Count.InAnotherThread "$equality in T1" with_gtest.cc:13
replay /ricercar-out/with_gtest.Count.InAnotherThread-bug-1.json
expect passed gtest.Count.Well
expect passed gtest.Counter.IsNewForEachExecution
expect passed gtest.ByHand.TwoChecks

expect failed whole.Count.Badly "$equality; one is lost" whole_gtest.cc:7 "strategy dpor"
replay /bug-1.json
expect passed whole.Count.Well "nothing is left to explore"
expect passed whole.Count.ExpectsAFailure

expect failed 'catch2.counts badly, [in] brackets' \
  'assertion failed: REQUIRE( count_badly() == 2 ), with 1 == 2 in T0' with_catch2.cc:5
replay /ricercar-out/with_catch2.counts_badly___in__brackets-1171794d-bug-1.json
expect failed 'catch2.checks badly' 'assertion failed: CHECK( count_badly() == 2 ), with 1 == 2' \
  "strategy pct:depth=2 with seed 2"
expect passed 'catch2.counts well'

expect failed 'doctest.counts badly, alas' \
  'assertion failed: CHECK( count_badly() == 2 ), with 1 == 2 in T0' with_doctest.cc:5
replay bug-1.json
expect failed 'doctest.requires badly' 'REQUIRE( count_badly() == 2 )' "strategy pct:depth=2"
expect passed 'doctest.counts well'

# The environment and the command line, above what is in the code.
export RICERCAR_OPTIONS="--seed 9 --strategy random"
expect failed gtest.Count.Badly "strategy random with seed 9"
./with_doctest --ricercar-strategy=pct:depth=4 '--test-case=requires badly' >output && exit 1
grep -q "pct:depth=4" output
./with_catch2 --ricercar-executions=7 'counts well' >output
test "$(ctest -N | sed -n 's/Total Tests: //p')" = 14
