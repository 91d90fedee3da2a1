import { type KnownOption, ofLetter, ofName } from "./option-names.js";

/** One option as it was given. */
export interface CurlOption {
  /** Long, without dashes. */
  name: string;
  /** "" of one that takes none. */
  value: string;
  /** "-d": as it stands in the command. */
  written: string;
}

export interface CurlArguments {
  options: CurlOption[];
  addresses: string[];
  /** Options that no curl known here has. */
  unknown: string[];
  /** There is another request, behind `--next`. */
  hasNext: boolean;
}

/** Sorts the words behind the program's name as curl does. */
export function curlArguments(words: readonly string[]): CurlArguments {
  const given: CurlArguments = { options: [], addresses: [], unknown: [], hasNext: false };
  const rest = [...words];
  let areOver = false;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (areOver || !word.startsWith("-") || word === "-") given.addresses.push(word);
    else if (word === "--") areOver = true;
    else if (word.startsWith("--")) long(word, rest, given);
    else short(word, rest, given);
    if (given.hasNext) break;
  }
  return given;
}

function take({ name }: KnownOption, value: string, written: string, given: CurlArguments): void {
  if (name === "url") given.addresses.push(value);
  else if (name === "next") given.hasNext = true;
  else given.options.push({ name, value, written });
}

function long(word: string, rest: string[], given: CurlArguments): void {
  // To curl "--url=a" is no option; its author means "--url a".
  const [, written = "", glued] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const option = ofName(written);
  if (option?.isValued) take(option, glued ?? rest.shift() ?? "", `--${written}`, given);
  else if (option !== undefined) take(option, "", `--${written}`, given);
  else unknown(`--${written}`, glued === undefined ? rest : [], given);
}

/** Letters in a row: flags, and at the end one that takes what is left as its value, or the next word. */
function short(word: string, rest: string[], given: CurlArguments): void {
  const letters = [...word.slice(1)];
  for (let letter = letters.shift(); letter !== undefined; letter = letters.shift()) {
    const option = ofLetter(letter);
    const glued = letters.join("");
    if (option === undefined) unknown(`-${letter}`, glued === "" ? rest : [], given);
    else if (option.isValued) take(option, glued === "" ? (rest.shift() ?? "") : glued, `-${letter}`, given);
    else take(option, "", `-${letter}`, given);
    // The rest is no row of short options any more.
    if (option?.isValued !== false) return;
  }
}

/** Takes the next word as the value of an unknown option, unless it can only be the address or another option. */
function unknown(written: string, rest: string[], given: CurlArguments): void {
  given.unknown.push(written);
  const [next = "-"] = rest;
  if (!next.startsWith("-") && !/^https?:\/\//i.test(next)) rest.shift();
}
