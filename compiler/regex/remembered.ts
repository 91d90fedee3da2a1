/** Answers by key, so that what thousands of routes share is worked out once; the oldest go first beyond `size`. */
export class Remembered<T> {
  readonly #size: number;
  readonly #answers = new Map<string, T>();

  constructor(size: number) {
    this.#size = size;
  }

  get(key: string, make: () => T): T {
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = make();
    const answers = this.#answers;
    if (answers.size >= this.#size)
      for (const oldest of [...answers.keys()].slice(0, this.#size / 4)) answers.delete(oldest);
    answers.set(key, answer);
    return answer;
  }
}
