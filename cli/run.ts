import { runGateway } from "./run-gateway.js";

/** Node releases that get no security fixes any more. */
const UNSUPPORTED_MAJOR = 20;

/** `gwc run`: serves files, or a directory made by `gwc build` (recognised by its manifest). */
export async function run(
  paths: string[],
  options: { writable?: boolean; workers?: string },
): Promise<number> {
  const workers = options.workers === undefined ? undefined : Number(options.workers);
  if (workers !== undefined && !(Number.isInteger(workers) && workers >= 0 && workers <= 1_024)) {
    process.stderr.write(`gwc: --workers takes a whole number from 0 to 1024, not "${options.workers}"\n`);
    return 2;
  }
  if (Number.parseInt(process.versions.node, 10) <= UNSUPPORTED_MAJOR) {
    process.stderr.write(
      `gwc: Node ${process.versions.node} gets no security fixes any more; run the gateway on 22 or 24\n`,
    );
  }
  const { chosenPaths } = await import("./paths.js");
  const chosen = chosenPaths(paths);
  if (chosen === undefined) return 2;
  return runGateway({
    paths: [...chosen],
    directory: process.cwd(),
    writable: options.writable === true,
    workers,
  });
}
