import { execFileSync } from "node:child_process";
import { DiffInputError } from "./side.js";

/** Maximum output of one git command in bytes: the files of a large configuration. */
const MAX_OUTPUT_BYTES = 1 << 30;

/**
 * @param revision given by the user, for the message if git does not know it
 * @throws DiffInputError
 */
export function git(args: readonly string[], revision?: string): string {
  try {
    return run(args).toString("utf8").trimEnd();
  } catch (error) {
    const { stderr = "" } = error as { stderr?: Buffer | string };
    if (revision !== undefined && String(stderr) === "" && !(error instanceof DiffInputError))
      throw new DiffInputError(`unknown git revision "${revision}"`);
    throw faultOf(error);
  }
}

/** Reads contents with a single process. @throws DiffInputError */
export function objects(ids: readonly string[]): Buffer[] {
  if (ids.length === 0) return [];
  let output: Buffer;
  try {
    output = run(["cat-file", "--batch"], ids.map((id) => `${id}\n`).join(""));
  } catch (error) {
    throw faultOf(error);
  }
  let at = 0;
  return ids.map((id) => {
    const end = output.indexOf(10, at);
    const [, type, size] = output.toString("latin1", at, end).split(" ");
    // git prints "<id> missing" if the repository lacks an object.
    if (type !== "blob") throw new DiffInputError(`git: object ${id} is missing`);
    const start = end + 1;
    at = start + Number(size) + 1;
    return output.subarray(start, at - 1);
  });
}

const run = (args: readonly string[], input = ""): Buffer =>
  execFileSync("git", args, { input, maxBuffer: MAX_OUTPUT_BYTES, stdio: ["pipe", "pipe", "pipe"] });

function faultOf(error: unknown): DiffInputError {
  if (error instanceof DiffInputError) return error;
  const { code, stderr = "" } = error as { code?: string; stderr?: Buffer | string };
  if (code === "ENOENT") return new DiffInputError("git is not installed, and revisions need it");
  if (code === "ENOBUFS") return new DiffInputError(`git: more than ${MAX_OUTPUT_BYTES} bytes of files`);
  return new DiffInputError(
    `git: ${String(stderr)
      .trim()
      .replace(/^fatal: /, "")}`,
  );
}
