# Target arch-check: compiles every CUDA source for all architectures that rooftile supports (each microbenchmark; each GEMM
# variant's default tile, guarded and not) and checks the machine code. It fails on
# - whatever does not compile or that ptxas warns of, such as serialized wgmma;
# - register spills in the kernels that are there for their speed (`spill_free` below). A rung of the ladder has one source for all
#   architectures, and may spill a few registers where the compiler needs them; runs say so (`resources.spill_bytes`);
# - a broken `// SASS:` line, where a disassembler is found (scripts/check_sass.py); elsewhere that part is skipped and says so.
#
#   cmake --build build --target arch-check
#
# Not part of `all` or of the tests: it is hundreds of compilations. Only device code is compiled (cubins, in
# <build>/arch-check/<architecture>), each its own command with its own dependencies, so that the build tool runs them side by
# side and repeats only what a change touches. `-k 0` (Ninja) shows all that fails instead of the first.
#
# In script mode (cmake -P, below) this file runs the check of one architecture's cubins.
if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  # PYTHON, SOURCE_DIR, BUILD_DIR, OBJECTS (a file that lists them), FILTER, STAMP
  file(STRINGS "${OBJECTS}" objects)
  execute_process(
    COMMAND "${PYTHON}" "${SOURCE_DIR}/scripts/check_sass.py" --build "${BUILD_DIR}" --sources "${SOURCE_DIR}/micro" "${SOURCE_DIR}/gemm"
            --objects ${objects}
    OUTPUT_VARIABLE output ERROR_VARIABLE problems RESULT_VARIABLE result)
  if(NOT FILTER STREQUAL "")
    # Kernels of the sources that the filter left out are missing rightly.
    string(REGEX REPLACE "[^\n]*: no kernel matches [^\n]*\n" "" problems "${problems}")
    if(result EQUAL 1 AND problems STREQUAL "")
      set(result 0)
      set(output "those of the sources that the filter chose hold")
    endif()
  endif()
  string(STRIP "${output}" output)
  if(result EQUAL 77)
    message(STATUS "SASS lines not checked: ${output}")
    return() # no stamp: checked once there is a disassembler
  elseif(NOT result EQUAL 0)
    message(FATAL_ERROR "${problems}${output}")
  endif()
  message(STATUS "SASS lines: ${output}")
  file(TOUCH "${STAMP}")
  return()
endif()

if(NOT ROOFTILE_HAS_CUDA)
  return()
endif()

set(ROOFTILE_ARCH_CHECK "75;80;86;89;90a;100;120" CACHE STRING "Architectures that the target arch-check compiles for")
set(ROOFTILE_ARCH_CHECK_FILTER "" CACHE STRING "Regex of the sources' paths that arch-check compiles; empty: all")
set(spill_free "/gemm/hand/|/gemm/small/kernels_(direct|prepared)\\.cu$|/cp_async\\.cu$")
# Only this target wants Python, and who builds the program alone may have none.
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "no target arch-check: Python 3 was not found")
  return()
endif()

# Compiler arguments from the usage requirements of `target`, for a generator expression. The compiler knows /usr/include
# itself, and named twice it hides the standard library's headers.
function(rooftile_arch_check_arguments target result)
  set(includes "$<FILTER:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>,EXCLUDE,^/usr/include/?$>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(${result} "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>" "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
      PARENT_SCOPE)
endfunction()

# Adds a command that compiles `source` of `target` for `architecture`, and appends its cubin to the list named `result`.
function(rooftile_arch_check_compile architecture target source result)
  get_filename_component(stem "${source}" NAME_WE)
  set(folder "${PROJECT_BINARY_DIR}/arch-check/${architecture}/${target}")
  file(MAKE_DIRECTORY "${folder}")
  set(cubin "${folder}/${stem}.cubin")
  set(ptxas "--warning-as-error")
  if(source MATCHES "${spill_free}")
    string(APPEND ptxas ",--warn-on-spills")
  endif()
  rooftile_arch_check_arguments(${target} arguments)
  add_custom_command(OUTPUT "${cubin}"
    COMMAND "${CMAKE_CUDA_COMPILER}" -cubin -std=c++20 -O3 -DNDEBUG --expt-relaxed-constexpr
            "-gencode=arch=compute_${architecture},code=sm_${architecture}" "-Xptxas=${ptxas}"
            "${arguments}" -MD -MF "${cubin}.d" -MT "${cubin}" -o "${cubin}" "${source}"
    DEPENDS "${source}" DEPFILE "${cubin}.d" COMMENT "sm_${architecture}: ${target} ${stem}" COMMAND_EXPAND_LISTS VERBATIM)
  set(${result} ${${result}} "${cubin}" PARENT_SCOPE)
endfunction()

set(stamps)
foreach(architecture ${ROOFTILE_ARCH_CHECK})
  set(cubins)
  foreach(target rooftile_gpu_cuda rooftile_micro rooftile_gemm)
    get_target_property(sources ${target} SOURCES)
    get_target_property(folder ${target} SOURCE_DIR)
    list(FILTER sources INCLUDE REGEX "\\.cu$")
    if(NOT ROOFTILE_ARCH_CHECK_FILTER STREQUAL "")
      list(FILTER sources INCLUDE REGEX "${ROOFTILE_ARCH_CHECK_FILTER}")
    endif()
    foreach(source ${sources})
      get_filename_component(source "${source}" ABSOLUTE BASE_DIR "${folder}")
      rooftile_arch_check_compile(${architecture} ${target} "${source}" cubins)
    endforeach()
  endforeach()
  set(folder "${PROJECT_BINARY_DIR}/arch-check/${architecture}")
  list(JOIN cubins "\n" lines)
  file(GENERATE OUTPUT "${folder}/objects.txt" CONTENT "${lines}\n")
  add_custom_command(OUTPUT "${folder}/sass.stamp"
    COMMAND "${CMAKE_COMMAND}" "-DPYTHON=${Python3_EXECUTABLE}" "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}" "-DBUILD_DIR=${PROJECT_BINARY_DIR}"
            "-DOBJECTS=${folder}/objects.txt" "-DFILTER=${ROOFTILE_ARCH_CHECK_FILTER}" "-DSTAMP=${folder}/sass.stamp"
            -P "${CMAKE_CURRENT_LIST_FILE}"
    DEPENDS ${cubins} "${folder}/objects.txt" "${PROJECT_SOURCE_DIR}/scripts/check_sass.py" "${CMAKE_CURRENT_LIST_FILE}"
    COMMENT "sm_${architecture}: SASS lines" VERBATIM)
  list(APPEND stamps "${folder}/sass.stamp")
endforeach()
add_custom_target(arch-check DEPENDS ${stamps})
