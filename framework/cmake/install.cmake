# cmake --install: the library, its public headers, and what find_package(etude) and pkg-config read.
include(CMakePackageConfigHelpers)

set(etude_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/etude)

install(TARGETS etude EXPORT etudeTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY framework/etude framework/extras/etude layers/etude DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "detail" EXCLUDE PATTERN "distributed/mpi" EXCLUDE)
install(EXPORT etudeTargets NAMESPACE etude:: DESTINATION ${etude_config_dir})

# find_package(etude COMPONENTS mpi) alone looks for MPI.
if(ETUDE_MPI)
  install(TARGETS etude_mpi EXPORT etudeMpiTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY framework/extras/etude/distributed/mpi DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/etude/distributed
    FILES_MATCHING PATTERN "*.h" PATTERN "detail" EXCLUDE)
  install(EXPORT etudeMpiTargets NAMESPACE etude:: DESTINATION ${etude_config_dir})
endif()

configure_package_config_file(framework/cmake/etudeConfig.cmake.in ${PROJECT_BINARY_DIR}/etudeConfig.cmake
  INSTALL_DESTINATION ${etude_config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/etudeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/etudeConfig.cmake ${PROJECT_BINARY_DIR}/etudeConfigVersion.cmake
              framework/cmake/FindOneDNN.cmake framework/cmake/FindLibZip.cmake
  DESTINATION ${etude_config_dir})

# A static library leaves its own dependencies to the program's link line; a shared one has them already.
set(pc_libs_private "")
if(CMAKE_THREAD_LIBS_INIT)
  string(APPEND pc_libs_private " ${CMAKE_THREAD_LIBS_INIT}")
endif()
if(OpenMP_CXX_FOUND)
  string(APPEND pc_libs_private " ${OpenMP_CXX_FLAGS}")
endif()
if(OneDNN_FOUND)
  string(APPEND pc_libs_private " -ldnnl")
endif()
if(LibZip_FOUND)
  string(APPEND pc_libs_private " -lzip")
endif()
if(BUILD_SHARED_LIBS)
  set(pc_libs "")
else()
  set(pc_libs "${pc_libs_private}")
endif()
cmake_path(APPEND pc_libdir "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND pc_includedir "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
# From the file to the prefix: the library folder may be lib/x86_64-linux-gnu.
file(RELATIVE_PATH pc_up "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" pc_up "${pc_up}")
configure_file(framework/cmake/etude.pc.in ${PROJECT_BINARY_DIR}/etude.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/etude.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
