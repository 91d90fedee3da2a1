/** A logger's name and the route of an entry, as entries of a spool have them: a byte string. */
export function originOf(name: string, routeId: string): string {
  return Buffer.from(`${name}\0${routeId}`).toString("latin1");
}

export interface Origin {
  name: string;
  routeId: string;
}

/** Entries of version 0.1 have no origin: both are "". */
export function readOrigin(origin: string): Origin {
  const [name = "", routeId = ""] = Buffer.from(origin, "latin1").toString().split("\0");
  return { name, routeId };
}
