# Finds oneDNN by its header and its library: OneDNN_FOUND, OneDNN_VERSION, target OneDNN::OneDNN.
#
# The package's own dnnl-config.cmake is not used because Debian's stops the configure run where the OpenCL headers are
# not installed, which a program for the CPU has no need of.
find_path(OneDNN_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(OneDNN_LIBRARY dnnl)
mark_as_advanced(OneDNN_INCLUDE_DIR OneDNN_LIBRARY)

set(OneDNN_VERSION "")
set(version_header ${OneDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h)
if(OneDNN_INCLUDE_DIR AND EXISTS ${version_header})
  file(STRINGS ${version_header} lines REGEX "define DNNL_VERSION_(MAJOR|MINOR|PATCH) ")
  list(TRANSFORM lines REPLACE ".*[ \t]([0-9]+).*" "\\1")
  list(JOIN lines "." OneDNN_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OneDNN
  REQUIRED_VARS OneDNN_LIBRARY OneDNN_INCLUDE_DIR VERSION_VAR OneDNN_VERSION HANDLE_VERSION_RANGE)

if(OneDNN_FOUND AND NOT TARGET OneDNN::OneDNN)
  add_library(OneDNN::OneDNN UNKNOWN IMPORTED)
  set_target_properties(OneDNN::OneDNN PROPERTIES
    IMPORTED_LOCATION ${OneDNN_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${OneDNN_INCLUDE_DIR})
endif()
