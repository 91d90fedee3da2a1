/**
 * Reload that may be requested before the gateway can do it. The start may have read the files already, so
 * the reload runs afterwards.
 */
export class AwaitedReload {
  #reload: (() => void) | undefined;
  #asked = false;

  readonly ask = (): void => {
    if (this.#reload) this.#reload();
    else this.#asked = true;
  };

  /** Sets the function that reloads, and runs a pending reload. */
  serve(reload: () => void): void {
    this.#reload = reload;
    if (this.#asked) reload();
  }
}
