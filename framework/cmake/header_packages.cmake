# For a cross compiler: packages that consist of headers alone serve every platform. Each gets a link of its own, because
# /usr/include also has the headers of this machine. etude_find_headers("<package> <folder> <target>"...)
function(etude_find_headers)
  foreach(package ${ARGN})
    separate_arguments(package)
    list(GET package 0 name)
    list(GET package 1 folder)
    list(GET package 2 target)
    string(TOLOWER ${name} file)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
    file(CREATE_LINK /usr/include/${folder} ${CMAKE_BINARY_DIR}/include/${folder} SYMBOLIC)
    file(WRITE ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/${file}-config.cmake
      "if(NOT TARGET ${target})\n"
      "  add_library(${target} INTERFACE IMPORTED)\n"
      "  target_include_directories(${target} INTERFACE ${CMAKE_BINARY_DIR}/include)\n"
      "endif()\n")
  endforeach()
endfunction()
