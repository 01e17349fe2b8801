#!/usr/bin/env bash
# An engine that has not enabled VK_EXT_debug_utils gets no call of it: the bench's own engine under the validation
# layers, which print their messages.
set -euo pipefail
program=$(realpath "$1")

if ! ls {/usr,/usr/local}/share/vulkan/explicit_layer.d/*khronos_validation*.json >found.txt 2>/dev/null && [[ ! -s found.txt ]]; then
    echo "the validation layers are not installed"
    exit 77
fi
VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation "$program" bench embed --quick --size 64x48 --runs 3 >embed.txt 2>&1 || {
    echo "there is no Vulkan device"
    exit 77
}
if grep -m 3 'Validation Error\|ExtensionNotEnabled' embed.txt >&2; then
    exit 1
fi
echo "an engine without extensions is not called with any"
