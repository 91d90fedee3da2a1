import { type Command, Option } from "commander";
import type { CommandGroup, CommandOption } from "../runtime/process/contribution.js";
import { onDemand, takesAdminKey } from "./options.js";

/** @throws Error if gwc or another plugin uses a name */
export function addCommands(program: Command, groups: readonly CommandGroup[]): void {
  const owners = new Map<string, string>();
  for (const { plugin, name, describe, help, commands } of groups) {
    const owner = owners.get(name);
    if (owner !== undefined)
      throw new Error(`plugins ${owner} and ${plugin} both have a command called ${name}`);
    if (program.commands.some((command) => command.name() === name))
      throw new Error(`plugin ${plugin}: gwc has a command called ${name} itself`);
    owners.set(name, plugin);
    const group = program.command(name).description(describe);
    if (help !== undefined) group.addHelpText("after", help);
    for (const { name: own, describe: what, options, load, ...more } of commands) {
      const command = group.command(own).description(what);
      for (const option of options) command.addOption(optionOf(option));
      if (more.takesAdminKey === true) takesAdminKey(command);
      command.action(onDemand(load as () => Promise<(options: object) => Promise<number>>));
    }
  }
}

/** Example lines of the plugins in `gwc --help`. */
export function exampleLines(groups: readonly CommandGroup[]): string {
  return groups
    .flatMap(({ example }) => (example ? [`  ${example[0].padEnd(32)}${example[1]}\n`] : []))
    .join("");
}

function optionOf(contributed: CommandOption): Option {
  const { flags, describe, choices, environment, conflicts, defaultText } = contributed;
  const option = new Option(flags, describe);
  if (choices !== undefined) option.choices(choices);
  if (contributed.default !== undefined) option.default(contributed.default, defaultText);
  if (environment !== undefined) option.env(environment);
  if (conflicts !== undefined) option.conflicts(conflicts);
  return option;
}
