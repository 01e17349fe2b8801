# Toolchain: programs for 64-bit Windows, made on Linux by mingw-w64 (Debian: g++-mingw-w64-x86-64-posix), run by Wine.
# Of its two models of threads it is "posix", whose small library is linked in. SHADEWOOD_WINDOWS_PACKAGES is the folder
# with the libraries that scripts/windows_packages.sh has built.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
# Debian's command `wine` says at each start that there is no 32-bit part.
find_program(SHADEWOOD_WINE NAMES wine64 wine PATHS /usr/lib/wine NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(SHADEWOOD_WINE)
if(SHADEWOOD_WINE)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${SHADEWOOD_WINE})
endif()

get_filename_component(sources ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
set(SHADEWOOD_WINDOWS_PACKAGES ${sources}/build/windows-packages/root CACHE PATH
    "libraries and headers for Windows, as scripts/windows_packages.sh builds them")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SHADEWOOD_WINDOWS_PACKAGES)
get_filename_component(packages ${SHADEWOOD_WINDOWS_PACKAGES} ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH ${packages} /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_PREFIX_PATH ${packages})
set(ENV{PKG_CONFIG_LIBDIR} ${packages}/lib/pkgconfig)
set(ENV{PKG_CONFIG_PATH} "")
set(PKG_CONFIG_ARGN --static) # libraries are archives, which need what they use after them

# GCC keeps vectors of 32 bytes on a stack that Windows aligns to 16: the assembler makes its aligned moves unaligned
# ones (GCC's bug 54412).
set(CMAKE_C_FLAGS_INIT -Wa,-muse-unaligned-vector-move)
set(CMAKE_CXX_FLAGS_INIT -Wa,-muse-unaligned-vector-move)
# No library of the compiler lies beside the programs.
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -static)
set(CMAKE_MODULE_LINKER_FLAGS_INIT -static)
