import "../../plugins/index.js";
import { extname } from "node:path";
import { plugins } from "../../compiler/plugin/registry.js";
import type { Interpreter } from "./interpreter.js";

async function oracleOf(at: string): Promise<Interpreter> {
  const { oracle } = (await import(new URL(`./oracle${extname(at)}`, at).href)) as { oracle: Interpreter };
  return oracle;
}

/** What a step of each plugin does. */
export const INTERPRETERS: Readonly<Record<string, Interpreter>> = Object.fromEntries(
  await Promise.all(plugins().map(async ({ name, at }) => [name, await oracleOf(at)] as const)),
);
