import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { useUpstream } from "../../support/http-upstream.js";
import { until } from "../../support/patience.js";
import { definition, packageFiles, writeFiles } from "../../support/plugin-package.js";
import { ProcessGateway } from "./gateway.js";

const upstream = useUpstream();
let gateway: ProcessGateway;

afterAll(() => gateway.end());

it("package code that a write makes loop is stopped, and only that write is refused", async () => {
  gateway = await ProcessGateway.prepare(
    {
      plugins: ["./looping"],
      routes: [
        { id: "r", uri: "/r", upstream: { nodes: upstream.nodes }, plugins: { looping: { value: "a" } } },
      ],
    },
    { workers: 1 },
  );
  const files = packageFiles("looping", {
    "index.js": definition("looping").replace(
      "const path",
      'if (value.value === "loop") for (;;);\n    const path',
    ),
  });
  writeFiles(join(gateway.directory, "looping"), files);
  await gateway.open();
  const put = (id: string, value: string) =>
    gateway.admin("PUT", `/routes/${id}`, {
      ...{ uri: `/${id}`, upstream: { nodes: upstream.nodes }, plugins: { looping: { value } } },
    });
  const answers = Promise.all([put("evil", "loop"), put("good", "b")]);
  const during = await until(() => gateway.get("/r").catch(() => undefined));
  expect([during.status, during.headers["x-looping"]]).toEqual([200, "a"]);
  const [evil, good] = await answers;
  expect([evil.status, evil.json["error_msg"]]).toEqual([
    400,
    expect.stringContaining('the plugin "looping" of "./looping" does not finish plan within 10 s'),
  ]);
  expect(good.status).toBe(201);
  expect((await gateway.get("/good")).headers["x-looping"]).toBe("b");
  expect((await gateway.admin("GET", "/routes/evil")).status).toBe(404);
  expect(gateway.log("compiler_ended")).toEqual([]);
});
