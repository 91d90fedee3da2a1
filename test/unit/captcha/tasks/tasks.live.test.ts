import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TASK_TYPES } from "../../../../plugins/captcha/captcha-table.js";
import type { PreparedTask, TaskSource } from "../../../../plugins/captcha/service/contract.js";
import { startRenderThread } from "../../../../plugins/captcha/service/tasks/render-thread.js";
import { TaskPool } from "../../../../plugins/captcha/service/tasks/task-pool.js";
import { startTasks } from "../../../../plugins/captcha/service/tasks/tasks.js";
import { MetricsRegistry } from "../../../../runtime/abi/metrics-registry.js";
import { launchBrowser, WITHOUT_BROWSER } from "../../../support/browser.js";
import { PATIENCE_MS, until } from "../../../support/patience.js";
import { chunksOf, decodePng } from "../../../support/png.js";
import { decodeWav } from "../../../support/wav-file.js";

/** Threads run compiled files only. With its low priority a thread may draw only one picture a second. */
const PATIENT = {
  script: new URL("../../../../.build/plugins/captcha/service/tasks/worker-thread.js", import.meta.url),
  deadlineMs: PATIENCE_MS,
};

describe("tasks from a thread", () => {
  let tasks: TaskSource;
  beforeAll(() => {
    tasks = startTasks(PATIENT);
  });
  afterAll(() => tasks.close());

  it("the thread draws tasks of every type and level, with the parts and the count of their type", async () => {
    for (const type of TASK_TYPES)
      for (const level of [0, 1, 2]) {
        const count = {
          shapes: [3, 5, 5][level],
          rings: [4, 5, 5][level],
          text: [5, 5, 6][level],
          audio: 4,
        }[type];
        // Another level replaces a late task; on a busy machine the right one comes later.
        const task = await until(async () => {
          const drawn = await tasks.next(type, level);
          return drawn.count === count ? drawn : undefined;
        });
        expect(task.type).toBe(type);
        const names = {
          shapes: ["grid", "strip"],
          rings: ["ring1", "ring2", "ring3", "ring4", "ring5"].slice(0, count),
          text: ["text"],
          audio: ["sound"],
        };
        expect(task.parts.map(({ name }) => name)).toEqual(names[type]);
        for (const { kind, body } of task.parts) {
          if (kind === "png") expect(chunksOf(body).length).toBeGreaterThan(3);
          else expect(decodeWav(body).samples).toHaveLength(13.2 * 8_000);
        }
      }
  });

  it("a flood of requests is served when the thread dies in its middle", async () => {
    const reports: string[] = [];
    let kill = async (): Promise<unknown> => undefined;
    const pool = new TaskPool({
      deadlineMs: PATIENT.deadlineMs,
      start: (events) => {
        const thread = startRenderThread(PATIENT.script, events);
        kill = () => thread.end();
        return thread;
      },
      report: (event) => reports.push(event),
      metrics: new MetricsRegistry(),
    });
    const asked = Array.from({ length: 30 }, () => pool.next("text", 0));
    await asked[3];
    await kill();
    const given = await Promise.all(asked);
    expect(given.every(({ type }) => type === "text")).toBe(true);
    expect(reports).toEqual(["captcha_task_thread_ended"]);
    await pool.close();
  });

  it("the event loop turns more than 100 times per picture of a flood", async () => {
    let [turns, drawn, going] = [0, 0, true];
    const turn = () => {
      turns++;
      if (going) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all(Array.from({ length: 24 }, () => tasks.next("shapes", 0).then(() => drawn++)));
    going = false;
    // Pictures drawn on the event loop would take one turn each.
    expect(turns).toBeGreaterThan(drawn * 100);
  });
});

/** In the page: pixels of a PNG as the browser decodes them. */
const SHOWN = `async (base64) => {
  const image = new Image();
  image.src = "data:image/png;base64," + base64;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  let text = "";
  for (let i = 0; i < data.length; i += 8192) text += String.fromCharCode(...data.subarray(i, i + 8192));
  return { width: canvas.width, height: canvas.height, rgba: btoa(text) };
}`;

/** In the page: a WAV as the browser decodes it. */
const HEARD = `async (base64) => {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  const decoded = await new OfflineAudioContext(1, 8000, 8000).decodeAudioData(bytes.buffer);
  const peak = decoded.getChannelData(0).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  return { seconds: decoded.duration, channels: decoded.numberOfChannels, peak };
}`;

describe.skipIf(WITHOUT_BROWSER)("tasks in a browser", () => {
  let browser: Browser;
  let tasks: TaskSource;
  beforeAll(async () => {
    tasks = startTasks(PATIENT);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await tasks.close();
  });

  const part = (task: PreparedTask, name: string): Buffer =>
    task.parts.find((one) => one.name === name)?.body ?? Buffer.alloc(0);

  it("the browser shows the same pixels that our own decoder reads", async () => {
    const page = await browser.newPage();
    for (const [type, name] of [
      ["shapes", "grid"],
      ["shapes", "strip"],
      ["rings", "ring1"],
      ["text", "text"],
    ] as const) {
      const body = part(await tasks.next(type, 0), name);
      const shown = await page.evaluate<{ width: number; height: number; rgba: string }>(
        `(${SHOWN})("${body.toString("base64")}")`,
      );
      const own = decodePng(body);
      const rgba = Buffer.from(shown.rgba, "base64");
      expect([shown.width, shown.height]).toEqual([own.width, own.height]);
      let wrong = 0;
      for (let i = 0; i < own.rgba.length; i += 4) {
        const opaque = own.rgba[i + 3] === 255;
        if (rgba[i + 3] !== own.rgba[i + 3]) wrong++;
        // Canvases hold colours multiplied by opacity, so only opaque ones return unchanged.
        for (let c = 0; opaque && c < 3; c++) if (rgba[i + c] !== own.rgba[i + c]) wrong++;
      }
      expect(wrong).toBe(0);
    }
    await page.close();
  });

  it("[A41] a sound plays for 13.2 s in the browser's own decoder", async () => {
    const page = await browser.newPage();
    const body = part(await tasks.next("audio", 0), "sound");
    const sound = await page.evaluate<{ seconds: number; channels: number; peak: number }>(
      `(${HEARD})("${body.toString("base64")}")`,
    );
    expect(sound.channels).toBe(1);
    expect(sound.seconds).toBeCloseTo(13.2, 2);
    expect(sound.peak).toBeGreaterThan(0.4);
    expect(sound.peak).toBeLessThan(0.9);
    await page.close();
  });
});
