# What all targets share: warnings are errors, and a folder links (so may include) only what it names.
add_library(ricercar_flags INTERFACE)
# x86-64-v2: population count and 16-byte compare-exchange. Every machine that fits has them.
target_compile_options(ricercar_flags INTERFACE -march=x86-64-v2 -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Werror)
target_include_directories(ricercar_flags INTERFACE ${CMAKE_SOURCE_DIR}/src
                                                    ${CMAKE_SOURCE_DIR}/include)
if(RICERCAR_SANITIZE)
  # g++ takes members of the library's own classes for uninitialised once they are instrumented.
  target_compile_options(ricercar_flags INTERFACE -O1 -g1 -fsanitize=address,undefined
                                                  -fno-sanitize-recover=undefined
                                                  -Wno-maybe-uninitialized)
  target_link_options(ricercar_flags INTERFACE -fsanitize=address,undefined)
endif()

# Debug information of variables makes up a third of the time that a build takes; who debugs Ricercar
# itself asks for it with -DCMAKE_BUILD_TYPE=Debug.
set(ricercar_few_symbols $<$<CONFIG:Release>:-g1>)

# ricercar_library(NAME SOURCES ... LINKS ...): one folder of src/ as a static library.
function(ricercar_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ricercar_flags ${arg_LINKS})
  # The runtime hooks the guards of static variables, so it must not use them itself.
  target_compile_options(${name} PRIVATE -fvisibility=hidden -fvisibility-inlines-hidden
                                         -fno-threadsafe-statics ${ricercar_few_symbols})
endfunction()

# The tests that the sanitizers can watch: all but those of the runtime, which takes over memory and
# stacks itself, and of the tool.
add_custom_target(sanitizable_tests)
# All tests of single folders: what the second compiler builds, with the libraries and the tool.
add_custom_target(unit_tests)

# ricercar_test(NAME [UNSANITIZED] [SYMBOLS] SOURCES ... LINKS ...): a GoogleTest program, run as one
# test. SYMBOLS: it looks at its own debug information.
function(ricercar_test name)
  cmake_parse_arguments(arg "UNSANITIZED;SYMBOLS" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ricercar_flags ${arg_LINKS} GTest::gtest GTest::gtest_main)
  if(NOT arg_SYMBOLS)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1> ${ricercar_few_symbols})
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_property(TEST ${name} PROPERTY LABELS unit)
  add_dependencies(unit_tests ${name})
  if(NOT arg_UNSANITIZED AND NOT arg_LINKS MATCHES "ricercar_(heap|memory|threads|worker|cli)")
    set_property(TEST ${name} APPEND PROPERTY LABELS sanitizable)
    add_dependencies(sanitizable_tests ${name})
  endif()
endfunction()
