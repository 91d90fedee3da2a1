/**
 * Nanoseconds of a step of the backtracking engine: what public patterns take on texts made for them, by the steps that their
 * bound counts, and by those that an interpreter counts. `STEP_NS` of compiler/regex/engine.ts comes from here.
 */
import { performance } from "node:perf_hooks";
import { stepsFor } from "../../compiler/regex/cost/worst-case.js";
import { worstCase } from "../../compiler/regex/engine.js";
import { parseRegex, translateRegex } from "../../compiler/regex/translate.js";
import { plainPatterns, publicPatterns, slowTexts } from "../tools/calibration.js";

/** Bytes of a text: the largest head. */
const LENGTH = 32_768;
/** Steps of a pattern that is accepted: 50 ms. */
const ACCEPTED = 20_000_000;

const lines: { ns: number; ms: number; bound: number; name: string; text: string }[] = [];
for (const written of [...publicPatterns(), ...plainPatterns()]) {
  const { pattern, options } = written;
  const translated = translateRegex(pattern, options, { captures: [] });
  const node = parseRegex(pattern, options);
  if (!translated.ok || node === undefined) continue;
  const worst = worstCase(node);
  const bound = stepsFor(worst, LENGTH);
  if (bound > ACCEPTED) continue;
  const regex = new RegExp(translated.source, `g${translated.flags}`);
  let most = { ms: 0, text: "" };
  for (const text of slowTexts(written, worst, LENGTH)) {
    let ms = Number.POSITIVE_INFINITY;
    for (let run = 0; run < 3; run++) {
      const began = performance.now();
      text.replace(regex, "");
      ms = Math.min(ms, performance.now() - began);
    }
    if (ms > most.ms) most = { ms, text: text.slice(0, 30) };
  }
  lines.push({ ns: (most.ms * 1e6) / bound, bound, name: `/${pattern}/${options}`, ...most });
}

lines.sort((a, b) => b.ns - a.ns);
console.log(
  `${lines.length} patterns are accepted for ${LENGTH} bytes; longest ${Math.max(...lines.map(({ ms }) => ms)).toFixed(1)} ms`,
);
for (const { ns, ms, name, text } of lines.slice(0, 20))
  console.log(
    `${ns.toFixed(2)} ns a step, ${ms.toFixed(2)} ms: ${name.slice(0, 70)} on ${JSON.stringify(text)}`,
  );
