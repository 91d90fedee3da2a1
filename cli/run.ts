import { endsContainer, superviseGateway } from "../runtime/process/init.js";
import { failed } from "./complain.js";
import { runGateway } from "./run-gateway.js";

/** Latest major release of Node without security fixes. */
const UNSUPPORTED_MAJOR = 20;

interface RunOptions {
  config?: string[];
  writable?: boolean;
  watch?: boolean;
  workers?: string;
  verify?: string[];
  policy?: string;
  logFormat?: "json" | "text";
  color?: "auto" | "always" | "never";
}

/** `gwc run`: serves files, or a directory of `gwc build`, which has a manifest. */
export async function run(paths: string[], options: RunOptions): Promise<number> {
  const workers = options.workers === undefined ? undefined : Number(options.workers);
  if (workers !== undefined && !(Number.isInteger(workers) && workers >= 0 && workers <= 1_024))
    return failed(`--workers must be an integer from 0 to 1024, not "${options.workers}"`, 2);
  tellLogFormat(options);
  if (endsContainer()) return superviseGateway();
  if (Number.parseInt(process.versions.node, 10) <= UNSUPPORTED_MAJOR) {
    const { log } = await import("../runtime/process/log.js");
    const reason = `Node ${process.versions.node} no longer receives security fixes: run the gateway on Node 22 or 24`;
    log("node_unsupported", { reason });
  }
  const { chosenPaths } = await import("./paths.js");
  const chosen = chosenPaths(paths, options.config);
  if (chosen === undefined) return 2;
  return runGateway({
    paths: [...chosen],
    directory: process.cwd(),
    writable: options.writable === true,
    watch: options.watch === true,
    workers,
    verify: options.verify,
    policy: options.policy,
  });
}

/** Sets the log format for this process and its children. Without an option, the type of the output decides. */
function tellLogFormat({ logFormat, color = "auto" }: RunOptions): void {
  const terminal = process.stderr.isTTY === true;
  const isText = logFormat === undefined ? terminal : logFormat === "text";
  const coloured = color === "always" || (color === "auto" && terminal && !process.env["NO_COLOR"]);
  if (logFormat === undefined && process.env["GWC_LOG_FORMAT"] !== undefined) return;
  process.env["GWC_LOG_FORMAT"] = isText ? (coloured ? "coloured" : "text") : "json";
}
