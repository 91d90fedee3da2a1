import "../../../plugins/index.js";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compile } from "../../../compiler/index.js";
import { withPluginChecks } from "../../../compiler/packages/checked-plugin.js";
import type { PluginDefinition } from "../../../compiler/plugin/definition.js";
import { registerPlugin } from "../../../compiler/plugin/registry.js";
import { TimeExceededError, TimeLimit } from "../../../compiler/plugin/time-limit.js";
import { OutOfTimeError } from "../../../compiler/regex/analysis-cache.js";
import { temporaryDirectory } from "../../support/cli.js";
import { configuration, packageFiles, writeFiles } from "../../support/plugin-package.js";

/** A clock that counts aborted calls as instant, so that the next one has the whole limit. */
const standing = () => 0;

const forEver = (): never => {
  for (;;);
};

describe("the time of a package's calls", () => {
  it("a time limit aborts loops and patterns, and passes on values and exceptions", async () => {
    const limit = new TimeLimit(50, standing);
    await expect.poll(() => limit.run(() => 7)).toBe(7);
    expect(() =>
      new TimeLimit().run(() => {
        throw new TypeError("own");
      }),
    ).toThrow(new TypeError("own"));
    expect(() => limit.run(forEver)).toThrow(TimeExceededError);
    expect(() => limit.run(() => /^(?:a+)+$/.test(`${"a".repeat(40)}b`))).toThrow(TimeExceededError);
    await expect.poll(() => limit.run(() => 8)).toBe(8);
  });

  it("a time limit is short after two loops, so that a thousand take no hour", () => {
    let time = 0;
    const limit = new TimeLimit(200, () => time);
    const left = () => {
      try {
        return limit.run(() => {
          time += 200;
          return forEver();
        });
      } catch (error) {
        return (error as TimeExceededError).left;
      }
    };
    expect(Array.from({ length: 10 }, left)).toEqual([undefined, undefined, ...Array(8).fill(0.1)]);
    // A minute later the call has its whole limit again.
    time += 60_000;
    expect(left()).toBeUndefined();
  });

  it("the diagnostic names the whole limit, and a note the rest that earlier calls left", () => {
    const limit = new TimeLimit(500);
    const found = () => {
      try {
        return limit.run(forEver);
      } catch (error) {
        const names = { plugin: "a", package: "./a", step: "plan" };
        const span = { file: "a", start: { line: 1, column: 1 }, end: { line: 1, column: 2 } };
        return (error as TimeExceededError).diagnostic(names, span);
      }
    };
    const findings = Array.from({ length: 3 }, found);
    expect(findings.map(({ message }) => message)).toEqual(
      Array.from({ length: 3 }, () => 'the plugin "a" of "./a" does not finish plan within 0.5 s'),
    );
    expect(findings[0]?.notes).toEqual([]);
    expect(findings[2]?.notes).toEqual([
      { message: "calls of it were ended within this minute, so this one had 0.1 s" },
    ]);
  });
});

describe("a plugin of a package that does not end", () => {
  const site = temporaryDirectory();
  const schema = JSON.parse(packageFiles("a")["schema.json"] ?? "") as { properties: object };
  Object.assign(schema.properties, { code: { type: "string", pattern: "^(?:a+)+$" } });

  /** Text of the header; `in view` makes the view loop. */
  interface Data {
    text: string;
  }
  const looping = (name: string): PluginDefinition<{ value: string }, Data> => ({
    name,
    moduleUrl: pathToFileURL(join(site.path, "package.json")).href,
    priority: 0,
    phases: ["headerFilter"],
    plan({ value: { value } }, context) {
      loopIn("plan", value);
      if (value === "patience") throw new OutOfTimeError();
      return [{ phase: "headerFilter", origin: context.origin([]), data: { text: value } }];
    },
    guard({ data }) {
      loopIn("guard", data.text);
      return null;
    },
    describe({ data }) {
      loopIn("describe", data.text);
      return ["greets"];
    },
    view({ data }, printer) {
      loopIn("view", data.text);
      const [header, value] = [printer.literal("X-A"), printer.literal(data.text)];
      const statements = [printer.code`x.response.headers.set(${header}, ${value})`];
      return { headers: { owner: null, statements } };
    },
  });
  const loopIn = (step: string, text: string) => (text === `in ${step}` ? forEver() : undefined);

  beforeAll(() => {
    writeFiles(site.path, packageFiles("looping", { "schema.json": JSON.stringify(schema) }));
  });
  afterAll(() => site.remove());

  /** Registers a plugin of that name with a limit of its own. @returns the diagnostics of its settings */
  function registered(name: string) {
    registerPlugin(
      withPluginChecks(looping(name) as PluginDefinition, "./looping", new TimeLimit(1_000, standing)),
    );
    return (settings: object) => {
      const text = configuration([], { [name]: settings }).replace("plugins:\n", "");
      const { diagnostics } = compile({
        sources: [{ name: "gateway.yaml", text, format: "yaml" }],
        environment: {},
      });
      return diagnostics.map(({ code, message, span }) => [code, message, span?.start.line]);
    };
  }
  const found = (name: string, step: string) => [
    "GW7012",
    `the plugin "${name}" of "./looping" does not finish ${step} within 1 s`,
    7,
  ];

  it.each(["plan", "guard", "describe", "view"])(
    "a plugin that loops in %s is named, and other settings are still checked",
    (step) => {
      const findings = registered(`looping-${step}`);
      expect(findings({ value: "fine" })).toEqual([]);
      expect(findings({ value: `in ${step}` })).toEqual([found(`looping-${step}`, step)]);
      expect(findings({ value: "fine" })).toEqual([]);
    },
  );

  it("a plugin that loops in a pattern of its schema is named", () => {
    const findings = registered("looping-pattern");
    expect(findings({ value: "fine", code: "aaa" })).toEqual([]);
    const [finding] = findings({ value: "fine", code: `${"a".repeat(40)}b` });
    expect(finding).toEqual(found("looping-pattern", "the check by its schema"));
  });

  it("an exhausted time for patterns in a write is thrown as OutOfTimeError", () => {
    expect(() => registered("patient")({ value: "patience" })).toThrow(OutOfTimeError);
  });
});
