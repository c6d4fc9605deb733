# Language level, warnings and sanitizers, gathered in the interface target rooftile_options.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(rooftile_options INTERFACE)
target_compile_features(rooftile_options INTERFACE cxx_std_20)
target_include_directories(rooftile_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/rooftile>)
target_compile_options(rooftile_options INTERFACE
  $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic>>)
# GCC 12 at -O3 takes a literal that is assigned to a string for a copy that overlaps itself (its bug 105651).
target_compile_options(rooftile_options INTERFACE
  $<BUILD_INTERFACE:$<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<CONFIG:Release>>:-Wno-restrict>>)
if(ROOFTILE_WERROR)
  target_compile_options(rooftile_options INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-Werror>>)
endif()
if(ROOFTILE_SANITIZE)
  target_compile_options(rooftile_options INTERFACE
    $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>>)
  target_link_options(rooftile_options INTERFACE $<BUILD_INTERFACE:-fsanitize=address,undefined>)
endif()
if(ROOFTILE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "ROOFTILE_FUZZ needs clang++ (libFuzzer): set CMAKE_CXX_COMPILER")
  endif()
  target_compile_options(rooftile_options INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>>)
endif()

# fmt as a shared library, or compiled in for binaries that travel to machines without it.
set(ROOFTILE_FMT fmt::fmt)
if(ROOFTILE_STATIC_FMT)
  set(ROOFTILE_FMT fmt::fmt-header-only)
endif()
