import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ENTRY = fileURLToPath(new URL("../../plugins/captcha/widget/program/run.ts", import.meta.url));

/**
 * Bundles the interpreter of the checkbox frame as one script, for the document of a test or an attacker. It
 * sets the global `interpreter` with `runProgram(program, samples, telemetry)`.
 */
export async function interpreterScript(minify = false): Promise<string> {
  const bundle = await rolldown({ input: ENTRY, platform: "browser" });
  const { output } = await bundle.generate({ format: "iife", name: "interpreter", minify });
  await bundle.close();
  return output[0].code;
}
