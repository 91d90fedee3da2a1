import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type RunOrigin, type Settings, spoolTools } from "../../runtime/spool-tools.js";
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
  /** Absent: only the directory is known, and no configuration. */
  gateway?: { settings: Settings; origin: RunOrigin };
}

/** The spool directory of a configuration, or the one that was named; undefined (and said) when there is neither. */
async function placeOf({ config, directory }: Where): Promise<Place | undefined> {
  if (directory !== undefined) {
    if (existsSync(directory)) return { directory };
    complain(`there is no directory ${directory}`);
    return undefined;
  }
  const paths = chosenPaths(config ?? []);
  if (paths === undefined) return undefined;
  const { originOf, runSettings } = spoolTools;
  const origin = originOf({ paths: [...paths], directory: process.cwd(), writable: false });
  const settings = await runSettings(origin, process.env);
  return { directory: settings.spool.directory, gateway: { settings, origin } };
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const print = (text: string) => process.stdout.write(`${text}\n`);
const complain = (text: string) => process.stderr.write(`gwc: ${text}\n`);

/** `gwc spool show`: what waits for each destination, who ships it and why it does not arrive. */
export async function show(options: Shown): Promise<number> {
  const place = await placeOf(options);
  if (place === undefined) return 2;
  const { directory } = place;
  const destinations = await spoolTools.summarize(directory);
  if (options.format === "json") {
    print(JSON.stringify({ directory, destinations }, null, 2));
    return 0;
  }
  print(`spool ${directory}`);
  if (destinations.length === 0) print("no destination has a spool here");
  for (const { id, kind, address, entries, bytes, segments, oldest, shipper, error } of destinations) {
    print(`\n${id}\n  to       ${kind} ${address}`);
    print(`  waiting  ${plural(entries, "record")}, ${plural(bytes, "byte")} in ${plural(segments, "file")}`);
    if (oldest !== undefined) print(`  oldest   ${oldest}`);
    print(
      `  shipper  ${shipper ? `worker ${shipper.worker}, process ${shipper.pid}, epoch ${shipper.epoch}` : "none: no gateway runs"}`,
    );
    if (error !== undefined) print(`  failed   ${error}`);
  }
  return 0;
}

/** `gwc spool drain`: delivers what waits while no gateway runs. @returns 1 when something is left */
export async function drain(options: Where & { timeout: string; force?: boolean }): Promise<number> {
  const seconds = Number(options.timeout);
  if (!(seconds > 0 && seconds <= 86_400)) {
    complain(`--timeout takes seconds from 1 to 86400, not "${options.timeout}"`);
    return 2;
  }
  const place = await placeOf(options);
  if (place === undefined) return 2;
  const waiting = await spoolTools.summarize(place.directory);
  const busy = waiting.find(({ shipper }) => shipper !== undefined);
  if (busy?.shipper !== undefined && options.force !== true) {
    complain(`process ${busy.shipper.pid} ships ${busy.id} already; --force takes it over`);
    return 1;
  }
  const { gateway } = place;
  const secrets = gateway === undefined ? {} : await spoolTools.secrets(gateway.settings, gateway.origin);
  const shipping = spoolTools.ship(place.directory, secrets);
  const end = Date.now() + seconds * 1_000;
  let told = "";
  for (;;) {
    const left = (await spoolTools.summarize(place.directory)).filter(({ entries }) => entries > 0);
    const text = left.map(({ id, entries }) => `${id} ${entries} left`).join(", ");
    if (text !== told && text !== "") print(text);
    told = text;
    if (left.length === 0 || Date.now() > end) {
      const errors = new Map(shipping.destinations.map(({ id, error }) => [id, error]));
      await shipping.stop(1_000);
      for (const { id, entries, error = "there was not enough time" } of left)
        complain(`${entries} of ${id} are not delivered: ${errors.get(id) ?? error}`);
      if (left.length === 0) print("everything is delivered");
      return left.length === 0 ? 0 : 1;
    }
    await pause(250);
  }
}

/** `gwc spool purge`: gives up what waits for a destination, or for all of them. */
export async function purge(id: string | undefined, options: Where & { yes?: boolean }): Promise<number> {
  const place = await placeOf(options);
  if (place === undefined) return 2;
  const all = await spoolTools.summarize(place.directory);
  // An empty id, a script's variable without value, would be the beginning of each.
  const every = id === undefined || id === "";
  const meant = every ? all : all.filter((one) => one.id === id || one.id.startsWith(id));
  if (!every && meant.length !== 1) {
    complain(
      meant.length === 0 ? `no destination ${id} in ${place.directory}` : `${id} is not one destination`,
    );
    return 2;
  }
  const records = meant.reduce((sum, { entries }) => sum + entries, 0);
  if (every && options.yes !== true) {
    complain(`${plural(records, "record")} would be lost; name a destination, or say --yes`);
    return 2;
  }
  for (const one of meant) {
    const gone = await spoolTools.purge(place.directory, one.id);
    print(`${one.id}: ${plural(gone, "record")} removed`);
  }
  return 0;
}
