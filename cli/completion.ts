import type { DescribedCommand, DescribedOption } from "./command-tree.js";
import { manualPage } from "./manual.js";

export type Shell = "bash" | "zsh" | "fish";

export type Completed = Shell | "man";

/** `gwc completion`: a script generated from the commands, so that it completes all that `--help` lists. */
export async function completion(commands: readonly DescribedCommand[], shell: Completed): Promise<number> {
  const made = { bash: bashScript, zsh: zshScript, fish: fishScript, man: manualPage };
  process.stdout.write(made[shell](commands));
  return 0;
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
