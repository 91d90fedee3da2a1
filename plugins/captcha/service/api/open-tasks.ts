import type { CaptchaParts, CaptchaRequest, CaptchaResponse, PreparedTask, TaskAnswer } from "../contract.js";
import { invalidRequest } from "./refusal.js";
import { answerPlace, belongsTo, newId, type SessionRecord } from "./sessions.js";

/** Lifetime in ms (H12). */
export const TASK_MS = 300_000;

type Shown = NonNullable<SessionRecord["task"]>;
type Owner = Pick<SessionRecord, "network" | "family">;

const MEDIA = { png: "image/png", wav: "audio/wav" } as const;

/** Names the session: no other one can take the answer or learn that it exists (A35). */
const answerKey = (session: string, task: string) => `task/${session}/${task}`;
/** Names the owner: no other browser family or network gets the part or uses it up (A46). */
const partKey = (task: string, file: string, { network, family }: Owner) =>
  `part/${task}/${file}/${family}/${network}`;

/**
 * Shown and unanswered tasks: answers, and pictures and sound in base64 until they are fetched, usually
 * within a second. The oldest parts that programs leave behind are evicted (store/holdings.ts); a fetch then
 * gets 404, and the next task follows.
 */
export class OpenTasks {
  readonly #parts: CaptchaParts;

  constructor(parts: CaptchaParts) {
    this.#parts = parts;
  }

  /** No other place holds the answer. @throws StorageError */
  async put(session: string, owner: Owner, { type, parts: media, answer }: PreparedTask): Promise<Shown> {
    const { states, clock } = this.#parts;
    const { network } = owner;
    const id = newId();
    await states.put(answerKey(session, id), answer, TASK_MS, answerPlace(owner));
    for (const { name, kind, body } of media) {
      const key = partKey(id, `${name}.${kind}`, owner);
      await states.put(key, body.toString("base64"), TASK_MS, { kind: "picture", network });
    }
    const files = media.map(({ name, kind }) => `${name}.${kind}`);
    return { id, type, at: clock.now(), parts: files };
  }

  /** Removes the answer before it is compared: there is one attempt (reference 4.4). @throws StorageError */
  async takeAnswer(session: string, task: string): Promise<TaskAnswer | undefined> {
    return (await this.#parts.states.take(answerKey(session, task))) as TaskAnswer | undefined;
  }

  /** Drops parts that were not fetched. @throws StorageError */
  async dropParts({ id, parts }: Shown, owner: Owner): Promise<void> {
    await Promise.all(parts.map((file) => this.#parts.states.take(partKey(id, file, owner))));
  }

  /** @throws StorageError */
  async drop(session: string, task: Shown, owner: Owner): Promise<void> {
    await this.takeAnswer(session, task.id);
    await this.dropParts(task, owner);
  }

  /** GET /api/v1/task/<id>/<name>.png or .wav: once, for the browser of the task's owner. @throws Refusal */
  async fetch(request: CaptchaRequest, task: string, file: string): Promise<CaptchaResponse> {
    // HEAD would take the part without showing it.
    if (request.method !== "GET") throw invalidRequest(405);
    const site = request.headers.get("Sec-Fetch-Site");
    if (site !== undefined && site !== "same-origin") throw invalidRequest(403);
    const owner = belongsTo(request, this.#parts.configuration());
    const body = await this.#parts.states.take(partKey(task, file, owner));
    if (typeof body !== "string") throw invalidRequest(404);
    return {
      status: 200,
      headers: {
        "Content-Type": file.endsWith(".png") ? MEDIA.png : MEDIA.wav,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
      },
      body: Buffer.from(body, "base64"),
    };
  }
}
