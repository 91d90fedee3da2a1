import { complain } from "./complain.js";

/** A reader that has enough (`gwc schema | head`) and a terminal that is gone are no fault; output on a full or broken disk is one. */
export const isLost = (code: string | undefined, isTerminal: boolean): boolean =>
  code !== "EPIPE" && !(code === "EIO" && isTerminal);

/** Ends the process with 2 once something that it prints is lost: 1 is a verdict of check, diff, test and verify, and none has been delivered. */
export function endWithTwoWhenOutputIsLost(): void {
  watch(process.stdout, ({ message }) => complain(`standard output: ${message}`));
  watch(process.stderr, () => {});
}

function watch(stream: NodeJS.WriteStream, tell: (error: NodeJS.ErrnoException) => void): void {
  // Known while the terminal is there.
  const isTerminal = stream.isTTY === true;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!isLost(error.code, isTerminal)) return;
    tell(error);
    process.once("exit", () => {
      process.exitCode = 2;
    });
  });
}

/** Leaves the exit code alone: a gateway that stops weeks after a line was lost has no verdict. */
export function outliveLostOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
