import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { KEY_SOURCES } from "../runtime/abi/admin-call.js";
import { messageOf } from "../runtime/abi/error-message.js";

/** Returns the action of a command: it loads the command, which returns the exit code. */
export const onDemand =
  <A extends unknown[]>(load: () => Promise<(...args: A) => Promise<number>>) =>
  async (...args: A): Promise<void> => {
    process.exitCode = await (await load())(...args);
  };

export const PATHS = "configuration files or directories (default: gateway.yaml and conf.d)";
export const CONFIG = "-c, --config <path...>";

/** Option with a list of values. @param standard default: the first value */
export const choice = (
  flags: string,
  describe: string,
  choices: readonly string[],
  standard = choices[0],
): Option => new Option(flags, describe).choices(choices).default(standard);

export const textOrJson = (): Option => choice("--format <format>", "output format", ["text", "json"]);

export const colorOption = (describe: string): Option =>
  choice("--color <when>", describe, ["auto", "always", "never"]);

/** Adds the options of commands that read a configuration and print diagnostics. */
export const configured = (command: Command): Command =>
  command
    .argument("[paths...]", PATHS)
    .option(CONFIG, "same as [paths...]")
    .addOption(
      choice("--format <format>", "output format of diagnostics", ["text", "json", "sarif", "github"]),
    );

/** Adds the options of commands whose main output is diagnostics. */
export const reported = (command: Command): Command =>
  configured(command)
    .addOption(colorOption("when to colour diagnostics"))
    .option("--no-notes", "print errors and warnings only")
    .option("-q, --quiet", "print only diagnostics: hide progress and the summary");

/** Collects the values of an option that may be repeated. */
export const repeatable = (value: string, all: readonly string[] = []): string[] => [...all, value];

/** Wrong usage; the message is for the operator. */
export class UsageError extends Error {}

/**
 * Adds `--key-file` and GWC_ADMIN_KEY to a command; the action receives the key as `key`. `--key` is
 * rejected: `ps` shows it to other users of the machine.
 */
export function takesAdminKey(command: Command, describe = "file with an admin key"): Command {
  return command
    .addOption(new Option("--key <key>", "rejected: other users would see it").hideHelp())
    .option("--key-file <file>", `${describe} (default: GWC_ADMIN_KEY in the environment)`)
    .hook("preAction", (_, called) => {
      const { key, keyFile } = called.opts<{ key?: string; keyFile?: string }>();
      // Commander would add a message of its own and so repeat this one.
      if (key !== undefined)
        called.error(`gwc: --key is visible to other users of this machine; use ${KEY_SOURCES}`);
      called.setOptionValue("key", keyFile === undefined ? keyOfEnvironment() : keyOrEnd(called, keyFile));
    });
}

const keyOfEnvironment = (): string | undefined => process.env["GWC_ADMIN_KEY"] || undefined;

function keyOrEnd(command: Command, file: string): string {
  try {
    return keyInFile(file);
  } catch (error) {
    return command.error(`gwc: ${messageOf(error)}`);
  }
}

/** @throws UsageError if the file cannot be read or holds more than one key */
export function keyInFile(file: string): string {
  let key: string;
  try {
    key = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new UsageError(`--key-file: ${messageOf(error)}`);
  }
  // The message does not repeat the content: it may be half a key.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new UsageError(`--key-file: ${file} must contain one key on one line`);
  return key;
}
