# shadewood_shader(TARGET NAME SOURCE [DEFINITION...])
#
# Compiles SOURCE, a full path or one in shaders/, to SPIR-V with the definitions, checks it with spirv-val, and adds it to TARGET as
#   extern const uint32_t shw_spirv_NAME[]; extern const size_t shw_spirv_NAME_size;   (bytes)
# The binary also stays in ${SHADEWOOD_SPIRV_DIR}/NAME.spv for the tests that look into it.
find_program(GLSLANG_VALIDATOR glslangValidator REQUIRED)
find_program(SPIRV_VAL spirv-val REQUIRED)
set(SHADEWOOD_SPIRV_DIR ${PROJECT_BINARY_DIR}/spirv)
file(MAKE_DIRECTORY ${SHADEWOOD_SPIRV_DIR})

function(shadewood_shader target name source)
    get_filename_component(input ${source} ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR}/shaders)
    set(binary ${SHADEWOOD_SPIRV_DIR}/${name}.spv)
    set(embedded ${SHADEWOOD_SPIRV_DIR}/${name}.c)
    set(definitions)
    foreach(folder IN LISTS SHADEWOOD_SHADER_INCLUDES)
        list(APPEND definitions -I${folder})
    endforeach()
    foreach(definition IN LISTS ARGN)
        list(APPEND definitions -D${definition})
    endforeach()
    add_custom_command(
        OUTPUT ${binary}
        COMMAND ${GLSLANG_VALIDATOR} --quiet -V --target-env vulkan1.1 ${definitions}
                -I${PROJECT_SOURCE_DIR}/shaders/shared --depfile ${binary}.d -o ${binary} ${input}
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

# shadewood_feature(TARGET NAME HEADER)
#
# Compiles a feature type's header: every shader that computes or draws responses, and the portable C. TARGET gets
#   extern const struct shw_feature_code shw_feature_code_NAME;   (src/feature/feature_code.h)
# SHW_FEATURE_SHADERS() there lists the same shaders.
function(shadewood_feature target name header)
    get_filename_component(header ${header} ABSOLUTE)
    set(folder ${PROJECT_BINARY_DIR}/feature/${name})
    get_filename_component(header_folder ${header} DIRECTORY)
    get_filename_component(header_name ${header} NAME)
    file(CONFIGURE OUTPUT ${folder}/feature_type.h CONTENT "#include \"${header_name}\"\n")
    file(CONFIGURE OUTPUT ${folder}/code.c CONTENT "#define SHW_FEATURE_NAME ${name}\n#include \"feature/portable.h\"\n")
    set(SHADEWOOD_SHADER_INCLUDES ${folder} ${header_folder} ${PROJECT_SOURCE_DIR}/shaders/feature)
    shadewood_shader(${target} ${name}_evaluate_trees evaluate/evaluate_trees.comp)
    shadewood_shader(${target} ${name}_evaluate_leaves1 evaluate/evaluate_leaves.frag GROUP=1)
    shadewood_shader(${target} ${name}_evaluate_leaves4 evaluate/evaluate_leaves.frag GROUP=4)
    foreach(pass candidates probes histogram sides)
        shadewood_shader(${target} ${name}_train_${pass} train/${pass}.comp)
    endforeach()
    foreach(pass leaves respond)
        shadewood_shader(${target} ${name}_train_blend_${pass} train/blend_${pass}.frag)
    endforeach()
    add_library(feature_${name} OBJECT ${folder}/code.c)
    target_include_directories(feature_${name} PRIVATE ${folder} ${header_folder} ${PROJECT_SOURCE_DIR}/shaders/shared
        ${PROJECT_SOURCE_DIR}/shaders ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/src/include)
    target_link_libraries(feature_${name} PRIVATE shadewood_flags)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:feature_${name}>)
endfunction()
