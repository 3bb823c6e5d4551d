# What other projects find: a CMake package and pkg-config files, in the build folder for use in
# place and, with other paths, among the installed files.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# In a folder of their own: whatever is linked with them knows where they are, and no other program should
# find them.
set(library_destination ${CMAKE_INSTALL_LIBDIR}/ricercar)
install(TARGETS ricercar_runtime ricercar_program ricercar_machines ricercar_network
        LIBRARY DESTINATION ${library_destination}
        ARCHIVE DESTINATION ${library_destination})
install(DIRECTORY include/ricercar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# What the linker puts functions of libricercar_program.a in front of: see program_gtest.cc. The tool says the same
# (cli/compiler_plan.cc).
set(RICERCAR_GTEST_ASSERTIONS
    "-Wl,--wrap=_ZN7testing8internal12AssertHelperC1ENS_14TestPartResult4TypeEPKciS5_,--wrap=_ZNK7testing8internal12AssertHelperaSERKNS_7MessageE"
)

# ricercar_package(FOLDER ... CMAKE_DESTINATION ... PREFIX ... LIBRARIES ... INCLUDES ... TOOLS ...):
# writes the package files for one place into FOLDER.
function(ricercar_package)
  cmake_parse_arguments(arg "" "FOLDER;CMAKE_DESTINATION;PREFIX;LIBRARIES;INCLUDES;TOOLS" "" ${ARGN})
  set(RICERCAR_LIBRARY_FOLDER ${arg_LIBRARIES})
  set(RICERCAR_INCLUDE_FOLDER ${arg_INCLUDES})
  set(RICERCAR_TOOL_FOLDER ${arg_TOOLS})
  configure_package_config_file(
    cmake/RicercarConfig.cmake.in ${arg_FOLDER}/RicercarConfig.cmake
    INSTALL_DESTINATION ${arg_CMAKE_DESTINATION}
    INSTALL_PREFIX ${arg_PREFIX}
    PATH_VARS RICERCAR_LIBRARY_FOLDER RICERCAR_INCLUDE_FOLDER RICERCAR_TOOL_FOLDER)
  write_basic_package_version_file(${arg_FOLDER}/RicercarConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  foreach(file IN ITEMS RicercarTest.cmake RicercarDiscoverTests.cmake)
    configure_file(cmake/${file} ${arg_FOLDER}/${file} COPYONLY)
  endforeach()
endfunction()

# ricercar_pkg_config(FOLDER ... PREFIX ... LIBRARIES ... INCLUDES ...): ricercar.pc for C++,
# ricercar-c.pc for C programs, which are linked without anything that needs a C++ library, and
# ricercar-machines.pc for programs of machines, ricercar-network.pc for those that run on several nodes.
function(ricercar_pkg_config)
  cmake_parse_arguments(arg "" "FOLDER;PREFIX;LIBRARIES;INCLUDES" "" ${ARGN})
  set(RICERCAR_PC_PREFIX ${arg_PREFIX})
  set(RICERCAR_PC_LIBRARY_FOLDER ${arg_LIBRARIES})
  set(RICERCAR_PC_INCLUDE_FOLDER ${arg_INCLUDES})
  set(RICERCAR_PC_LANGUAGE C++)
  set(RICERCAR_PC_PROGRAM
      "-Wl,--whole-archive,\${libdir}/libricercar_program.a,--no-whole-archive ${RICERCAR_GTEST_ASSERTIONS} ")
  configure_file(cmake/ricercar.pc.in ${arg_FOLDER}/ricercar.pc @ONLY)
  set(RICERCAR_PC_LANGUAGE C)
  set(RICERCAR_PC_SUFFIX " for C")
  set(RICERCAR_PC_PROGRAM "")
  configure_file(cmake/ricercar.pc.in ${arg_FOLDER}/ricercar-c.pc @ONLY)
  configure_file(cmake/ricercar-machines.pc.in ${arg_FOLDER}/ricercar-machines.pc @ONLY)
  configure_file(cmake/ricercar-network.pc.in ${arg_FOLDER}/ricercar-network.pc @ONLY)
endfunction()

# In the build folder.
ricercar_package(
  FOLDER ${CMAKE_BINARY_DIR}
  CMAKE_DESTINATION ${CMAKE_BINARY_DIR}
  PREFIX ${CMAKE_BINARY_DIR}
  LIBRARIES ${CMAKE_BINARY_DIR}/lib
  INCLUDES ${CMAKE_SOURCE_DIR}/include
  TOOLS ${CMAKE_BINARY_DIR}/bin)
ricercar_pkg_config(
  FOLDER ${CMAKE_BINARY_DIR}
  PREFIX ${CMAKE_BINARY_DIR}
  LIBRARIES "\${prefix}/lib"
  INCLUDES ${CMAKE_SOURCE_DIR}/include)

# Installed. The files find their neighbours from where they are themselves, so that a prefix may
# be chosen, or changed, after the configure step.
set(installed_package ${CMAKE_BINARY_DIR}/package)
set(cmake_destination ${CMAKE_INSTALL_LIBDIR}/cmake/Ricercar)
ricercar_package(
  FOLDER ${installed_package}
  CMAKE_DESTINATION ${cmake_destination}
  PREFIX ${CMAKE_INSTALL_PREFIX}
  LIBRARIES ${library_destination}
  INCLUDES ${CMAKE_INSTALL_INCLUDEDIR}
  TOOLS ${CMAKE_INSTALL_BINDIR})
file(RELATIVE_PATH prefix_from_pkg_config /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
ricercar_pkg_config(
  FOLDER ${installed_package}
  PREFIX "\${pcfiledir}/${prefix_from_pkg_config}"
  LIBRARIES "\${prefix}/${library_destination}"
  INCLUDES "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES ${installed_package}/RicercarConfig.cmake
              ${installed_package}/RicercarConfigVersion.cmake
              ${installed_package}/RicercarTest.cmake
              ${installed_package}/RicercarDiscoverTests.cmake DESTINATION ${cmake_destination})
install(FILES ${installed_package}/ricercar.pc ${installed_package}/ricercar-c.pc
              ${installed_package}/ricercar-machines.pc ${installed_package}/ricercar-network.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
