import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { CorpusCase } from "../../tools/pcre2-corpus.js";

const FOLDER = new URL("corpus/", import.meta.url);

export function topics(): string[] {
  return readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ""));
}

export function readTopic(topic: string): CorpusCase[] {
  return JSON.parse(readFileSync(new URL(`${topic}.json`, FOLDER), "utf8")) as CorpusCase[];
}

/** Writes one case per line, so that a changed expectation is one line of the diff. */
export function writeTopic(topic: string, cases: readonly CorpusCase[]): void {
  const lines = cases.map((each) => `  ${JSON.stringify(each)}`);
  writeFileSync(new URL(`${topic}.json`, FOLDER), `[\n${lines.join(",\n")}\n]\n`);
}
