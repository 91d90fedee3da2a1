import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { SITE_KEY } from "../captcha/captcha-gateway.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";

const KEY = `spk_aaaaaaa1_${"A".repeat(43)}_01ab23`;
/** API keys that the captcha service received. */
const keys: unknown[] = [];
const upstream = useUpstream(({ headers, url }, response) => {
  if (url?.includes("/verify")) keys.push(headers["x-api-key"]);
  response.end("hello");
});
let gateway: ProcessGateway;
beforeEach(async () => {
  gateway = await ProcessGateway.prepare({}, { workers: 1 });
});
afterEach(() => gateway.end());

const put = (text: string) => writeFileSync(join(gateway.directory, "routes.json"), text);
const FILES = { paths: ["gateway.json", "routes.json"] };

describe("last known good generation without its API key", () => {
  it("a gateway without a route's key serves the other routes, responds with 503, and reads the key in a reload", async () => {
    const route = (id: string, plugins: object) => ({
      ...{ id, uri: `/${id}`, upstream: { nodes: upstream.nodes } },
      plugins,
    });
    const captcha = {
      ...{ captcha_url: `http://${Object.keys(upstream.nodes)[0]}`, site_key: SITE_KEY, retries: 0 },
      api_key: KEY,
    };
    const whole = JSON.stringify({ routes: [route("open", {}), route("form", { captcha })] });
    put(whole);
    await gateway.open(FILES);
    expect((await gateway.get("/open")).status).toBe(200);
    await gateway.stop();
    put('{ "routes": [');
    await gateway.open(FILES);
    expect(gateway.log("last_known_good")).toHaveLength(1);
    expect((await gateway.get("/open")).status).toBe(200);
    const type = { "Content-Type": "application/x-www-form-urlencoded" };
    const post = () => exchange(gateway.port, "POST", "/form", "captcha-token=a.b.c", type);
    expect((await post()).status).toBe(503);
    expect(keys).toEqual([]);
    put(whole);
    gateway.process.kill("SIGHUP");
    await until(() => gateway.log("reloaded").length > 0);
    await post();
    expect(keys).toEqual([KEY]);
  });
});
