# shadewood_shader(TARGET NAME SOURCE [DEFINITION...] [INCLUDE FOLDER...])
#
# Compiles SOURCE, a full path or one in shaders/, to SPIR-V with the definitions, checks it with spirv-val, and adds it
# to TARGET as
#   extern const uint32_t shw_spirv_NAME[]; extern const size_t shw_spirv_NAME_size;   (bytes)
# The binary also stays in ${SHADEWOOD_SPIRV_DIR}/NAME.spv for the tests that look into it.
find_program(GLSLANG_VALIDATOR glslangValidator REQUIRED)
find_program(SPIRV_VAL spirv-val REQUIRED)
set(SHADEWOOD_SPIRV_DIR ${PROJECT_BINARY_DIR}/spirv)
file(MAKE_DIRECTORY ${SHADEWOOD_SPIRV_DIR})

function(shadewood_shader target name source)
    cmake_parse_arguments(PARSE_ARGV 3 shader "" "" INCLUDE)
    get_filename_component(input ${source} ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR}/shaders)
    set(binary ${SHADEWOOD_SPIRV_DIR}/${name}.spv)
    set(embedded ${SHADEWOOD_SPIRV_DIR}/${name}.c)
    set(definitions)
    foreach(definition IN LISTS shader_UNPARSED_ARGUMENTS)
        list(APPEND definitions -D${definition})
    endforeach()
    list(TRANSFORM shader_INCLUDE PREPEND -I)
    add_custom_command(
        OUTPUT ${binary}
        COMMAND ${GLSLANG_VALIDATOR} --quiet -V --target-env vulkan1.1 ${definitions}
                ${shader_INCLUDE} -I${PROJECT_SOURCE_DIR}/shaders/shared --depfile ${binary}.d -o ${binary} ${input}
        COMMAND ${SPIRV_VAL} --target-env vulkan1.1 ${binary}
        DEPENDS ${input}
        DEPFILE ${binary}.d
        COMMENT "SPIR-V ${name}"
        VERBATIM)
    add_custom_command(
        OUTPUT ${embedded}
        COMMAND ${CMAKE_COMMAND} -DINPUT=${binary} -DOUTPUT=${embedded} -DNAME=shw_spirv_${name}
                -P ${PROJECT_SOURCE_DIR}/cmake/embed_spirv.cmake
        DEPENDS ${binary} ${PROJECT_SOURCE_DIR}/cmake/embed_spirv.cmake
        VERBATIM)
    # The rules above are known in this folder only, so the array is compiled here and only its object goes to the
    # target.
    add_library(spirv_${name} OBJECT ${embedded})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:spirv_${name}>)
endfunction()
