export { complain, complainInLines, printJson } from "../runtime/process/complain.js";
