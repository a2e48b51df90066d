"""Asks pywb for pages of the collections below the current folder.

Reads one path a line (`/demo/20261115223000id_/http://a.example/`) and prints, for each, one JSON line with the status
and the body. The whole of pywb answers, as it would to a browser; only the socket in front of it is left out.
"""
import json
import sys

from pywb.apps.frontendapp import FrontEndApp  # first: it makes the standard library cooperative
from werkzeug.test import Client

client = Client(FrontEndApp(config_file=None, custom_config={"debug": False}))
for path in sys.stdin.read().splitlines():
    response = client.get(path)
    body = response.get_data().decode("latin-1")
    print(json.dumps({"status": response.status_code, "body": body}), flush=True)
