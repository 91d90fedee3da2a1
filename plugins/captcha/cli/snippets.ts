import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assetFolder } from "../../../schema/schemas.js";

/** Complete examples in `examples/`, by the names of `--backend`. */
export const BACKENDS = {
  node: { title: "Node", file: "node.mjs" },
  python: { title: "Python", file: "python.py" },
  php: { title: "PHP", file: "php.php" },
  go: { title: "Go", file: "go.go" },
  java: { title: "Java", file: "Java.java" },
} as const;
export type Backend = keyof typeof BACKENDS;

export interface Place {
  url: string;
  siteKey: string;
}

const EXAMPLES = join(assetFolder(import.meta.url), "../examples");

/** Lines for the user's code: those between "8<" and ">8" in the example, without indentation. */
export function lines(file: string, place: Place): string {
  const cuts = example(file, place).matchAll(/^.*8<.*\n([\s\S]*?)^.*>8.*$/gm);
  return Array.from(cuts, ([, text = ""]) => unindented(text)).join("");
}

export function example(file: string, { url, siteKey }: Place): string {
  return readFileSync(join(EXAMPLES, file), "utf8")
    .replaceAll("{captcha_url}", url)
    .replaceAll("{site_key}", siteKey);
}

function unindented(text: string): string {
  const indents = text.match(/^[ \t]*(?=\S)/gm) ?? [""];
  const shortest = indents.reduce((a, b) => (b.length < a.length ? b : a));
  return text.replace(new RegExp(`^${shortest}`, "gm"), "").replace(/\n+$/, "\n");
}
