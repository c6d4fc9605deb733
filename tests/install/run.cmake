# Installs to a temporary prefix, looks whether shells and man find their files there, then configures, builds and runs the
# consumer.
# -DBUILD_DIR=<build of rooftile> -DSOURCE_DIR=<this folder> -DWORK_DIR=<scratch> -DCOMPILER=<c++> -DFLAGS=<flags>
function(checked)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${code}:\n${out}")
  endif()
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
checked(${WORK_DIR}/build/consumer)
