/** A reload that may be asked for before the gateway can do it: the start may have read the files already, so it is done afterwards. */
export class AwaitedReload {
  #reload: (() => void) | undefined;
  #asked = false;

  readonly ask = (): void => {
    if (this.#reload) this.#reload();
    else this.#asked = true;
  };

  /** Passes on what was asked for, once, and what will be. */
  serve(reload: () => void): void {
    this.#reload = reload;
    if (this.#asked) reload();
  }
}
