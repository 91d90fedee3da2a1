import type { Catalogue } from "../entry.js";
import { expressions } from "./plan-expressions.js";
import { rewriting } from "./plan-rewriting.js";

export const plan: Catalogue = { ...expressions, ...rewriting };
