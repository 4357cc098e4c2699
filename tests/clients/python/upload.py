"""Uploads a file piece by piece with the stock tus client, breaks off, resumes, and reads the file back.

Usage: upload.py URL
"""

import base64
import io
import sys

import requests
from tusclient import client
from tusclient.exceptions import TusCommunicationError

EMAIL = "mel@chat.test"
CONTENT = bytes(number % 251 for number in range(300_000))
CHUNK = 64 * 1024


def check(holds, what, details=""):
    print(f"{'ok' if holds else 'not ok'} - {what} {'' if holds else details}", flush=True)
    if not holds:
        sys.exit(1)


def main(url):
    key = requests.post(f"{url}/api/v1/dev_fetch_api_key", {"username": EMAIL}, timeout=10).json()["api_key"]
    login = base64.b64encode(f"{EMAIL}:{key}".encode()).decode()
    tus = client.TusClient(f"{url}/api/v1/tus/", headers={"Authorization": f"Basic {login}"})

    metadata = {"filename": "numbers.bin", "filetype": "application/octet-stream"}
    begun = tus.uploader(file_stream=io.BytesIO(CONTENT), chunk_size=CHUNK, metadata=metadata)
    begun.upload_chunk()
    begun.upload_chunk()
    check(begun.offset == 2 * CHUNK, "two pieces arrive", begun.offset)

    # Another uploader, as after a lost connection, asks how far it got and goes on.
    resumed = tus.uploader(file_stream=io.BytesIO(CONTENT), chunk_size=CHUNK, url=begun.url)
    resumed.upload()
    check(resumed.offset == len(CONTENT), "the rest arrives after resuming", resumed.offset)

    listed = requests.get(f"{url}/api/v1/attachments", auth=(EMAIL, key), timeout=10).json()["attachments"]
    found = [one for one in listed if one["name"] == "numbers.bin"]
    check(len(found) == 1 and found[0]["size"] == len(CONTENT), "it is an ordinary upload", listed)
    read = requests.get(f"{url}/user_uploads/{found[0]['path_id']}", auth=(EMAIL, key), timeout=10)
    check(read.content == CONTENT, "it is read back byte for byte", read.status_code)

    stranger = client.TusClient(f"{url}/api/v1/tus/")
    try:
        stranger.uploader(file_stream=io.BytesIO(b"x"), chunk_size=CHUNK).upload()
        check(False, "an upload without credentials is refused")
    except TusCommunicationError as error:
        check(error.status_code == 401, "an upload without credentials is refused", error.status_code)


main(sys.argv[1])
