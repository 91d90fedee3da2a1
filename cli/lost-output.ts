import { complain } from "./complain.js";

/**
 * Reports whether a write error means lost output. A reader that closes early (`gwc schema | head`) and a
 * closed terminal are no error; a full or broken disk is one.
 */
export const isLost = (code: string | undefined, isTerminal: boolean): boolean =>
  code !== "EPIPE" && !(code === "EIO" && isTerminal);

/** Exits with 2 when output is lost: 1 is a verdict of check, diff, test and verify, and none was delivered. */
export function endWithTwoWhenOutputIsLost(): void {
  watch(process.stdout, ({ message }) => complain(`standard output: ${message}`));
  watch(process.stderr, () => {});
}

function watch(stream: NodeJS.WriteStream, tell: (error: NodeJS.ErrnoException) => void): void {
  // Read early, because a closed terminal no longer reports that it was one.
  const isTerminal = stream.isTTY === true;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!isLost(error.code, isTerminal)) return;
    tell(error);
    process.once("exit", () => {
      process.exitCode = 2;
    });
  });
}

/** Ignores lost output: a gateway that stops weeks after a lost line has no verdict. */
export function outliveLostOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
