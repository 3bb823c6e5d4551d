# ricercar_add_test(NAME name SOURCES file... [LIBRARIES target...] [OPTIONS option...]
#                   [ARGUMENTS argument...] [CHECK])
#
# A test of the project's own libraries under control. The libraries are compiled once more, with
# instrumentation, as targets NAME_under_control; so are those of the project that they link. The
# targets that are named stay as they are.
#
#   add_library(queue STATIC queue.cc)
#   ricercar_add_test(NAME queue_test SOURCES queue_test.cc LIBRARIES queue OPTIONS --time 10)
#
# The test runs `ricercar run OPTIONS name ARGUMENTS`. With CHECK the program calls ricercar::check
# itself, and is just run. Libraries from outside of the project are linked as they are.
function(ricercar_add_test)
  cmake_parse_arguments(arg "CHECK" "NAME" "SOURCES;LIBRARIES;OPTIONS;ARGUMENTS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ricercar_add_test: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_NAME OR NOT arg_SOURCES)
    message(FATAL_ERROR "ricercar_add_test needs NAME and SOURCES")
  endif()
  add_executable(${arg_NAME} ${arg_SOURCES})
  foreach(library IN LISTS arg_LIBRARIES)
    _ricercar_copy_under_control(${library} copy)
    target_link_libraries(${arg_NAME} PRIVATE ${copy})
  endforeach()
  target_link_libraries(${arg_NAME} PRIVATE Ricercar::controlled)
  if(arg_CHECK)
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${arg_ARGUMENTS})
  else()
    add_test(NAME ${arg_NAME} COMMAND Ricercar::ricercar run --out ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}-out ${arg_OPTIONS} --
                                      $<TARGET_FILE:${arg_NAME}> ${arg_ARGUMENTS})
  endif()
endfunction()

