import type { CaptchaParts, CaptchaRequest, CaptchaResponse, PreparedTask, TaskAnswer } from "../contract.js";
import { invalidRequest } from "./refusal.js";
import {
  answerPlace,
  belongsTo,
  newId,
  type SessionCall,
  type SessionRecord,
  type ShownTask,
} from "./sessions.js";

/**
 * Lifetime in ms of a shown task (H12). Until its answer it has entries in the store: the answer, and pictures
 * and sound in base64 until they are fetched, usually within a second. The oldest parts that programs leave
 * behind are evicted (store/holdings.ts); a fetch then gets 404, and the next task follows.
 */
export const TASK_MS = 300_000;

/** Names the session: no other one can take the answer or learn that it exists (A35). */
const answerKey = (session: string, task: string) => `task/${session}/${task}`;
/** Names the owner: no other browser family or network gets the part or uses it up (A46). */
const partKey = (
  task: string,
  file: string,
  { network, family }: Pick<SessionRecord, "network" | "family">,
) => `part/${task}/${file}/${family}/${network}`;

/** No other place holds the answer. @throws StorageError */
export async function putTask(
  { parts: { states, clock }, id: owner, session }: SessionCall,
  { type, parts: media, answer }: PreparedTask,
): Promise<ShownTask> {
  const { network } = session;
  const id = newId();
  await states.put(answerKey(owner, id), answer, TASK_MS, answerPlace(session));
  for (const { name, kind, body } of media) {
    const key = partKey(id, `${name}.${kind}`, session);
    await states.put(key, body.toString("base64"), TASK_MS, { kind: "picture", network });
  }
  const files = media.map(({ name, kind }) => `${name}.${kind}`);
  return { id, type, at: clock.now(), parts: files };
}

/** Removes the answer before it is compared: there is one attempt (reference 4.4). @throws StorageError */
export async function takeAnswer({ parts, id }: SessionCall, task: string): Promise<TaskAnswer | undefined> {
  return (await parts.states.take(answerKey(id, task))) as TaskAnswer | undefined;
}

/** Drops parts that were not fetched. @throws StorageError */
export async function dropParts(call: SessionCall, { id, parts }: ShownTask): Promise<void> {
  const { states } = call.parts;
  await Promise.all(parts.map((file) => states.take(partKey(id, file, call.session))));
}

/** @throws StorageError */
export async function dropTask(call: SessionCall, task: ShownTask): Promise<void> {
  await takeAnswer(call, task.id);
  await dropParts(call, task);
}

/** GET /api/v1/task/<id>/<name>.png or .wav: once, for the browser of the task's owner. @throws Refusal */
export async function fetchPart(
  { states, configuration }: CaptchaParts,
  request: CaptchaRequest,
  task: string,
  file: string,
): Promise<CaptchaResponse> {
  // HEAD would take the part without showing it.
  if (request.method !== "GET") throw invalidRequest(405);
  const site = request.headers.get("Sec-Fetch-Site");
  if (site !== undefined && site !== "same-origin") throw invalidRequest(403);
  const body = await states.take(partKey(task, file, belongsTo(request, configuration())));
  if (typeof body !== "string") throw invalidRequest(404);
  return {
    status: 200,
    headers: {
      "Content-Type": file.endsWith(".png") ? "image/png" : "audio/wav",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "same-origin",
    },
    body: Buffer.from(body, "base64"),
  };
}
