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

step "Rendering 240 scenes to train on and 20 to test with"
"$program" synth --quiet --output "$folder/scenes" --count 240 --size 160x120 --noise 15
"$program" synth --quiet --output "$folder/held-out" --count 20 --size 160x120 --noise 15 --seed 100000

step "Training a forest"
"$program" train --data "$folder/scenes" --output "$folder/scenes.ktx2" \
    --channels wide --trees 12 --depth 15 --pixels 500 --candidates 100 --single 60 --min-samples 4 \
    --offset 25 --size 16 --score gini --weights inverse-root --seed 1

step "Labelling the held-out scenes with shaders, and comparing with their labels"
"$program" evaluate --quiet --data "$folder/held-out" "$folder/scenes.ktx2" --overlays "$folder/pictures" >"$folder/accuracy.txt"
sed -n '/^class /,$p' "$folder/accuracy.txt"

step "The same bits by every technique"
for technique in cpu compute fragment; do
    "$program" label --quiet --technique "$technique" --output "$folder/$technique" --probabilities tiff \
        "$folder/scenes.ktx2" "$folder/held-out/00000_colors.png"
done
for file in 00000_colors_labels.png 00000_colors_probabilities.tif; do
    cmp "$folder/cpu/$file" "$folder/compute/$file"
    cmp "$folder/cpu/$file" "$folder/fragment/$file"
    printf 'cpu, compute and fragment agree: %s\n' "$file"
done

accuracy=$(sed -n 's/^pixel accuracy *//p' "$folder/accuracy.txt")
step "Done"
cat <<END
The forest names the right one of 20 classes for $accuracy of the pixels of scenes that it has not seen.

  $folder/pictures       every held-out scene under the colours of the classes found: have a look
  $folder/held-out       the scenes themselves
  $folder/accuracy.txt   the confusion matrix
  $folder/scenes.ktx2    the forest

Next:
  $program inspect $folder/scenes.ktx2
  $program label $folder/scenes.ktx2 YOUR-IMAGE.png
  $program help
END
