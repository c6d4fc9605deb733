# rooftile_sass_assertions(<object library> <source folder>): the test `sass_assertions` checks the `// SASS:` lines of the
# folder's sources against the disassembly of the library's objects. Skipped (exit 77) where no disassembler is found.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(rooftile_sass_assertions target folder)
  add_test(NAME sass_assertions
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_sass.py --build ${PROJECT_BINARY_DIR}
                   --sources ${folder} --objects $<TARGET_OBJECTS:${target}>
           COMMAND_EXPAND_LISTS)
  set_tests_properties(sass_assertions PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
  add_test(NAME sass_assertions_checker COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check_sass_test.py)
endfunction()
