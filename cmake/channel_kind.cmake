# shadewood_channel_kind(TARGET NAME HEADER [DEFINITION...])
#
# Compiles the header of a channel kind (documented in shaders/channels/channel.h) for the CPU, as fragment and as compute
# shaders, and adds the result to TARGET as
#   extern const struct shw_channel_code shw_channel_code_NAME;   (shadewood/channel_kind.h)
function(shadewood_channel_kind target name header)
    set(shaders ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../shaders)
    get_filename_component(header ${header} ABSOLUTE)
    get_filename_component(folder ${header} DIRECTORY)
    get_filename_component(SHW_HEADER ${header} NAME)
    set(SHW_KIND ${name})
    set(SHADEWOOD_SHADER_INCLUDES ${folder} ${shaders})
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/channel_${name})
    foreach(stage frag comp c)
        configure_file(${shaders}/channels/kind.${stage}.in ${generated}.${stage} @ONLY)
    endforeach()
    foreach(stage frag comp)
        foreach(colour float uint)
            foreach(other float uint)
                string(TOUPPER "COLOUR_IS_${colour};OTHER_IS_${other}" definitions)
                shadewood_shader(${target} channel_${name}_${colour}_${other}_${stage} ${generated}.${stage}
                    ${definitions} ${ARGN})
            endforeach()
        endforeach()
    endforeach()
    shadewood_object(${target} channel_${name} ${generated}.c ${folder} ${shaders})
    target_compile_definitions(channel_${name} PRIVATE ${ARGN})
    target_compile_options(channel_${name} PRIVATE -Wno-unused-parameter) # a header need not look at all it may
endfunction()
