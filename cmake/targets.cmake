# What all targets share: warnings are errors, and a folder links (so may include) only what it names.
add_library(ricercar_flags INTERFACE)
# x86-64-v2: population count and 16-byte compare-exchange. Every machine that fits has them.
target_compile_options(ricercar_flags INTERFACE -march=x86-64-v2 -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Werror)
target_include_directories(ricercar_flags INTERFACE ${CMAKE_SOURCE_DIR}/src
                                                    ${CMAKE_SOURCE_DIR}/include)
if(RICERCAR_SANITIZE)
  # To optimise takes longer than most of these tests; see ricercar_computes for the others. g++ takes members
  # of the library's own classes for uninitialised once they are instrumented.
  target_compile_options(ricercar_flags INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:RICERCAR_COMPUTES>>,-O1,-O0>
                                                  -g1 -fsanitize=address,undefined
                                                  -fno-sanitize-recover=undefined
                                                  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(ricercar_flags INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(ricercar_flags INTERFACE RICERCAR_SANITIZED)
endif()

# Debug information of variables makes up a third of the time that a build takes; who debugs Ricercar
# itself asks for it with -DCMAKE_BUILD_TYPE=Debug.
set(ricercar_few_symbols $<$<CONFIG:Release>:-g1>)

# Reading the standard library takes longer than compiling most files that use it, so it is read once
# for all libraries and once, with GoogleTest, for all tests. The files of large libraries are compiled
# some at a time, which saves what they instantiate in common; turn that off to edit one of them again
# and again.
option(RICERCAR_PRECOMPILE "Precompile the headers of the standard library" ON)
option(RICERCAR_OPTIMISE "Optimise everything; what takes control of a program always is" ON)
option(RICERCAR_UNITY "Compile files of large libraries some at a time" ON)
set(RICERCAR_UNITY_FILES 20 CACHE STRING "How many files of a large library are compiled at a time")
# String instructions and calls of memset take long to begin, and most of what is copied or emptied is
# small.
set(ricercar_without_string_instructions
    $<$<CXX_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns;-mmemset-strategy=vector_loop:1024:noalign,libcall:-1:noalign;-mmemcpy-strategy=vector_loop:1024:noalign,libcall:-1:noalign>)
set(ricercar_library_options -fvisibility=hidden -fvisibility-inlines-hidden -fno-threadsafe-statics
                             ${ricercar_few_symbols} ${ricercar_without_string_instructions})
set(ricercar_test_options $<$<CONFIG:Release>:-O1> ${ricercar_few_symbols})
file(CONFIGURE OUTPUT precompiled.cc CONTENT "int main() {}\n")
add_library(ricercar_library_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled.cc)
target_link_libraries(ricercar_library_headers PRIVATE ricercar_flags)
target_compile_options(ricercar_library_headers PRIVATE ${ricercar_library_options})
add_executable(ricercar_test_headers EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled.cc)
target_link_libraries(ricercar_test_headers PRIVATE ricercar_flags GTest::gtest)
target_compile_options(ricercar_test_headers PRIVATE ${ricercar_test_options})
if(RICERCAR_PRECOMPILE)
  # g++ 12 forgets that precompiled headers are the system's, and shows its false alarms about strings.
  target_compile_options(
    ricercar_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread>)
  set(ricercar_standard_headers <algorithm> <array> <cstdint> <map> <memory> <optional> <span> <string> <vector>)
  target_precompile_headers(ricercar_library_headers PRIVATE ${ricercar_standard_headers})
  target_precompile_headers(ricercar_test_headers PRIVATE <algorithm> <gtest/gtest.h> <memory> <span>
                                                          <string> <vector>)
endif()

function(ricercar_precompile target headers)
  if(RICERCAR_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

# Libraries and tests that compute for long are optimised a little even with sanitizers. The precompiled headers
# are not, so they go without.
function(ricercar_computes)
  if(RICERCAR_SANITIZE)
    set_target_properties(${ARGN} PROPERTIES RICERCAR_COMPUTES ON DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# ricercar_link_first(TEST LIBRARIES...): of several copies of an inline function the linker takes the first, and with
# sanitizers those of libraries that compute are optimised, those of their tests are not.
function(ricercar_link_first test)
  if(RICERCAR_SANITIZE)
    list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
    list(JOIN files "," files)
    target_link_options(${test} PRIVATE "LINKER:--whole-archive,${files},--no-whole-archive")
  endif()
endfunction()

function(ricercar_unity target)
  if(RICERCAR_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${RICERCAR_UNITY_FILES})
  endif()
endfunction()

# ricercar_unity_groups(TARGET GROUP FILES... [AND GROUP FILES...]...): the files of a group at a time, and
# alone those that are in none.
function(ricercar_unity_groups target)
  ricercar_unity(${target})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  set(group)
  foreach(word IN LISTS ARGN)
    if(word STREQUAL AND)
      set(group)
    elseif(NOT group)
      set(group ${word})
    else()
      set_source_files_properties(${word} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
endfunction()

# Only the files of its own side, the tool or the program under test, can be found by a target.
function(ricercar_side target)
  foreach(side IN ITEMS program tool)
    if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/src/${side}/")
      target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src/${side})
    endif()
  endforeach()
endfunction()

# ricercar_library(NAME [UNITY] SOURCES ... LINKS ... [HEADERS ...]): one folder of src/ as a static
# library. UNITY: some files at a time. HEADERS: those of foreign libraries that most of its files read.
function(ricercar_library name)
  cmake_parse_arguments(arg "UNITY" "" "SOURCES;LINKS;HEADERS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  ricercar_side(${name})
  if(arg_UNITY)
    ricercar_unity(${name})
  endif()
  target_link_libraries(${name} PUBLIC ricercar_flags ${arg_LINKS})
  # The runtime hooks the guards of static variables, so it must not use them itself.
  target_compile_options(${name} PRIVATE ${ricercar_library_options})
  if(NOT RICERCAR_OPTIMISE AND NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "/src/(base|disk|program/)")
    target_compile_options(${name} PRIVATE -O0)
    list(APPEND arg_HEADERS ${ricercar_standard_headers})
  endif()
  if(arg_HEADERS AND RICERCAR_PRECOMPILE)
    target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  else()
    ricercar_precompile(${name} ricercar_library_headers)
  endif()
endfunction()

# The tests of single folders that belong to this build. Each runs once: with the sanitizers where they can
# watch, which is everywhere but in the runtime, which takes over memory and stacks itself, and in the tool;
# those with each compiler instead. The others can still be built here by name.
add_custom_target(unit_tests)

# ricercar_test(NAME [UNSANITIZED] [SYMBOLS] SOURCES ... LINKS ...): a GoogleTest program, run as one
# test. UNSANITIZED: the sanitizers cannot watch it. SYMBOLS: it looks at its own debug information.
function(ricercar_test name)
  cmake_parse_arguments(arg "UNSANITIZED;SYMBOLS" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  ricercar_side(${name})
  target_link_libraries(${name} PRIVATE ricercar_flags ${arg_LINKS} GTest::gtest GTest::gtest_main)
  if(NOT arg_SYMBOLS)
    target_compile_options(${name} PRIVATE ${ricercar_test_options})
    ricercar_precompile(${name} ricercar_test_headers)
  endif()
  set(watched ON)
  if(arg_UNSANITIZED OR arg_LINKS MATCHES "ricercar_(heap|memory|threads|worker)")
    set(watched OFF)
  endif()
  if(watched STREQUAL RICERCAR_SANITIZE)
    add_dependencies(unit_tests ${name})
    add_test(NAME ${name} COMMAND ${name})
    set_property(TEST ${name} PROPERTY LABELS unit)
  else()
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()
