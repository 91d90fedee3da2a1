import { stderr, stdin } from "node:process";

/** Keys as a terminal sends them one by one. */
const [ENTER, NEWLINE, INTERRUPT, END] = ["\r", "\n", "\x03", "\x04"];
const ERASE = new Set(["\x7f", "\b"]);
const ERASE_ALL = "\x15";

/** Undefined if nothing was typed, or after Ctrl-C. */
export async function promptKey(address: string): Promise<string | undefined> {
  // Set before the question, so that nothing typed early is echoed.
  stdin.setRawMode(true);
  try {
    stderr.write(`key of the admin API at ${address} (not shown): `);
    return (await typedLine()) || undefined;
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}

function typedLine(): Promise<string> {
  return new Promise((resolve) => {
    let line = "";
    const end = (text: string) => {
      stdin.off("data", take);
      stdin.off("end", gone);
      resolve(text.trim());
    };
    const gone = () => end("");
    const take = (bytes: Buffer) => {
      for (const one of bytes.toString("utf8")) {
        if (one === ENTER || one === NEWLINE) return end(line);
        if (one === INTERRUPT || one === END) return end("");
        if (one === ERASE_ALL) line = "";
        else if (ERASE.has(one)) line = line.slice(0, -1);
        else line += one;
      }
    };
    stdin.on("data", take);
    stdin.on("end", gone);
    stdin.resume();
  });
}
