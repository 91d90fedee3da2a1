import type { Catalogue } from "../entry.js";

export const parse: Catalogue = {};
