# Modules of the programs: src/files/io/module.h.

# From the programs' folder to the modules', as installed.
file(RELATIVE_PATH SHADEWOOD_MODULE_FOLDER ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/shadewood)

# shadewood_module(TARGET NAME SOURCE... LIBRARIES LIBRARY...): NAME.so, beside the programs in the build folder.
function(shadewood_module target name)
    cmake_parse_arguments(PARSE_ARGV 2 module "" "" "LIBRARIES")
    add_library(${target} MODULE ${module_UNPARSED_ARGUMENTS})
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_compile_definitions(${target} PRIVATE SHW_MODULE_VERSION="${PROJECT_VERSION}")
    target_link_libraries(${target} PRIVATE ${module_LIBRARIES})
    if(SHADEWOOD_INSTALL)
        install(TARGETS ${target} DESTINATION ${CMAKE_INSTALL_LIBDIR}/shadewood)
    endif()
endfunction()

# shadewood_needs_modules(PROGRAM TARGET...): those of them that this build has are built with the program. A dependency
# of a library of objects would not be followed when the program alone is built.
function(shadewood_needs_modules program)
    foreach(module IN LISTS ARGN)
        if(TARGET ${module})
            add_dependencies(${program} ${module})
        endif()
    endforeach()
endfunction()
