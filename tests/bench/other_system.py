"""Programs of another Linux system, whose root is a folder of this one. The repository is the other's /mnt, in a mount namespace of each
program's own: the mount is gone when the program ends, however it ends, and no other program sees it."""
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
ENTER = """
root=$1
mount --bind "$2" "$root/mnt"
for folder in proc sys dev; do mount --rbind /$folder "$root/$folder"; done
shift 2
exec chroot "$root" "$@"
"""


def there(path):
    """The other system's path of a file of the repository."""
    try:
        return Path("/mnt") / Path(path).resolve().relative_to(ROOT)
    except ValueError:
        sys.exit(f"--today: {path} is not in the repository, and the other system sees no other files")


def inside(root, command):
    """The command that runs a command in the other system. A user who is not root becomes root of a namespace."""
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", "--mount", *user, "sh", "-euc", ENTER, "sh", Path(root).resolve(), ROOT, *command]


def folder_of(preset):
    """Where a preset is built for the other system."""
    return ROOT / "build" / f"{preset}_today"


def build(root, preset, target):
    """Builds a target with the other system's compiler and libraries."""
    if not (Path(root) / "usr/bin").is_dir():
        sys.exit(f"--today: {root} is not the root of a Linux system")
    folder = there(folder_of(preset))
    alone = ["env", "-i", "PATH=/usr/local/bin:/usr/bin:/bin"]  # neither compilers nor flags of this system
    for step in (["cmake", "-S", there(ROOT), "--preset", preset, "-B", folder], ["cmake", "--build", folder, "--target", target]):
        done = subprocess.run(inside(root, [*alone, *step]), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(f"--today: {root} cannot do this: {' '.join(map(str, step))}\n{done.stdout}")
