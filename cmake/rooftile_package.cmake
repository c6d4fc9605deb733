# Debian packages: `cpack -G DEB` in a build folder writes rooftile (program, recorded data, schemas, man pages, completions, documents)
# and rooftile-dev (host libraries and headers). Dependencies on shared libraries come from dpkg-shlibdeps. The preset `package` sets what
# belongs to a package: Release, /usr, Debian's folder for completions of zsh.
set(CPACK_PACKAGE_NAME rooftile)
set(CPACK_PACKAGE_CONTACT "the rooftile developers")
set(CPACK_PACKAGE_VENDOR rooftile)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENT_ROOFTILE_DESCRIPTION
  "Microbenchmarks measure what a GPU can do, a model predicts from that how fast each GEMM kernel will run and which tile is best, the
kernels are measured, and a report says how far prediction and measurement lie apart. Comes with the recorded data of an NVIDIA H200.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL rooftile development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_ROOFTILE_PACKAGE_NAME rooftile)
set(CPACK_DEBIAN_ROOFTILE_PACKAGE_RECOMMENDS gnuplot-nox)  # without it the report has tables for plots
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME rooftile-dev)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Host libraries, headers and the CMake package of rooftile.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "nlohmann-json3-dev, zlib1g-dev, libfmt-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)  # archives only
include(CPack)
