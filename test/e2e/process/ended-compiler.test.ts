import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { definition, packageFiles, writeFiles } from "../../support/plugin-package.js";
import { ProcessGateway } from "./gateway.js";

const upstream = useUpstream();
let gateway: ProcessGateway;
afterEach(() => gateway.end());

/** Plugin whose code ends the thread of the compiler. */
const ENDING = packageFiles("ending", {
  "index.js": definition("ending").replace(
    "const path",
    'if (value.value === "end") process.exit(3);\n    const path',
  ),
});
const route = (value: string) => ({
  plugins: ["./ending"],
  routes: [{ id: "r", uri: "/*", upstream: { nodes: upstream.nodes }, plugins: { ending: { value } } }],
});

async function prepared(value: string): Promise<void> {
  gateway = await ProcessGateway.prepare(route(value), { workers: 1 });
  writeFiles(join(gateway.directory, "ending"), ENDING);
}

it("a compiler that ends at the first start ends the gateway with 1 and the reason", async () => {
  await prepared("end");
  gateway.launch();
  await until(() => gateway.hasEnded);
  expect(gateway.process.exitCode).toBe(1);
  expect(gateway.errors).toContain("the compiler failed: the compiler thread ended");
  expect(gateway.log("child_ended")).toEqual([]);
});

it("a compiler that ends at a later start leaves the last known good generation running until a reload", async () => {
  await prepared("good");
  await gateway.open();
  await gateway.stop();
  gateway.write(route("end"));
  await gateway.open();
  const header = async () => (await gateway.get("/")).headers["x-ending"];
  expect(await header()).toBe("good");
  const reason = "the compiler failed: the compiler thread ended";
  expect(gateway.log("last_known_good")).toMatchObject([{ reason }]);
  gateway.process.kill("SIGHUP");
  expect(await until(() => gateway.log("reload_refused")[0])).toMatchObject({ reason });
  expect(await header()).toBe("good");
  gateway.write(route("better"));
  gateway.process.kill("SIGHUP");
  await expect.poll(header).toBe("better");
  const metadata = () => gateway.admin("PUT", "/plugin_metadata/ending", {});
  await expect.poll(async () => (await metadata()).json["error_msg"]).not.toBe("invalid plugin name");
  expect(gateway.log("child_ended")).toEqual([]);
});

it.each([1, 0])(
  "a compiler that ends during a reload leaves the running generation unchanged (%i workers)",
  async (workers) => {
    await prepared("good");
    await gateway.open({ workers });
    gateway.write(route("end"));
    gateway.process.kill("SIGHUP");
    expect(await until(() => gateway.log("reload_refused")[0])).toMatchObject({
      reason: expect.stringContaining("the compiler failed"),
    });
    gateway.write(route("better"));
    gateway.process.kill("SIGHUP");
    await expect.poll(async () => (await gateway.get("/")).headers["x-ending"]).toBe("better");
    expect(gateway.log("child_ended")).toEqual([]);
  },
);
