/**
 * `npm run soak:handover [-- --handovers=50 --reloads=200]`: a build that is served, plain and over TLS, to clients that never pause,
 * while successors take over (SIGUSR2) and other builds are loaded (SIGHUP). Exit 1 when a request failed.
 */
import { HandoverHarness } from "../support/handover-harness.js";
import { CLI } from "./gwc.js";

const option = (name: string, fallback: number) =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1] ?? fallback);
const handovers = option("handovers", 50);
const reloads = option("reloads", 200);

const harness = new HandoverHarness(CLI);
await harness.start();
const begun = Date.now();
for (let i = 0; i < Math.max(handovers, reloads); i++) {
  const due = (count: number) => Math.round(((i + 1) * count) / Math.max(handovers, reloads));
  while (harness.result.reloads < due(reloads)) await harness.reload();
  while (harness.result.handovers < due(handovers)) {
    await harness.handOver();
    const { plain, secure, failures } = harness.result;
    process.stdout.write(
      `${harness.result.handovers} handovers, ${harness.result.reloads} reloads: ${plain} + ${secure} requests, ${failures.length} failed\n`,
    );
  }
}
const seconds = (Date.now() - begun) / 1_000;
const { plain, secure, failures, ...done } = await harness.stop();
process.stdout.write(
  `${done.handovers} handovers and ${done.reloads} reloads in ${seconds.toFixed(0)} s: ${plain} requests plain, ${secure} over TLS, ${failures.length} failed\n`,
);
for (const failure of failures.slice(0, 20)) process.stdout.write(`  ${failure}\n`);
process.exit(failures.length > 0 ? 1 : 0);
