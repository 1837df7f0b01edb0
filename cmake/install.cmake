# What 'cmake --install' puts where: library, headers, CMake package and pkg-config file. The
# command installs itself (cli/).
install(TARGETS ztile EXPORT ztileTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")

set(ztile_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ztile)
install(EXPORT ztileTargets NAMESPACE ztile:: DESTINATION ${ztile_package_dir})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/ztileConfig.cmake.in
    ${CMAKE_BINARY_DIR}/ztileConfig.cmake INSTALL_DESTINATION ${ztile_package_dir})
# before 1.0 a minor version may change the API
write_basic_package_version_file(${CMAKE_BINARY_DIR}/ztileConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/ztileConfig.cmake ${CMAKE_BINARY_DIR}/ztileConfigVersion.cmake
    DESTINATION ${ztile_package_dir})

# Paths in ztile.pc are relative to its own place, so that an installed tree can be moved; where a
# folder was given as an absolute path, that path is written.
foreach(kind LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
        set(ztile_pc_${kind} "${CMAKE_INSTALL_${kind}}")
    else()
        set(ztile_pc_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
    endif()
endforeach()
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(ztile_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH ztile_pc_up "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" ztile_pc_up "${ztile_pc_up}")
    set(ztile_pc_prefix "\${pcfiledir}/${ztile_pc_up}")
endif()
configure_file(${CMAKE_SOURCE_DIR}/cmake/ztile.pc.in ${CMAKE_BINARY_DIR}/ztile.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/ztile.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
