# Writes OUTPUT, a C file that defines the words of each SPIR-V binary that the file LIST names as an array, shw_spirv_NAME.
file(READ ${LIST} binaries)
set(text "#include <stddef.h>\n#include <stdint.h>\n")
foreach(binary IN LISTS binaries)
    get_filename_component(name ${binary} NAME_WE)
    file(SIZE ${binary} size)
    file(READ ${binary} hex HEX)
    string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1u,\n" words "${hex}")
    string(APPEND text "
extern const uint32_t shw_spirv_${name}[];
extern const size_t shw_spirv_${name}_size;

const size_t shw_spirv_${name}_size = ${size};
const uint32_t shw_spirv_${name}[] = {
${words}};
")
endforeach()
file(WRITE ${OUTPUT} "${text}")
