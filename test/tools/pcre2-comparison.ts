import { translateRegex } from "../../compiler/regex/translate.js";
import { askPcre2, byteString, modifiersOf, type Pcre2Match } from "./pcre2.js";
import { characterAt } from "./pcre2-corpus.js";

export interface Asked {
  pattern: string;
  options: string;
  subjects: readonly string[];
  /** Subjects are byte strings already. */
  raw?: boolean;
  /** For an invalid pattern wording and place must be PCRE2's too; else only the refusal, as one pattern may have many faults. */
  exactErrors?: boolean;
}

export interface Comparison {
  /** One line for each disagreement. */
  differences: string[];
  /** Searches whose results were compared. */
  compared: number;
  refused: number;
}

/** Compares our translation with pcre2test, searching from every place of every subject. */
export function compareWithPcre2(asked: readonly Asked[]): Comparison {
  const subjectsOf = asked.map((each) => searches(each));
  const answers = askPcre2(
    asked.map(({ pattern, options }, i) => ({
      pattern: byteString(pattern),
      modifiers: modifiersOf(options),
      subjects: subjectsOf[i] ?? [],
    })),
  );
  const out: Comparison = { differences: [], compared: 0, refused: 0 };
  for (const [i, each] of asked.entries()) {
    const answer = answers[i];
    if (answer === undefined) continue;
    if ("error" in answer) compareError(each, answer.error, out);
    else compareMatches(each, subjectsOf[i] ?? [], answer.matches, out);
  }
  return out;
}

interface Search {
  bytes: string;
  offset: number;
}

function searches({ options, subjects, raw }: Asked): Search[] {
  return subjects.flatMap((subject) => {
    const bytes = raw === true ? subject : byteString(subject);
    const step = options.includes("u")
      ? Array.from(subject, (character) => Buffer.byteLength(character))
      : undefined;
    let at = 0;
    const offsets = step?.map((size) => (at += size)) ?? Array.from(bytes, (_, i) => i + 1);
    return [0, ...offsets].map((offset) => ({ bytes, offset }));
  });
}

function compareError(asked: Asked, error: { offset: number; message: string }, out: Comparison): void {
  const ours = translateRegex(asked.pattern, asked.options);
  const offset = characterAt(asked.pattern, error.offset);
  if (ours.ok || (ours.untranslatable && asked.exactErrors === true))
    out.differences.push(line(asked, `PCRE2 refuses it: ${error.message}`, ours));
  else if (asked.exactErrors === true && (ours.reason !== error.message || ours.offset !== offset))
    out.differences.push(line(asked, `${error.message} at ${offset}`, `${ours.reason} at ${ours.offset}`));
}

function compareMatches(
  asked: Asked,
  subjects: readonly Search[],
  matches: readonly (Pcre2Match | null | "gave up")[],
  out: Comparison,
): void {
  const full = translateRegex(asked.pattern, asked.options, { scope: "global" });
  /* What is refused for its captures may still do where nobody reads them. */
  const ours = full.ok
    ? full
    : translateRegex(asked.pattern, asked.options, { scope: "global", captures: [] });
  if (!ours.ok) {
    if (ours.untranslatable) out.refused++;
    else out.differences.push(line(asked, "valid", ours));
    return;
  }
  const pattern = new RegExp(ours.source, `${ours.flags}g`);
  const groups = full.ok ? ours.groups : 0;
  for (const [i, search] of subjects.entries()) {
    const match = matches[i];
    if (match === undefined || match === "gave up") continue;
    out.compared++;
    const decode = (bytes: string) => (ours.utf8 ? Buffer.from(bytes, "latin1").toString() : bytes);
    const subject = decode(search.bytes);
    pattern.lastIndex = decode(search.bytes.slice(0, search.offset)).length;
    const found = pattern.exec(subject);
    const got = found && [found.index, ...Array.from({ length: groups + 1 }, (_, g) => found[g] ?? "")];
    const start = match && decode(search.bytes.slice(0, match.start)).length;
    const want = match && [start, ...texts(match, search.bytes, groups).map((text) => decode(text))];
    if (JSON.stringify(got) !== JSON.stringify(want)) {
      const expected = `from ${search.offset}: ${JSON.stringify(want)}`;
      out.differences.push(line({ ...asked, subjects: [subject] }, expected, [got, ours.source]));
    }
  }
}

function texts(match: Pcre2Match, bytes: string, groups: number): string[] {
  return [
    bytes.slice(match.start, match.end),
    ...Array.from({ length: groups }, (_, g) => match.captures[g] ?? ""),
  ];
}

function line(asked: Asked, pcre2: string, ours: unknown): string {
  return `${JSON.stringify(asked.pattern)} ${JSON.stringify(asked.options)} ${JSON.stringify(asked.subjects[0])}: PCRE2 ${pcre2}; ours ${JSON.stringify(ours)}`;
}
