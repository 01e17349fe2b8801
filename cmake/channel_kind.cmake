# shadewood_channel_kind(TARGET NAME HEADER [DEFINITION...])
#
# Compiles the header of a channel kind (shaders/channels/channel.h says what stands in it) for the CPU, as fragment and
# as compute shaders, and adds all of it to TARGET as
#   extern const struct shw_channel_code shw_channel_code_NAME;   (shadewood/channel_kind.h)
set(SHADEWOOD_SHADERS ${PROJECT_SOURCE_DIR}/shaders)

function(shadewood_channel_kind target name header)
    get_filename_component(header ${header} ABSOLUTE)
    get_filename_component(folder ${header} DIRECTORY)
    get_filename_component(SHW_HEADER ${header} NAME)
    set(SHW_KIND ${name})
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/channel_${name})
    foreach(stage frag comp c)
        configure_file(${SHADEWOOD_SHADERS}/channels/kind.${stage}.in ${generated}.${stage} @ONLY)
    endforeach()
    foreach(stage frag comp)
        foreach(source float uint)
            string(TOUPPER SOURCE_IS_${source} definition)
            shadewood_shader(${target} channel_${name}_${source}_${stage} ${generated}.${stage} ${definition} ${ARGN}
                INCLUDE ${folder} ${SHADEWOOD_SHADERS})
        endforeach()
    endforeach()
    add_library(channel_${name} OBJECT ${generated}.c)
    target_include_directories(channel_${name} PRIVATE ${folder} ${SHADEWOOD_SHADERS} ${PROJECT_SOURCE_DIR}/src/include)
    target_compile_definitions(channel_${name} PRIVATE ${ARGN})
    target_link_libraries(channel_${name} PRIVATE shadewood_flags)
    target_compile_options(channel_${name} PRIVATE -Wno-unused-parameter) # a header need not look at all it may
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:channel_${name}>)
endfunction()
