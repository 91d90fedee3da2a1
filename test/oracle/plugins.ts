import "../../plugins/index.js";
import { extname } from "node:path";
import { plugins } from "../../compiler/plugin/registry.js";
import type { OracleStep } from "./oracle-step.js";

async function oracleOf(moduleUrl: string): Promise<OracleStep> {
  const { oracle } = (await import(new URL(`./oracle${extname(moduleUrl)}`, moduleUrl).href)) as {
    oracle: OracleStep;
  };
  return oracle;
}

/** What a step of each plugin does. */
export const ORACLES: Readonly<Record<string, OracleStep>> = Object.fromEntries(
  await Promise.all(plugins().map(async ({ name, moduleUrl }) => [name, await oracleOf(moduleUrl)] as const)),
);
