# Packs the build as Debian packages and looks at them as a user would: what is inside, what they depend on, and that the program works
# from the unpacked tree with its own data.
# -DBUILD_DIR=<build of rooftile> -DWORK_DIR=<scratch>
foreach(tool dpkg-deb dpkg-shlibdeps file)
  find_program(${tool}_path ${tool})
  if(NOT ${tool}_path)
    message("skipped: ${tool} is not installed")
    return()
  endif()
endforeach()

# checked(<variable> <command...>): its output, or the end of the test.
function(checked result)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE errors)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${code}:\n${out}${errors}")
  endif()
  set(${result} "${out}" PARENT_SCOPE)
endfunction()

function(expect text pattern what)
  if(NOT text MATCHES "${pattern}")
    message(FATAL_ERROR "${what}: no '${pattern}' in\n${text}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR}/empty)
checked(out ${CMAKE_CPACK_COMMAND} -G DEB --config ${BUILD_DIR}/CPackConfig.cmake -B ${WORK_DIR})
file(GLOB package ${WORK_DIR}/rooftile_*.deb)
file(GLOB development ${WORK_DIR}/rooftile-dev_*.deb)

checked(contents dpkg-deb --contents ${package})
foreach(file bin/rooftile share/man/man1/rooftile\\.1 share/man/man1/rooftile-compare\\.1 share/bash-completion/completions/rooftile
             share/fish/vendor_completions\\.d/rooftile\\.fish share/zsh/[a-z-]*/_rooftile share/rooftile/schemas/fleet\\.schema\\.json
             share/rooftile/data/h200/profile\\.json share/rooftile/data/splits\\.json share/doc/rooftile/api\\.md share/doc/rooftile/LICENSE)
  expect("${contents}" " \\./usr/${file}\n" "${package}")
endforeach()
checked(contents_of_development dpkg-deb --contents ${development})
foreach(file include/rooftile/model/predict/predictor\\.hpp include/rooftile/gemm/variant\\.hpp
             "lib[^\n]*/librooftile_model\\.a" "lib[^\n]*/cmake/rooftile/rooftileConfig\\.cmake")
  expect("${contents_of_development}" " \\./usr/${file}\n" "${development}")
endforeach()
if(contents_of_development MATCHES "/usr/bin/" OR contents MATCHES "\\.hpp\n|\\.a\n")
  message(FATAL_ERROR "program and libraries are not kept apart")
endif()

checked(depends dpkg-deb --field ${package} Depends)
foreach(library libc6 "libstdc\\+\\+6" zlib1g)
  expect("${depends}" "${library} \\(>=" "Depends of ${package}")
endforeach()

checked(out dpkg-deb --extract ${package} ${WORK_DIR}/unpacked)
set(program ${CMAKE_COMMAND} -E env --unset=ROOFTILE_DATA_DIR --unset=ROOFTILE_PROFILE ${WORK_DIR}/unpacked/usr/bin/rooftile)
checked(prediction ${CMAKE_COMMAND} -E chdir ${WORK_DIR}/empty ${program} predict --shape 4096 --variant warp_tile --json - --quiet)
string(JSON variant GET "${prediction}" predictions 0 variant)
expect("${variant}" "^warp_tile$" "prediction")
# Its data are those beside it: with another H200's name in them, that name is what it says.
set(profile ${WORK_DIR}/unpacked/usr/share/rooftile/data/h200/profile.json)
file(READ ${profile} text)
string(REPLACE "\"NVIDIA H200\"" "\"NVIDIA H200 of the package\"" text "${text}")
file(WRITE ${profile} "${text}")
checked(prediction ${CMAKE_COMMAND} -E chdir ${WORK_DIR}/empty ${program} predict --shape 4096 --variant warp_tile --json - --quiet)
expect("${prediction}" "NVIDIA H200 of the package" "recorded data of ${package}")
message("${package} holds what it should and runs: ${depends}")
