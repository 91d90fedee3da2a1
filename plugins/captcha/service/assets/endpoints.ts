import {
  type CaptchaHandler,
  type CaptchaParts,
  type CaptchaRequest,
  type CaptchaResponse,
  type Endpoint,
  StorageError,
} from "../contract.js";
import { json } from "../http/answer.js";
import { fileHandler, methodNotAllowed } from "./files.js";
import { boxFrame, taskFrame } from "./frames.js";
import { EVERGREEN, MEMORY_WORKER, OWN_ASSET, PINNED } from "./headers.js";
import { type BuiltName, widgetFolder, widgetManifest } from "./manifest.js";

/** @throws Error if the widget was not built */
export function assetEndpoints(parts: Pick<CaptchaParts, "configuration" | "states">): Endpoint {
  const folder = widgetFolder();
  const manifest = widgetManifest(folder);
  const handlers = new Map<string, CaptchaHandler>();
  const loader = manifest.files["captcha.js"];
  handlers.set("/captcha.js", fileHandler(folder, loader, EVERGREEN));
  handlers.set(`/${loader.file}`, fileHandler(folder, loader, PINNED));
  for (const [name, built] of Object.entries(manifest.files) as [BuiltName, typeof loader][])
    if (name !== "captcha.js")
      handlers.set(
        `/assets/${built.file}`,
        fileHandler(folder, built, name === "memory.js" ? MEMORY_WORKER : OWN_ASSET),
      );
  handlers.set("/f/v1/box", (request) => boxFrame(request, parts, manifest));
  handlers.set("/f/v1/task", (request) => taskFrame(request, parts, manifest));
  handlers.set("/healthz", (request) => probe(request, true));
  handlers.set("/readyz", async (request) => probe(request, await storeResponds(parts)));
  return (path) => handlers.get(path) ?? null;
}

function probe({ method }: CaptchaRequest, isOk: boolean): CaptchaResponse {
  if (method !== "GET" && method !== "HEAD") return methodNotAllowed();
  return json(isOk ? 200 : 503, { status: isOk ? "ok" : "unavailable" });
}

async function storeResponds({ states }: Pick<CaptchaParts, "states">): Promise<boolean> {
  try {
    await states.get("readyz");
    return true;
  } catch (error) {
    if (error instanceof StorageError) return false;
    throw error;
  }
}
