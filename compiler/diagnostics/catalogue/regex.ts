import type { Catalogue } from "../entry.js";

export const regex: Catalogue = {};
