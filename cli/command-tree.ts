import type { Command } from "commander";

/** What can be typed, for shells and manuals: one for each command, and the program itself first, whose words are "". */
export interface DescribedCommand {
  /** "spool show". */
  words: string;
  description: string;
  /** "<resource> [options]", as help has it. */
  usage: string;
  /** Names of commands below it, and choices of its first argument. */
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

/** Arguments that name files or directories. */
const FILES = new Set(["paths", "folder", "directory", "before", "after"]);

/** The program and every command below it, each after the one that it stands below. */
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
