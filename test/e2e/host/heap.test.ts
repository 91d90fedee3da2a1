import "../../../plugins/runtime.js";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { RouterRow } from "../../../runtime/abi/generation.js";
import type { HostedGenerations } from "../../../runtime/proxy/host/generations.js";
import { hostedGenerations } from "../../support/hosted-generations.js";
import { artifact, delta, moduleText, request, row, table } from "../../unit/host/artifacts.js";

const UPDATES = 3_000;
const ROUTES = 1_000;
const MB = 1_048_576;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

async function heapUsed(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    collect();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}

/** A module of 6 kB, different each time, like that of a route with several plugins. */
const moduleOf = (id: string, version: number) =>
  moduleText(
    `route:${id}`,
    `rewrite(x) { x.method = "${version}"; }`,
    `// ${`${version} `.repeat(1_500).slice(0, 6_000)}`,
  );

const rowOf = (id: string): RouterRow => row(id, { moduleId: `route:${id}`, upstream: "u" });

describe(`the heap after ${UPDATES} updates of one route among ${ROUTES}`, () => {
  const start = () => {
    const ids = Array.from({ length: ROUTES }, (_, i) => `r${i}`);
    const generations = hostedGenerations();
    generations.start(
      1,
      artifact({
        routes: ids.map(rowOf),
        upstreams: [table("u", ["127.0.0.1:1"])],
        modules: ids.map((id) => moduleOf(id, 0)),
      }),
    );
    return generations;
  };

  async function update(generations: HostedGenerations, version: number): Promise<void> {
    const changed = {
      routes: { put: [rowOf("r7")] },
      upstreams: { put: [table("u", [`127.0.0.${(version % 200) + 1}:1`])] },
      modules: { put: [moduleOf("r7", version)] },
    };
    await generations.prepare(version + 1, delta(changed));
    generations.activate();
    const { live } = generations;
    generations.entered(live);
    const x = request("/r7");
    live.match(x)?.module?.rewrite?.(x);
    expect(x.method).toBe(String(version));
    generations.left(live);
  }

  it("the heap grows by less than 2 MB in updates of one route", async () => {
    const generations = start();
    for (let i = 1; i <= 200; i++) await update(generations, i);
    const before = await heapUsed();
    for (let i = 201; i <= 200 + UPDATES; i++) await update(generations, i);
    expect((await heapUsed()) - before).toBeLessThan(2 * MB);
  });

  it("the heap grows by less than 2 MB in updates while a request of the first generation is in flight", async () => {
    const generations = start();
    generations.entered(generations.live);
    for (let i = 1; i <= 200; i++) await update(generations, i);
    const before = await heapUsed();
    for (let i = 201; i <= 200 + UPDATES; i++) await update(generations, i);
    expect((await heapUsed()) - before).toBeLessThan(2 * MB);
  });
});
