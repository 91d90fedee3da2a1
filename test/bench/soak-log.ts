/**
 * npm run soak:log [-- --rounds=20]: the proofs of test/e2e/spool at length. Kills of every process and of the server under load with
 * both kinds of ack, and 500 changes of a logger's settings; prints what was sent and what arrived. Fails when a record is
 * lost that must not be.
 */
import { parseArgs } from "node:util";
import { changeSettings } from "../support/durable-changes.js";
import { prove } from "../support/durable-proof.js";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "20" } } });
const rounds = Number(values.rounds);
const EVERY_MS = 2_000;
const CHANGES = 500;
/** With `ack: log`, on a machine of its own. */
const MAX_BEFORE_KILL_MS = 10;

let failed = false;
for (const ack of ["response", "log"] as const) {
  const result = await prove(ack, rounds, EVERY_MS);
  const { answered: sent, received, duplicated, lost, earliestLossMs, refused } = result;
  console.log(
    `ack: ${ack}, ${rounds * 5} blows: sent=${sent} received=${received} duplicated=${duplicated} lost=${lost}`,
  );
  console.log(`  requests without an answer=${result.failed}, answered 503=${refused}`);
  if (lost > 0) console.log(`  the earliest lost record was answered ${earliestLossMs} ms before the kill`);
  failed ||= ack === "response" ? lost > 0 : earliestLossMs > MAX_BEFORE_KILL_MS;
}
const { answered, received, duplicated, lost } = await changeSettings(CHANGES);
console.log(
  `${CHANGES} changes: sent=${answered} received=${received} duplicated=${duplicated} lost=${lost}`,
);
process.exitCode = failed || lost > 0 || duplicated > 0 ? 1 : 0;
