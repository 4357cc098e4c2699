"""Writes a wheel around a program that is already built; tools that build wheels compile the program themselves."""

import base64
import hashlib
import re
import zipfile

# Names of platforms in wheels: for a static program, which runs with any C library, and for others.
TAGS = {
    "linux-x64": ("manylinux2014_x86_64.musllinux_1_1_x86_64", "linux_x86_64"),
    "linux-arm64": ("manylinux2014_aarch64.musllinux_1_1_aarch64", "linux_aarch64"),
    "darwin-x64": ("macosx_10_13_x86_64", "macosx_10_13_x86_64"),
    "darwin-arm64": ("macosx_11_0_arm64", "macosx_11_0_arm64"),
    "win32-x64": ("win_amd64", "win_amd64"),
}
# The time of each file, so that the same files give the same bytes.
MOMENT = (1980, 1, 1, 0, 0, 0)
KINDS = "Programming Language :: Python :: 3", "Framework :: Pytest", "Typing :: Typed"


def write(output, project, licence, binary, version, platform, is_static):
    """Writes the wheel; returns its path."""
    described = (project / "pyproject.toml").read_text()
    portable, bound = TAGS[platform]
    tags = portable if is_static else bound
    path = output / f"chatdouble-{version}-py3-none-{tags}.whl"
    info, data = f"chatdouble-{version}.dist-info", f"chatdouble-{version}.data"
    files = {
        f"chatdouble/{source.name}": source.read_bytes()
        for source in sorted((project / "src" / "chatdouble").iterdir())
        if source.is_file()
    }
    program = f"{data}/scripts/chatdouble" + (".exe" if platform.startswith("win32") else "")
    files[program] = binary.read_bytes()
    files[f"{info}/METADATA"] = metadata(described, (project / "README.md").read_text(), version).encode()
    expanded = "".join(f"Tag: py3-none-{tag}\n" for tag in tags.split("."))
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: chatdouble\nRoot-Is-Purelib: false\n{expanded}".encode()
    files[f"{info}/licenses/LICENSE"] = licence
    files[f"{info}/entry_points.txt"] = b"[pytest11]\nchatdouble = chatdouble.pytest_plugin\n"
    record = f"{info}/RECORD"
    rows = [f"{name},sha256={digest(content)},{len(content)}\n" for name, content in files.items()]
    files[record] = "".join([*rows, f"{record},,\n"]).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, MOMENT)
            entry.external_attr = (0o100755 if name == program else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return path


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def metadata(described, readme, version):
    def value(key):
        return re.search(rf'^{key} = "(.+)"$', described, re.MULTILINE)[1]

    head = {
        "Metadata-Version": "2.4",
        "Name": value("name"),
        "Version": version,
        "Summary": value("description"),
        "License-Expression": "MIT",
        "License-File": "LICENSE",
        "Requires-Python": value("requires-python"),
        "Description-Content-Type": "text/markdown",
    }
    lines = [f"{key}: {text}" for key, text in head.items()] + [f"Classifier: {kind}" for kind in KINDS]
    return "\n".join([*lines, "", readme])
