# Run by ricercar_discover_tests behind the build of a test program: asks it for its tests, and writes
# an add_test for each into a file that ctest reads.
#   PROGRAM FRAMEWORK OUTPUT WORKING_DIRECTORY TARGET PREFIX WHOLE TOOL OPTIONS ARGUMENTS PROPERTIES

# Sets FRAMEWORK to that of the program, by words that are in it.
function(find_framework)
  foreach(pair IN ITEMS "gtest=gtest_list_tests|libgtest" "doctest=list-test-cases"
                        "catch2=list-test-names-only|Catch2")
    string(REPLACE "=" ";" pair "${pair}")
    list(GET pair 0 name)
    list(GET pair 1 words)
    file(STRINGS "${PROGRAM}" found REGEX "${words}" LIMIT_COUNT 1)
    if(found)
      set(FRAMEWORK ${name} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "ricercar_discover_tests: '${PROGRAM}' is of no known test framework: say "
                      "FRAMEWORK gtest, catch2 or doctest")
endfunction()

# Sets `listing` to what the program prints with these arguments. `codes`: a status that is allowed.
function(ask_program listing codes)
  execute_process(
    COMMAND "${PROGRAM}" ${ARGN}
    WORKING_DIRECTORY "${WORKING_DIRECTORY}"
    OUTPUT_VARIABLE output
    ERROR_VARIABLE errors
    RESULT_VARIABLE status)
  if(NOT status MATCHES "^(${codes})$")
    message(FATAL_ERROR "ricercar_discover_tests: '${PROGRAM} ${ARGN}' ended with ${status}:\n"
                        "${output}${errors}")
  endif()
  set(${listing} "${output}" PARENT_SCOPE)
endfunction()

# Writes a test. Texts are in brackets, because names may have any letter.
function(write_test name filter)
  set(command "[==[${PROGRAM}]==] [==[${filter}]==]")
  foreach(argument IN LISTS ARGUMENTS)
    string(APPEND command " [==[${argument}]==]")
  endforeach()
  if(WHOLE)
    string(MAKE_C_IDENTIFIER "${name}" folder)
    string(SHA1 hash "${name}")
    string(SUBSTRING "${hash}" 0 8 hash)
    set(search "[==[${TOOL}]==] run --out [==[${WORKING_DIRECTORY}/ricercar-out/${TARGET}.${folder}-${hash}]==]")
    foreach(option IN LISTS OPTIONS)
      string(APPEND search " [==[${option}]==]")
    endforeach()
    set(command "${search} -- ${command}")
  endif()
  set(properties "WORKING_DIRECTORY [==[${WORKING_DIRECTORY}]==]")
  if(OPTIONS AND NOT WHOLE)
    string(REPLACE ";" " " words "${OPTIONS}")
    # In front of what the environment has, which so stands above it.
    string(APPEND properties
           " ENVIRONMENT_MODIFICATION [==[RICERCAR_OPTIONS=string_prepend:${words} ]==]")
  endif()
  foreach(property IN LISTS PROPERTIES)
    string(APPEND properties " [==[${property}]==]")
  endforeach()
  file(APPEND "${OUTPUT}" "add_test([==[${PREFIX}${name}]==] ${command})\n"
                          "set_tests_properties([==[${PREFIX}${name}]==] PROPERTIES ${properties})\n")
endfunction()

# Suites, which end with a dot, and below each its tests; comments behind a #.
function(write_gtest_line line)
  string(REGEX REPLACE " *#.*" "" line "${line}")
  if(line MATCHES "^[^ ].*\\.$")
    set(suite "${line}" PARENT_SCOPE)
  elseif(line MATCHES "^  ([^ ]+)$")
    set(name "${suite}${CMAKE_MATCH_1}")
    if(NOT name MATCHES "(^|[./])DISABLED_")
      write_test("${name}" "--gtest_filter=${name}")
    endif()
  endif()
endfunction()

function(write_catch2_line line)
  if(line MATCHES "^ *$")
    return()
  endif()
  string(REGEX REPLACE "([][,\\\\])" "\\\\\\1" filter "${line}")
  write_test("${line}" "${filter}")
endfunction()

function(write_doctest_line line)
  if(line MATCHES "^(\\[doctest\\]|===| *$)")
    return()
  endif()
  string(REPLACE "," "\\," filter "${line}")
  write_test("${line}" "--test-case=${filter}")
endfunction()

if(FRAMEWORK STREQUAL "")
  find_framework()
endif()
if(FRAMEWORK STREQUAL gtest)
  ask_program(listing 0 --gtest_list_tests)
elseif(FRAMEWORK STREQUAL doctest)
  ask_program(listing 0 --list-test-cases --no-colors)
elseif(FRAMEWORK STREQUAL catch2)
  # Version 2 returns how many there are; version 3 has another option.
  file(STRINGS "${PROGRAM}" version_2 REGEX "list-test-names-only" LIMIT_COUNT 1)
  if(version_2)
    ask_program(listing "[0-9]+" --list-test-names-only)
  else()
    ask_program(listing 0 --list-tests --verbosity quiet)
  endif()
else()
  message(FATAL_ERROR "ricercar_discover_tests: FRAMEWORK is gtest, catch2 or doctest, not '${FRAMEWORK}'")
endif()

file(WRITE "${OUTPUT}" "")
# Not as a list: in one, brackets and semicolons mean something.
while(NOT listing STREQUAL "")
  string(FIND "${listing}" "\n" end)
  if(end EQUAL -1)
    string(LENGTH "${listing}" end)
  endif()
  string(SUBSTRING "${listing}" 0 ${end} line)
  math(EXPR next "${end} + 1")
  string(LENGTH "${listing}" length)
  if(next LESS length)
    string(SUBSTRING "${listing}" ${next} -1 listing)
  else()
    set(listing "")
  endif()
  cmake_language(CALL write_${FRAMEWORK}_line "${line}")
endwhile()
