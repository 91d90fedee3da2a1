// The calls of the admin API in docs/captcha/configuration.md, unchanged.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { read } from "../../architecture/sources.js";
import { fencedBlocks } from "../../tools/plugin-docs.js";
import { ADMIN_KEY, AdminGateway } from "../control/admin.js";

const run = promisify(execFile);
const calls = fencedBlocks(read("docs/captcha/configuration.md"), "sh").flatMap((block) =>
  block.split("\n").filter((line) => line.startsWith("curl ")),
);

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start(
    "captcha: { listen: { ip: 127.0.0.1, port: 0 }, store: { type: memory } }\n",
  );
});
afterAll(() => admin.stop());

it("every call of the configuration page is accepted, in the page's order", async () => {
  expect(calls.length).toBeGreaterThan(3);
  for (const call of calls) {
    const command = call.replace("127.0.0.1:9180", `127.0.0.1:${admin.port("admin")}`);
    const options = { env: { ...process.env, KEY: ADMIN_KEY } };
    const { stdout } = await run("bash", ["-c", `${command} -s -w '\\n%{http_code}'`], options);
    expect([call, stdout]).toEqual([call, expect.stringMatching(/\n20[01]$/)]);
    if (call.includes("/api-keys"))
      expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({
        key: expect.stringMatching(/^\/gw\/captcha\/api-keys\/[a-z0-9]{8}$/),
        value: { customer: "shop", expires: "2037-03-31T00:00:00Z" },
        secret: expect.stringMatching(/^spk_/),
      });
  }
});
