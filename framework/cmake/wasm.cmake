# For cmake --toolchain: WebAssembly with vectors of 128 bits, run by Node. Debian's package is emscripten; -DEMSCRIPTEN=
# names the folder of another one.
set(EMSCRIPTEN /usr/share/emscripten CACHE PATH "The folder of em++.py")
include(${EMSCRIPTEN}/cmake/Modules/Platform/Emscripten.cmake)

set(CMAKE_CXX_FLAGS_INIT "-fwasm-exceptions -msimd128")
# Programs see the files of the machine that Node runs on.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-fwasm-exceptions -sALLOW_MEMORY_GROWTH=1 -sNODERAWFS=1")
