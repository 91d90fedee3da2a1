import type { CaptchaParts, CaptchaRequest, CaptchaResponse, PreparedTask, TaskAnswer } from "../contract.js";
import { invalidRequest } from "./refusal.js";
import { belongsTo, newId, type SessionRecord } from "./sessions.js";

/** Milliseconds that a task may take (H12). */
export const TASK_MS = 300_000;
/**
 * Bytes of pictures and sound that wait to be fetched. Browsers fetch them within a second; a program that asks for tasks and
 * leaves their pictures (100 kB for a task of shapes) would otherwise fill the memory within its limits.
 */
const MOST_WAITING_BYTES = 134_217_728;

type Shown = NonNullable<SessionRecord["task"]>;

interface PartEntry {
  network: string;
  family: string;
  /** Base64. */
  body: string;
}

const MEDIA = { png: "image/png", wav: "audio/wav" } as const;

/** The session is part of the name: no other session can take the answer out, or learn that it is there (A35). */
const answerKey = (session: string, task: string) => `task/${session}/${task}`;
const partKey = (task: string, file: string) => `part/${task}/${file}`;

/** Tasks that were shown and not answered: answers, and pictures and sound until they are fetched. */
export class OpenTasks {
  readonly #parts: CaptchaParts;
  readonly #mostBytes: number;
  /** Parts that this process put and nobody took, with their bytes, oldest first. */
  readonly #waiting = new Map<string, { bytes: number; until: number }>();
  #bytes = 0;

  constructor(parts: CaptchaParts, mostBytes = MOST_WAITING_BYTES) {
    this.#parts = parts;
    this.#mostBytes = mostBytes;
  }

  /** Keeps a task until it is answered. The answer stands nowhere else. @throws StorageError */
  async put(
    session: string,
    owner: Pick<SessionRecord, "network" | "family">,
    { type, parts: media, answer }: PreparedTask,
  ): Promise<Shown> {
    const { states, clock } = this.#parts;
    const id = newId();
    await states.put(answerKey(session, id), answer, TASK_MS);
    for (const { name, kind, body } of media) {
      const entry: PartEntry = {
        network: owner.network,
        family: owner.family,
        body: body.toString("base64"),
      };
      const key = partKey(id, `${name}.${kind}`);
      await states.put(key, entry, TASK_MS);
      await this.#admit(key, entry.body.length);
    }
    const files = media.map(({ name, kind }) => `${name}.${kind}`);
    return { id, type, at: clock.now(), parts: files };
  }

  /** Takes the answer out, before anybody looks at it: right or wrong, it is gone (reference 4.4). @throws StorageError */
  async takeAnswer(session: string, task: string): Promise<TaskAnswer | undefined> {
    return (await this.#parts.states.take(answerKey(session, task))) as TaskAnswer | undefined;
  }

  /** Pictures and sound that nobody fetched. @throws StorageError */
  async dropParts({ id, parts }: Shown): Promise<void> {
    await Promise.all(parts.map((file) => this.#take(partKey(id, file))));
  }

  /** @throws StorageError */
  async drop(session: string, task: Shown): Promise<void> {
    await this.takeAnswer(session, task.id);
    await this.dropParts(task);
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
    const entry = (await this.#take(partKey(task, file))) as PartEntry | undefined;
    const { network, family } = belongsTo(request, this.#parts.configuration());
    if (entry === undefined || entry.network !== network || entry.family !== family)
      throw invalidRequest(404);
    return {
      status: 200,
      headers: {
        "Content-Type": file.endsWith(".png") ? MEDIA.png : MEDIA.wav,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
      },
      body: Buffer.from(entry.body, "base64"),
    };
  }

  #take(key: string): Promise<unknown> {
    this.#leave(key);
    return this.#parts.states.take(key);
  }

  /** Parts are no claims: the oldest may go. Who still wants it gets 404, and the next task. */
  async #admit(key: string, bytes: number): Promise<void> {
    const now = this.#parts.clock.now();
    this.#waiting.set(key, { bytes, until: now + TASK_MS });
    this.#bytes += bytes;
    for (const [oldest, { until }] of this.#waiting) {
      if (until > now && this.#bytes <= this.#mostBytes) return;
      this.#leave(oldest);
      if (until > now) await this.#parts.states.take(oldest);
    }
  }

  #leave(key: string): void {
    this.#bytes -= this.#waiting.get(key)?.bytes ?? 0;
    this.#waiting.delete(key);
  }
}
