"""Packs the Go module as a proxy serves it: `GOPROXY=file://DIR/go`."""

import json
import zipfile

MODULE = "chatdouble.test/go"
EPOCH = (1980, 1, 1, 0, 0, 0)


def write(output, source, licence, version):
    """Writes the module's files into `output/go`; returns the archive."""
    folder = output / "go" / MODULE / "@v"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "list").write_text(f"v{version}\n")
    (folder / f"v{version}.info").write_text(json.dumps({"Version": f"v{version}"}))
    (folder / f"v{version}.mod").write_bytes((source / "go.mod").read_bytes())
    path = folder / f"v{version}.zip"
    files = {str(one.relative_to(source)): one.read_bytes() for one in sorted(source.rglob("*")) if one.is_file()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**files, "LICENSE": licence}.items():
            archive.writestr(zipfile.ZipInfo(f"{MODULE}@v{version}/{name}", EPOCH), content, zipfile.ZIP_DEFLATED)
    return path
