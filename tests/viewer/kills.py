#!/usr/bin/env python3
"""Kills viewers while they paint, and recovers the work: how many seconds of painting are lost?

Each viewer paints one pixel a quarter of a second, in real time, and says so. It is killed after a random time. What the
next run recovers is compared with what had been painted five seconds before. Prints TAP."""

import argparse
import concurrent.futures
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ALLOWED = 5.0  # seconds


def script_lines(picture, strokes):
    lines = ["project new", f"open {picture}", "add-class one", "teach off"]
    for stroke in range(strokes):
        lines += [f"stroke one 0 {stroke % 60} {stroke // 60}", "labels", "sleep 0.25"]
    return lines


def painted(line):
    return int(line.split()[1])


def kill_once(viewer, folder, picture, seconds):
    """Returns the seconds of painting that were lost."""
    script = folder / "script"
    script.write_text("\n".join(script_lines(picture, int(seconds * 4) + 40)) + "\n")
    command = [viewer, "--headless", "--size", "64x64", "--recovery", folder / "copies", "--script", script]
    times = []  # when so many pixels were painted
    with subprocess.Popen(["stdbuf", "-oL", *command], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            times.append((time.monotonic(), painted(line)))
            if times[-1][0] - times[0][0] >= seconds:
                process.kill()
                break
    killed = time.monotonic()
    script.write_text("recover 1\nlabels\n")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    kept = painted(done.stdout) if done.returncode == 0 and done.stdout else 0
    lost = [moment for moment, count in times if count > kept]
    return killed - lost[0] if lost else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("viewer", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--together", type=int, default=10, help="viewers that run at a time")
    parser.add_argument("--seconds", type=float, nargs=2, default=(5.0, 60.0), metavar=("LEAST", "MOST"))
    given = parser.parse_args()
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        subprocess.run([given.program, "synth", "-q", "-o", root / "scenes", "--count", "1", "--size", "64x48"], check=True,
                       stdout=subprocess.DEVNULL)
        picture = root / "scenes" / "00000_colors.png"

        def one(number):
            folder = root / str(number)
            folder.mkdir()
            return kill_once(given.viewer.resolve(), folder, picture, seconds[number])

        seconds = [chance.uniform(*given.seconds) for _ in range(given.kills)]
        print(f"1..{given.kills}")
        failed = 0
        with concurrent.futures.ThreadPoolExecutor(given.together) as pool:
            for number, lost in enumerate(pool.map(one, range(given.kills))):
                failed += lost > ALLOWED
                print(f"{'ok' if lost <= ALLOWED else 'not ok'} {number + 1} - killed after {seconds[number]:.1f} s: "
                      f"{lost:.2f} s of painting lost", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
