import type { Catalogue } from "../entry.js";
import { dist } from "./dist.js";

export const load: Catalogue = {
  ...dist,
};
