import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Authority } from "../syslog/authority.js";
import { captchaHarness, SITE_KEY } from "./harness.js";
import { formPost } from "./posts.js";

let authority: Authority;
let server: Server;
const paths: string[] = [];

/** A captcha service behind TLS and a path, at the address that the certificate names. */
beforeAll(async () => {
  authority = new Authority();
  const [cert, key] = [readFileSync(authority.cert), readFileSync(authority.key)];
  server = createServer({ cert, key }, (request, response) => {
    paths.push((request.url ?? "").replace(/\?.*/, ""));
    response.end(JSON.stringify({ success: true, request_id: "req_1", site_key: SITE_KEY }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  authority.remove();
});

async function status(settings: object): Promise<number> {
  const { port } = server.address() as AddressInfo;
  const harness = await captchaHarness({
    settings: { captcha_url: `https://127.0.0.1:${port}/captcha/`, policy: "fail-open", ...settings },
  });
  const browser = await harness.client();
  await browser.send(formPost({ "captcha-token": "aa.bb.cc" }));
  const response = await browser.response("POST");
  const [request] = harness.upstream.requests;
  const result = request?.headers.find(([name]) => name === "X-Captcha-Result")?.[1];
  return result === "verified" ? response.status : 0;
}

describe("a captcha service behind TLS", () => {
  it("a captcha service behind TLS is called below its path if its authority is trusted", async () => {
    expect(await status({ ca: authority.caText })).toBe(200);
    expect(paths).toEqual([`/captcha/${SITE_KEY}/verify`]);
  });

  it("a captcha service with an untrusted certificate gets no request", async () => {
    paths.length = 0;
    expect(await status({})).toBe(0);
    expect(paths).toEqual([]);
  });
});
