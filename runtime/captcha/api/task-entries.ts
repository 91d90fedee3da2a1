import type { CaptchaParts, CaptchaRequest, CaptchaResponse, PreparedTask, TaskAnswer } from "../contract.js";
import { invalidRequest } from "./refusal.js";
import { belongsTo, newId, type SessionRecord } from "./sessions.js";

/** Milliseconds that a task may take (H12). */
export const TASK_MS = 300_000;

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

/** Keeps a task until it is answered. The answer stands nowhere else. @throws StorageError */
export async function putTask(
  parts: CaptchaParts,
  session: string,
  owner: Pick<SessionRecord, "network" | "family">,
  { type, parts: media, answer }: PreparedTask,
): Promise<Shown> {
  const id = newId();
  const files = media.map(({ name, kind }) => `${name}.${kind}`);
  await parts.states.put(answerKey(session, id), answer, TASK_MS);
  for (const { name, kind, body } of media) {
    const entry: PartEntry = {
      network: owner.network,
      family: owner.family,
      body: body.toString("base64"),
    };
    await parts.states.put(partKey(id, `${name}.${kind}`), entry, TASK_MS);
  }
  return { id, type, at: parts.clock.now(), parts: files };
}

/** Takes the answer out, before anybody looks at it: right or wrong, it is gone (reference 4.4). */
export async function takeAnswer(
  { states }: CaptchaParts,
  session: string,
  task: string,
): Promise<TaskAnswer | undefined> {
  return (await states.take(answerKey(session, task))) as TaskAnswer | undefined;
}

/** Pictures and sound that nobody fetched. */
export async function dropParts({ states }: CaptchaParts, { id, parts }: Shown): Promise<void> {
  await Promise.all(parts.map((file) => states.take(partKey(id, file))));
}

export async function dropTask(parts: CaptchaParts, session: string, task: Shown): Promise<void> {
  await parts.states.take(answerKey(session, task.id));
  await dropParts(parts, task);
}

/**
 * GET /api/v1/task/<id>/<name>.png or .wav: once, for the browser that the task was made for.
 * @throws Refusal, StorageError
 */
export async function taskPart(
  parts: CaptchaParts,
  request: CaptchaRequest,
  task: string,
  file: string,
): Promise<CaptchaResponse> {
  // HEAD would take the part without showing it.
  if (request.method !== "GET") throw invalidRequest(405);
  const site = request.headers.get("Sec-Fetch-Site");
  if (site !== undefined && site !== "same-origin") throw invalidRequest(403);
  const entry = (await parts.states.take(partKey(task, file))) as PartEntry | undefined;
  const { network, family } = belongsTo(request, parts.configuration());
  if (entry === undefined || entry.network !== network || entry.family !== family) throw invalidRequest(404);
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
