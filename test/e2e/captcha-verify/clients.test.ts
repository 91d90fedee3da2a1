import { execFile } from "node:child_process";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, CaptchaHarness, SITE } from "../../support/verify-harness.js";

const run = promisify(execFile);
const clock = { now: () => Date.now(), monotonic: () => performance.now() };

let harness: CaptchaHarness;
beforeAll(async () => {
  harness = await CaptchaHarness.start({ clock });
});
afterAll(() => harness.stop());

const good = { success: true, site_key: SITE };

describe("[A20] a plain client is served", () => {
  it("fetch of Node", async () => {
    const answer = await fetch(harness.verifyUrl(await harness.issue()), {
      headers: { "X-Api-Key": harness.keys.shop.key },
    });
    expect(await answer.json()).toMatchObject(good);
  });

  it("curl, by GET and by POST", async () => {
    const key = `X-Api-Key: ${harness.keys.shop.key}`;
    const got = await run("curl", ["-s", "-H", key, harness.verifyUrl(await harness.issue())]);
    expect(JSON.parse(got.stdout)).toMatchObject(good);
    const target = `http://127.0.0.1:${harness.port}/${SITE}/verify`;
    const posted = await run("curl", ["-s", "-H", key, "-d", `jwt=${await harness.issue()}`, target]);
    expect(JSON.parse(posted.stdout)).toMatchObject(good);
  });

  it("urllib of Python", async () => {
    const script = `
import sys, urllib.request
request = urllib.request.Request(sys.argv[1], headers={"X-Api-Key": sys.argv[2]})
print(urllib.request.urlopen(request).read().decode())`;
    const { stdout } = await run("python3", [
      "-c",
      script,
      harness.verifyUrl(await harness.issue()),
      harness.keys.shop.key,
    ]);
    expect(JSON.parse(stdout)).toMatchObject(good);
  });
});

it("[A30] two equal GETs through a cache both reach the service", async () => {
  const kept = new Map<string, { status: number; text: string }>();
  let passed = 0;
  /** Keeps what it may keep (RFC 9111 section 3), and more than it should: without a look at the request. */
  const cache = createServer((incoming, response) => {
    const target = incoming.url ?? "";
    const known = kept.get(target);
    if (known !== undefined) {
      response.writeHead(known.status, { "X-Cache": "hit" }).end(known.text);
      return;
    }
    passed++;
    const options = { host: "127.0.0.1", port: harness.port, path: target, headers: incoming.headers };
    request(options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      answer.on("end", () => {
        const status = answer.statusCode ?? 0;
        if (!/no-store/.test(answer.headers["cache-control"] ?? "")) kept.set(target, { status, text });
        response.writeHead(status).end(text);
      });
    }).end();
  });
  cache.listen(0, "127.0.0.1");
  await new Promise((resolve) => cache.once("listening", resolve));
  const { port } = cache.address() as AddressInfo;
  const target = `/${SITE}/verify?jwt=${await harness.issue()}`;
  const headers = { "X-Api-Key": harness.keys.shop.key };
  expect((await ask(port, target, { headers })).body.success).toBe(true);
  expect((await ask(port, target, { headers })).body.reason).toBe("already_used");
  expect(passed).toBe(2);
  cache.close();
});
