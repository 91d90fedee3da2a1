import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { PATIENCE_MS } from "../../support/patience.js";
import { useStartedExample } from "./started-example.js";

const output = useStartedExample();

/** Curl lines in the output. */
const curls = () =>
  output()
    .split("\n")
    .filter((line) => line.startsWith("  curl "))
    .map((line) => line.trim());
const shell = (line: string) =>
  spawnSync("bash", ["-c", line], { encoding: "utf8", timeout: PATIENCE_MS }).stdout;

describe("npm start", () => {
  it("npm start prints the addresses, a key and five curl lines", () => {
    expect(output()).toMatch(/data\s+http:\/\/127\.0\.0\.1:9080/);
    expect(output()).toMatch(/admin\s+http:\/\/127\.0\.0\.1:9180\s+X-API-KEY: [\w-]{20,}/);
    expect(output()).toMatch(/web\s+http:\/\/127\.0\.0\.1:9180\/gw\/ui/);
    expect(curls()).toHaveLength(5);
  });

  it("the first curl line shows a path parameter rewritten into the upstream's query", () => {
    expect(shell(curls()[0] ?? "")).toContain('"target": "/catalogue/item?sku=blue-mug"');
  });

  it("the second curl line shows header actions and a masked body", () => {
    const answer = shell(curls()[1] ?? "");
    expect(answer).toContain('"card": "[card]"');
    expect(answer).toContain("orders.example.com");
    expect(answer).toContain('"x-forwarded-via": "gw"');
    expect(answer).not.toContain("x-debug-token");
    expect(answer.toLowerCase()).toContain("cache-control: no-store");
  });

  it("the third curl line shows a filtered gzip body", () => {
    expect(shell(curls()[2] ?? "")).toContain("Quarterly figures: public, strictly public.");
  });

  it("the fourth curl line shows a rewritten 502 local reply", () => {
    const answer = shell(curls()[3] ?? "");
    expect(answer).toMatch(/^HTTP\/1\.1 503/);
    expect(answer).toContain('{"items":[],"degraded":true}');
  });

  it("the fifth curl line shows a route that is served after its write by the admin API", () => {
    const answer = shell(curls()[4] ?? "");
    expect(answer).toContain('"key":"/gw/routes/hello"');
    expect(answer).toContain('"target": "/hello"');
  });

  it("the internal route rejects a request without a key and accepts a consumer's key", () => {
    expect(shell("curl -si http://127.0.0.1:9080/internal/x")).toContain("ask the platform team for a key");
    const passed = shell("curl -si -H 'apikey: demo-platform-key' http://127.0.0.1:9080/internal/x");
    expect(passed).toMatch(/^HTTP\/1\.1 200/);
  });
});
