# Reading the standard library takes longer than all else that is done with most test programs, so
# run_program's compilers read it once. Programs that ask for options of their own, C, and what other tests
# compile go without.
set(program_headers ${CMAKE_CURRENT_BINARY_DIR}/program_headers)
set(program_header_options -std=c++20 -g -Wall -Wextra -Werror -pthread)
target_compile_definitions(run_program PRIVATE RICERCAR_PROGRAM_HEADERS="${program_headers}")

# program_headers(COMPILER ENDING OPTIONS...): made as the programs are, by `ricercar c++`, for each level of
# optimisation that they are compiled with.
function(program_headers compiler ending)
  set(results)
  foreach(level IN ITEMS O0 O1 O2)
    set(header ${program_headers}/${compiler}-${level}/headers.h)
    configure_file(program_headers.h ${header} COPYONLY)
    set(result ${header}.${ending})
    add_custom_command(
      OUTPUT ${result}
      COMMAND ricercar c++ ${ARGN} ${program_header_options} -${level} -MD -MF ${result}.d -MT ${result}
              -x c++-header ${header} -o ${result}
      DEPENDS ${header} ${CMAKE_SOURCE_DIR}/src/tool/cli/compiler_plan.cc
      DEPFILE ${result}.d
      COMMENT "Precompiling the headers of test programs with ${compiler} -${level}"
      VERBATIM)
    list(APPEND results ${result})
  endforeach()
  add_custom_target(program_headers_${compiler} DEPENDS ${results})
  add_dependencies(program_headers_${compiler} ricercar)
  add_dependencies(run_program program_headers_${compiler})
endfunction()

program_headers(gcc gch)
# What the headers instantiate themselves is instantiated once, too.
program_headers(clang pch --clang -fpch-instantiate-templates)
