import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { curlCommand } from "../../../runtime/dashboard/curl/command.js";

const WITHOUT_CURL = spawnSync("curl", ["--version"]).status !== 0;
const run = promisify(execFile);

interface Seen {
  method: string;
  target: string;
  headers: string[];
  body: string;
}

/** Headers that depend on the address, the framing and the version of curl. */
const OF_THE_WIRE = /^(?:content-length|connection|expect|host: 127\.0\.0\.1)/i;
const alike = (line: string) => line.replace(/^(User-Agent: curl\/)[\d.]+$/, "$1N");

function readRequest(text: string): Seen | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [start = "", ...lines] = text.slice(0, end).split("\r\n");
  const length = Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0);
  const body = text.slice(end + 4);
  if (body.length < length) return undefined;
  const [method = "", target = ""] = start.split(" ");
  const headers = lines.filter((line) => !OF_THE_WIRE.test(line)).map(alike);
  return {
    method,
    target: whole(target),
    headers: headers.map((line) => tidy(whole(line))).sort(),
    body: whole(body),
  };
}

/** Decodes bytes as UTF-8. */
const whole = (bytes: string) => Buffer.from(bytes, "latin1").toString();

/** Removes blanks around the value of a header. */
const tidy = (line: string) => line.replace(/^([^:]*):\s*(.*?)\s*$/, "$1: $2");

describe.skipIf(WITHOUT_CURL)("a curl command (skipped without curl on this machine)", () => {
  let seen: Seen | undefined;
  const serve = (socket: Socket) => {
    let text = "";
    socket.on("data", (piece) => {
      text += piece.toString("latin1");
      seen = readRequest(text);
      if (seen !== undefined) socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    });
    socket.on("error", () => {});
  };
  const server = createServer(serve);
  let at = "";
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    at = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it.each([
    "curl -s http://AT/orders/7?a=b",
    "curl -s AT",
    "curl -s 'AT?x=1'",
    "curl -sS -X PATCH AT/a -d a=1 -d b=2",
    "curl -sSXPOST AT/a",
    "curl -sda=1 AT/a",
    "curl -s AT/a --data-raw @not-a-file",
    `curl -s AT/a --json '{"n": 1}' --json '[2]'`,
    `curl -s AT/a --json '{"n":1}' -H 'Accept: text/html' -H 'Content-Type:'`,
    "curl -s AT/a -d x --data-urlencode 'a b&c' --data-urlencode '=d e' --data-urlencode 'n=f/g+h~é'",
    "curl -sG AT/a -d a=1 --data-urlencode 'q=x y'",
    "curl -sG 'AT/a?z=1' -d a=1",
    "curl -s 'AT/a?z=1' --url-query 'q=x y' --url-query +raw",
    "curl -s AT/a -u ada:s3cret",
    "curl -s 'http://ada:s%40x@AT/a'",
    "curl -s AT/a -u имя:пароль",
    "curl -s AT/a --oauth2-bearer token",
    "curl -s AT/a -u a:b -H 'Authorization: own'",
    "curl -s AT/a -H 'X-Empty;' -H 'X-None:' -H 'X-Twice: 1' -H 'X-Twice: 2' -H 'Accept:' -H 'User-Agent:'",
    "curl -s AT/a -H 'Host: shop.test'",
    "curl -s AT/a -A agent/1 -e 'http://ref.test/' -b 'a=1; b=2'",
    "curl -s AT/a -A '' -b a=1 -b b=2",
    "curl -s AT/a -A one -H 'user-agent: two' -b a=1 -H 'Cookie: own'",
    "curl -sI AT/a",
    "curl -s --head --url AT/a",
    "curl -s AT/a --compressed -r 0-99",
    "curl -s AT/a/./b/../c",
    "curl -s --path-as-is AT/a/./b/../c",
    "curl -s AT/a/..",
    "curl -s AT/größe?q=ж",
    "curl -s AT/a#part",
    "curl -s AT/a --request-target '/b?c=d' -X OPTIONS",
    "curl -s --connect-timeout 5 --max-time 9 -o /dev/null -w '%{http_code}' AT/a",
    "curl -s --no-keepalive --no-compressed AT/a",
    "curl -s AT/a --refer http://short.test/",
    String.raw`curl -s AT/a \
      -H "X-Quoted: a \"b\" \$c \x 'd'" \
      -d $'line\n\ttab \x41\u00e9 \'q\' \\'`,
    "curl -s AT/a -H X-Joined:\\ one'  two'\"three\" -d a\\ b",
    "curl -s AT/a 2>/dev/null -d x >/dev/null; echo -d y",
    "curl -s AT/a -d x # -d y",
    "X=1 curl -s AT/a",
    "curl -s AT/a -d ''",
    "curl -s -- AT/a",
    "curl -s AT/a -T - < /dev/null -X POST -H 'Transfer-Encoding:'",
  ])("a curl command is read as curl sends it: %s", async (written) => {
    const text = written.replaceAll("AT", at);
    const request = curlCommand(text)?.request;
    seen = undefined;
    await run("bash", ["-c", text]);
    const target = request?.url.split(at)[1];
    const lines = request?.headers.map(([name, value]) => tidy(alike(`${name}: ${value}`)));
    expect({
      ...{ method: request?.method, target, headers: lines?.sort(), body: request?.body ?? "" },
    }).toEqual(seen);
  });
});
