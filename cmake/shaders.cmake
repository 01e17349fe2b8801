# The functions in this folder are for Shadewood's own build and, installed with the sources that they compile, for
# programs with custom features and channel kinds. They therefore find files relative to this one.

# shadewood_shader_compiler()
#
# Makes this build compile the shaders of a folder by one process of a program of its own, with shaderc, which has been
# found. Otherwise each is compiled by a process of glslangValidator, which takes twenty times as long.
function(shadewood_shader_compiler)
    find_path(SPIRV_TOOLS_INCLUDE_DIR spirv-tools/libspirv.h)
    if(NOT SHADERC_FOUND OR NOT SPIRV_TOOLS_INCLUDE_DIR OR CMAKE_CROSSCOMPILING OR SHADEWOOD_SPIRV_FROM)
        return()
    endif()
    add_executable(shadewood_compile_shaders ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/compile_shaders.c)
    target_include_directories(shadewood_compile_shaders SYSTEM PRIVATE ${SHADERC_INCLUDE_DIR} ${SPIRV_TOOLS_INCLUDE_DIR})
    target_link_libraries(shadewood_compile_shaders PRIVATE ${SHADERC_LIBRARIES} stdc++ m Threads::Threads)
    target_compile_definitions(shadewood_compile_shaders PRIVATE _DEFAULT_SOURCE)
endfunction()

# shadewood_shader(TARGET NAME SOURCE [DEFINITION...])
#
# Compiles SOURCE, an absolute path or one in shaders/, to SPIR-V with the definitions, checks it with spirv-val, and adds it to TARGET as
#   extern const uint32_t shw_spirv_NAME[]; extern const size_t shw_spirv_NAME_size;   (bytes)
# Tests read the binary, ${PROJECT_BINARY_DIR}/spirv/NAME.spv. With SHADEWOOD_SPIRV_FROM, the build folder of another
# build of the same sources, what it has compiled is taken, and that C file.
# All shaders of a calling folder and target are one C file, spirv_TARGET_FOLDER.c.
function(shadewood_shader target name source)
    find_program(GLSLANG_VALIDATOR glslangValidator REQUIRED)
    find_program(SPIRV_VAL spirv-val REQUIRED)
    set(root ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..)
    set(binary ${PROJECT_BINARY_DIR}/spirv/${name}.spv)
    if(SHADEWOOD_SPIRV_FROM)
        file(RELATIVE_PATH project ${shadewood_BINARY_DIR} ${PROJECT_BINARY_DIR})
        set(binary ${SHADEWOOD_SPIRV_FROM}/${project}/spirv/${name}.spv)
    else()
        get_filename_component(input ${source} ABSOLUTE BASE_DIR ${root}/shaders)
        file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/spirv)
        set(definitions)
        foreach(folder IN LISTS SHADEWOOD_SHADER_INCLUDES)
            list(APPEND definitions -I${folder})
        endforeach()
        foreach(definition IN LISTS ARGN)
            list(APPEND definitions -D${definition})
        endforeach()
        list(APPEND definitions -I${root}/shaders/shared)
        if(NOT TARGET shadewood_compile_shaders)
            add_custom_command(
                OUTPUT ${binary}
                COMMAND ${GLSLANG_VALIDATOR} --quiet -V --target-env vulkan1.1 ${definitions} --depfile ${binary}.d
                        -o ${binary} ${input}
                COMMAND ${SPIRV_VAL} --target-env vulkan1.1 ${binary}
                DEPENDS ${input}
                DEPFILE ${binary}.d
                COMMENT "SPIR-V ${name}"
                VERBATIM)
        endif()
    endif()
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    string(MAKE_C_IDENTIFIER "spirv_${target}_${folder}" library)
    set(embedded ${CMAKE_CURRENT_BINARY_DIR}/${library}.c)
    if(SHADEWOOD_SPIRV_FROM)
        file(RELATIVE_PATH embedded ${shadewood_BINARY_DIR} ${embedded})
        set(embedded ${SHADEWOOD_SPIRV_FROM}/${embedded})
        set_source_files_properties(${embedded} PROPERTIES GENERATED TRUE)
    endif()
    if(NOT TARGET ${library})
        shadewood_object(${target} ${library} ${embedded})
        if(NOT SHADEWOOD_SPIRV_FROM)
            cmake_language(EVAL CODE "cmake_language(DEFER CALL shadewood_embed_shaders [[${library}]])")
        endif()
    endif()
    set_property(TARGET ${library} APPEND PROPERTY SHADEWOOD_BINARIES ${binary})
    list(JOIN definitions "\t" fields)
    set_property(TARGET ${library} APPEND_STRING PROPERTY SHADEWOOD_SHADERS "${binary}\t${input}\t${fields}\n")
