# A backend with one protected form: python3 python.py
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# 8<
# Python 3.8 or later, nothing to install.
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request


def passed_captcha(token, ip=""):
    if not token:
        return False
    query = urllib.parse.urlencode({"jwt": token, "ip": ip})
    request = urllib.request.Request(
        "{captcha_url}/{site_key}/verify?" + query,
        headers={"X-Api-Key": os.environ["CAPTCHA_API_KEY"]},
    )
    try:
        with urllib.request.urlopen(request, timeout=3) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        # Nobody knows whether it was a human: the caller decides; here it does not go on.
        if error.code >= 500:
            raise
        answer = json.load(error)
    if not answer["success"] and answer["error"] != "invalid_jwt":
        print("captcha: check the integration:", answer["error"], file=sys.stderr)
    return answer["success"] is True
# >8


class Form(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        token = urllib.parse.parse_qs(body).get("captcha-token", [""])[0]
        try:
            if passed_captcha(token, self.client_address[0]):
                self.answer(200, "done")
            else:
                self.answer(403, "please solve the captcha again")
        except OSError as error:
            print(error, file=sys.stderr)
            self.answer(503, "please try again later")

    def answer(self, status, text):
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Form).serve_forever()
