# Sources that include no header of the library are compiled once for lessons, for lessons on framework/mini, and for examples.
include_guard(GLOBAL)
file(GLOB words CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
list(FILTER words EXCLUDE REGEX "/(came|options|sinks|svg_canvas|tensors|tutorial)[.]cpp$")
add_library(tutorial_words OBJECT ${words})
target_compile_features(tutorial_words PRIVATE cxx_std_17)
target_include_directories(tutorial_words PRIVATE ${PROJECT_SOURCE_DIR}/tutorials)
etude_compile_quickly(tutorial_words)
set_target_properties(tutorial_words PROPERTIES UNITY_BUILD ${ETUDE_UNITY_BUILD} UNITY_BUILD_BATCH_SIZE 32)
