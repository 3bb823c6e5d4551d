# Tests that compile a program under control, search it and compare the outcome with its folder. The
# name of a test is COLLECTION.FOLDER.NAME.COMPILER, where COLLECTION is the folder of the CMakeLists.txt.

# ricercar_programs(FOLDER NAMES...): C++ programs by name, C programs with their ending.
function(ricercar_programs folder)
  foreach(name IN LISTS ARGN)
    if(NOT name MATCHES "\\.c$")
      string(APPEND name .cc)
    endif()
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${name})
    set_property(GLOBAL APPEND PROPERTY RICERCAR_PROGRAMS ${source})
    ricercar_program_tests(${folder}/${name} ${source})
  endforeach()
endfunction()

function(ricercar_program_tests path source)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME collection)
  string(REGEX REPLACE "\\.(c|cc)$" "" title ${path})
  string(REPLACE "/" "." title ${title})
  foreach(compiler IN ITEMS gcc clang)
    set(test ${collection}.${title}.${compiler})
    add_test(NAME ${test} COMMAND run_program $<TARGET_FILE:ricercar> ${compiler} ${source}
                                  ${CMAKE_CURRENT_BINARY_DIR}/${test})
    set_tests_properties(${test} PROPERTIES LABELS ${collection} TIMEOUT 300)
  endforeach()
endfunction()

# ricercar_forked_programs(PATHS...): registered programs once more, with a fork for each execution.
# All of them: RICERCAR_RUN_OPTIONS=--fork ctest -L programs
function(ricercar_forked_programs)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME collection)
  foreach(path IN LISTS ARGN)
    string(REPLACE "/" "." title ${path})
    set(test ${collection}.forked.${title}.gcc)
    add_test(NAME ${test} COMMAND run_program $<TARGET_FILE:ricercar> gcc
                                  ${CMAKE_CURRENT_SOURCE_DIR}/${path}.cc ${CMAKE_CURRENT_BINARY_DIR}/${test})
    set_tests_properties(${test} PROPERTIES LABELS ${collection} TIMEOUT 300
                                            ENVIRONMENT RICERCAR_RUN_OPTIONS=--fork)
  endforeach()
endfunction()

# ricercar_program_lines(PATHS...): the report of a bug names the marked lines without and with full
# optimisation, too. PATHS are FOLDER/NAME as above.
function(ricercar_program_lines)
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME collection)
  foreach(path IN LISTS ARGN)
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${path})
    if(NOT path MATCHES "\\.c$")
      string(APPEND source .cc)
    endif()
    string(REPLACE "/" "." title ${path})
    foreach(compiler IN ITEMS gcc clang)
      foreach(level IN ITEMS O0 O2)
        set(test ${collection}.lines.${title}.${compiler}.${level})
        add_test(NAME ${test} COMMAND run_program $<TARGET_FILE:ricercar> ${compiler} ${source}
                                      ${CMAKE_CURRENT_BINARY_DIR}/${test} -${level})
        set_tests_properties(${test} PROPERTIES LABELS ${collection} TIMEOUT 300)
      endforeach()
    endforeach()
  endforeach()
endfunction()

function(require_registered_programs)
  file(GLOB_RECURSE programs CONFIGURE_DEPENDS bug/*.c bug/*.cc ok/*.c ok/*.cc)
  get_property(registered GLOBAL PROPERTY RICERCAR_PROGRAMS)
  list(REMOVE_ITEM programs ${registered})
  if(programs)
    list(JOIN programs "\n  " lines)
    message(FATAL_ERROR "These programs are not registered in ${CMAKE_CURRENT_SOURCE_DIR}:\n  ${lines}")
  endif()
endfunction()
