import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type LogLine, lineOf, linesIn } from "../../../runtime/process/generation-log.js";
import { ProcessGateway } from "./gateway.js";

let gateway: ProcessGateway;
afterEach(() => gateway.end());

const upstream = { nodes: { "127.0.0.1:9": 1 } };
const FILE_ROUTE = { id: "file", uri: "/file", upstream };

/** Rewrites the saved generations as those of a gwc with the previous interface version. */
function ageSaved(): void {
  const directory = join(gateway.directory, "store", "generations");
  for (const name of readdirSync(directory)) {
    const lines = [...linesIn(readFileSync(join(directory, name), "utf8"))];
    const aged = lines.map((line): LogLine => {
      if ("begin" in line) return { ...line, abi: line.abi - 1 };
      return "delta" in line ? { ...line, delta: { ...line.delta, abi: line.delta.abi - 1 } } : line;
    });
    writeFileSync(join(directory, name), Buffer.concat(aged.map(lineOf)));
  }
}

it("a gateway compiles generations of an earlier version again, even if the plan is the same", async () => {
  gateway = await ProcessGateway.start({ routes: [FILE_ROUTE] }, { workers: 1 });
  await gateway.admin("PUT", "/routes/stored", { uri: "/stored", upstream });
  await gateway.stop();
  ageSaved();
  await gateway.open();
  expect(await gateway.ready()).toBe(true);
  expect((await gateway.get("/file")).status).toBe(502);
  expect((await gateway.get("/stored")).status).toBe(502);
  expect(gateway.log("child_ended")).toEqual([]);
});

it("a gateway does not start from generations of another version if its files do not compile", async () => {
  gateway = await ProcessGateway.start({ routes: [FILE_ROUTE] }, { workers: 1 });
  await gateway.stop();
  ageSaved();
  gateway.write({ routes: [{ ...FILE_ROUTE, uri: 5 }] }, { workers: 1 });
  await expect(gateway.open()).rejects.toThrow(/another version of gwc/);
});
