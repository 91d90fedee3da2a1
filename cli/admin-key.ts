import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { messageOf } from "../runtime/abi/error-message.js";
import { KEY_SOURCES } from "../runtime/abi/key-sources.js";

/** A key file that is none; the message is for the operator. */
export class AdminKeyError extends Error {}

/**
 * Lets a command take the key of the admin API by `--key-file` and GWC_ADMIN_KEY; its action has it as `key`. `--key` is refused: `ps`
 * shows it to other users of the machine.
 */
export function takesAdminKey(command: Command, describe = "file with the admin key"): Command {
  return command
    .addOption(new Option("--key <key>", "refused: other users would see it").hideHelp())
    .option("--key-file <file>", `${describe}; default: GWC_ADMIN_KEY of the environment`)
    .hook("preAction", (_, called) => {
      const { key, keyFile } = called.opts<{ key?: string; keyFile?: string }>();
      // A message of commander's own would repeat it.
      if (key !== undefined)
        called.error(`gwc: --key: other users of this machine see it there; use ${KEY_SOURCES}`);
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

/** @throws KeyFault where the file cannot be read, or holds more than one key */
export function keyInFile(file: string): string {
  let key: string;
  try {
    key = readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new AdminKeyError(`--key-file: ${messageOf(error)}`);
  }
  // Its content is not repeated: it may be half a key.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new AdminKeyError(`--key-file: ${file} does not hold one key on one line`);
  return key;
}
