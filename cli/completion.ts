import type { Command } from "commander";
import { VERSION } from "../runtime/abi/version.js";

const PRINTERS = { bash: bashScript, zsh: zshScript, fish: fishScript, man: manualPage };

/** `gwc completion`: a script generated from the commands, so that it completes all that `--help` lists. */
export const completionOf = (program: Command) => async (shell: keyof typeof PRINTERS) => {
  process.stdout.write(PRINTERS[shell](described(program)));
  return 0;
};

/** A command that can be typed, for shells and manuals. The program itself comes first, with "" as its words. */
interface DescribedCommand {
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

interface DescribedOption {
  /** "-q", "--quiet". */
  names: string[];
  /** "-o, --out <directory>". */
  flags: string;
  description: string;
  takesValue: boolean;
  choices: readonly string[];
}

const FILES = new Set(["paths", "folder", "directory", "before", "after"]);

/** Lists a command and all below it, each after its parent. */
function described(
  command: Command,
  words: readonly string[] = [],
): [DescribedCommand, ...DescribedCommand[]] {
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

/** The words before the cursor that are not options determine the command. */
const BASH = `# gwc completion bash
_gwc() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" typed="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$typed $word" in
%WORDS%
    esac
  done
  case "$typed:$previous" in
%VALUES%
  esac
  case "$typed" in
%NEXT%
  esac
}
complete -o filenames -F _gwc gwc
`;

function bashScript(commands: readonly DescribedCommand[]): string {
  const named = commands.filter(({ words }) => words !== "");
  const words = named.map(({ words }) => `      " ${words}" | "${words}") typed="${words}" ;;`);
  const values = commands.flatMap((command) =>
    command.options.filter(({ takesValue }) => takesValue).map((option) => bashValue(command, option)),
  );
  const next = commands.map((command) => {
    const candidates = [
      ...command.next.map(({ word }) => word),
      ...command.options.flatMap(({ names }) => names),
    ];
    const files = command.takesFiles ? ` $(compgen -f -- "$current")` : "";
    return `    "${command.words}") COMPREPLY=($(compgen -W "${candidates.join(" ")}" -- "$current")${files}) ;;`;
  });
  return BASH.replace("%WORDS%", words.join("\n"))
    .replace("%VALUES%", values.join("\n"))
    .replace("%NEXT%", next.join("\n"));
}

function bashValue({ words }: DescribedCommand, { names, choices }: DescribedOption): string {
  const patterns = names.map((name) => `"${words}:${name}"`).join(" | ");
  const found = choices.length > 0 ? `-W "${choices.join(" ")}"` : "-f";
  return `    ${patterns}) COMPREPLY=($(compgen ${found} -- "$current")); return ;;`;
}

/** zsh runs the completion of bash and shows its results as its own. */
function zshScript(commands: readonly DescribedCommand[]): string {
  return `#compdef gwc\nautoload -Uz bashcompinit && bashcompinit\n${bashScript(commands)}`;
}

function fishScript(commands: readonly DescribedCommand[]): string {
  const lines = commands.flatMap((command) => {
    const when = `-n ${quoted(fishCondition(command))}`;
    const next = command.next.map(
      ({ word, description }) => `complete -c gwc ${when} -f -a ${word}${describedIn(description)}`,
    );
    const options = command.options.map((option) => {
      const names = option.names.map((name) =>
        name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      );
      const value = option.takesValue
        ? option.choices.length > 0
          ? ` -x -a ${quoted(option.choices.join(" "))}`
          : " -r"
        : "";
      return `complete -c gwc ${when} ${names.join(" ")}${value}${describedIn(option.description)}`;
    });
    return [...next, ...options];
  });
  return `# gwc completion fish\n${lines.join("\n")}\n`;
}

function fishCondition({ words }: DescribedCommand): string {
  const typed = words.split(" ").filter((word) => word !== "");
  return typed.length === 0
    ? "__fish_use_subcommand"
    : typed.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
}

const describedIn = (text: string): string =>
  text === "" ? "" : ` -d ${quoted(text.split("\n", 1)[0] ?? "")}`;

const quoted = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

/** Prints the manual page gwc(1) of the commands, in roff with the macros of man(7). */
function manualPage([program, ...commands]: ReturnType<typeof described>): string {
  return [
    `.TH GWC 1 "" "gwc ${VERSION}" "User Commands"`,
    ".SH NAME",
    "gwc \\- compile gateway configuration and run it",
    ".SH SYNOPSIS",
    ".B gwc",
    text(program.usage),
    ".SH DESCRIPTION",
    text(program.description),
    ...program.options.flatMap(option),
    ".SH COMMANDS",
    ...commands.flatMap((command) => [
      `.SS gwc ${text(command.words)} ${text(command.usage)}`,
      text(command.description),
      ...command.options.flatMap(option),
    ]),
    ".SH EXIT STATUS",
    "0: success; 1: diagnostics or a failure; 2: wrong usage. For gwc diff: 0 no changes, 3 only additions, 1 changes, 2 no comparison.",
    ".SH FILES",
    "gateway.yaml and conf.d in the working directory, if no paths are given.",
    "",
  ].join("\n");
}

const option = ({ flags, description }: DescribedOption): string[] => [
  ".TP",
  `.B ${text(flags)}`,
  text(description),
];

/** A leading dot or quote would start a request, and roff would set a hyphen as one that cannot be copied. */
function text(words: string): string {
  const escaped = words.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("\n", " ");
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
