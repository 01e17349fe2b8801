#!/usr/bin/env bash
# The main job from end to end: scenes, a forest trained on them, its accuracy on scenes it has not seen, pictures.
# usage: demo.sh PROGRAM FOLDER
set -euo pipefail
program=$1 folder=$2
start=$SECONDS

step() {
    printf '\n== %s (%d s)\n' "$1" "$((SECONDS - start))"
}

mkdir -p "$folder"
step "This machine's Vulkan devices"
"$program" devices || true

step "Rendering 120 scenes to train on and 20 to be tested with"
"$program" synth --quiet --output "$folder/scenes" --count 120 --size 160x120 --noise 15
"$program" synth --quiet --output "$folder/held-out" --count 20 --size 160x120 --noise 15 --seed 100000

step "Training a forest"
"$program" train --data "$folder/scenes" --output "$folder/scenes.ktx2" \
    --channels wide --trees 8 --depth 14 --pixels 500 --candidates 200 --single 30 --min-samples 4 \
    --offset 40 --size 24 --weights inverse-root --seed 1

step "Labelling the held-out scenes with shaders, and comparing with their labels"
"$program" evaluate --quiet --data "$folder/held-out" "$folder/scenes.ktx2" --overlays "$folder/pictures" >"$folder/accuracy.txt"
sed -n '/^class /,$p' "$folder/accuracy.txt"

step "The same bits by every technique"
for technique in cpu compute fragment; do
    "$program" label --quiet --technique "$technique" --output "$folder/$technique" --probabilities npy \
        "$folder/scenes.ktx2" "$folder/held-out/00000_colors.png"
done
for file in 00000_colors_labels.png 00000_colors_probabilities.npy; do
    cmp "$folder/cpu/$file" "$folder/compute/$file"
    cmp "$folder/cpu/$file" "$folder/fragment/$file"
    printf 'cpu, compute and fragment agree: %s\n' "$file"
done

step "Done"
printf 'pictures          %s\nconfusion matrix  %s\nforest            %s\n' "$folder/pictures" "$folder/accuracy.txt" "$folder/scenes.ktx2"