# ricercar_discover_tests(TARGET [WHOLE] [OPTIONS option...] [ARGUMENTS argument...] [PREFIX text]
#                         [WORKING_DIRECTORY folder] [PROPERTIES name value...]
#                         [FRAMEWORK gtest|catch2|doctest])
#
# A ctest test for each test of a program of GoogleTest, Catch2 or doctest, which is asked for them
# when it has been built. Each runs the program with that test alone.
#
#   target_link_libraries(queue_test PRIVATE Ricercar::controlled GTest::gtest_main)
#   ricercar_discover_tests(queue_test OPTIONS --time 10)
#
# The tests search themselves (RICERCAR_TEST, or ricercar::check): OPTIONS stand above those in the
# code and below those in the environment variable RICERCAR_OPTIONS. With WHOLE the tests are ordinary
# ones, and each runs `ricercar run OPTIONS`: the whole program with that test is what is searched.
function(ricercar_discover_tests target)
  cmake_parse_arguments(arg "WHOLE" "PREFIX;WORKING_DIRECTORY;FRAMEWORK" "OPTIONS;ARGUMENTS;PROPERTIES" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ricercar_discover_tests: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_WORKING_DIRECTORY)
    set(arg_WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  set(tests "${CMAKE_CURRENT_BINARY_DIR}/${target}_ricercar_tests.cmake")
  add_custom_command(
    TARGET ${target}
    POST_BUILD
    BYPRODUCTS "${tests}"
    COMMAND
      "${CMAKE_COMMAND}" -D "PROGRAM=$<TARGET_FILE:${target}>" -D "FRAMEWORK=${arg_FRAMEWORK}" -D
      "OUTPUT=${tests}" -D "WORKING_DIRECTORY=${arg_WORKING_DIRECTORY}" -D "TARGET=${target}" -D
      "PREFIX=${arg_PREFIX}" -D "WHOLE=${arg_WHOLE}" -D "TOOL=$<TARGET_FILE:Ricercar::ricercar>" -D
      "OPTIONS=${arg_OPTIONS}" -D "ARGUMENTS=${arg_ARGUMENTS}" -D "PROPERTIES=${arg_PROPERTIES}" -P
      "${_ricercar_discover_script}"
    VERBATIM)
  set(include_file "${CMAKE_CURRENT_BINARY_DIR}/${target}_ricercar_include.cmake")
  file(WRITE "${include_file}" "if(EXISTS \"${tests}\")
  include(\"${tests}\")
else()
  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${include_file}")
endfunction()
set(_ricercar_discover_script "${CMAKE_CURRENT_LIST_DIR}/RicercarDiscoverTests.cmake")

# Sets `result` to what stands for `library` in a program under control: a copy of it if it is a
# library of this project, otherwise itself.
function(_ricercar_copy_under_control library result)
  set(${result} ${library} PARENT_SCOPE)
  if(NOT TARGET ${library})
    return()
  endif()
  get_target_property(original ${library} ALIASED_TARGET)
  if(NOT original)
    set(original ${library})
  endif()
  get_target_property(is_imported ${original} IMPORTED)
  get_target_property(type ${original} TYPE)
  if(is_imported OR NOT type MATCHES "^(STATIC|SHARED|OBJECT|INTERFACE)_LIBRARY$")
    return()
  endif()
  set(copy ${original}_under_control)
  if(NOT TARGET ${copy})
    string(REPLACE "_LIBRARY" "" kind ${type})
    add_library(${copy} ${kind})
    _ricercar_copy_sources(${original} ${copy})
    _ricercar_copy_properties(${original} ${copy})
    _ricercar_copy_links(${original} ${copy} LINK_LIBRARIES)
    _ricercar_copy_links(${original} ${copy} INTERFACE_LINK_LIBRARIES)
    if(NOT kind STREQUAL INTERFACE)
      target_link_libraries(${copy} PRIVATE Ricercar::controlled)
    endif()
  endif()
  set(${result} ${copy} PARENT_SCOPE)
endfunction()

function(_ricercar_copy_sources original copy)
  get_target_property(sources ${original} SOURCES)
  if(NOT sources)
    return()
  endif()
  get_target_property(folder ${original} SOURCE_DIR)
  foreach(source IN LISTS sources)
    if(source MATCHES "^\\$<TARGET_OBJECTS:([^>]*)>$")
      _ricercar_copy_under_control(${CMAKE_MATCH_1} objects)
      set(source "$<TARGET_OBJECTS:${objects}>")
    elseif(NOT source MATCHES "^\\$<")
      get_filename_component(source "${source}" ABSOLUTE BASE_DIR "${folder}")
      if(NOT EXISTS "${source}")
        # Whoever makes it for the original makes it for the copy.
        set_source_files_properties("${source}" PROPERTIES GENERATED TRUE)
        add_dependencies(${copy} ${original})
      endif()
    endif()
    target_sources(${copy} PRIVATE "${source}")
  endforeach()
endfunction()

function(_ricercar_copy_properties original copy)
  set(properties
      INTERFACE_COMPILE_DEFINITIONS INTERFACE_COMPILE_FEATURES INTERFACE_COMPILE_OPTIONS
      INTERFACE_INCLUDE_DIRECTORIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES INTERFACE_LINK_OPTIONS
      INTERFACE_LINK_DIRECTORIES INTERFACE_SOURCES)
  get_target_property(type ${original} TYPE)
  if(NOT type STREQUAL INTERFACE_LIBRARY)
    list(APPEND properties COMPILE_DEFINITIONS COMPILE_FEATURES COMPILE_OPTIONS COMPILE_FLAGS
         INCLUDE_DIRECTORIES LINK_OPTIONS LINK_DIRECTORIES LINK_FLAGS LINKER_LANGUAGE C_STANDARD
         C_STANDARD_REQUIRED C_EXTENSIONS CXX_STANDARD CXX_STANDARD_REQUIRED CXX_EXTENSIONS
         POSITION_INDEPENDENT_CODE C_VISIBILITY_PRESET CXX_VISIBILITY_PRESET
         VISIBILITY_INLINES_HIDDEN AUTOMOC AUTOUIC AUTORCC)
  endif()
  foreach(property IN LISTS properties)
    get_property(is_set TARGET ${original} PROPERTY ${property} SET)
    if(is_set)
      get_property(value TARGET ${original} PROPERTY ${property})
      set_property(TARGET ${copy} PROPERTY ${property} "${value}")
    endif()
  endforeach()
  if(type STREQUAL SHARED_LIBRARY)
    get_target_property(symbol ${original} DEFINE_SYMBOL)
    if(NOT symbol)
      string(MAKE_C_IDENTIFIER "${original}_EXPORTS" symbol)
    endif()
    set_property(TARGET ${copy} PROPERTY DEFINE_SYMBOL ${symbol})
  endif()
  if(NOT type STREQUAL INTERFACE_LIBRARY)
    # Link-time optimisation compiles again, without instrumentation.
    set_property(TARGET ${copy} PROPERTY INTERPROCEDURAL_OPTIMIZATION OFF)
  endif()
endfunction()

# Libraries of the project are replaced by their copies.
function(_ricercar_copy_links original copy property)
  get_property(links TARGET ${original} PROPERTY ${property})
  set(mapped)
  foreach(link IN LISTS links)
    if(link MATCHES "^\\$<LINK_ONLY:([^<>]*)>$")
      _ricercar_copy_under_control(${CMAKE_MATCH_1} one)
      list(APPEND mapped "$<LINK_ONLY:${one}>")
    elseif(link MATCHES "^[^$<>@]*$")
      _ricercar_copy_under_control("${link}" one)
      list(APPEND mapped "${one}")
    else()
      list(APPEND mapped "${link}")
    endif()
  endforeach()
  if(mapped)
    set_property(TARGET ${copy} PROPERTY ${property} "${mapped}")
  endif()
endfunction()
