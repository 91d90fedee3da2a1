import type { Command } from "commander";

/** A command that can be typed, for shells and manuals. The program itself comes first, with "" as its words. */
export interface DescribedCommand {
  /** "spool show". */
  words: string;
  description: string;
  /** Usage as help prints it: "<resource> [options]". */
  usage: string;
  /** Names of its subcommands, and choices of its first argument. */
  next: { word: string; description: string }[];
  takesFiles: boolean;
  options: DescribedOption[];
}

export interface DescribedOption {
  /** "-q", "--quiet". */
  names: string[];
  /** "-o, --out <directory>". */
  flags: string;
  description: string;
  takesValue: boolean;
  choices: readonly string[];
}

const FILES = new Set(["paths", "folder", "directory", "before", "after"]);

/** Lists the program and all its commands, each after its parent. */
export function describeCommands(program: Command): DescribedCommand[] {
  return described(program, []);
}

function described(command: Command, words: readonly string[]): DescribedCommand[] {
  const help = command.createHelp();
  const below = help.visibleCommands(command).filter(({ commands }) => commands !== undefined);
  const first = command.registeredArguments[0];
  const options = help.visibleOptions(command).map((option) => ({
    names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
    flags: option.flags,
    description: option.description,
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
  }));
  const own: DescribedCommand = {
    words: words.join(" "),
    description: command.description(),
    usage: command.usage(),
    next: [
      ...below.map((one) => ({ word: one.name(), description: one.description() })),
      ...(first?.argChoices ?? []).map((word) => ({ word, description: "" })),
    ],
    takesFiles: command.registeredArguments.some((argument) => FILES.has(argument.name())),
    options,
  };
  return [
    own,
    ...below.filter((one) => one.name() !== "help").flatMap((one) => described(one, [...words, one.name()])),
  ];
}
