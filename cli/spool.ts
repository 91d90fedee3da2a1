import "../plugins/runtime.js";
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Destination } from "../runtime/abi/delivery.js";
import { MetricsRegistry } from "../runtime/abi/metrics-registry.js";
import { hasSink, openSink } from "../runtime/abi/plugin-runtime.js";
import { visible } from "../runtime/abi/text/unseen.js";
import { type RunSource, runSource } from "../runtime/control/launch-settings.js";
import { runSettings } from "../runtime/control/run-settings.js";
import type { Settings } from "../runtime/control/settings.js";
import { readWorkerInputs } from "../runtime/control/worker-inputs.js";
import { nextEpoch } from "../runtime/logging/spool/cursor.js";
import { describeDestination } from "../runtime/logging/spool/layout.js";
import { Shipping } from "../runtime/logging/spool/shipping.js";
import { purge as purgeSpool, type SpoolSummary, summarize } from "../runtime/logging/spool/summary.js";
import { switchLog } from "../runtime/process/log.js";
import type { Secrets } from "../runtime/process/messages.js";
import { SecretTable } from "../runtime/process/secret-table.js";
import { complain, failed, pluralize, printJson } from "./output.js";
import { chosenPaths } from "./paths.js";

interface Where {
  config?: string[];
  directory?: string;
}
interface Shown extends Where {
  format: "text" | "json";
}

interface Place {
  directory: string;
  /** Absent if only the directory is known, without a configuration. */
  gateway?: { settings: Settings; origin: RunSource };
}

/** Undefined, with a message on standard error, if there is neither a configuration nor a directory. */
async function placeOf({ config, directory }: Where): Promise<Place | undefined> {
  if (directory !== undefined) {
    if (existsSync(directory)) return { directory };
    complain(`directory ${directory} does not exist`);
    return undefined;
  }
  const paths = chosenPaths(undefined, config);
  if (paths === undefined) return undefined;
  const origin = runSource({ paths: [...paths], directory: process.cwd(), writable: false });
  const settings = await runSettings(origin, process.env);
  return { directory: settings.spool.directory, gateway: { settings, origin } };
}

const print = (text: string) => process.stdout.write(`${visible(text)}\n`);

/** `gwc spool show`: prints the pending records of each destination, their shipper and the error that delays them. */
export async function show(options: Shown): Promise<number> {
  const place = await placeOf(options);
  if (place === undefined) return 2;
  const { directory } = place;
  const destinations = await summarize(directory);
  if (options.format === "json") {
    printJson({ directory, destinations });
    return 0;
  }
  print(`spool ${directory}`);
  if (destinations.length === 0) print("no destination has a spool here");
  for (const one of destinations) {
    const { id, kind, address, entries, bytes, segments, oldest, shipper, error, damaged } = one;
    print(`\n${id}\n  to       ${kind} ${address}`);
    print(
      `  waiting  ${pluralize(entries, "record")}, ${pluralize(bytes, "byte")} in ${pluralize(segments, "file")}`,
    );
    if (oldest !== undefined) print(`  oldest   ${oldest}`);
    print(
      `  shipper  ${shipper ? `worker ${shipper.worker}, process ${shipper.pid}, epoch ${shipper.epoch}` : "none: no gateway runs"}`,
    );
    if (error !== undefined) print(`  failed   ${error}`);
    for (const file of damaged) print(`  damaged  ${file}`);
  }
  return 0;
}

/** Needs a stopped gateway. Returns 1 if records are left. */
export async function drain(options: Where & { timeout: string; force?: boolean }): Promise<number> {
  const seconds = Number(options.timeout);
  if (!(seconds > 0 && seconds <= 86_400))
    return failed(`--timeout must be 1 to 86400 seconds, not "${options.timeout}"`, 2);
  const place = await placeOf(options);
  if (place === undefined) return 2;
  const waiting = await summarize(place.directory);
  const busy = waiting.find(({ shipper }) => shipper !== undefined);
  if (busy?.shipper !== undefined && options.force !== true)
    return failed(`process ${busy.shipper.pid} already ships ${busy.id}; use --force to take over`, 1);
  const { directory, gateway } = place;
  let secrets: Secrets = {};
  if (gateway !== undefined) {
    switchLog(false);
    const inputs = await readWorkerInputs(gateway.settings, gateway.origin);
    describeLost(directory, waiting, inputs.spooled);
    secrets = inputs.secrets;
  }
  const shipping = ship(directory, secrets);
  const end = Date.now() + seconds * 1_000;
  let told = "";
  for (;;) {
    const summary = await summarize(place.directory);
    const left = summary.filter(({ entries }) => entries > 0);
    const text = left.map(({ id, entries }) => `${id} ${entries} left`).join(", ");
    if (text !== told && text !== "") print(text);
    told = text;
    const { destinations } = shipping;
    // An idle shipper has also put damaged records aside.
    const settled = left.length === 0 && destinations.every(({ empty, superseded }) => empty || superseded);
    if (settled || Date.now() > end) {
      await shipping.stop(1_000);
      return concluded(destinations, left, gateway !== undefined);
    }
    await pause(250);
  }
}

