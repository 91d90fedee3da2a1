import { Client } from "undici";

/** Reference of WebDriver to an element: returned by `find`, passed to scripts. */
export type ElementReference = { readonly [ELEMENT]: string };
/** The web element identifier of the standard. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** Code points of keys that are no text, from the standard (section 15.4.2, "normalised key value"). */
export const KEY = {
  backspace: "\uE003",
  tab: "\uE004",
  enter: "\uE007",
  escape: "\uE00C",
  space: " ",
  end: "\uE010",
  home: "\uE011",
  left: "\uE012",
  up: "\uE013",
  right: "\uE014",
  down: "\uE015",
} as const;

/**
 * One action of the mouse. A move has coordinates in CSS pixels of the frame's viewport, or from the middle
 * of an element.
 */
export type MouseStep =
  | { type: "pointerMove"; x: number; y: number; duration?: number; origin?: "viewport" | ElementReference }
  | { type: "pointerDown" | "pointerUp"; button: 0 }
  | { type: "pause"; duration: number };

/** Error of the driver; `code` is one of the standard's, "no such element". */
class WebDriverError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

interface Answer {
  value: unknown;
}

/**
 * A session of WebDriver (W3C, "WebDriver 2", its HTTP part). Commands go to the window and frame that were
 * chosen last. Calls are served in order, one at a time.
 */
export class WebDriver {
  readonly #client: Client;
  readonly #session: string;

  private constructor(client: Client, session: string) {
    this.#client = client;
    this.#session = session;
  }

  /**
   * @param origin origin of the driver, "http://127.0.0.1:4444"
   * @param capabilities required capabilities of the browser
   * @throws WebDriverError if the browser does not start
   */
  static async open(origin: string, capabilities: object): Promise<WebDriver> {
    const client = new Client(origin, { bodyTimeout: 60_000, headersTimeout: 60_000 });
    try {
      const body = { capabilities: { alwaysMatch: capabilities } };
      const { sessionId } = (await send(client, "POST", "/session", body)) as { sessionId: string };
      return new WebDriver(client, sessionId);
    } catch (error) {
      await client.destroy();
      throw error;
    }
  }

  async navigate(url: string): Promise<void> {
    await this.#post("url", { url });
  }

  async url(): Promise<string> {
    return (await this.#send("GET", "url")) as string;
  }

  /** @param body body of a function; its arguments are in `arguments`, and it must return JSON or a node */
  async script<T>(body: string, ...args: unknown[]): Promise<T> {
    return (await this.#post("execute/sync", { script: body, args })) as T;
  }

  /** Chooses a frame inside the current frame; null chooses the page itself. */
  async frame(element: ElementReference | null): Promise<void> {
    await this.#post("frame", { id: element });
  }

  /** All matches, possibly none. */
  async findAll(css: string): Promise<ElementReference[]> {
    return (await this.#post("elements", { using: "css selector", value: css })) as ElementReference[];
  }

  /** Scrolls to the element, moves the mouse to its middle and clicks. */
  async click(element: ElementReference): Promise<void> {
    await this.#post(`element/${element[ELEMENT]}/click`, {});
  }

  /** The visible text. */
  async text(element: ElementReference): Promise<string> {
    return (await this.#send("GET", `element/${element[ELEMENT]}/text`)) as string;
  }

  /**
   * Presses keys one after another on the focused element.
   * @param delay delay in ms after each
   */
  async keys(keys: readonly string[], delay = 0): Promise<void> {
    const actions = keys.flatMap((value) => [
      { type: "keyDown", value },
      { type: "keyUp", value },
      { type: "pause", duration: delay },
    ]);
    await this.#post("actions", { actions: [{ type: "key", id: "keyboard", actions }] });
  }

  async mouse(steps: readonly MouseStep[]): Promise<void> {
    const parameters = { pointerType: "mouse" };
    await this.#post("actions", { actions: [{ type: "pointer", id: "mouse", parameters, actions: steps }] });
  }

  /** @returns a PNG of the visible page */
  async screenshot(): Promise<Buffer> {
    return Buffer.from((await this.#send("GET", "screenshot")) as string, "base64");
  }

  async close(): Promise<void> {
    await this.#send("DELETE", "").finally(() => this.#client.destroy());
  }

  #post(command: string, body: object): Promise<unknown> {
    return this.#send("POST", command, body);
  }

  #send(method: "GET" | "POST" | "DELETE", command: string, body?: object): Promise<unknown> {
    return send(
      this.#client,
      method,
      `/session/${this.#session}${command === "" ? "" : `/${command}`}`,
      body,
    );
  }
}

async function send(
  client: Client,
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: object,
): Promise<unknown> {
  const answer = await client.request({
    method,
    path,
    headers: { "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const { value } = (await answer.body.json()) as Answer;
  if (answer.statusCode === 200) return value;
  const { error = "unknown error", message = "" } = (value ?? {}) as { error?: string; message?: string };
  throw new WebDriverError(error, message);
}
