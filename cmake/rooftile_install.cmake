# What `cmake --install` puts where: the binaries, the recorded data, schemas and documents, and the host libraries
# as a package for find_package(rooftile).
include(CMakePackageConfigHelpers)

install(TARGETS rooftile RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT rooftile)
if(TARGET rooftile_bench)
  install(TARGETS rooftile_bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT rooftile)
endif()
# The binary looks for <exe>/../share/rooftile/data.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/rooftile/data COMPONENT rooftile)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/schemas/ DESTINATION ${CMAKE_INSTALL_DATADIR}/rooftile/schemas COMPONENT rooftile)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT rooftile)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT rooftile)

# Completions and man pages, where shells and man look. Debian's zsh has no site-functions below /usr: packages for it set
# the folder to share/zsh/vendor-completions.
set(ROOFTILE_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where the completion for zsh is installed")
set(pages ${ROOFTILE_MANUAL})
list(FILTER pages INCLUDE REGEX "\\.1$")
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT rooftile)
foreach(file ${ROOFTILE_MANUAL})
  if(file MATCHES "/rooftile\\.bash$")
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME rooftile COMPONENT rooftile)
  elseif(file MATCHES "/_rooftile$")
    install(FILES ${file} DESTINATION ${ROOFTILE_ZSH_DIR} COMPONENT rooftile)
  elseif(file MATCHES "/rooftile\\.fish$")
    install(FILES ${file} DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT rooftile)
  endif()
endforeach()

# Host libraries. rooftile_options is exported with them: it carries the language level and the include folder. The report
# starts gnuplot through rooftile_gpu, which is host code; what needs the toolkit (gpu/cuda) stays behind.
set_target_properties(rooftile_options PROPERTIES EXPORT_NAME options)
install(TARGETS rooftile_options rooftile_model rooftile_gpu rooftile_report rooftile_variants EXPORT rooftileTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
        OBJECTS DESTINATION ${CMAKE_INSTALL_LIBDIR}/rooftile COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/gemm/variant.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rooftile/gemm COMPONENT development)
foreach(floor model gpu report)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${floor}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/rooftile/${floor}
          COMPONENT development FILES_MATCHING PATTERN "*.hpp" PATTERN cuda EXCLUDE)
endforeach()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rooftile)
install(EXPORT rooftileTargets NAMESPACE rooftile:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/rooftileConfig.cmake.in
  ${PROJECT_BINARY_DIR}/rooftileConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rooftileConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rooftileConfig.cmake ${PROJECT_BINARY_DIR}/rooftileConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)