/** Ships from this process until it is stopped. */
function ship(directory: string, secrets: Secrets): Shipping {
  const table = new SecretTable();
  table.start(secrets);
  const context = {
    secret: (reference: string) => table.resolve(reference),
    report: complainOfDamage,
    metrics: new MetricsRegistry(),
    worker: 0,
    spoolDirectory: directory,
  };
  return new Shipping({ directory, epoch: nextEpoch(directory), openSink, context });
}

function complainOfDamage(
  event: string,
  { file, entries, message }: Readonly<Record<string, unknown>>,
): void {
  if (event === "spool_damaged") complain(`cannot read ${entries} records in ${file}`);
  if (event === "spool_segment_kept") complain(`kept the damaged file as ${file}`);
  if (event === "spool_refused") complain(`${entries} records were permanently rejected: ${message}`);
}

/**
 * Returns 1 if records are left or lost.
 * @param loaded the configuration was read, and so its packages of plugins
 */
function concluded(
  destinations: Shipping["destinations"],
  left: readonly SpoolSummary[],
  loaded: boolean,
): number {
  const errors = new Map(destinations.map(({ id, error }) => [id, error]));
  for (const { id, kind, entries, error = "timeout expired" } of left) {
    const help = loaded || hasSink(kind) ? "" : "; name the configuration with --config, not --directory";
    complain(`${pluralize(entries, "record")} of ${id} not delivered: ${errors.get(id) ?? error}${help}`);
  }
  let lost = 0;
  let delivered = 0;
  for (const { id, totals } of destinations) {
    delivered += totals.delivered;
    const here = totals.damaged + totals.refused;
    lost += here;
    if (here > 0)
      complain(
        `${pluralize(here, "record")} of ${id} lost: ${totals.damaged} unreadable, ${totals.refused} rejected`,
      );
  }
  print(`${pluralize(delivered, "record")} delivered`);
  if (left.length === 0 && lost === 0) print("all records delivered");
  return left.length === 0 && lost === 0 ? 0 : 1;
}

/** Writes a lost `destination.json` again, as the logger would. */
function describeLost(
  directory: string,
  known: readonly SpoolSummary[],
  spooled: readonly Destination[],
): void {
  const lost = new Set(known.filter(({ kind }) => kind === "unknown").map(({ id }) => id));
  for (const { kind, id, settings } of spooled)
    if (lost.delete(id)) {
      // A spool delivers with confirmation if the destination supports it.
      describeDestination(directory, { kind, id, settings: { ...settings, confirm: true } });
      print(`${id}: restored its lost description from the configuration`);
    }
}

export async function purge(id: string | undefined, options: Where & { yes?: boolean }): Promise<number> {
  const place = await placeOf(options);
  if (place === undefined) return 2;
  const all = await summarize(place.directory);
  // An empty id, as from a script variable without a value, would be a prefix of every id.
  const every = id === undefined || id === "";
  const meant = every ? all : all.filter((one) => one.id === id || one.id.startsWith(id));
  if (!every && meant.length !== 1)
    return failed(
      meant.length === 0
        ? `no destination ${id} in ${place.directory}`
        : `${id} matches more than one destination`,
      2,
    );
  const records = meant.reduce((sum, { entries }) => sum + entries, 0);
  if (every && options.yes !== true)
    return failed(`${pluralize(records, "record")} would be lost; name a destination, or give --yes`, 2);
  if (meant.length === 0) print(`${pluralize(0, "record")} removed: no destination has a spool here`);
  for (const one of meant) {
    const gone = await purgeSpool(place.directory, one.id);
    print(`${one.id}: ${pluralize(gone, "record")} removed`);
  }
  return 0;
}
