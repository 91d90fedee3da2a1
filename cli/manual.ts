import { VERSION } from "../runtime/abi/version.js";
import type { DescribedCommand, DescribedOption } from "./command-tree.js";

/** Prints the manual page gwc(1) of the commands, in roff with the macros of man(7). */
export function manualPage([program, ...commands]: readonly DescribedCommand[]): string {
  if (program === undefined) throw new Error("there is no program to describe");
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
