import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { until } from "../../support/patience.js";
import { accepts, freePort } from "../../support/ports.js";
import { captchaHarness } from "./harness.js";
import { CLOSING, MULTIPART, part } from "./posts.js";

const MB = 1_048_576;
const FILE_BYTES = 100 * MB;
/** One piece of the file; it repeats with a period that no buffer size divides. */
const PIECE = Buffer.alloc(999_983, "\r\n------WebKitFormBoundary0123456789\xff\0");

let folder = "";
let nginx: ChildProcess | undefined;
let port = 0;

/** nginx with PUT: the received bytes are on the disk. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "captcha-plugin-"));
  port = await freePort();
  for (const name of ["temp", "files"]) mkdirSync(join(folder, name));
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (one) => `${one}_temp_path ${folder}/temp;`,
  );
  writeFileSync(
    join(folder, "nginx.conf"),
    `user root; worker_processes 1; pid ${folder}/nginx.pid; events {}
     http { access_log off; ${temp.join(" ")} client_max_body_size 0;
       server { listen 127.0.0.1:${port}; root ${folder}/files; location / { dav_methods PUT; } } }`,
  );
  nginx = spawn(
    "nginx",
    ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", "stderr", "-g", "daemon off;"],
    {
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  await until(() => accepts(port));
});

afterAll(async () => {
  if (nginx !== undefined) {
    const ended = new Promise((resolve) => nginx?.once("exit", resolve));
    nginx.kill("SIGTERM");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(join(folder, "files", file))) hash.update(piece as Buffer);
  return hash.digest("hex");
}

/** Sends one upload with back pressure; `expected` is the hash of the bytes that must arrive. */
async function upload(gatewayPort: number, name: string, framing: "length" | "chunked") {
  const before = part("name", "Ann");
  const token = part("captcha-token", `aa.${name}.cc`);
  const header = part("file", "", '; filename="big.bin"').slice(0, -2);
  const hash = createHash("sha256").update(before + header);
  const length = before.length + token.length + header.length + FILE_BYTES + 2 + CLOSING.length;
  const socket = connect(gatewayPort, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const answered = new Promise<string>((resolve) =>
    socket.once("data", (bytes) => resolve(bytes.toString("latin1"))),
  );
  const write = async (bytes: Buffer | string) => {
    const body = typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
    socket.cork();
    if (framing === "chunked") socket.write(`${body.length.toString(16)}\r\n`);
    const isFree = socket.write(body);
    if (framing === "chunked") socket.write("\r\n");
    socket.uncork();
    if (!isFree) await new Promise((resolve) => socket.once("drain", resolve));
  };
  const said = framing === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  socket.write(`PUT /${name} HTTP/1.1\r\nHost: shop.test\r\nContent-Type: ${MULTIPART}\r\n${said}\r\n\r\n`);
  await write(before + token + header);
  for (let left = FILE_BYTES; left > 0; ) {
    const piece = PIECE.subarray(0, Math.min(left, PIECE.length));
    hash.update(piece);
    await write(piece);
    left -= piece.length;
  }
  await write(`\r\n${CLOSING}`);
  hash.update(`\r\n${CLOSING}`);
  if (framing === "chunked") socket.write("0\r\n\r\n");
  return {
    status: (await answered).slice(9, 12),
    expected: hash.digest("hex"),
    bytes: length - token.length,
  };
}

describe("a form with a file of 100 MB behind its token", () => {
  it.each(["length", "chunked"] as const)(
    "a form with a file of 100 MB reaches nginx byte by byte, within limited memory: %s",
    async (framing) => {
      const harness = await captchaHarness({ upstreamPort: port });
      let held = 0;
      let memory = 0;
      const start = process.memoryUsage().rss;
      const watch = setInterval(() => {
        held = Math.max(held, harness.server.stats().bufferedBytes);
        memory = Math.max(memory, process.memoryUsage().rss - start);
      }, 2);
      const { status, expected, bytes } = await upload(harness.port, framing, framing);
      clearInterval(watch);
      expect(status).toBe("201");
      expect(harness.verifier.calls[0]?.query["jwt"]).toBe(`aa.${framing}.cc`);
      expect(statSync(join(folder, "files", framing)).size).toBe(bytes);
      expect(await hashOf(framing)).toBe(expected);
      // The limit of the scanned part, and one read; the process also holds the client's pieces.
      expect(held).toBeLessThan(MB + 65_536);
      expect(memory).toBeLessThan(60 * MB);
      expect(harness.server.stats().bufferedBytes).toBe(0);
    },
  );

  it("a form without a token within max_multipart_bytes gets 413, and the connection closes", async () => {
    const harness = await captchaHarness({ upstreamPort: port, settings: { max_multipart_bytes: 65_536 } });
    const browser = await harness.client();
    const head = `PUT /late HTTP/1.1\r\nHost: a\r\nContent-Type: ${MULTIPART}\r\nContent-Length: ${FILE_BYTES}\r\n\r\n`;
    await browser.send(head + part("file", "x".repeat(200_000), '; filename="f"'));
    const { status, body, headers } = await browser.response("PUT");
    expect(status).toBe(413);
    expect(JSON.parse(body)).toEqual({
      error: "captcha_too_late",
      message: "No captcha token within the first 65536 bytes of the body",
    });
    expect(headers.find(([name]) => name.toLowerCase() === "connection")?.[1]).toBe("close");
    expect(harness.verifier.calls).toEqual([]);
  });
});
