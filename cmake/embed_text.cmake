# Writes OUTPUT, a C file that defines shw_code_files: the files that LIST names below ROOT, with their paths there.
file(READ ${LIST} files)
set(text "#include \"files/code/files.h\"\n")
set(table "")
set(number 0)
foreach(path IN LISTS files)
    file(READ ${ROOT}/${path} hex HEX)
    file(SIZE ${ROOT}/${path} size)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(APPEND text "static const char file${number}[] = {${bytes}0};\n")
    string(APPEND table "    {\"${path}\", file${number}, ${size}},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "${text}
const struct shw_code_file shw_code_files[] = {
${table}};
const uint32_t shw_code_file_count = ${number};
")
