# What every target of this repository is compiled with. Nothing of it is exported: a user of etude::etude chooses
# their own warnings. There is no -march and no -ffast-math, and no fused multiply-add that the source does not ask
# for, so that every machine computes the same bits.
function(etude_target_options target)
  target_compile_options(${target} PRIVATE
    -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow
    $<$<BOOL:${ETUDE_WERROR}>:-Werror>)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# For programs, which wait for the library and not for themselves: optimising them takes time and gains none. The headers
# are read once, or are those that another target has read: REUSE_FROM <target>. GCC forgets about their pragmas then.
function(etude_compile_quickly target)
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-O1>"
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-init-list-lifetime>")
  etude_target_options(${target})
  if(ARGN)
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE <etude/etude.h>)
  endif()
endfunction()

# Links the objects of a program a second time, to the library without oneDNN: the linker finds the functions of
# disabled.cpp before it looks into the library for oneDNN's.
function(etude_link_plain program)
  add_executable(${program}_plain $<TARGET_OBJECTS:${program}> ${PROJECT_SOURCE_DIR}/framework/etude/onednn/disabled.cpp)
  target_include_directories(${program}_plain PRIVATE ${PROJECT_SOURCE_DIR}/framework)
  target_link_libraries(${program}_plain PRIVATE $<TARGET_PROPERTY:${program},LINK_LIBRARIES>)
  etude_target_options(${program}_plain)
endfunction()
