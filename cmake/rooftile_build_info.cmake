# Run at build time: writes OUTPUT from INPUT with the revision of SOURCE_DIR, and only when the text changes.
# Without git, or outside a git checkout (a tarball), the revision is "unknown". Never takes git's index lock.
set(ROOFTILE_GIT_REVISION "unknown")
find_program(git NAMES git)
if(git AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(COMMAND "${git}" --no-optional-locks -C "${SOURCE_DIR}" describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE described RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed AND described MATCHES "^[0-9a-f]+(-dirty)?$")
    set(ROOFTILE_GIT_REVISION "${described}")
  endif()
endif()
configure_file("${INPUT}" "${OUTPUT}" @ONLY)
