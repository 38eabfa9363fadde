"""The programs that `measure` and `lambda` compare: how they are built, and what callgrind counted of them."""

import collections
import dataclasses
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "memalign", "aligned_alloc"}


@dataclasses.dataclass
class Source:
    """Where a program's binary comes from."""

    package: str
    features: str | None = None
    binary: str | None = None
    floor: str | None = None
    """The program that its numbers are divided by; none if it is a floor itself."""


def build(name: str, source: Source, into: Path) -> Path:
    """Builds one binary by itself, so that it has only its own features, and sets it aside."""
    package = HERE.parent / source.package
    binary = source.binary or name
    target = Path(os.environ.get("CARGO_TARGET_DIR", package / "target"))
    command = ["cargo", "build", "--locked", "--quiet", "--profile", "dist", "--bin", binary]
    if source.features is not None:
        command += ["--no-default-features", "--features", source.features]
    subprocess.run(command, cwd=package, check=True)
    into.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy2(target / "dist" / binary, into / name))


def read_callgrind(file: Path) -> tuple[int, int]:
    """Instructions and allocations in callgrind's output. Names are given once and numbered from then on."""
    names: dict[str, str] = {}
    calls: collections.Counter[str] = collections.Counter()
    total = callee = None
    with file.open() as lines:
        for line in lines:
            if found := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?", line):
                if found[3]:
                    names[found[2]] = found[3]
                if found[1]:
                    callee = names[found[2]]
            elif line.startswith("calls="):
                calls[callee] += int(line[len("calls="):].split()[0])
            elif line.startswith("totals:"):
                total = int(line.split()[1])
    if total is None or not calls["malloc"]:
        sys.exit(f"callgrind wrote no counts, or the allocator is not libc's: {file}")
    return total, sum(calls[name] for name in ALLOCATORS)