endfunction()

# At the end of the calling folder, which has named all its shaders.
function(shadewood_embed_shaders library)
    get_target_property(binaries ${library} SHADEWOOD_BINARIES)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${library}.c)
    set(list ${CMAKE_CURRENT_BINARY_DIR}/${library}.txt)
    if(TARGET shadewood_compile_shaders)
        get_target_property(shaders ${library} SHADEWOOD_SHADERS)
        file(CONFIGURE OUTPUT ${list} CONTENT "${shaders}" @ONLY)
        add_custom_command(
            OUTPUT ${binaries} ${output}
            COMMAND shadewood_compile_shaders ${list} ${list}.d ${output}
            DEPENDS ${list}
            DEPFILE ${list}.d
            COMMENT "SPIR-V of ${library}"
            VERBATIM)
        return()
    endif()
    set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/embed_spirv.cmake)
    file(CONFIGURE OUTPUT ${list} CONTENT "${binaries}")
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DLIST=${list} -DOUTPUT=${output} -P ${script}
        DEPENDS ${binaries} ${list} ${script}
        VERBATIM)
endfunction()

# shadewood_object(TARGET NAME SOURCE [FOLDER...])
#
# Compiles a generated C file in the calling folder, which has the rules that generate it, with these and the public
# headers' folders as include directories, and adds only its object to TARGET, whose property SHADEWOOD_OBJECTS lists
# these objects.
function(shadewood_object target name source)
    add_library(${name} OBJECT ${source})
    set_target_properties(${name} PROPERTIES C_STANDARD 17 POSITION_INDEPENDENT_CODE ON)
    target_include_directories(${name} PRIVATE ${ARGN}
        $<TARGET_PROPERTY:shadewood::shadewood,INTERFACE_INCLUDE_DIRECTORIES>)
    target_link_libraries(${name} PRIVATE $<TARGET_NAME_IF_EXISTS:shadewood_flags>)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${name}>)
    set_property(TARGET ${target} APPEND PROPERTY SHADEWOOD_OBJECTS $<TARGET_OBJECTS:${name}>)
endfunction()

# shadewood_feature(TARGET NAME HEADER)
#
# Compiles a feature type's header: every shader that computes responses or draws candidates, and the portable C code. TARGET gets
#   extern const struct shw_feature_code shw_feature_code_NAME;   (src/dense/feature/feature_code.h)
# SHW_FEATURE_SHADERS() there lists the same shaders.
function(shadewood_feature target name header)
    set(root ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..)
    get_filename_component(header ${header} ABSOLUTE)
    set(folder ${PROJECT_BINARY_DIR}/feature/${name})
    get_filename_component(header_folder ${header} DIRECTORY)
    get_filename_component(header_name ${header} NAME)
    file(CONFIGURE OUTPUT ${folder}/feature_type.h CONTENT "#include \"${header_name}\"\n")
    file(CONFIGURE OUTPUT ${folder}/code.c CONTENT "#define SHW_FEATURE_NAME ${name}\n#include \"dense/feature/portable.h\"\n")
    set(SHADEWOOD_SHADER_INCLUDES ${folder} ${header_folder} ${root}/shaders/dense/feature)
    shadewood_shader(${target} ${name}_evaluate_trees dense/traverse/evaluate_trees.comp)
    shadewood_shader(${target} ${name}_evaluate_leaves1 dense/traverse/evaluate_leaves.frag GROUP=1)
    shadewood_shader(${target} ${name}_evaluate_leaves4 dense/traverse/evaluate_leaves.frag GROUP=4)
    foreach(pass candidates probes histogram sides)
        shadewood_shader(${target} ${name}_train_${pass} dense/train/${pass}.comp)
    endforeach()
    foreach(pass probes histogram sides)
        shadewood_shader(${target} ${name}_train_${pass}_windows dense/train/${pass}.comp WINDOWS)
    endforeach()
    foreach(pass leaves respond)
        shadewood_shader(${target} ${name}_train_blend_${pass} dense/train/blend_${pass}.frag)
    endforeach()
    shadewood_object(${target} feature_${name} ${folder}/code.c ${folder} ${header_folder} ${root}/shaders/shared
        ${root}/shaders ${root}/src)
endfunction()
