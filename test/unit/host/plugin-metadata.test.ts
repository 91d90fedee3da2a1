import "../../../plugins/runtime.js";
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { ModuleCode } from "../../../runtime/abi/generation.js";
import type { HostedGenerations } from "../../../runtime/proxy/host/generations.js";
import { hostedGenerations } from "../../support/hosted-generations.js";
import { artifact, delta, moduleText, row } from "./artifacts.js";

const UNIT = "plugin_metadata:logger";
const ROW = { plugin: "logger", moduleId: UNIT };

/** Metadata whose settings hold one number. */
function metadata(pending: number, members = ""): ModuleCode {
  const code = `const { definePluginMetadata } = require("gwc/runtime");\nmodule.exports = definePluginMetadata({ id: "logger", ${members} settings: { max_pending_entries: ${pending} } });\n`;
  const hash = createHash("sha256").update(code).digest("hex");
  return { moduleId: UNIT, file: "plugin_metadata/logger", hash, code };
}

function hosted(pluginMetadata = [ROW], modules = [metadata(1)]): HostedGenerations {
  const generations = hostedGenerations();
  generations.start(
    1,
    artifact({
      routes: [row("a", { moduleId: "route:a" })],
      modules: [moduleText("route:a", ""), ...modules],
      pluginMetadata,
    }),
  );
  return generations;
}

const pending = (generation: HostedGenerations["live"]) =>
  generation.pluginMetadata.get("logger")?.settings["max_pending_entries"];

describe("plugin metadata", () => {
  it("plugin metadata is part of a full generation", () => {
    expect(pending(hosted().live)).toBe(1);
    expect(hosted([], []).live.pluginMetadata.size).toBe(0);
  });

  it("plugin metadata changes at activation while a request in flight keeps the old settings", async () => {
    const generations = hosted();
    const { live } = generations;
    const route = live.match({ uri: "/a", host: "", method: "GET", remoteAddr: "192.0.2.1" } as never);
    generations.entered(live);
    await generations.prepare(2, delta({ modules: { put: [metadata(2)] } }));
    expect(pending(generations.live)).toBe(1);
    generations.activate();
    expect([pending(live), pending(generations.live)]).toEqual([1, 2]);
    const after = generations.live.match({ uri: "/a", host: "", method: "GET", remoteAddr: "" } as never);
    expect(after?.module).toBe(route?.module);
  });

  it("plugin metadata appears with the row of its first write and disappears with its deletion", async () => {
    const generations = hosted([], []);
    await generations.prepare(2, delta({ modules: { put: [metadata(3)] }, pluginMetadata: [ROW] }));
    generations.activate();
    expect(pending(generations.live)).toBe(3);
    await generations.prepare(3, delta({ modules: { remove: [UNIT] }, pluginMetadata: [] }));
    generations.activate();
    expect(pending(generations.live)).toBeUndefined();
    await expect(generations.prepare(4, delta({ pluginMetadata: [ROW] }))).rejects.toMatchObject({
      code: "GW6004",
    });
  });

  it("plugin metadata survives a delta that does not contain it", async () => {
    const generations = hosted();
    await generations.prepare(2, delta({ routes: { put: [row("b")] } }));
    generations.activate();
    expect(pending(generations.live)).toBe(1);
  });

  it.each([
    ["a pipeline", `module.exports = { id: "logger" };`],
    ["a record that is no function", `module.exports = { id: "logger", settings: {}, record: 1 };`],
  ])("plugin metadata is rejected if its module exports %s", async (_, code) => {
    const text = { ...metadata(1), code, hash: createHash("sha256").update(code).digest("hex") };
    await expect(hosted().prepare(2, delta({ modules: { put: [text] } }))).rejects.toMatchObject({
      code: "GW6003",
    });
  });

  it("plugin metadata does not change if a prepared generation is discarded", async () => {
    const generations = hosted();
    await generations.prepare(2, delta({ modules: { put: [metadata(2)] } }));
    generations.discard();
    expect(pending(generations.live)).toBe(1);
  });
});
