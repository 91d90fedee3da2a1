import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { ROOT } from "../architecture/sources.js";

/** Returns the text as `npm run lint` wants it. @param page path from the root, which decides about the settings */
export async function formatMarkdown(page: string, text: string): Promise<string> {
  const settings = await resolveConfig(join(ROOT, page));
  return format(text, { ...settings, parser: "markdown" });
}
