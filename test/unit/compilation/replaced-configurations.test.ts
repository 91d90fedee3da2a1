import "../../../plugins/index.js";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import type { Compilation } from "../../../compiler/compilation/compilation.js";
import type { SourceText } from "../../../compiler/model/source.js";
import { newCompilation } from "../../support/compilation.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const files = (version: number): { sources: SourceText[] } => ({
  sources: [1, 2].map((file) => ({
    name: `team-${file}.json`,
    format: "json",
    text: JSON.stringify({
      routes: [
        {
          id: `r${file}`,
          uri: `/${file}`,
          upstream: { nodes: { "127.0.0.1:80": 1 } },
          plugins: {
            "proxy-rewrite": { headers: { set: { "X-Version": file === 1 ? `${version}` : "0" } } },
          },
        },
      ],
    }),
  })),
});

/** The running configuration: its resources, its compiled form, and the value of a route that each reload changes. */
function running(compilation: Compilation): WeakRef<object>[] {
  const { inventory, state } = compilation.running;
  return [inventory, state, inventory.get("routes", "r1")?.value as object].map((one) => new WeakRef(one));
}

it("after reloads, only the last two configurations stay in memory, with resources and compiled form", async () => {
  const compilation = newCompilation();
  compilation.load({ ...files(0), environment: {} });
  const former = [running(compilation)];
  for (let version = 1; version <= 6; version++) {
    const reload = compilation.reload(files(version));
    expect(reload.delta?.modules.put).toHaveLength(1);
    if (version === 3) reload.rollback();
    else reload.commit();
    former.push(running(compilation));
  }
  const held = () => {
    collect();
    return former.slice(0, -2).map((one) => one.filter((ref) => ref.deref()).length);
  };
  await expect.poll(held).toEqual([0, 0, 0, 0, 0]);
  expect(former.at(-1)?.every((ref) => ref.deref())).toBe(true);
});
