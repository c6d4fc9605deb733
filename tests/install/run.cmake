# Installs to a temporary prefix, looks whether shells and man find their files there, then configures, builds and runs the
# consumer.
# -DBUILD_DIR=<build of rooftile> -DSOURCE_DIR=<this folder> -DWORK_DIR=<scratch> -DCOMPILER=<c++> -DFLAGS=<flags>
function(checked)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${code}:\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
checked(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix --component development)
checked(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix --component rooftile)
foreach(file man/man1/rooftile.1 man/man1/rooftile-predict.1 bash-completion/completions/rooftile
             fish/vendor_completions.d/rooftile.fish zsh/site-functions/_rooftile)
  if(NOT EXISTS ${WORK_DIR}/prefix/share/${file})
    message(FATAL_ERROR "not installed: share/${file}")
  endif()
endforeach()
checked(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${WORK_DIR}/build -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix
        -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
checked(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
# The consumer says what the program says.
set(profile ${WORK_DIR}/prefix/share/rooftile/data/h200/profile.json)
checked(${WORK_DIR}/build/my_tool ${profile} 4096x4096x4096)
set(told "${out}")
checked(${WORK_DIR}/prefix/bin/rooftile predict --profile ${profile} --shape 4096 --variant double_buffer --csv - --quiet)
string(REGEX MATCH "^[0-9]+\\.[0-9][0-9][0-9] ms, [0-9]+\\.[0-9] TFLOP/s, bound by ([a-z0-9]+)\n" line "${told}")
if(NOT line OR NOT out MATCHES ",${CMAKE_MATCH_1},")
  message(FATAL_ERROR "the consumer says\n${told}\nand rooftile\n${out}")
endif()
