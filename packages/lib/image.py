"""A container image that docker and podman load: a layer with the program, its configuration, and a manifest.

It is written without an engine: it can be made anywhere, and the same program gives the same bytes.
"""

import hashlib
import io
import json
import tarfile

# The time of everything in the image.
MOMENT = "1970-01-01T00:00:00Z"
NOBODY = 65532
PORT = 9991
SECOND = 1_000_000_000
PROCESSORS = {"x64": "amd64", "arm64": "arm64"}


def write(output, binary, licence, version, platform):
    """Writes the archive; returns its path."""
    layer = pack([("chatdouble", binary.read_bytes(), 0o755), ("LICENSE", licence, 0o644), ("tmp", None, 0o1777)])
    layer_digest = hashlib.sha256(layer).hexdigest()
    configuration = json.dumps(describe(version, platform, layer_digest), sort_keys=True).encode()
    name = f"{hashlib.sha256(configuration).hexdigest()}.json"
    manifest = [{"Config": name, "RepoTags": [f"chatdouble:{version}", "chatdouble:latest"], "Layers": [f"{layer_digest}.tar"]}]
    path = output / "chatdouble-image.tar"
    entries = [
        (name, configuration, 0o644),
        (f"{layer_digest}.tar", layer, 0o644),
        ("manifest.json", json.dumps(manifest).encode(), 0o644),
    ]
    path.write_bytes(pack(entries))
    return path


def describe(version, platform, layer_digest):
    """The configuration: the user, the command, and the health check."""
    probe = ["CMD", "/chatdouble", "health"]
    return {
        "architecture": PROCESSORS[platform.split("-")[1]],
        "os": "linux",
        "created": MOMENT,
        "config": {
            "User": f"{NOBODY}:{NOBODY}",
            # Users replace the command's options; this host keeps the server reachable from outside of the container.
            "Env": ["PATH=/", "CHATDOUBLE_HOST=0.0.0.0"],
            "Entrypoint": ["/chatdouble"],
            "Cmd": ["serve", "--host", "0.0.0.0"],
            "ExposedPorts": {f"{PORT}/tcp": {}},
            "Healthcheck": {"Test": probe, "Interval": 5 * SECOND, "Timeout": 5 * SECOND, "StartPeriod": 5 * SECOND, "Retries": 3},
            "Labels": {"org.opencontainers.image.title": "chatdouble", "org.opencontainers.image.version": version, "org.opencontainers.image.licenses": "MIT"},
            "StopSignal": "SIGTERM",
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer_digest}"]},
        "history": [{"created": MOMENT, "created_by": "packages/build --image"}],
    }


def pack(entries):
    """A tar archive of entries: name, content (None for a folder) and mode."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content, mode in entries:
            entry = tarfile.TarInfo(name)
            entry.mode = mode
            if content is None:
                entry.type = tarfile.DIRTYPE
                archive.addfile(entry)
            else:
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()
