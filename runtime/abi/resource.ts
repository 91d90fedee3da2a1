/**
 * Something with state that pipelines share: a sink, a counter, a pool. A module only describes it, so that loading a
 * module has no effect on the world; the host opens it once per key, however many routes and generations name it.
 */
export interface Resource {
  /** "syslog", "broker": for messages. */
  readonly kind: string;
  /** Hash of everything that makes it another one (destination, credentials' version), and of nothing else. */
  readonly key: string;
  /** Makes it. Does not wait: what it connects to may be down. @throws with the reason when the settings cannot work */
  open(): OpenResource;
  /** Receives the opened one, shared by all descriptions with this key. */
  use(opened: OpenResource): void;
}

export interface OpenResource {
  /** Nothing new comes: delivers what is left within `deadlineMs`, gives up the rest and closes. */
  drain(deadlineMs: number): void | Promise<void>;
}
