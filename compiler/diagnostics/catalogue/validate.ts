import type { Catalogue } from "../entry.js";

export const validate: Catalogue = {};
