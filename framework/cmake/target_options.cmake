# What every target of this repository is compiled with. Nothing of it is exported: a user of etude::etude chooses
# their own warnings. There is no -march and no -ffast-math, and no fused multiply-add that the source does not ask
# for, so that every machine computes the same bits. GCC begins to look for memory that it needs no more where a heap has
# 128 MiB, as one of ours nearly always has: where it has 512, a tenth of the work is saved for a fifth more of memory.
function(etude_target_options target)
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>
    -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow
    $<$<BOOL:${ETUDE_WERROR}>:-Werror>)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# For programs, which wait for the library and not for themselves: they are not optimised, and linked by gold where it is, which
# takes a third of the time.
include(CheckLinkerFlag)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  check_linker_flag(CXX -fuse-ld=gold ETUDE_LINKER_GOLD)
endif()
set(etude_quick_linker $<$<BOOL:${ETUDE_LINKER_GOLD}>:-fuse-ld=gold>)
function(etude_compile_quickly target)
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-O0>")
  target_link_options(${target} PRIVATE ${etude_quick_linker})
  etude_target_options(${target})
endfunction()

# Sources that are programs: etude_add_programs(<prefix> <support library> <source>...). All are one executable, <prefix>_programs,
# which looks at the name of the file by which it is started; each has a link of its own name to it, and a target
# <prefix>_<name>. Two thirds of what a compiler does for each of them are the same, and all that a linker does: they are compiled
# as one, too, behind the headers of all, each in a namespace of its own.
function(etude_add_programs prefix support)
  foreach(list headers sources mains rows)
    set(${list} "")
  endforeach()
  foreach(source ${ARGN})
    cmake_path(GET source STEM name)
    if(ETUDE_UNITY_BUILD)
      file(STRINGS ${source} lines REGEX "^#include")
      list(APPEND headers ${lines})
      string(APPEND mains "namespace program_${name} {\n#include \"${source}\"\n}\n"
        "int main_${name}(int argc, char** argv) { return program_${name}::main(argc, argv); }\n")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    else()
      list(APPEND sources ${source})
      set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS main=main_${name})
      string(APPEND mains "int main_${name}(int argc, char** argv);\n")
    endif()
    string(APPEND rows "    {\"${name}\", main_${name}},\n")
    add_custom_target(${prefix}_${name} DEPENDS ${prefix}_programs)
    file(CREATE_LINK ${prefix}_programs${CMAKE_EXECUTABLE_SUFFIX}
      ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name}${CMAKE_EXECUTABLE_SUFFIX} SYMBOLIC)
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" headers)
  configure_file(${PROJECT_SOURCE_DIR}/framework/cmake/programs.cpp.in programs.cpp @ONLY)
  add_executable(${prefix}_programs ${CMAKE_CURRENT_BINARY_DIR}/programs.cpp ${sources})
  target_link_libraries(${prefix}_programs PRIVATE ${support})
  etude_compile_quickly(${prefix}_programs)
endfunction()

set(etude_sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
set(etude_sanitizer_environment
  "ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1;UBSAN_OPTIONS=print_stacktrace=1")

# Links the objects of a program once more as <program>_<variant>, with another library in place of etude:
#   plain       without oneDNN: the linker finds the functions of disabled.cpp before it looks into the library
#   sanitized   etude_sanitized, whole and first, so that its inline functions are taken and not those of the program
function(etude_link_again program variant)
  set(target ${program}_${variant})
  add_executable(${target} $<TARGET_OBJECTS:${program}>)
  if(variant STREQUAL plain)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/framework/etude/onednn/disabled.cpp)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/framework)
  else()
    target_link_options(${target} PRIVATE ${etude_sanitizers}
      -Wl,--whole-archive $<TARGET_FILE:etude_sanitized> -Wl,--no-whole-archive)
    add_dependencies(${target} etude_sanitized)
    set_target_properties(${target} PROPERTIES LINK_DEPENDS $<TARGET_FILE:etude_sanitized>)
  endif()
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${target} PRIVATE $<TARGET_PROPERTY:${program},LINK_LIBRARIES>)
  etude_target_options(${target})
endfunction()

# Adds a test and the same test of every variant: etude_add_test(<name> <program> <labels> <variants> [argument...]).
function(etude_add_test name program labels variants)
  add_test(NAME ${name} COMMAND ${program} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 1200)
  set(names ${name})
  foreach(variant ${variants})
    add_test(NAME ${variant}/${name} COMMAND ${program}_${variant} ${ARGN})
    set_tests_properties(${variant}/${name} PROPERTIES LABELS ${variant} TIMEOUT 1200)
    list(APPEND names ${variant}/${name})
  endforeach()
  set(etude_test_names ${names} PARENT_SCOPE)
endfunction()
