import type { CaptchaParts, CaptchaRequest, CaptchaResponse, PreparedTask, TaskAnswer } from "../contract.js";
import { invalidRequest } from "./refusal.js";
import { answerPlace, belongsTo, newId, type SessionRecord } from "./sessions.js";

/** Milliseconds that a task may take (H12). */
export const TASK_MS = 300_000;

type Shown = NonNullable<SessionRecord["task"]>;
/** Whom a task was made for. */
type Owner = Pick<SessionRecord, "network" | "family">;

const MEDIA = { png: "image/png", wav: "audio/wav" } as const;

/** The session is part of the name: no other session can take the answer out, or learn that it is there (A35). */
const answerKey = (session: string, task: string) => `task/${session}/${task}`;
/** The owner is part of the name: a browser of another family, or of another network, neither gets the part nor uses it up (A46). */
const partKey = (task: string, file: string, { network, family }: Owner) =>
  `part/${task}/${file}/${family}/${network}`;

/**
 * Tasks that were shown and not answered: answers, and pictures and sound in base64 until they are fetched. Browsers fetch them within
 * a second; of those that a program leaves the oldest go (store/holdings.ts): who still wants one gets 404, and the next task.
 */
export class OpenTasks {
  readonly #parts: CaptchaParts;

  constructor(parts: CaptchaParts) {
    this.#parts = parts;
  }

  /** Keeps a task until it is answered. The answer stands nowhere else. @throws StorageError */
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

  /** Takes the answer out, before anybody looks at it: right or wrong, it is gone (reference 4.4). @throws StorageError */
  async takeAnswer(session: string, task: string): Promise<TaskAnswer | undefined> {
    return (await this.#parts.states.take(answerKey(session, task))) as TaskAnswer | undefined;
  }

  /** Pictures and sound that nobody fetched. @throws StorageError */
  async dropParts({ id, parts }: Shown, owner: Owner): Promise<void> {
    await Promise.all(parts.map((file) => this.#parts.states.take(partKey(id, file, owner))));
  }

  /** @throws StorageError */
  async drop(session: string, task: Shown, owner: Owner): Promise<void> {
    await this.takeAnswer(session, task.id);
    await this.dropParts(task, owner);
  }

  /**
   * GET /api/v1/task/<id>/<name>.png or .wav: once, for the browser that the task was made for.
   * @throws Refusal, StorageError
   */
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
