/** Reload that may be requested before it is possible; it then runs later: the start may have read the files. */
export class AwaitedReload {
  #reload: (() => void) | undefined;
  #asked = false;

  readonly ask = (): void => {
    if (this.#reload) this.#reload();
    else this.#asked = true;
  };

  serve(reload: () => void): void {
    this.#reload = reload;
    if (this.#asked) reload();
  }
}
