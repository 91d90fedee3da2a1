import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Contribution, ServiceContribution } from "../../../runtime/process/contribution.js";

// Registrations are permanent, so each test has its own registry.
let register: (contribution: Contribution) => void;
let registry: typeof import("../../../runtime/process/contribution.js");
beforeEach(async () => {
  vi.resetModules();
  registry = await import("../../../runtime/process/contribution.js");
  register = registry.registerContribution;
});
afterEach(() => vi.resetModules());

const service = (name: string): ServiceContribution => ({
  ...{ name, module: "file:///srv/main.js", operations: [], up: { metric: "", help: "" } },
  read: (section) => section,
  unkept: (settings) => settings,
  listen: () => ({ host: "127.0.0.1", port: 0, setting: `${name}.listen` }),
  url: () => "",
  answer: async () => ({ status: 404 }),
  open: () => {
    throw new Error("not opened here");
  },
});
const resource = (kind: string, path: string) => ({
  kind,
  path,
  rows: kind,
  label: kind,
  fitting: () => true,
});

describe("contributions of plugins", () => {
  it("a contribution of a plugin is listed in the order of registration, with its plugin", () => {
    register({ plugin: "a", service: service("door"), resources: [resource("keys", "door/keys")] });
    register({ plugin: "b", resources: [resource("locks", "locks")] });
    expect(registry.serviceContributions()).toMatchObject([{ plugin: "a", name: "door" }]);
    expect(registry.resourceContributions()).toMatchObject([
      { plugin: "a", kind: "keys", path: "door/keys" },
      { plugin: "b", kind: "locks", path: "locks" },
    ]);
  });

  it("a secret of a service is recognized by the prefix of its reference", () => {
    register({ plugin: "a", service: service("door") });
    expect(registry.isOfService("door:literal:1")).toBe(true);
    expect(registry.isOfService("doors:literal:1")).toBe(false);
    expect(registry.isOfService("${{DOOR}}")).toBe(false);
  });

  it.each<[string, Contribution, string]>([
    ["service", { plugin: "b", service: service("door") }, "plugins a and b both have a service called door"],
    [
      "kind of resource",
      { plugin: "b", resources: [resource("keys", "other")] },
      "plugins a and b both have resources called keys",
    ],
    [
      "path of resources",
      { plugin: "b", resources: [resource("other", "door/keys")] },
      "plugins a and b both have resources under door/keys",
    ],
    ["plugin", { plugin: "a" }, "two plugins are called a"],
    [
      "name of gwc itself",
      { plugin: "b", service: service("metrics") },
      "plugin b: the service metrics has a name that gwc reserves",
    ],
  ])("a contribution with a %s in use is refused with both owners", (_what, second, message) => {
    register({ plugin: "a", service: service("door"), resources: [resource("keys", "door/keys")] });
    expect(() => register(second)).toThrow(message);
    expect(registry.resourceContributions()).toHaveLength(1);
  });
});
