import type { Catalogue } from "../entry.js";

export const load: Catalogue = {};
