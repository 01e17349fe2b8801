# shadewood_find_vulkan_headers(MISSING)
#
# Looks for Vulkan's headers, which the public headers include, and sets Vulkan_INCLUDE_DIR, the variable of CMake's module
# FindVulkan, which users may set. The Vulkan library is not needed: it is loaded at run time. MISSING becomes the message
# for the user where they are not found, or too old, and otherwise empty.
function(shadewood_find_vulkan_headers missing)
    set(${missing} "" PARENT_SCOPE)
    find_path(Vulkan_INCLUDE_DIR vulkan/vulkan_core.h HINTS $ENV{VULKAN_SDK}/include
        DOC "folder that has vulkan/vulkan_core.h")
    set(advice "Install them (Debian: libvulkan-dev, Fedora: vulkan-headers, Arch: vulkan-headers), or say where they are, \
with -DVulkan_INCLUDE_DIR=FOLDER or with the environment variable VULKAN_SDK. The Vulkan library is not needed to build.")
    if(NOT Vulkan_INCLUDE_DIR)
        set(${missing} "Shadewood: Vulkan's headers (vulkan/vulkan_core.h) are missing. ${advice}" PARENT_SCOPE)
        return()
    endif()
    if(NOT EXISTS ${Vulkan_INCLUDE_DIR}/vulkan/vulkan_core.h)
        set(${missing} "Shadewood: there is no vulkan/vulkan_core.h in Vulkan_INCLUDE_DIR, ${Vulkan_INCLUDE_DIR}. ${advice}"
            PARENT_SCOPE)
        return()
    endif()
    file(STRINGS ${Vulkan_INCLUDE_DIR}/vulkan/vulkan_core.h has_1_3 REGEX "^#define VK_API_VERSION_1_3 ")
    if(NOT has_1_3)
        set(${missing} "Shadewood: Vulkan's headers in ${Vulkan_INCLUDE_DIR} are older than Vulkan 1.3. ${advice}" PARENT_SCOPE)
    endif()
endfunction()
