import { expect, it } from "vitest";
import { filesBelow, read } from "../../architecture/sources.js";

/** Field of the default log record, which is no metric. */
const NO_METRIC = new Set(["gw_latency"]);
const NAME = /\bgw_[a-z]+(?:_[a-z]+)*\b/g;

it("the page docs/operations.md names every metric of the gateway and no other", () => {
  const code = (path: string) => read(path).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  const counted = [...filesBelow("runtime", ".ts"), ...filesBelow("plugins", ".ts")].flatMap(
    (path) => code(path).match(NAME) ?? [],
  );
  const documented = new Set(read("docs/operations.md").match(NAME) ?? []);
  const names = new Set(counted.filter((name) => !NO_METRIC.has(name)));
  expect([...names].filter((name) => !documented.has(name))).toEqual([]);
  expect([...documented].filter((name) => !names.has(name))).toEqual([]);
});
