import { basename, dirname } from "node:path";
import type { Destination, SpoolWriter } from "../../abi/delivery.js";
import type { ResourceContext } from "../../abi/resource.js";
import type { SpoolSettings } from "../logger-settings.js";
import { GroupCommit } from "./group-commit.js";
import { describeDestination } from "./layout.js";
import { wake } from "./wakeup.js";

interface Shared {
  writer: GroupCommit;
  /** Descriptions of the destination, one for each user; the last one is on disk. */
  destinations: Destination[];
}

/** Spools by folder: two loggers with one destination, or two settings of one logger, share a writer. */
const shared = new Map<string, Shared>();

/** @throws Error if this process has no spool directory or the folder cannot be created */
export function openSpool(
  destination: Destination,
  options: SpoolSettings,
  context: ResourceContext,
): SpoolWriter {
  const directory = context.spoolDirectory;
  if (directory === undefined)
    throw new Error("delivery: durable needs a spool directory, and this process has none");
  const folder = describeDestination(directory, destination);
  wake(directory);
  const known = shared.get(folder) ?? newShared(folder, options, context);
  known.destinations.push(destination);
  shared.set(folder, known);
  known.writer.use(options);
  return {
    append: (entry, awaited) => known.writer.append(entry, awaited === true),
    admits: () => known.writer.admits(),
    drain: () => leave(folder, known, destination),
  };
}

/** Writes the description of a destination again if a logger of this process has it. @returns true if so */
export function describeAgain(folder: string): boolean {
  return describeLast(folder, shared.get(folder)?.destinations);
}

/** @returns false if nobody uses the spool */
function describeLast(folder: string, destinations: readonly Destination[] = []): boolean {
  const last = destinations.at(-1);
  if (last !== undefined) describeDestination(dirname(folder), { ...last, id: basename(folder) });
  return last !== undefined;
}

function newShared(folder: string, options: SpoolSettings, context: ResourceContext): Shared {
  const destinations: Destination[] = [];
  const describe = () => describeLast(folder, destinations);
  return { writer: new GroupCommit(folder, options, context, describe), destinations };
}

/** Removes a user; if its settings were discarded, the description returns to those of the others. */
async function leave(folder: string, known: Shared, destination: Destination): Promise<void> {
  const { destinations, writer } = known;
  const was = destinations.at(-1);
  destinations.splice(destinations.lastIndexOf(destination), 1);
  if (destinations.length > 0) {
    if (destinations.at(-1) !== was) describeLast(folder, destinations);
    return writer.flush();
  }
  shared.delete(folder);
  await writer.close();
}
