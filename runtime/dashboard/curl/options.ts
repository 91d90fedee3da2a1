import { type KnownOption, ofLetter, ofName } from "./option-names.js";

export interface CurlOption {
  /** Long name without dashes. */
  name: string;
  /** "" for an option without a value. */
  value: string;
  /** The option as written: "-d". */
  written: string;
}

export interface CurlArguments {
  options: CurlOption[];
  addresses: string[];
  unknown: string[];
  /** Another request follows after `--next`. */
  hasNext: boolean;
}

/** Sorts the words after the program's name as curl does. */
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
  // curl rejects "--url=a"; its author means "--url a".
  const [, written = "", glued] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const option = ofName(written);
  if (option?.isValued) take(option, glued ?? rest.shift() ?? "", `--${written}`, given);
  else if (option !== undefined) take(option, "", `--${written}`, given);
  else unknown(`--${written}`, glued === undefined ? rest : [], given);
}

/** Parses letters in a row: flags, and possibly a final option with the rest or the next word as its value. */
function short(word: string, rest: string[], given: CurlArguments): void {
  const letters = [...word.slice(1)];
  for (let letter = letters.shift(); letter !== undefined; letter = letters.shift()) {
    const option = ofLetter(letter);
    const glued = letters.join("");
    if (option === undefined) unknown(`-${letter}`, glued === "" ? rest : [], given);
    else if (option.isValued) take(option, glued === "" ? (rest.shift() ?? "") : glued, `-${letter}`, given);
    else take(option, "", `-${letter}`, given);
    // The rest is its value, not more short options.
    if (option?.isValued !== false) return;
  }
}

/** Takes the next word as the value of an unknown option, unless it must be the URL or another option. */
function unknown(written: string, rest: string[], given: CurlArguments): void {
  given.unknown.push(written);
  const [next = "-"] = rest;
  if (!next.startsWith("-") && !/^https?:\/\//i.test(next)) rest.shift();
}
