# The options of every target of this repository. None of them is exported: users of etude::etude choose their own
# warnings. There is no -march and no -ffast-math, and no fused multiply-add that the source does not ask for, so that
# every machine computes the same bits. GCC collects garbage from a heap of 128 MiB on, which nearly every unit here
# exceeds. From 512 MiB on instead, a tenth of the work is saved for a fifth more memory.
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

# For programs, whose time is spent in the library: they are not optimised, and gold links them if it is installed, in a third of the
# time.
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
# which looks at the name of the link that started it. Each program has such a link of its name, and a target <prefix>_<name>. Two
# thirds of the compiler's work, and all of the linker's, are the same for each. So they are also compiled as one source: the headers
# of all come first, and each program is in a namespace of its own.
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
