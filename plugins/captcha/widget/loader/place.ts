/** HTML of containers before they were drawn in: a page restores such placeholders, also into copies. */
const seen = new Set([""]);
/** HTML that pages showed in place of a box with a token, such as thanks; never a placeholder, also in copies. */
const words = new Set<string>();

export class Place {
  readonly container: HTMLElement;
  /** Start of the addresses of frames. */
  readonly #frames: string;
  #shown: HTMLElement | undefined;
  #field: HTMLInputElement | undefined;

  constructor(container: HTMLElement, base: string) {
    this.container = container;
    this.#frames = `${base}/f/`;
    const html = container.innerHTML.trim();
    if (!this.isFree && !words.has(html)) seen.add(html);
  }

  /** An existing field is reused, without its former value. @param name undefined: there is no field */
  empty(name: string | undefined): void {
    const inputs = [...this.container.querySelectorAll("input")];
    const field =
      this.#field ?? inputs.find((input) => input.name === name) ?? document.createElement("input");
    this.container.replaceChildren();
    if (name === undefined) field.remove();
    else Object.assign(field, { type: "hidden", name, value: "", autocomplete: "off", disabled: false });
    this.#field = name === undefined ? undefined : field;
  }

  /** Restores the field if the page has removed it; it may be at another place. */
  put(shown: HTMLElement | undefined): void {
    this.#shown?.remove();
    this.#shown = shown;
    if (this.#field?.isConnected === false) this.container.append(this.#field);
    if (shown !== undefined) this.container.append(shown);
  }

  write(token: string): void {
    if (this.#field !== undefined) this.#field.value = token;
  }

  /** The page has left the content in place. */
  get isWhole(): boolean {
    const { container } = this;
    const lacksField = container.isConnected && this.#field?.isConnected === false;
    return !lacksField && (this.#shown === undefined || container.contains(this.#shown));
  }

  /** Empty, or with its placeholder or a copy of a widget. If not, the page shows something else, such as thanks. */
  get isFree(): boolean {
    const html = this.container.innerHTML.trim();
    return seen.has(html) || html.includes(this.#frames);
  }

  /** Marks the current content as the page's own, in place of a box with a token. */
  spare(): void {
    words.add(this.container.innerHTML.trim());
  }

  remove(): void {
    this.#shown?.remove();
    this.#field?.remove();
    this.#shown = this.#field = undefined;
  }
}
