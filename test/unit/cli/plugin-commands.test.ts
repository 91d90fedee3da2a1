import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { addCommands, exampleLines } from "../../../cli/plugin-commands.js";
import type { CommandGroup } from "../../../runtime/process/contribution.js";

/** Records the options of each call of the command. */
function group(plugin: string, name: string, called: unknown[] = []): CommandGroup {
  const load = async () => async (options: unknown) => {
    called.push(options);
    return 3;
  };
  return {
    ...{ plugin, name, describe: `what ${name} does`, help: "\nExamples:\n  none" },
    example: [`gwc ${name} open`, "opens it"],
    commands: [
      {
        ...{ name: "open", describe: "open it", load },
        options: [
          { flags: "--wide <how>", describe: "how wide", choices: ["a", "b"], default: "a" },
          { flags: "--key <key>", describe: "its key", environment: "GWC_TEST_DOOR_KEY" },
          { flags: "--force", describe: "in any case", conflicts: "key" },
        ],
      },
    ],
  };
}

function program(groups: CommandGroup[]) {
  const codes: (typeof process.exitCode)[] = [];
  const command = new Command("gwc").exitOverride().configureOutput({ writeErr: () => {} });
  command.command("run");
  addCommands(command, groups);
  const run = async (...words: string[]) => {
    await command.parseAsync(["node", "gwc", ...words]);
    codes.push(process.exitCode);
    process.exitCode = undefined;
  };
  return { command, codes, run };
}

describe("commands of plugins", () => {
  it("a command of a plugin takes options with choices, defaults and variables and returns its exit code", async () => {
    const called: unknown[] = [];
    const { run, codes } = program([group("a", "door", called)]);
    process.env["GWC_TEST_DOOR_KEY"] = "k";
    try {
      await run("door", "open");
      await run("door", "open", "--wide", "b");
    } finally {
      delete process.env["GWC_TEST_DOOR_KEY"];
    }
    expect(called).toEqual([
      { wide: "a", key: "k" },
      { wide: "b", key: "k" },
    ]);
    expect(codes).toEqual([3, 3]);
  });

  it.each([
    ["a value that is no choice", "--wide c"],
    ["options that exclude one another", "--force --key k"],
  ])("a command of a plugin refuses %s", async (_what, words) => {
    await expect(program([group("a", "door")]).run("door", "open", ...words.split(" "))).rejects.toThrow();
  });

  it("a command of a plugin appears in the help with its example", () => {
    const { command } = program([group("a", "door")]);
    expect(command.helpInformation()).toContain("what door does");
    expect(exampleLines([group("a", "door")])).toBe("  gwc door open                   opens it\n");
  });

  it("a command of a plugin with a name in use is refused with both owners", () => {
    expect(() => program([group("a", "door"), group("b", "door")])).toThrow(
      "plugins a and b both have a command called door",
    );
    expect(() => program([group("a", "run")])).toThrow("plugin a: gwc has a command called run itself");
  });
});
