# A test that nobody builds passes for ever: the configure step fails if a *_test.cc under src/ or
# tests/ belongs to no target.

# Appends the absolute paths of the sources of all targets in `folder` and below to `result`.
function(collect_sources folder result)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(sources ${target} SOURCES)
    if(sources)
      list(TRANSFORM sources PREPEND "${folder}/" REGEX "^[^/]")
      list(APPEND ${result} ${sources})
    endif()
  endforeach()
  get_property(subfolders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    collect_sources(${subfolder} ${result})
  endforeach()
  set(${result} ${${result}} PARENT_SCOPE)
endfunction()

function(require_registered_tests)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS src/*_test.cc tests/*_test.cc)
  collect_sources(${CMAKE_SOURCE_DIR} registered)
  list(REMOVE_ITEM tests ${registered})
  if(tests)
    list(JOIN tests "\n  " lines)
    message(FATAL_ERROR "These tests are not registered in any CMakeLists.txt:\n  ${lines}")
  endif()
endfunction()
